"""Sums that are the same in any order, on any processor, in any company.

A sum of floats depends on the order of its terms, and the order on the processor's matrix routines, on how
many threads they use and on the columns beside. Here every column is first cut into pieces, whole numbers in
units of their own, so small that every partial sum is a whole number below 2^53: exact, in whatever order
(after Ozaki et al. 2012, doi:10.1007/s11075-011-9478-1). The sums of the pieces are put together with one
rounding.

The pieces hold a value down to 2^-78 of a power of two above the column's largest, whether they are two or,
for more than 16,384 rows, three; what lies below is rounded away. No column looks at another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.values.arrays import Floats, Ints, Offsets

DEPTH = 78
"""Binary digits of all pieces together."""
FEW = 1 << 14
"""Up to so many terms two pieces are short enough."""
MOST = 1 << 27
"""Terms of a sum at most: 134 million."""
_TERMS = 1 << 19
"""Multiplications in one matrix product. Larger ones are computed on several processors, and waiting for
these costs more than it gives, the more so where several people compute."""
_SMALLEST = -900
"""A column whose largest value is below 2^-900 is cut no finer than one of this size."""


class Cut(NamedTuple):
    """Columns cut into pieces of ``bits`` digits; the first in units of 2^(exponents - bits)."""

    pieces: tuple[Floats, ...]
    exponents: Ints
    bits: int


def cut(columns: Floats) -> Cut:
    """Columns ready for `weighted_sums`. Shape (n, m), n at most ``MOST``, finite."""
    exponents, bits = _units(np.abs(columns).max(axis=0, initial=0.0), len(columns))
    return Cut(tuple(_pieces(columns, exponents, bits)), exponents, bits)


def weighted_sums(weights: Floats, columns: Cut) -> Floats:
    """Sums of the columns under whole-number weights, correctly rounded.

    Parameters
    ----------
    weights
        Shape (r, n), whole numbers >= 0; each row adds up to n at most.
    columns
        `cut` of shape (n, m).

    Returns
    -------
    sums, shape (r, m)
    """
    sums = [_product(weights, piece) for piece in columns.pieces]
    return _joined(sums, columns.exponents, columns.bits)


def _product(weights: Floats, piece: Floats) -> Floats:
    """``weights @ piece``, a few rows at a time; all together where few are too much for one processor."""
    result = np.empty((len(weights), piece.shape[1]))
    rows = _TERMS // max(piece.size, 1)
    rows = rows if rows > 1 else max(len(weights), 1)
    for first in range(0, len(weights), rows):
        np.matmul(weights[first : first + rows], piece, out=result[first : first + rows])
    return result


def column_sums(columns: Floats) -> Floats:
    """Sum of each column of shape (n, m), correctly rounded; 0 where n is 0, NaN where one is NaN.

    >>> column_sums(np.array([[0.1, 1e16], [0.2, 1.0], [-0.3, -1e16]])).tolist()
    [2.7755575615628914e-17, 1.0]
    """
    exponents, bits = _units(np.abs(columns).max(axis=0, initial=0.0), len(columns))
    sums = [piece.sum(axis=0) for piece in _pieces(columns, exponents, bits)]
    return _joined(sums, exponents, bits)


def sum_of(values: Floats) -> float:
    """The sum of shape (n,), correctly rounded."""
    return float(column_sums(values[:, np.newaxis])[0])


def mean_of(values: Floats) -> float:
    """The mean of shape (n,), its sum rounded once; NaN where n is 0."""
    return sum_of(values) / len(values) if len(values) else float("nan")


def means_of(columns: Sequence[Floats]) -> list[float]:
    """`mean_of` each, together where they are equally long."""
    means = np.full(len(columns), np.nan)
    lengths = np.array([len(column) for column in columns], int)
    for n in np.unique(lengths[lengths > 0]):
        (members,) = np.nonzero(lengths == n)
        means[members] = column_sums(np.stack([columns[int(i)] for i in members], axis=1)) / n
    return list(map(float, means))


def list_sums(indptr: Offsets, values: Floats) -> Floats:
    """Sum of the values of each list in CSR form, shape (n,), correctly rounded; 0 for an empty list.

    ``indptr``: where each list begins, shape (n + 1,). ``values``: finite, of all lists, one after the other.
    The sum does not depend on the order of the values within a list.
    """
    sums, lengths = np.zeros(len(indptr) - 1), np.diff(indptr)
    filled = lengths > 0
    if filled.any():
        # Between the starts of two filled lists lie only the rows of the first: empty ones have none.
        starts = indptr[:-1][filled]
        exponents, bits = _units(np.maximum.reduceat(np.abs(values), starts), int(lengths.max()))
        pieces = _pieces(values, np.repeat(exponents, lengths[filled]), bits)
        sums[filled] = _joined([np.add.reduceat(piece, starts) for piece in pieces], exponents, bits)
    return sums


def _units(largest: Floats, n: int) -> tuple[Ints, int]:
    """The power of two above each of these values >= 0, and the digits of a piece.

    So many that n pieces add up to less than 2^53; the sum does not depend on it.
    """
    assert n <= MOST, "a sum of more terms would need shorter pieces"
    return np.maximum(np.frexp(largest)[1], _SMALLEST), DEPTH // 2 if n <= FEW else DEPTH // 3


def _pieces(values: Floats, exponents: Ints, bits: int) -> Iterator[Floats]:
    """The whole numbers that make up the values, down to where nothing is left."""
    rest = values * np.ldexp(1.0, bits - exponents)
    for _ in range(DEPTH // bits):
        piece = np.rint(rest)
        yield piece
        rest -= piece
        if not rest.any():
            return
        rest *= 2.0**bits


def _joined(sums: Sequence[Floats], exponents: Ints, bits: int) -> Floats:
    """One number of the sums of the pieces: carries go up until only the last addition can round."""
    unit, higher = 2.0**bits, [*sums]
    for k in reversed(range(1, len(higher))):
        carry = np.rint(higher[k] / unit)
        higher[k - 1], higher[k] = higher[k - 1] + carry, higher[k] - carry * unit
    below = np.zeros_like(higher[0])
    for part in reversed(higher[1:]):
        below = (part + below) / unit
    joined: Floats = np.ldexp(higher[0] + below, exponents - bits)
    return joined
