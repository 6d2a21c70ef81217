"""Text that goes into figures and their sentences: escaped, shortened, three significant digits."""

from __future__ import annotations

import math
import textwrap
from html import escape


def safe(text: object) -> str:
    """Data as text that plotly shows literally (its text fields understand ``<b>``, ``<a>``, ``&lt;``)."""
    return escape(str(text), quote=False)


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


def three(value: float) -> str:
    """Three significant digits, as the tables print them; a true minus sign; "–" when undefined.

    >>> three(0.5), three(-0.04219), three(0), three(float("nan"))
    ('0.500', '−0.0422', '0', '–')
    """
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    places = min(6, max(0, 2 - math.floor(math.log10(abs(value)))))
    return f"{value:.{places}f}".replace("-", "−")


def signed(value: float) -> str:
    """A difference with its sign, three significant digits.

    >>> signed(0.0312), signed(-0.5)
    ('+0.0312', '−0.500')
    """
    return f"+{three(value)}" if value > 0 else three(value)


def percent(share: float) -> str:
    """A share as whole percent, "<1 %" when it is small but not nothing.

    >>> percent(0.254), percent(0.001), percent(0)
    ('25 %', '<1 %', '0 %')
    """
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return ">99 %"
    return f"{share:.0%}".replace("%", " %")


def span(low: float, high: float) -> str:
    """An interval in words: "0.391 to 0.433"."""
    return f"{three(low)} to {three(high)}"


def count(n: int, one: str, many: str = "") -> str:
    """A number and its noun: "1 query", "9,927 queries"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def signed_span(low: float, high: float) -> str:
    """An interval of a difference, signs kept: "−0.0100 to +0.0540"."""
    return f"{signed(low)} to {signed(high)}"


def p_value(p: float) -> str:
    """ "p = 0.012", "p < 0.001", "p not computed" for NaN."""
    if not math.isfinite(p):
        return "p not computed"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
