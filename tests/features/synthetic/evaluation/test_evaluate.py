"""Groups against archetypes: the specification's example, sums by hand, and what is missing of whom."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.features.synthetic.evaluation import scores as tallies
from evalcore.features.synthetic.evaluation.evaluate import evaluate, evaluate_tallies
from evalcore.features.synthetic.evaluation.scores import WsiSettings, by_concepts
from evalcore.features.synthetic.features import UNDEFINED, table, together
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import ConceptSets

NAMES = ("a", "b", "c")
EACH = WsiSettings(archetype="each")


def of(values, name="some"):
    return table([f"{name}{k}" for k in range(len(values))], NAMES, np.array(values, float), name=name)


@pytest.fixture
def example(spec_golden):
    golden = spec_golden["E_tol"]
    return of(golden["X"], "real"), of(golden["subj"], "made"), golden


def test_the_example_of_the_specification(example):
    archetypes, subjects, golden = example
    found = evaluate(archetypes, [subjects])
    assert found.groups[0].values == pytest.approx(golden["wsi_vs_allones"], rel=1e-12)
    assert [found.groups[0].tally.missing(i) for i in range(3)] == [[], ["a", "c"], ["a", "b"]]
    assert found.groups[0].share == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    # 8, 9 and 8 of the ten archetype images are within
    assert found.archetypes.share == pytest.approx(np.mean(golden["b_arch"], axis=0))
    assert found.archetypes.distribution.mean == pytest.approx(np.mean(golden["b_arch"]))
    each = evaluate(archetypes, [subjects], settings=EACH)
    assert each.groups[0].values == pytest.approx(golden["wsi_mean_vs_each"], rel=1e-12)
    # every pair of archetypes twice, and none with itself
    assert each.archetypes.values.mean() == pytest.approx(golden["self_similarity_train"], rel=1e-12)


def test_features_that_both_lack_are_counted_pair_by_pair(example):
    archetypes, subjects, golden = example
    found = evaluate(archetypes, [subjects])
    made, real = np.array(golden["b_subj"]), np.array(golden["b_arch"])
    expected = [np.mean([np.sum((s == 0) & (a == 0)) for a in real]) for s in made]
    assert found.groups[0].both_lack == pytest.approx(expected)
    own = [np.mean([np.sum((real[i] == 0) & (real[j] == 0)) for j in range(10) if j != i]) for i in range(10)]
    assert found.archetypes.both_lack == pytest.approx(own)


def test_the_distribution_is_numpys_and_its_interval_scipys():
    rng = np.random.default_rng(2)
    archetypes = of(rng.normal(size=(80, 3)), "real")
    found = evaluate(archetypes, [of(rng.normal(0.7, 1.3, (90, 3)), "made")])
    values, got = found.groups[0].values, found.groups[0].distribution
    assert (got.n, got.mean, got.sd) == pytest.approx((90, values.mean(), values.std(ddof=1)))
    assert [got.minimum, got.quarter, got.median, got.three_quarters, got.maximum] == pytest.approx(
        np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
    )
    oracle = stats.bootstrap(
        (values,), np.mean, n_resamples=9_999, method="percentile", rng=np.random.default_rng(4)
    ).confidence_interval
    width = oracle.high - oracle.low
    assert (got.low, got.high) == pytest.approx((oracle.low, oracle.high), abs=0.06 * width)


def test_one_image_has_no_interval_and_no_image_no_mean():
    archetypes = of([[1, 1, 1], [2, 2, 2]])
    one = evaluate(archetypes, [of([[1.5, 9, 9]])]).groups[0].distribution
    assert (one.n, one.mean) == (1, pytest.approx(1 / 3)) and np.isnan([one.low, one.high, one.sd]).all()
    none = evaluate(archetypes, [of([[np.nan] * 3])]).groups[0]
    assert none.distribution.n == 0 and np.isnan(none.distribution.mean) and np.isnan(none.share).all()
    zero = evaluate(archetypes, [of([[np.nan] * 3])], settings=WsiSettings(undefined="zero"))
    assert zero.groups[0].values.tolist() == [0]


def test_a_feature_that_was_not_measured_does_not_count_and_one_that_does_not_exist_is_missing():
    archetypes = of([[k, k, k] for k in range(30)], "real")
    rows = of([[15, 15, np.nan], [15, 15, UNDEFINED]], "made")
    found = evaluate(archetypes, [rows]).groups[0]
    assert found.values == pytest.approx([1, 2 / 3])
    assert [found.tally.missing(i) for i in range(2)] == [[], ["c"]]
    absent = evaluate(archetypes, [rows], settings=WsiSettings(missing="absent"))
    assert absent.groups[0].values == pytest.approx([2 / 3, 2 / 3])


def test_the_remarks():
    rng = np.random.default_rng(0)
    two = np.concatenate([rng.normal(0, 1, 20), rng.normal(9, 1, 20)])
    values = np.column_stack([two, np.full(40, 7.0), np.full(40, np.nan)])
    found = evaluate(of(values, "real"), [of([[0, 7, UNDEFINED]], "made")]).remarks
    rules = {(one.file, one.rule): str(one) for one in found.problems}
    assert set(rules) == {
        ("real", "several-modes"),
        ("real", "constant-feature"),
        ("real", "no-tolerance"),
        ("real", "not-measured"),
        ("made", "undefined-feature"),
    }
    assert rules["real", "several-modes"].startswith("real: a: perhaps more than one mode")
    assert (
        "In 40 of 40" in rules["real", "not-measured"]
        or "in 40 of 40 images" in rules["real", "not-measured"]
    )


def test_few_archetypes_are_said():
    def said(n):
        found = evaluate(of(np.random.default_rng(0).normal(size=(n, 3))), [])
        return {one.rule for one in found.remarks.problems}

    assert said(1) == {"one-archetype"}
    assert said(20) == {"few-archetypes"}
    assert said(21) == set()
    values = np.random.default_rng(0).normal(size=(25, 3))
    values[:10, 1] = np.nan
    assert {one.rule for one in evaluate(of(values), []).remarks.problems} == {"few-values", "not-measured"}


def test_concepts_are_a_tally():
    """Against each archetype WSI of two sets of concepts is Jaccard's index."""
    real = ConceptSets.of({"r1": ["C1", "C2"], "r2": ["C2", "C3"], "r3": None, "r4": []})
    made = ConceptSets.of({"m1": ["C1", "C2", "C9"], "m2": [], "m3": None})
    first, second = by_concepts([("real", real), ("made", made)])
    assert first.names == second.names == ("C1", "C2", "C3", "C9")
    found = evaluate_tallies(first, [second])
    # m1: 2 of 3, 1 of 4, nothing to count, 0 of 3; m2: 0, 0, nothing to count, undefined; m3: nothing known
    assert found.groups[0].values == pytest.approx([(2 / 3 + 1 / 4 + 0) / 3, 0, np.nan], nan_ok=True)
    assert second.missing(1) == ["C1", "C2", "C3", "C9"] and second.missing(2) == []
    assert found.bounds is None and found.settings.archetype == "each"


def test_too_many_concepts(monkeypatch):
    monkeypatch.setattr(tallies, "MOST_CELLS", 5)
    with pytest.raises(InputError, match=r"6 cells of images times concepts are too many; at most 5"):
        by_concepts([("real", ConceptSets.of({"a": ["C1", "C2"], "b": ["C3"]}))])


def test_groups_below_each_other_have_the_common_features():
    left = table(["x", "y"], ["b", "a"], np.array([[1, 2], [3, 4.0]]), name="left")
    right = table(["x"], ["a", "c", "b"], np.array([[5, 6, 7.0]]), name="right")
    both = together([left, right])
    assert (both.ids, both.names) == (("left/x", "left/y", "right/x"), ("b", "a"))
    assert both.values.tolist() == [[1, 2], [3, 4], [7, 5]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"archetype": "all"}, r"`archetype` must be tolerance or each. Got 'all'."),
        ({"missing": "zero"}, r"`missing` must be skip or absent. Got 'zero'."),
        ({"level": 1}, r"`level` must be between 0 and 1. Got 1."),
        ({"n_resamples": 0}, r"`n_resamples` must be at least 1. Got 0."),
        ({"alpha": -1}, r"`alpha` must be a number of at least 0. Got -1."),
        ({"quantiles": (0.9, 0.1)}, r"`quantiles` must be two numbers from 0 to 1, the lower first"),
    ],
)
def test_settings_out_of_range(options, said):
    with pytest.raises(SettingError, match=said):
        WsiSettings(**options)


def test_a_grey_image_scores_the_same_as_three_equal_channels():
    rng = np.random.default_rng(7)
    grey = [of(rng.normal(shift, 1, (25, 3)), name) for name, shift in (("real", 0), ("made", 1))]
    names = [f"{channel}.{name}" for channel in ("red", "green", "blue") for name in NAMES]
    three = [table(one.ids, names, np.tile(one.values, 3), name=one.name) for one in grey]
    for settings in (WsiSettings(alpha=0.3), EACH):
        first, second = (evaluate(one[0], one[1:], settings=settings) for one in (grey, three))
        assert second.groups[0].values == pytest.approx(first.groups[0].values)
