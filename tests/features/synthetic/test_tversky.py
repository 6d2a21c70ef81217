"""WSI against the specification's values, SciPy's indices, the formula pair by pair, and its own laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial import distance

from evalcore.features.synthetic import tversky
from evalcore.features.synthetic.tversky import all_present, presence, wsi, wsi_matrix
from evalcore.values.errors import SettingError


def bits(text: str) -> np.ndarray:
    return np.array([c == "1" for c in text])


NINE = "111111111"
CASES = [
    ("111111000", NINE, {}, 2 / 3),
    ("111000000", NINE, {}, 1 / 3),
    ("000000000", NINE, {}, 0),
    ("111111000", NINE, {"alpha": 0.5, "beta": 0.5}, 0.8),
    ("111000000", NINE, {"alpha": 0.5, "beta": 0.5}, 0.5),
    ("11010", "10110", {}, 0.5),
    ("11010", "10110", {"alpha": 0.2, "beta": 0.8}, 0.6666666667),
    ("11010", "10010", {"alpha": 0.8, "beta": 0.2}, 0.7142857143),
    ("10010", "11010", {"alpha": 0.8, "beta": 0.2}, 0.9090909091),
    ("11010", "10110", {"weights": np.array([2, 1, 1, 0.5, 3])}, 0.5555555556),
    ("011", "111", {"weights": np.array([2, 1, 1])}, 0.5),
    ("101", "111", {"weights": np.array([2, 1, 1])}, 0.75),
    ("011", "111", {"alpha": 1, "beta": 2}, 0.5),
    ("011", "111", {"beta": 0}, 1),
]


@pytest.mark.parametrize(("subject", "archetype", "options", "value"), CASES)
def test_the_values_of_the_specification(subject, archetype, options, value):
    assert wsi(bits(subject), bits(archetype), **options) == pytest.approx(value, abs=5e-11)


@pytest.mark.parametrize(("undefined", "value"), [("nan", np.nan), ("zero", 0), ("one", 1)])
def test_nothing_on_either_side_is_undefined(undefined, value):
    nothing = bits("000")
    assert wsi(nothing, nothing, undefined=undefined) == pytest.approx(value, nan_ok=True)
    # without a weight for what only the subject has, there is nothing to count either
    assert wsi(bits("110"), nothing, alpha=0, undefined=undefined) == pytest.approx(value, nan_ok=True)


def test_what_both_lack_does_not_count():
    weights = np.array([2, 1, 1, 0.5, 3, 7, 9])
    assert wsi(bits("1101000"), bits("1011000"), weights=weights) == wsi(
        bits("11010"), bits("10110"), weights=weights[:5]
    )


SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 8))
SIDES = st.floats(0, 5)


@st.composite
def problems(draw):
    """Two groups of images, which features are known, and weights."""
    n, k, m = draw(SHAPES)
    weights = draw(hnp.arrays(float, m, elements=st.floats(0.125, 8)))
    parts = [draw(hnp.arrays(bool, shape)) for shape in [(n, m), (n, m), (k, m), (k, m)]]
    return presence(parts[0], parts[1]), presence(parts[2], parts[3]), weights


def slowly(subject, archetype, known, weights, alpha, beta):
    """The definition, feature by feature."""
    shared = own = lacking = 0.0
    for s, a, both, w in zip(subject, archetype, known, weights, strict=True):
        if both:
            shared += w * (s and a)
            own += w * (s and not a)
            lacking += w * (a and not s)
    below = shared + alpha * own + beta * lacking
    return shared / below if below > 0 else np.nan


@given(problems(), SIDES, SIDES)
def test_the_matrix_is_the_definition_pair_by_pair(problem, alpha, beta):
    subjects, archetypes, weights = problem
    expected = [
        [
            slowly(s, a, ks & ka, weights, alpha, beta)
            for a, ka in zip(archetypes.present, archetypes.known, strict=True)
        ]
        for s, ks in zip(subjects.present, subjects.known, strict=True)
    ]
    found = wsi_matrix(subjects, archetypes, weights=weights, alpha=alpha, beta=beta)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@given(problems(), SIDES, SIDES)
def test_sides_and_their_weights_change_together(problem, alpha, beta):
    subjects, archetypes, weights = problem
    there = wsi_matrix(subjects, archetypes, weights=weights, alpha=alpha, beta=beta)
    back = wsi_matrix(archetypes, subjects, weights=weights, alpha=beta, beta=alpha)
    np.testing.assert_allclose(there, back.T, atol=1e-9)


@given(hnp.arrays(bool, st.tuples(st.just(2), st.integers(1, 10))), st.data())
def test_jaccard_and_dice_are_special_cases(pair, data):
    weights = data.draw(hnp.arrays(float, pair.shape[1], elements=st.floats(0.125, 8)))
    s, a = pair
    if not (s | a).any():
        return  # SciPy gives a distance of 0 there; here it is undefined
    assert wsi(s, a, weights=weights) == pytest.approx(1 - distance.jaccard(s, a, weights), abs=1e-9)
    dice = wsi(s, a, weights=weights, alpha=0.5, beta=0.5)
    assert dice == pytest.approx(1 - distance.dice(s, a, weights), abs=1e-9)


@given(problems(), SIDES, SIDES)
def test_values_lie_from_0_to_1_and_more_weight_on_a_side_never_raises_them(problem, alpha, beta):
    subjects, archetypes, weights = problem
    one = wsi_matrix(subjects, archetypes, weights=weights, alpha=alpha, beta=beta, undefined="one")
    assert ((one >= 0) & (one <= 1)).all()
    more = wsi_matrix(subjects, archetypes, weights=weights, alpha=alpha + 1, beta=beta, undefined="one")
    assert (more <= one + 1e-9).all()


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    subjects, archetypes = presence(rng.random((50, 9)) < 0.5), presence(rng.random((20, 9)) < 0.7)
    whole = wsi_matrix(subjects, archetypes, beta=0.3)
    monkeypatch.setattr(tversky, "BLOCK_CELLS", 60)
    np.testing.assert_array_equal(wsi_matrix(subjects, archetypes, beta=0.3), whole)


def test_an_unknown_feature_is_neither_there_nor_absent():
    subject = presence(bits("1100")[None], bits("1110")[None])
    assert wsi_matrix(subject, all_present(4))[0, 0] == pytest.approx(2 / 3)
    assert not presence(bits("11"), bits("10")).present[0, 1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": -0.1}, "`alpha` must be a number of at least 0. Got -0.1."),
        ({"beta": np.inf}, "`beta` must be a number of at least 0. Got inf."),
        ({"undefined": "two"}, "`undefined` must be nan, zero or one. Got 'two'."),
        ({"weights": np.array([1, -2, 1])}, "`weights` must be numbers of at least 0. Got -2.0."),
        ({"weights": np.array([0, 0, 0])}, "`weights` must be above 0 for at least one feature. Got 0.0."),
        ({"weights": np.array([1])}, r"`weights` must be one number for each of 3 features. Got \(1,\)."),
    ],
)
def test_settings_out_of_range(options, said):
    with pytest.raises(SettingError, match=said):
        wsi(bits("110"), bits("111"), **options)
