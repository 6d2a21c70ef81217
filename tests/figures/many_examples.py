"""Examples of the figures of many systems, built by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from evalcore.evaluate.comparison import matrix_of
from evalcore.evaluate.overlap import Overlap, Overlaps
from evalcore.figures import maps
from evalcore.values.model import Comparison

NAN = float("nan")
MEANS = {"alpha": 0.7, "beta": 0.6, "gamma": 0.55, "delta": 0.2}


def comparisons(names, metric):
    """Each minus each below it; alpha and beta are not told apart, nor beta and gamma."""
    found = []
    for (a, high), (b, low) in combinations(zip(names, MEANS.values(), strict=True), 2):
        d, p = high - low, 0.2 if high - low <= 0.1 else 0.01
        test = (0.95, p / 2, p, "Holm", "paired permutation", 40, 10_000, 0)
        found.append(Comparison(b, a, metric, d, d - 0.04, d + 0.04, *test, 22, 8, 10, 0.4))
    return found


def overlap(a, b, value):
    ends = (value - 0.05, value + 0.05, value - 0.01, value + 0.1)
    shared = (value / 2, value / 2 - 0.1, value / 2 + 0.1)
    return Overlap(a, b, value, *ends, *shared, 40, 3, "percentile bootstrap", 0)


def examples_of(text, example):
    """{figure: example} with ``text`` worked into every name; ``example(draw, empty)``."""
    names, metric = tuple(f"{name}{text}" for name in MEANS), f"CUI@10{text}"
    pairs = comparisons(names, metric)
    void = [
        replace(one, difference=NAN, low=NAN, high=NAN, p=NAN, p_corrected=NAN, n_pairs=0) for one in pairs
    ]
    shared = tuple(overlap(a, b, 0.1 * i) for i, (a, b) in enumerate(combinations(names, 2), start=1))
    alike = Overlaps(names, shared, 50, 10, 0.9, 0.95, 43, 2000, 0)
    apart = replace(alike, pairs=tuple(replace(one, rbo=NAN, n=0) for one in alike.pairs))
    return {
        "pair_matrix": example(
            lambda t: maps.pair_matrix(matrix_of(pairs), metric=metric, theme=t),
            lambda t: maps.pair_matrix(matrix_of(void), metric=metric, theme=t),
        ),
        "overlap_matrix": example(
            lambda t: maps.overlap_matrix(alike, theme=t), lambda t: maps.overlap_matrix(apart, theme=t)
        ),
    }
