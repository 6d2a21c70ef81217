"""Significance of many comparisons at once: permutation tests and bootstrap intervals (T5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats

from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.stats.permutation import sign_flip_test
from tests.benchmarks.measuring import Row, compare

FLIPS, RESAMPLES = 10_000, 2_000
PEER_FLIPS, PEER_COLUMNS = 100, 2


def rows(n_queries: int, n_columns: int) -> Iterator[Row]:
    differences = np.random.default_rng(2).normal(0.01, 0.2, (n_queries, n_columns))
    what = f"{n_columns} comparisons of {n_queries:,} queries"
    yield permutation_row(differences, f"{FLIPS:,} permutations, {what}")

    def theirs() -> object:
        return [
            stats.bootstrap((column,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=3)
            for column in differences.T[:PEER_COLUMNS]
        ]

    yield compare(
        f"bootstrap {RESAMPLES:,}, {what}",
        "scipy.stats.bootstrap",
        lambda: intervals(differences),
        theirs,
        goal=0.05,
        rounds=3,
        their_rounds=2,
        times=n_columns / PEER_COLUMNS,
        note=f"peer extrapolated from {PEER_COLUMNS} comparisons",
    )


def permutation_row(differences: np.ndarray, task: str) -> Row:
    """ranx tests one pair of systems at a time."""
    from ranx import statistical_tests as ranx

    peer, n_columns = "ranx fisher_randomization_test", differences.shape[1]

    def ours() -> object:
        return sign_flip_test(differences, n_resamples=FLIPS, rng=np.random.default_rng(3))

    columns = [np.ascontiguousarray(column) for column in differences.T[:PEER_COLUMNS]]
    zeros = np.zeros(len(differences))

    def theirs() -> object:
        return [
            ranx.fisher_randomization_test(
                zeros, column, n_permutations=PEER_FLIPS, max_p=0.05, random_seed=3
            )
            for column in columns
        ]

    theirs()  # compiled
    times = (n_columns / PEER_COLUMNS) * (FLIPS / PEER_FLIPS)
    return compare(
        task,
        peer,
        ours,
        theirs,
        goal=0.01,
        rounds=3,
        their_rounds=2,
        times=times,
        note=f"peer extrapolated from {PEER_COLUMNS} comparisons of {PEER_FLIPS} permutations",
    )


def intervals(differences: np.ndarray) -> object:
    means = bootstrap_means(differences, n_resamples=RESAMPLES, rng=np.random.default_rng(3))
    return percentile_interval(means, level=0.95)
