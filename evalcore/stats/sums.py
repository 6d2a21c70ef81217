"""Sums that are the same in any order, on any processor, in any company.

A sum of floats depends on the order of its terms, and the order on the processor's matrix routines, on how
many threads they use and on the columns beside. Here each column is cut into pieces that are whole numbers
in a unit of their own (Ogita, Rump & Oishi 2005 and Ozaki et al. 2012, doi:10.1007/s11075-011-9478-1, cut
alike): every partial sum of them is a whole number below 2^53, so it is exact, and the order is nothing.

Three pieces of 26 bits hold a column's values down to 2^-78 of its largest; what lies below is rounded
away from each value. The sum of the pieces is rounded once. Nothing here looks at another column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.model import Floats, Ints, Offsets

BITS, PIECES = 26, 3
MOST_WEIGHT = 1 << 53 - BITS
"""Whole-number weights of one sum add up to this at most: 134 million rows."""

_UNIT = 2.0**BITS
_SMALLEST = -900
"""Columns whose largest value is below 2^-900 are cut no finer than those of this size."""


class Cut(NamedTuple):
    """Columns cut into pieces: whole numbers of up to 2^26, the first in units of 2^(exponent - 26)."""

    pieces: tuple[Floats, ...]
    exponents: Ints


def cut(columns: Floats) -> Cut:
    """Columns ready for `weighted_sums`. Shape (n, m), finite."""
    exponents = _exponents(np.abs(columns).max(axis=0, initial=0.0))
    return Cut(tuple(_pieces(columns, exponents)), exponents)


def weighted_sums(weights: Floats, columns: Cut) -> Floats:
    """Sums of the columns under whole-number weights, correctly rounded.

    Parameters
    ----------
    weights
        Shape (r, n), whole numbers >= 0; each row adds up to at most ``MOST_WEIGHT``.
    columns
        `cut` of shape (n, m).

    Returns
    -------
    sums, shape (r, m)
    """
    return _joined([weights @ piece for piece in columns.pieces], columns.exponents)


def column_sums(columns: Floats) -> Floats:
    """Sum of each column of shape (n, m), correctly rounded; 0 where n is 0. No NaN.

    >>> column_sums(np.array([[0.1, 1e16], [0.2, 1.0], [-0.3, -1e16]])).tolist()
    [2.7755575615628914e-17, 1.0]
    """
    exponents = _exponents(np.abs(columns).max(axis=0, initial=0.0))
    return _joined([piece.sum(axis=0) for piece in _pieces(columns, exponents)], exponents)


def sum_of(values: Floats) -> float:
    """The sum of shape (n,), correctly rounded. No NaN among the values."""
    return float(column_sums(values[:, np.newaxis])[0])


def mean_of(values: Floats) -> float:
    """The mean of shape (n,), the sum rounded once; NaN where n is 0. No NaN among the values."""
    return sum_of(values) / len(values) if len(values) else float("nan")


def list_sums(indptr: Offsets, values: Floats) -> Floats:
    """Sum of the values of each list in CSR form, shape (n,), correctly rounded; 0 for an empty list."""
    sums, lengths = np.zeros(len(indptr) - 1), np.diff(indptr)
    filled = lengths > 0
    if filled.any():
        # Between the starts of two filled lists lie only the rows of the first: empty ones have none.
        starts = indptr[:-1][filled]
        exponents = _exponents(np.maximum.reduceat(np.abs(values), starts))
        pieces = _pieces(values, np.repeat(exponents, lengths[filled]))
        sums[filled] = _joined([np.add.reduceat(piece, starts) for piece in pieces], exponents)
    return sums


def _exponents(largest: Floats) -> Ints:
    """The power of two above each of these values >= 0."""
    exponents: Ints = np.maximum(np.frexp(largest)[1], _SMALLEST)
    return exponents


def _pieces(values: Floats, exponents: Ints) -> Iterator[Floats]:
    """Whole numbers that make up the values; those that are all 0 are left out."""
    rest = values * np.ldexp(1.0, BITS - exponents)
    for _ in range(PIECES):
        piece = np.rint(rest)
        yield piece
        rest -= piece
        if not rest.any():
            return
        rest *= _UNIT


def _joined(sums: Sequence[Floats], exponents: Ints) -> Floats:
    """One number of the sums of the pieces: carries go up until only one addition can round."""
    high, middle, low = (*sums, *([np.zeros_like(sums[0])] * (PIECES - len(sums))))
    carry = np.rint(low / _UNIT)
    middle, low = middle + carry, low - carry * _UNIT
    carry = np.rint(middle / _UNIT)
    high, middle = high + carry, middle - carry * _UNIT
    joined: Floats = np.ldexp(high + (middle * _UNIT + low) / _UNIT**2, exponents - BITS)
    return joined
