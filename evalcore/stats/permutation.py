"""Is a paired difference more than chance? Sign-flip permutation tests of many columns at once.

If two systems were equally good, the sign of each query's difference would be a coin toss. The test
flips signs at random and asks how often the mean difference gets as far from 0 as the observed one
(two-sided; Fisher's randomisation test, for retrieval: Smucker, Allan & Carterette 2007,
doi:10.1145/1321440.1321528):

    p = (b + 1) / (n_resamples + 1),   b flips at least as far from 0 as observed

so p is never 0. With few queries all 2^n sign patterns are tried instead and p is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from evalcore.stats.levels import SAME
from evalcore.stats.sums import column_sums, cut, weighted_sums
from evalcore.values.arrays import Bools, Floats

RANDOM, EXACT = "paired permutation (random sign flips)", "paired permutation (all sign flips)"
DRAWN_CELLS = 4_000_000
"""Signs drawn at once, as bits; their number decides how the generator is used."""
BLOCK_CELLS, BLOCK_ROWS = 100_000, 64
"""Signs held at once as numbers, and flips where that would be fewer; bounds memory and changes no result."""


@dataclass(frozen=True, slots=True, eq=False)
class SignFlipTest:
    """p per column, shape (m,), which of the two tests gave it, and from how many flips."""

    p: Floats
    method: str
    n_resamples: int


def sign_flip_test(differences: Floats, *, n_resamples: int, rng: np.random.Generator) -> SignFlipTest:
    """How surprising is each column's mean, were every sign a coin toss?

    Parameters
    ----------
    differences
        Paired differences, shape (n, m), no NaN. All columns share the same flips.
    n_resamples
        Random flips, at least 1. When 2^n - 1 is not more, all patterns are tried instead.
    rng
        Source of the signs; untouched by the exact test.

    Returns
    -------
    SignFlipTest
        p from 1/(n_resamples + 1) to 1; 1 where all differences are 0; NaN when n is 0.
    """
    return _flipped(
        differences, n_resamples, rng, lambda sums, total, level: np.abs(sums) >= np.abs(total) - level
    )


def sign_flip_below(differences: Floats, *, n_resamples: int, rng: np.random.Generator) -> SignFlipTest:
    """How surprising is it that each column's mean lies so far *below* 0, were every sign a coin toss?

    The one-sided test: b counts the flips whose mean is at most the observed one. Columns hold differences
    less the bound that their mean is held against.

    Parameters
    ----------
    differences, n_resamples, rng
        As for `sign_flip_test`.

    Returns
    -------
    SignFlipTest
        p from 1/(n_resamples + 1) to 1; 1 where all values are 0; NaN when n is 0.

    Examples
    --------
    >>> sign_flip_below(np.full((5, 1), -0.1), n_resamples=99, rng=np.random.default_rng(0)).p.tolist()
    [0.03125]
    """
    return _flipped(differences, n_resamples, rng, lambda sums, total, level: sums <= total + level)


def _flipped(
    differences: Floats,
    n_resamples: int,
    rng: np.random.Generator,
    reaches: Callable[[Floats, Floats, Floats], Bools],
) -> SignFlipTest:
    """The test whose flips count where their ``sums`` reach as far as ``total``, or are ``level`` with it."""
    n, m = differences.shape
    if n == 0:
        return SignFlipTest(np.full(m, np.nan), EXACT, 0)
    total, columns = column_sums(differences), cut(differences)
    level = SAME * column_sums(np.abs(differences))
    exact = n < 60 and 2**n - 1 <= n_resamples
    reached = np.zeros(m)
    for plus in _all_signs(n) if exact else _random_signs(n, n_resamples, rng):
        # Sum with signs = (sum of the plus rows) - (sum of the others) = 2 * plus - total. Sums that are
        # level, in proportion to the sum of sizes, reach equally far.
        sums = 2.0 * weighted_sums(plus, columns) - total
        reached += np.count_nonzero(reaches(sums, total, level), axis=0)
    if exact:
        return SignFlipTest(reached / 2**n, EXACT, 2**n - 1)
    return SignFlipTest((reached + 1) / (n_resamples + 1), RANDOM, n_resamples)


def _random_signs(n: int, n_resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Blocks of rows of n coin tosses: 1 keeps a sign, 0 flips it."""
    size, block = max(1, DRAWN_CELLS // n), max(BLOCK_ROWS, BLOCK_CELLS // n)
    for first in range(0, n_resamples, size):
        tosses = rng.integers(0, 256, (min(size, n_resamples - first), -(-n // 8)), dtype=np.uint8)
        for row in range(0, len(tosses), block):
            yield np.unpackbits(tosses[row : row + block], axis=1, count=n).astype(float)


def _all_signs(n: int) -> Iterator[Floats]:
    """All 2^n rows of n signs, by blocks."""
    size = max(BLOCK_ROWS, BLOCK_CELLS // n)
    for first in range(0, 2**n, size):
        patterns = np.arange(first, min(first + size, 2**n))[:, None]
        yield (patterns >> np.arange(n) & 1).astype(float)
