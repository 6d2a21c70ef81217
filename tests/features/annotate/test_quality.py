"""Precision, recall and F1 as scikit-learn counts them; intervals by a bootstrap written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.features.annotate.quality import quality

WORDS = ["a", "b", "c", "d"]
SETS = st.lists(
    st.tuples(st.sets(st.sampled_from(WORDS)), st.sets(st.sampled_from(WORDS))), min_size=1, max_size=8
)


def of(pairs: list[tuple[set[str], set[str]]], **options):
    given = {f"i{k}": pair[0] for k, pair in enumerate(pairs)}
    found = {f"i{k}": pair[1] for k, pair in enumerate(pairs)}
    return quality(given, found, n_resamples=20, **options)


@settings(max_examples=40, deadline=None)
@given(SETS)
def test_the_same_as_scikit_learn(pairs: list[tuple[set[str], set[str]]]) -> None:
    from sklearn.metrics import precision_recall_fscore_support

    truth, guess = (np.array([[word in pair[side] for word in WORDS] for pair in pairs]) for side in (0, 1))
    ours = of(pairs)
    for average, three in (("micro", ours.micro), ("samples", ours.per_image)):
        theirs = precision_recall_fscore_support(truth, guess, average=average, zero_division=np.nan)
        assert [one.value for one in three] == pytest.approx(list(theirs[:3]), nan_ok=True)
    each = precision_recall_fscore_support(truth, guess, average=None, zero_division=np.nan)
    for one in ours.concepts:
        k = WORDS.index(one.concept)
        assert [score.value for score in one.scores] == pytest.approx(
            [row[k] for row in each[:3]], nan_ok=True
        )
        assert one.given == each[3][k]


def test_what_is_compared_and_what_can_be_found() -> None:
    given_ = {"a": ["C1", "C2"], "b": None, "c": [], "d": ["C3"], "e": ["C1"]}
    found = {"a": ["C1"], "b": ["C9"], "c": ["C1"], "d": None, "z": ["C1"]}
    ours = quality(given_, found, named={"C1", "C2"}, n_resamples=5)
    assert (ours.n_images, ours.left_out, ours.not_annotated) == (4, 1, 2)
    assert (ours.micro.precision.value, ours.micro.recall.value) == (1 / 2, 1 / 4)
    assert ours.micro.f1.value == pytest.approx(2 * 1 / 6)
    assert ours.per_image.precision.value == 1 / 2
    assert ours.per_image.recall.value == pytest.approx((1 / 2 + 0 + 0) / 3)
    held = ours.coverage
    assert held is not None
    assert (held.named, held.concepts, held.named_occurrences, held.occurrences) == (2, 3, 3, 4)
    assert held.recall == pytest.approx(1 / 3)
    assert [(one.concept, one.given, one.found, one.both, one.named) for one in ours.concepts] == [
        ("C1", 2, 2, 1, True),
        ("C2", 1, 0, 0, True),
        ("C3", 1, 0, 0, False),
    ]


def test_the_interval_is_a_bootstrap_over_images() -> None:
    rng = np.random.default_rng(5)
    pairs = [
        ({word for word in WORDS if rng.random() < 0.5}, {word for word in WORDS if rng.random() < 0.5})
        for _ in range(60)
    ]
    given_ = {f"i{k:02}": pair[0] for k, pair in enumerate(pairs)}
    found = {f"i{k:02}": pair[1] for k, pair in enumerate(pairs)}
    ours = quality(given_, found, n_resamples=2_000, seed=3)
    drawn = []
    other = np.random.default_rng(99)
    for _ in range(4_000):
        some = [pairs[k] for k in other.integers(0, 60, 60)]
        both, n_found = sum(len(a & b) for a, b in some), sum(len(b) for _, b in some)
        n_given = sum(len(a) for a, _ in some)
        drawn.append((both / n_found, both / n_given, 2 * both / (n_found + n_given)))
    ends = np.quantile(drawn, [0.025, 0.975], axis=0)
    for k, one in enumerate(ours.micro):
        assert (one.low, one.high) == pytest.approx(ends[:, k], abs=0.015)
        assert one.low < one.value < one.high


def test_whole_groups_are_drawn() -> None:
    """Ten equal images of one patient are no more than one."""
    given_ = {f"i{k}": ["a"] for k in range(20)}
    found = {f"i{k}": ["a"] if k < 10 else ["b"] for k in range(20)}
    apart = quality(given_, found, n_resamples=500)
    together = quality(given_, found, groups={f"i{k}": k // 10 for k in range(20)}, n_resamples=500)
    assert apart.micro.recall.value == together.micro.recall.value == 0.5
    assert together.n_groups == 2 and apart.n_groups == 0
    assert (together.micro.recall.low, together.micro.recall.high) == (0.0, 1.0)
    assert apart.micro.recall.low > 0.2


def test_nothing_at_all_is_undefined_not_zero() -> None:
    ours = quality({"a": [], "b": []}, {"a": None}, named=set(), n_resamples=5)
    assert all(math.isnan(one.value) and math.isnan(one.low) for one in (*ours.micro, *ours.per_image))
    assert ours.concepts == () and ours.coverage is not None and math.isnan(ours.coverage.recall)
