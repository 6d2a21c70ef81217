"""How numbers are written on a page. The only place of the pages that rounds."""

from __future__ import annotations

from math import floor, isfinite, log10

NOTHING = "–"
"""Stands where there is no number."""
MINUS = "−"


def number(value: float, *, digits: int = 3) -> str:
    """A score with three significant digits, trailing zeros kept: 0.512, 0.0453, 12.3; "–" for NaN.

    Examples
    --------
    >>> number(0.51234), number(0.0), number(1.0), number(123.44), number(-0.0312)
    ('0.512', '0', '1.00', '123', '−0.0312')
    """
    if not isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    places = max(0, digits - 1 - floor(log10(abs(value))))
    written = f"{abs(value):.{min(places, 6)}f}"
    return f"{MINUS if value < 0 else ''}{written}"


def brief(value: float) -> str:
    """A score between 0 and 1 where space is short: 0.33; "–" for NaN."""
    return f"{value:.2f}".replace("-", MINUS) if isfinite(value) else NOTHING


def signed(value: float) -> str:
    """A difference with its sign: +0.0312, −0.0312, 0.

    Examples
    --------
    >>> signed(0.0312), signed(-0.5), signed(0)
    ('+0.0312', '−0.500', '0')
    """
    return f"+{number(value)}" if value > 0 else number(value)


def interval(low: float, high: float) -> str:
    """Both ends of an interval: "0.49 to 0.53" in three digits; "–" when there is none."""
    return NOTHING if not (isfinite(low) and isfinite(high)) else f"{number(low)} to {number(high)}"


def signed_interval(low: float, high: float) -> str:
    """Both ends of an interval of a difference, signs kept."""
    return NOTHING if not (isfinite(low) and isfinite(high)) else f"{signed(low)} to {signed(high)}"


def p_value(p: float) -> str:
    """A p-value as statisticians write it: "0.012", "< 0.001".

    Examples
    --------
    >>> p_value(0.0004), p_value(0.0123), p_value(0.5), p_value(float("nan"))
    ('< 0.001', '0.012', '0.500', '–')
    """
    if not isfinite(p):
        return NOTHING
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def count(value: int) -> str:
    """A whole number with thousands separated: 9,927."""
    return f"{value:,}"


def short_count(value: int) -> str:
    """A large number in few characters: 41 k, 9,927 stays.

    Examples
    --------
    >>> short_count(9927), short_count(27295), short_count(3_200_000)
    ('9,927', '27 k', '3.2 M')
    """
    if value >= 1_000_000:
        return f"{value / 1_000_000:.1f} M"
    return f"{round(value / 1000)} k" if value >= 10_000 else count(value)


def percent(part: float, whole: float) -> str:
    """A share: "61.9 %"; "–" of nothing; never "100 %" unless it is all, never "0 %" unless it is none.

    Examples
    --------
    >>> percent(619, 1000), percent(9999, 10000), percent(1, 100000), percent(1, 0), percent(5, 5)
    ('61.9 %', '> 99.9 %', '< 0.1 %', '–', '100 %')
    """
    if not whole:
        return NOTHING
    share = 100 * part / whole
    if part == whole or part == 0:
        return f"{share:.0f} %"
    if share > 99.9:
        return "> 99.9 %"
    return "< 0.1 %" if share < 0.1 else f"{share:.1f} %"


def things(n: int, one: str, many: str | None = None) -> str:
    """A count with its noun: "1 image", "1,102 images", "2 queries"."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def listed(words: list[str] | tuple[str, ...], *, limit: int = 5) -> str:
    """Words as a person lists them: "a, b and c"; the rest is counted.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b"]), listed(list("abcd"), limit=2)
    ('a', 'a and b', 'a, b and 2 more')
    """
    if len(words) > limit:
        return f"{', '.join(words[:limit])} and {count(len(words) - limit)} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))
