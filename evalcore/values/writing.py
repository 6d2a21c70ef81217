"""How numbers and text are written where people read them: the only place that rounds what a reader sees."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from html import escape
from math import floor, isfinite, log10

NOTHING = "–"
"""Stands where there is no number."""
MINUS = "−"


def number(value: float, places: int | None = None, *, sign: bool = False) -> str:
    """A number with so many places, else with three significant digits, trailing zeros kept; "–" for NaN.

    ``sign``: a difference, which has its plus too.

    >>> number(0.51234), number(0.0), number(1.0), number(123.44), number(-0.0312)
    ('0.512', '0', '1.00', '123', '−0.0312')
    >>> number(0.5, 4), number(-0.00004, 4), number(-0.25, 2), number(float("nan"), 2)
    ('0.5000', '0.0000', '−0.25', '–')
    >>> number(0.0312, sign=True), number(0, sign=True), number(0.0312, 3, sign=True)
    ('+0.0312', '0', '+0.031')
    """
    if not isfinite(value):
        return NOTHING
    written = f"{abs(value):.{_places(value) if places is None else places}f}"
    if value < 0 and float(written):
        return f"{MINUS}{written}"
    return f"+{written}" if sign and value > 0 else written


def _places(value: float) -> int:
    """Decimal places that show three significant digits, six at most."""
    return min(6, max(0, 2 - floor(log10(abs(value))))) if value else 0


def arrow(lower_is_better: bool) -> str:
    """Beside the name of a measure: which way it is better."""
    return "↓" if lower_is_better else "↑"


def places_of(differences: Iterable[float]) -> int:
    """Decimals that show every one of these with two digits at least, NaN and 0 aside: three, up to six where
    they are small.

    >>> places_of([0.146, -0.0532]), places_of([0.146, 0.00256])
    (3, 4)
    """
    sizes = [abs(value) for value in differences if value and isfinite(value)]
    return min(6, max(3, 1 - floor(log10(min(sizes))))) if sizes else 3


def span(low: float, high: float, *, places: int | None = None, joint: str = "to", sign: bool = False) -> str:
    """Both ends of an interval with equal places (by default three digits for the larger end); "–" for none.

    ``sign``: of a difference.

    >>> span(0.08801, 0.1142), span(float("nan"), 1.0), span(0.0, 0.0), span(-0.0041, 0.25, sign=True)
    ('0.088 to 0.114', '–', '0 to 0', '−0.004 to +0.250')
    """
    if not (isfinite(low) and isfinite(high)):
        return NOTHING
    places = _places(max(abs(low), abs(high))) if places is None else places
    return f"{number(low, places, sign=sign)} {joint} {number(high, places, sign=sign)}"


def in_table(low: float, high: float, *, places: int) -> str:
    """The interval of a difference beside columns of numbers, which write the minus of the keyboard.

    >>> in_table(-0.0041, 0.0312, places=3)
    '-0.004 to +0.031'
    """
    return span(low, high, places=places, sign=True).replace(MINUS, "-")


def p_value(p: float) -> str:
    """A p-value as statisticians write it: "0.012", "< 0.001".

    >>> p_value(0.0004), p_value(0.0123), p_value(0.5), p_value(float("nan"))
    ('< 0.001', '0.012', '0.500', '–')
    """
    if not isfinite(p):
        return NOTHING
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """A p-value in a sentence: "p = 0.012", "p < 0.001", "p not computed" for NaN.

    >>> p_equals(0.0004), p_equals(0.0123), p_equals(float("nan"))
    ('p < 0.001', 'p = 0.012', 'p not computed')
    """
    if not isfinite(p):
        return "p not computed"
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def file_size(n: int) -> str:
    """Bytes as files are measured, in powers of 1,000.

    >>> file_size(812), file_size(44_100), file_size(12_300_000), file_size(5 * 10**9), file_size(99_960_000)
    ('812 bytes', '44 kB', '12 MB', '5 GB', '100 MB')
    """
    for name, unit in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n >= unit:
            large = n >= 9.95 * unit
            return f"{n / unit:,.0f} {name}" if large else f"{n / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{n:,} bytes"


def percent(part: float, whole: float) -> str:
    """A share: "61.9%"; "–" of nothing; never "100%" unless it is all, never "0%" unless it is none.

    >>> percent(619, 1000), percent(9999, 10000), percent(1, 100000), percent(1, 0), percent(5, 5)
    ('61.9%', '> 99.9%', '< 0.1%', '–', '100%')
    """
    if not whole:
        return NOTHING
    share = 100 * part / whole
    if part == whole or part == 0:
        return f"{share:.0f}%"
    if share > 99.9:
        return "> 99.9%"
    return "< 0.1%" if share < 0.1 else f"{share:.1f}%"


def share(of_all: float) -> str:
    """A share where space is short, in whole percent; "<1%" and ">99%" for small and nearly all.

    >>> share(0.254), share(0.001), share(0.996), share(0), share(1)
    ('25%', '<1%', '>99%', '0%', '100%')
    """
    if 0 < of_all < 0.01:
        return "<1%"
    return ">99%" if 0.99 < of_all < 1 else f"{of_all:.0%}"


def pluralize(n: int, noun: str, many: str | None = None) -> str:
    """A count with its noun, ``many`` where it is not the `plural` of the noun.

    >>> pluralize(1, "query"), pluralize(1102, "query"), pluralize(2, "person", "people")
    ('1 query', '1,102 queries', '2 people')
    """
    return f"{n:,} {noun if n == 1 else many or plural(noun)}"


def plural(noun: str) -> str:
    """The regular plural of an English noun that does not end in s, x, ch or sh.

    >>> plural("image"), plural("query"), plural("way")
    ('images', 'queries', 'ways')
    """
    return re.sub(r"(?<![aeo])y$", "ie", noun) + "s"


def pluralize_all(n: int, noun: str) -> str:
    """All of so many, as a person says it.

    >>> [pluralize_all(n, "query") for n in (1, 2, 1_200)]
    ['the one query', 'both queries', 'all 1,200 queries']
    """
    few = {1: f"the one {noun}", 2: f"both {plural(noun)}"}
    return few.get(n) or f"all {pluralize(n, noun)}"


def listed(words: list[str] | tuple[str, ...], *, limit: int = 5) -> str:
    """Words as a person lists them: "a, b and c"; the rest is counted.

    >>> listed(["a"]), listed(["a", "b"]), listed(list("abcd"), limit=2)
    ('a', 'a and b', 'a, b and 2 more')
    """
    if len(words) > limit:
        return f"{', '.join(words[:limit])} and {len(words) - limit:,} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))


# Text that came from a file, made harmless before it meets Markdown.

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-!|~$:^=&\"'@/.])")
_JOINER = "\u2060"
"""Invisible and without width: parts what the page would otherwise read as one sign."""
_READ_AS_ONE = re.compile(
    r"(?<=:)(?=[\w/+-])|(?<=www)(?=\.)|(?<=\w)(?=@[\w-]+\.)|(?<=[-<>~=])(?=[-<>~=])", re.IGNORECASE
)
"""In plain text too the page makes links of addresses, pictures of ``:names:``, arrows of ``->``."""


def md_escape(text: str, *, limit: int | None = None) -> str:
    """Untrusted text as Markdown that shows exactly these characters, on one line.

    Every character Markdown, Streamlit's directives (``:red[...]``, ``:material/..:``) or maths could act
    on gets a backslash; addresses, emoji names and arrows are parted by an invisible joiner; control and
    direction-changing characters are dropped, line breaks become spaces. ``limit`` cuts at that many
    characters, with an ellipsis.

    >>> md_escape("![x](h)")
    '\\\\!\\\\[x\\\\]\\\\(h\\\\)'
    >>> md_escape("a\\nb", limit=10), md_escape("abcdef", limit=4)
    ('a b', 'abc…')
    """
    parted = _READ_AS_ONE.sub(_JOINER, plain(text, limit=limit))
    return _MARKDOWN.sub(r"\\\1", parted)


def plain(text: str, *, limit: int | None = None) -> str:
    """The same text on one line, without control or direction-changing characters; not escaped."""
    kept = " ".join(text.split())
    if not kept.isprintable():
        kept = "".join(filter(str.isprintable, kept))
    return kept if limit is None or len(kept) <= limit else kept[: max(limit - 1, 0)].rstrip() + "…"


# Text that goes into figures and their sentences: escaped, shortened, wrapped.


def safe(text: object) -> str:
    """Data as text that plotly shows literally (its text fields understand ``<b>``, ``<a>``, ``&lt;``)."""
    return escape(str(text), quote=False)


def upper_first(text: str) -> str:
    """The text as a sentence begins, all but its first letter as it is (unlike `str.capitalize`)."""
    return text[:1].upper() + text[1:]


def short(text: str, width: int) -> str:
    """At most ``width`` characters, the middle left out: both ends of an id or a name tell it apart."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 3
    return f"{text[: width - 1 - tail].rstrip()}…{text[-tail:].lstrip() if tail else ''}"


def wrapped(text: str, width: int, *, lines: int = 3) -> str:
    """Escaped text broken at words into at most ``lines`` lines of about ``width`` characters; a longer
    word (up to 10 more) widens the lines rather than being cut."""
    longest_word = max((len(word) for word in text.split()), default=0)
    width = max(width, min(longest_word, width + 10))
    rows = textwrap.wrap(text, width, max_lines=lines, placeholder=" …", break_on_hyphens=False) or [""]
    return "<br>".join(safe(row) for row in rows)


# Lists of many words, written as a text is.


def words(text: str) -> tuple[str, ...]:
    """The words and phrases of a text, apart by commas, white space within them as one space.

    >>> words("no, without evidence of,")
    ('no', 'without evidence of')
    """
    return tuple(word for part in text.split(",") if (word := " ".join(part.split())))
