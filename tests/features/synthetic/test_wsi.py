"""WSI against the specification's values, SciPy's indices and the formula pair by pair; whole evaluations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from evalcore.features.synthetic import measure
from evalcore.features.synthetic.answer_scores import headline, remarks
from evalcore.features.synthetic.measure import COLOURS, ImageSettings, black
from evalcore.features.synthetic.wsi import (
    ABSENT,
    PRESENT,
    UNDEFINED,
    UNKNOWN,
    WsiConfig,
    binarise,
    channel_ablation,
    evaluate,
    feature_weights,
    sensitivity,
    tolerance_bounds,
    wsi_matrix,
)
from evalcore.values.errors import SettingError, UnknownName

NINE = "111111111"
EACH = WsiConfig(archetype="each")


def bits(text):
    return np.array([c == "1" for c in text])


def known(rows):
    return np.atleast_2d(rows).astype(np.int8)


def wsi(subject, archetype, weights=None, **options):
    heavy = np.ones(len(subject)) if weights is None else np.asarray(weights, float)
    return wsi_matrix(known(subject), known(archetype), heavy, WsiConfig(**options))[0, 0]


@pytest.mark.parametrize(
    ("subject", "archetype", "options", "value"),
    [
        ("111111000", NINE, {}, 2 / 3),
        ("111000000", NINE, {}, 1 / 3),
        ("000000000", NINE, {}, 0),
        ("111111000", NINE, {"alpha": 0.5, "beta": 0.5}, 0.8),
        ("111000000", NINE, {"alpha": 0.5, "beta": 0.5}, 0.5),
        ("11010", "10110", {}, 0.5),
        ("11010", "10110", {"alpha": 0.2, "beta": 0.8}, 0.6666666667),
        ("11010", "10010", {"alpha": 0.8, "beta": 0.2}, 0.7142857143),
        ("10010", "11010", {"alpha": 0.8, "beta": 0.2}, 0.9090909091),
        ("11010", "10110", {"weights": [2, 1, 1, 0.5, 3]}, 0.5555555556),
        ("1101000", "1011000", {"weights": [2, 1, 1, 0.5, 3, 7, 9]}, 0.5555555556),  # what both lack
        ("011", "111", {"weights": [2, 1, 1]}, 0.5),
        ("101", "111", {"weights": [2, 1, 1]}, 0.75),
        ("011", "111", {"alpha": 1, "beta": 2}, 0.5),
        ("011", "111", {"beta": 0}, 1),
        ("000", "000", {}, np.nan),
    ],
)
def test_the_values_of_the_specification(subject, archetype, options, value):
    assert wsi(bits(subject), bits(archetype), **options) == pytest.approx(value, abs=5e-11, nan_ok=True)


@st.composite
def problems(draw):
    """Two groups of images, which features are known, and weights."""
    n, k, m = draw(st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 8)))
    weights = draw(hnp.arrays(float, m, elements=st.floats(0.125, 8)))
    groups = []
    for images in (n, k):
        has, sure = (draw(hnp.arrays(bool, (images, m))) for _ in range(2))
        groups.append(np.where(sure, has, UNKNOWN))
    return *groups, weights


def slowly(subject, archetype, both, weights, alpha, beta):
    """The definition, feature by feature."""
    shared = (weights * (subject & archetype & both)).sum()
    own = (weights * (subject & ~archetype & both)).sum()
    lacking = (weights * (archetype & ~subject & both)).sum()
    below = shared + alpha * own + beta * lacking
    return shared / below if below > 0 else np.nan


@given(problems(), st.floats(0, 5), st.floats(0, 5))
def test_the_matrix_is_the_definition_pair_by_pair_and_sides_change_with_their_weights(problem, alpha, beta):
    subjects, archetypes, weights = problem
    expected = [
        [
            slowly(s == PRESENT, a == PRESENT, (s != UNKNOWN) & (a != UNKNOWN), weights, alpha, beta)
            for a in archetypes
        ]
        for s in subjects
    ]
    matrix = wsi_matrix(subjects, archetypes, weights, WsiConfig(alpha=alpha, beta=beta))
    np.testing.assert_allclose(matrix, expected, atol=1e-9)
    back = wsi_matrix(archetypes, subjects, weights, WsiConfig(alpha=beta, beta=alpha))
    np.testing.assert_allclose(matrix, back.T, atol=1e-9)
    more = wsi_matrix(subjects, archetypes, weights, WsiConfig(alpha=alpha + 1, beta=beta))
    assert ((matrix >= 0) & (matrix <= 1) | np.isnan(matrix)).all()
    assert ((more <= matrix + 1e-9) | np.isnan(matrix)).all()


# Weights and settings.

NAMES = pd.Index(["red.mean", "red.std", "red.p5", "green.mean", "blue.mean", "blue.std"])


def test_weights_by_name_and_by_channel():
    heavy = feature_weights(NAMES, "channels")
    left = ~NAMES.str.startswith("red")
    assert wsi(left, np.ones(6, bool), heavy) == pytest.approx(2 / 3)
    given_weights = feature_weights(NAMES, {"red": 3, "red.p5": 0, "green": 2})
    assert given_weights.tolist() == [3, 3, 0, 2, 1, 1]
    with pytest.raises(UnknownName, match=r"No feature called 'red.maen'. Did you mean: red.mean"):
        feature_weights(NAMES, {"red.maen": 1})
    for weights, message in (
        ({"red.mean": -1}, r"`weight of red.mean` must be a number from 0 to 1e\+100. Got -1"),
        ({"red.mean": 1e101}, r"a number from 0 to 1e\+100. Got 1e\+101"),
        (dict.fromkeys(NAMES, 0), r"`weights` must be above 0 for at least one feature"),
        ("alike", r"`weights` must be uniform or channels. Got 'alike'."),
    ):
        with pytest.raises(SettingError, match=message):
            feature_weights(NAMES, weights)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"archetype": "all"}, r"`archetype` must be one of tolerance, each. Got 'all'."),
        ({"level": 1}, r"`level` must be a number between 0 and 1. Got 1."),
        ({"n_resamples": 0}, r"`n_resamples` must be a whole number from 1 to 100,000. Got 0."),
        ({"alpha": -1}, r"`alpha` must be a number from 0 on. Got -1."),
        ({"beta": np.inf}, r"`beta` must be a number from 0 on. Got inf."),
        ({"within": 0}, "above 0 and at most 1"),
        ({"within": 1.5}, "above 0 and at most 1"),
        *[
            ({"quantiles": pair}, "`quantiles` must be two numbers from 0 to 1, the lower first")
            for pair in ((0.95, 0.05), (0.5, 0.5), (-0.1, 0.9), (0.1, 1.1), (np.nan, 1), (0.1,))
        ],
    ],
)
def test_settings_out_of_range(options, message):
    with pytest.raises(SettingError, match=message):
        WsiConfig(**options)


# Tolerances.


def frame(values, name="i", names=("a", "b", "c")):
    values = np.array(values, float)
    return pd.DataFrame(values, [f"{name}{k}" for k in range(len(values))], list(names)[: values.shape[1]])


@pytest.fixture
def example(spec_golden):
    golden = spec_golden["E_tol"]
    return frame(golden["X"], "real"), frame(golden["subj"], "made"), golden


def test_the_example_of_the_specification(example):
    archetypes, subjects, golden = example
    bounds = tolerance_bounds(archetypes, WsiConfig())
    np.testing.assert_allclose(bounds, [golden["lo"], golden["hi"]], rtol=1e-12)
    np.testing.assert_array_equal(binarise(archetypes, bounds) == PRESENT, golden["b_arch"])
    evaluation = evaluate({"real": archetypes, "made": subjects})
    (made,), real = evaluation.groups, evaluation.archetypes
    np.testing.assert_array_equal(made.presence == PRESENT, golden["b_subj"])
    assert made.values.tolist() == pytest.approx(golden["wsi_vs_allones"], rel=1e-12)
    absent = [list(evaluation.names[row == ABSENT]) for row in made.presence]
    assert absent == [[], ["a", "c"], ["a", "b"]]
    assert made.shares == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    assert real.shares == pytest.approx(np.mean(golden["b_arch"], axis=0))
    each = evaluate({"real": archetypes, "made": subjects}, config=EACH)
    assert each.groups[0].values.tolist() == pytest.approx(golden["wsi_mean_vs_each"], rel=1e-12)
    # every pair of archetypes twice, and none with itself
    assert each.archetypes.mean == pytest.approx(golden["self_similarity_train"], rel=1e-12)


def test_tolerance_by_share_of_the_mean(example):
    """10% of 5.5, 13.5, 5.2: 4.95 to 6.05, 12.15 to 14.85, 4.68 to 5.72."""
    archetypes, _, _ = example
    config = WsiConfig(within=0.1)
    low, high = tolerance_bounds(archetypes, config)
    assert low == pytest.approx([4.95, 12.15, 4.68]) and high == pytest.approx([6.05, 14.85, 5.72])
    evaluation = evaluate({"real": archetypes, "some": frame([[5, 12, 5], [0, 13, 9.0]])}, config=config)
    assert evaluation.groups[0].values.tolist() == pytest.approx([2 / 3, 1 / 3])
    negative = tolerance_bounds(frame([[-10.0], [-30.0]]), WsiConfig(within=0.5))
    assert negative[:, 0].tolist() == [-30, -10]


def test_missing_is_unknown_and_undefined_is_absent():
    archetypes = frame([[1, 5, np.nan], [2, UNDEFINED, np.nan], [3, 6, -UNDEFINED]])
    config = WsiConfig(quantiles=(0, 1))
    bounds = tolerance_bounds(archetypes, config)
    assert bounds[:, :2].tolist() == [[1, 5], [3, 6]] and np.isnan(bounds[:, 2]).all()
    presence = binarise(frame([[np.nan, UNDEFINED, 7]]), bounds)
    assert presence.tolist() == [[UNKNOWN, ABSENT, UNKNOWN]]


# Evaluations.


def test_the_mean_is_numpys_and_its_interval_scipys():
    rng = np.random.default_rng(2)
    tables = {"real": frame(rng.normal(size=(80, 3))), "made": frame(rng.normal(0.7, 1.3, (90, 3)))}
    made = evaluate(tables).groups[0]
    values = made.values.to_numpy()
    assert made.mean == pytest.approx(values.mean())
    oracle = stats.bootstrap(
        (values,), np.mean, n_resamples=9_999, method="percentile", rng=np.random.default_rng(4)
    ).confidence_interval
    assert (made.low, made.high) == pytest.approx(tuple(oracle), abs=0.06 * (oracle.high - oracle.low))


@pytest.mark.parametrize("archetype", ["tolerance", "each"])
def test_what_is_left_out_counts_as_if_it_were_not_there(archetype):
    names, weights = ["red.a", "red.b", "red.c", "blue.a"], {"red.b": 1 / 3, "red.c": 0.2, "blue": 2}
    tables = {}
    for seed, (name, n, shift) in enumerate([("real", 30, 0), ("near", 12, 0.5), ("far", 9, 2.5)]):
        values = np.random.default_rng(seed).normal(shift, 1, (n, 4))
        values[0, 0] = np.nan
        tables[name] = frame(values, name, names)
    config = WsiConfig(archetype=archetype, n_resamples=10)
    means = sensitivity(tables, weights=weights, config=config)
    own = dict(zip(names, feature_weights(pd.Index(names), weights), strict=True))
    for feature in names:
        kept = {name: own[name] for name in names if name != feature}
        left = evaluate({name: table[[*kept]] for name, table in tables.items()}, weights=kept, config=config)
        assert means.loc["without", feature].tolist() == pytest.approx([g.mean for g in left.everyone])
    now = [group.mean for group in evaluate(tables, weights=weights, config=config).everyone]
    for what, setting in (("alpha, beta", "1, 1"), ("level", "0.9")):
        assert means.loc[what, setting].tolist() == pytest.approx(now)


# What is said about an evaluation.


def test_the_remarks():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.normal(0, 1, 40), np.full(40, 7.0), np.full(40, np.nan)])
    tables = {"real": frame(values), "made": frame([[0, 7, UNDEFINED]])}
    texts = {(problem.file, problem.rule): str(problem) for problem in remarks(evaluate(tables)).problems}
    rules = ("constant-feature", "no-tolerance", "not-measured")
    assert set(texts) == {*(("real", rule) for rule in rules), ("made", "undefined-feature")}
    assert "in 40 of 40 images" in texts["real", "not-measured"]
    for n, rules in ((20, ["few-archetypes"]), (21, [])):
        few = remarks(evaluate({"real": frame(values[:n, :1]), "made": frame(values[:1, :1])}))
        assert [problem.rule for problem in few.problems] == rules


TWELVE = [f"a.f{k}" for k in range(12)]


@pytest.fixture
def images():
    """Real images, honest ones of the same kind, poor ones, and copies of typical real images."""
    rng = np.random.default_rng(0)
    real = rng.normal(size=(60, 12))
    typical = real[np.argsort(np.abs(real).max(1))[:6]]
    return frame(real, "real", TWELVE), {
        "honest": frame(rng.normal(size=(400, 12)), "honest", TWELVE),
        "poor": frame(rng.normal(2, 1, (40, 12)), "poor", TWELVE),
        "copies": frame(np.repeat(typical, 5, axis=0), "copies", TWELVE),
    }


def test_held_out_images_score_as_new_ones_of_their_kind(images):
    real, groups = images
    for config in (WsiConfig(), EACH):
        evaluation = evaluate({"real": real, **groups}, config=config)
        assert evaluation.held_out.name == "real, held out"
        assert abs(evaluation.held_out.mean - evaluation.groups[0].mean) < 0.02
    evaluation = evaluate({"real": real, **groups})
    part, expected = np.random.default_rng((0, 5)).permutation(60) % 5, np.empty(60)
    for fold in range(5):  # by hand: each part against the quantiles of all others
        low, high = np.quantile(real[part != fold], [0.05, 0.95], axis=0)
        expected[part == fold] = ((real[part == fold] >= low) & (real[part == fold] <= high)).mean(axis=1)
    assert evaluation.held_out.values.tolist() == pytest.approx(expected.tolist())
    assert evaluate({"real": real[:9], **groups}).held_out is None


def test_copies_come_first_and_are_never_called_like_real_images(images):
    real, groups = images
    evaluation = evaluate({"real": real, **groups})
    honest, poor, _ = (group.mean for group in evaluation.groups)
    first, second = headline(evaluation, {"copies": list(groups["copies"].index), "honest": []})
    assert first.startswith("Copies: 30 of 30 images are near-identical to a real image, so its score says")
    scores = (
        f"Held-out real images score {evaluation.held_out.mean:.3f}; honest {honest:.3f}; poor {poor:.3f}."
    )
    assert second == scores
    assert "Above real images: copies. Look for copies and for little variety." in headline(evaluation, {})
    few = headline(evaluate({"real": real, "honest": groups["honest"]}), {"honest": ["honest1"]})
    assert few[0] == "Honest: 1 of 400 images is near-identical to a real image."
    assert few[1].startswith("Held-out real images score ") and "; honest " in few[1]


def test_ends_belong_to_the_interval_and_the_next_number_does_not():
    config = WsiConfig(quantiles=(0, 1))
    bounds = tolerance_bounds(frame([[1.0], [2.0]]), config)
    inside = binarise(frame([[1.0], [2.0], [np.nextafter(1, 0)], [np.nextafter(2, 3)]]), bounds)
    assert inside[:, 0].tolist() == [PRESENT, PRESENT, ABSENT, ABSENT]


def test_one_image_has_no_interval_and_no_image_no_mean():
    archetypes = frame([[1, 1, 1], [2, 2, 2]])
    groups = {"one": frame([[1.5, 9, 9]]), "none": frame([[np.nan] * 3])}
    single, none = evaluate({"real": archetypes, **groups}).groups
    assert single.mean == pytest.approx(1 / 3) and np.isnan([single.low, single.high]).all()
    assert np.isnan(none.mean) and np.isnan(none.shares).all()


# Images lose channels: two thirds, then one third, where everything else is detected.

EXTREMES = WsiConfig(quantiles=(0, 1), n_resamples=20)


def noise(n, seed):
    """Images in three channels of different brightness."""
    return np.random.default_rng(seed).random((n, 24, 24, 3)) * np.array([0.9, 0.7, 0.5])


def measured(images):
    rows = [measure.measured(image, ImageSettings()).reshape(-1) for image in images]
    return pd.DataFrame(rows, columns=[f"{channel}.{name}" for channel in COLOURS for name in measure.NAMES])


def ablated(real, made, black, config=EXTREMES, **options):
    return channel_ablation({"real": real, "made": made}, black, config=config, **options).to_dict("records")


def without(images, *channels):
    result = images.copy()
    result[..., [COLOURS.index(name) for name in channels]] = 0
    return result


@pytest.mark.parametrize("config", [EXTREMES, WsiConfig(n_resamples=20), WsiConfig(alpha=0.5, beta=0.5)])
def test_the_score_is_that_of_images_saved_without_the_channels(config):
    """By hand: mean over the images of C / (C + beta V); of images that have everything 2/3 and 1/3, and by
    Dice 0.8 and 0.5."""
    real, others = measured(noise(24, 0)), noise(24, 1)
    low, high = np.quantile(real, config.quantiles, axis=0)
    steps = ablated(real, measured(others), black(ImageSettings()), config)
    assert len(steps) == 7
    for step in steps:
        cut = measured(without(others, *step["without"]))
        with np.errstate(invalid="ignore"):
            share = ((low <= cut) & (cut <= high)).to_numpy().mean(axis=1)
        assert step["n"] == 24 and step["low"] <= step["wsi"] <= step["high"]
        assert step["wsi"] == pytest.approx(np.mean(share / (share + config.beta * (1 - share))))
        left = 1 - len(step["without"]) / 3
        assert step["ideal"] == pytest.approx(left / (left + config.beta * (1 - left)))


def test_features_that_stay_within_tolerance_are_not_detected_and_channels_can_weigh_the_same():
    """A channel that is empty in some archetypes may be empty: then what is removed is not missed."""
    names = ["red.objects", "green.objects"]
    archetypes = pd.DataFrame([[0, 5], [4, 5], [5, 6], [6, 9.0]], columns=names)
    whole = pd.DataFrame([[5, 5.0]], columns=names)
    first, second, *_ = ablated(archetypes, whole, {"objects": 0.0})
    assert (first["wsi"], second["wsi"], second["detected"]) == (1, 1, 0)
    some = pd.DataFrame(np.ones((2, 4)), columns=["red.a", "red.b", "red.c", "green.a"])
    for how, ideal in (("uniform", 0.75), ("channels", 0.5)):
        green = ablated(some, some, dict.fromkeys("abc", 9.0), weights=how)[2]
        assert green["without"] == ("green",)
        assert (green["ideal"], green["wsi"]) == pytest.approx((ideal, ideal))
