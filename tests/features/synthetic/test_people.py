"""Scores against each other and against people, by SciPy and by hand: ratings of images, and choices
between two."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evalcore.features.synthetic.files import parse_people
from evalcore.features.synthetic.people import agreement, by_image, with_pairs, with_ratings


def test_as_scipy_over_the_images_with_all_scores():
    rng = np.random.default_rng(0)
    a, b = rng.random(30), rng.random(30)
    a[3] = np.nan
    (found,) = agreement("g", {"a": a, "b": b, "none": np.full(30, np.nan)})
    kept = np.isfinite(a)
    assert (found.group, {found.score, found.other}, found.n) == ("g", {"a", "b"}, 29)
    assert found.rho == pytest.approx(stats.spearmanr(a[kept], b[kept]).statistic)


def test_ratings():
    people = np.array([6, 5, 4, 2, 1, np.nan])
    scores = {"same": np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.0]), "against": np.arange(6.0)}
    same, against = with_ratings("g", scores, people)
    assert (same.rho, same.high, against.rho, same.n) == (1.0, 1.0, -1.0, 5)
    assert same.low <= same.rho and against.low == -1.0


def test_choices_between_two_by_hand():
    """People: a, b, tie, a, c. The score prefers a to b and to c, calls b and c equal: right about a-b, tie
    b-c, a-c."""
    text = "first,second,better,rater\na,b,a,x\na,b,b,y\nb,c,tie,x\na,c,first,x\nc,a,c,y\na,z,a,x\n"
    people, report = parse_people(text.encode(), file="p.csv")
    assert not report.problems and len(people.pairs) == 6
    (found,) = with_pairs({"wsi": {"a": 0.9, "b": 0.5, "c": 0.5}}, people.pairs)
    assert (found.name, found.n, found.value) == ("wsi", 5, 3 / 5)  # z has no score
    # rows: people chose the first, the second, neither; columns: the score
    assert found.confusion.tolist() == [[2, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert np.trace(found.confusion) / found.confusion.sum() == found.value
    assert 0 <= found.low <= found.value <= found.high <= 1
    (few,) = with_pairs({"wsi": {"a": 1.0, "b": 0.0}}, people.pairs)
    assert few.n == 2 and np.isnan(few.value)


def test_images_of_one_id_in_two_groups_are_written_with_their_group():
    scores = {"g": {"wsi": np.array([0.1, 0.2])}, "h": {"wsi": np.array([0.3])}}
    found = by_image({"g": ["a", "b"], "h": ["a"]}, scores)
    assert found == {"wsi": {"g/a": 0.1, "b": 0.2, "h/a": 0.3}}
