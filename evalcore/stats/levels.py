"""Which values are level? The one place that says when two results count as equal.

A score is a quotient or a sum that was rounded, so two that are equal on paper can differ: in the last
digits (1/6 + 1/6 + 1/6 and 1/2), or by 4e-12 where concept similarities were rounded to multiples of 2^-38.
Real differences are larger by far: the smallest on the sample study, under all measures, is 1e-8. Values no
further apart than ``SAME`` are level: for wins and ties, ranks and correlations, the isolated subset, and the
order of systems.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.values.arrays import Floats, Offsets

SAME = 1e-11
"""Values no further apart are equal."""


def difference(a: Floats, b: Floats | float) -> Floats:
    """``a - b``, exactly 0 where the two are tied: no further apart than ``SAME``.

    Any shapes that broadcast; NaN where one of the two is NaN.
    """
    apart: Floats = a - b
    return np.where(np.abs(apart) <= SAME, 0.0, apart)


def levels_of(values: Floats) -> Offsets:
    """The level of each value, shape (n,): whole numbers from 0 upwards, NaN above all others.

    Sorted values that follow each other within ``SAME`` share a level, so it does not depend on the order
    in which the values stand.

    >>> levels_of(np.array([0.3, 0.1 + 0.2, 0.9, 0.1])).tolist()
    [1, 1, 2, 0]
    """
    order = np.argsort(values, kind="stable")
    # NaN - NaN is NaN, which is not above SAME: those at the end share a level too.
    steps = np.diff(values[order])
    begins = (steps > SAME) | (np.isnan(steps) & ~np.isnan(values[order][:-1]))
    result = np.empty(len(values), np.int64)
    result[order] = np.cumsum(np.append(False, begins)[: len(values)])
    return result


def best_first(names: Sequence[str], means: Sequence[float]) -> list[int]:
    """Places in ``names`` by mean, highest first; level ones by name, NaN last.

    >>> best_first(["b", "a", "c"], [0.3, 0.1 + 0.2, 0.9])
    [2, 1, 0]
    """
    level = levels_of(-np.array(means, np.float64)).tolist()
    return sorted(range(len(names)), key=lambda i: (level[i], names[i]))
