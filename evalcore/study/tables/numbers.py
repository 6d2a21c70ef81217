"""Numbers as files write them: nothing is taken for one that other programs would read as another."""

from __future__ import annotations

import math


def parsed(word: str) -> float | None:
    """The number a cell holds, as C's ``strtod`` reads decimal numbers to the end of the cell; None for none.

    >>> parsed("-1.5e3"), parsed("inf"), parsed("1_000"), parsed("١"), parsed("1 ")
    (-1500.0, inf, None, None, None)
    """
    # what Python's float() takes beyond that: underscores, digits of other scripts, white space around
    if "_" in word or not word.isascii() or word[:1] <= " " or word[-1] <= " ":
        return None
    try:
        return float(word)
    except ValueError:
        return None


def number(word: str) -> float:
    """The same, NaN for none."""
    value = parsed(word)
    return math.nan if value is None else value
