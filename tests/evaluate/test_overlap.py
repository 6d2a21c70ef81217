"""Rank-biased overlap from its definition, summed rank by rank far beyond both lists."""

import numpy as np
import pytest

from evalcore.evaluate.analysis import analyse
from evalcore.values.errors import SettingError
from evalcore.values.settings import View
from tests.toy import study_of, with_parts


def overlaps(runs, **options):
    """Of systems with these runs, over 30 images."""
    study = with_parts(study_of({f"i{i:02}": {"x"} for i in range(30)}), runs=runs)
    return analyse(study, View(metrics=("CUI@1",))).overlaps(**options)


def common(a, b, d):
    return len(set(a[:d]) & set(b[:d]) - {"?"})


def extrapolated(a, b, p):
    """(1 - p) times the sum of p^(d-1) A_d: equation 4.

    The agreement of the shorter list goes on to the end of the longer one, and that beyond it.
    """
    short, long = sorted((a, b), key=len)
    s, end = len(short), len(long)

    def agreement(d):
        return (common(a, b, d) + common(a, b, s) * max(d - s, 0) / s) / d

    beyond = (common(a, b, end) - common(a, b, s)) / end + common(a, b, s) / s
    return (1 - p) * sum(p ** (d - 1) * agreement(d) for d in range(1, end + 1)) + p**end * beyond


def lists_of(seed):
    """Ten queries, three systems, lists of 0 to 12 of 30 images and an unknown one, which matches nothing."""
    rng = np.random.default_rng(seed)

    def answer(query):
        others = rng.permutation([i for i in range(30) if i != query])
        listed = others[: rng.integers(0, 13)]
        return ["?" if image == 29 else f"i{image:02}" for image in listed]

    return {system: {f"i{query:02}": answer(query) for query in range(10)} for system in "abc"}


@pytest.mark.parametrize("p", [0.5, 0.9, 0.98])
@pytest.mark.parametrize(("seed", "k"), [(0, 1), (1, 4), (2, 20)])
def test_from_the_definition(seed, k, p):
    runs = lists_of(seed)
    result = overlaps(runs, p=p, k=k, depth=20)
    assert [(pair.a, pair.b) for pair in result.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    for pair in result.pairs:
        both = [(runs[pair.a][q], runs[pair.b][q]) for q in runs["a"] if runs[pair.a][q] and runs[pair.b][q]]
        assert pair.rbo.mean == pytest.approx(np.mean([extrapolated(x, y, p) for x, y in both]), rel=1e-9)
        assert pair.shared.mean == pytest.approx(np.mean([common(x, y, k) / k for x, y in both]))
        assert (pair.rbo.n, pair.left_out) == (len(both), 30 - len(both))
    assert (result.n_queries, result.depth, result.k, result.p) == (30, 20, k, p)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"p": 0.0}, "`p` must be a number above 0 and below 1"),
        ({"p": 1.0}, "`p` must be a number above 0 and below 1"),
        ({"depth": 0}, "`depth` must be a whole number from 1"),
        ({"depth": 1_001}, "`depth` must be a whole number from 1 to 1,000"),
        ({"k": 0}, "`k` must be a whole number from 1"),
        ({"k": 6, "depth": 5}, r"`k` must be a whole number from 1 to the depth \(5\)"),
    ],
)
def test_values_outside_their_range(options, text):
    with pytest.raises(SettingError, match=text):
        overlaps(lists_of(0), **options)
