"""Which measure tells systems apart? Discriminative power (Sakai 2006, doi:10.1145/1148170.1148261).

Every two systems are compared by the same paired test on the same queries under each measure. The
share of pairs that a measure separates says how much it sees with so many queries; the sorted p-values
(achieved significance levels) say how nearly it sees the rest. It does not say that what it sees is
right: a measure that always prefers one system separates everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.comparison import N_PERMUTATIONS, corrected_by, is_least, least_in_words
from evalcore.evaluate.summary import by_groups
from evalcore.stats.clusters import clusters_of
from evalcore.stats.correction import CLEAR, NAMES
from evalcore.stats.levels import difference
from evalcore.stats.permutation import max_t, sign_flip_test
from evalcore.values.errors import InputError, SettingError
from evalcore.values.settings import Correction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.measures.under_measures import MeasureScores
    from evalcore.values.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Power:
    """One measure's power to separate systems.

    ``p``, ``p_corrected``, ``differences`` (first minus second system): shape (pairs,), in the order of
    ``pairs``. ``separated``: pairs with corrected p below ``level``.
    """

    measure: str
    metric: str
    pairs: tuple[tuple[str, str], ...]
    differences: Floats
    p: Floats
    p_corrected: Floats
    level: float
    correction: str
    test: str
    n_queries: int
    n_resamples: int
    seed: int

    @property
    def separated(self) -> int:
        return int(np.count_nonzero(self.p_corrected < self.level))

    @property
    def share(self) -> float:
        """Separated pairs of all pairs, 0 to 1."""
        return self.separated / len(self.pairs)

    @property
    def curve(self) -> Floats:
        """The p-values of all pairs, smallest first: the ASL curve, read from its low end."""
        return np.sort(self.p)


def power_at_the_floor(powers: Sequence[Power], *, more: str = "More flips") -> str:
    """What to say where p-values of pairs are as small as so many flips allow (see `at_the_floor`)."""
    first = powers[0]
    low = [
        corrected
        for one in powers
        for p, corrected in zip(one.p.tolist(), one.p_corrected.tolist(), strict=True)
        if is_least(p, one.test, one.n_resamples)
    ]
    if not low:
        return ""
    return least_in_words(
        len(low),
        len(first.pairs) * len(powers),
        flips=first.n_resamples,
        least=min(low),
        correction=f"{first.correction} per measure",
        more=more,
    )


def discriminative_power(
    scores: MeasureScores, *, level: float = CLEAR, n_resamples: int = N_PERMUTATIONS, seed: int = 0,
    correction: Correction = "holm",
) -> tuple[Power, ...]:  # fmt: skip
    """How many pairs of systems does each measure separate?

    Parameters
    ----------
    scores
        Systems under measures over common queries (see `score_under`).
    level
        A pair counts as separated when its p, corrected over all pairs of systems of the same measure (by
        ``correction``, see `compare_all`), lies below.
    n_resamples, seed
        Sign flips of the paired permutation test; all measures share them, as they share the queries.

    Returns
    -------
    one `Power` per measure, in their order; p is NaN without queries.

    Raises
    ------
    InputError
        Fewer than two systems.
    SettingError
        A level outside 0 to 1.
    """
    if not 0 < level < 1:
        raise SettingError("level", "a number above 0 and below 1", level)
    if len(scores.systems) < 2:
        raise InputError("Discriminative power takes at least two systems.")
    first, second = np.triu_indices(len(scores.systems), 1)
    columns = difference(scores.values[first], scores.values[second])
    n_pairs, n_queries, n_measures = columns.shape
    flat = columns.transpose(1, 2, 0).reshape(n_queries, n_measures * n_pairs)
    # The stream of the paired comparisons: the same pair has the same p on every page.
    if scores.groups is not None:
        flat = clusters_of(flat, scores.groups).sums
    test = sign_flip_test(flat, n_resamples=n_resamples, rng=np.random.default_rng((seed, 1)))
    p = test.p.reshape(n_measures, n_pairs)
    pairs = tuple(combinations(scores.systems, 2))
    means = scores.means
    if correction == "maxt":
        of_measure = flat.reshape(-1, n_measures, n_pairs).transpose(1, 0, 2) if n_queries else ()
        corrected = [
            max_t(one, n_resamples=n_resamples, rng=np.random.default_rng((seed, 1))) for one in of_measure
        ] or list(p)
    else:
        corrected = [corrected_by(correction, of_pairs) for of_pairs in p]
    return tuple(
        Power(
            measure, scores.metrics[j], pairs, means[first, j] - means[second, j], p[j], corrected[j], level,
            NAMES[correction], test.method + by_groups(scores.grouped_by, scores.groups), n_queries,
            test.n_resamples, seed,
        )
        for j, measure in enumerate(scores.measures)
    )  # fmt: skip
