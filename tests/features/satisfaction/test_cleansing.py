"""The steps of the cleansing by hand: what goes, how it is counted, and what is left on which scale."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.satisfaction.data import STEPS, cleanse, parse_scale, read_study
from evalcore.values.errors import InputError, SettingError

LISTS = {  # query: relevance, one image a row; a and b belong to anna and ben, and so on
    "a1": [3, 0, 3],
    "a2": [1, 1, 1],
    "a3": [0, 0, 3],
    "a4": [2, 2, 2],
    "b1": [3, 3, 3],
    "b2": [2, 1, 0],
    "b3": [1, 2, 3],
    "c1": [1, 1, 1],
    "c2": [2, 2, 2],
    "d1": [1, 2, 1],
    "d2": [2, 0, 2],
    "d3": [3, 3, 0],
    "e1": [-1] * 19 + [3],
    "e2": [-1, -2, 3],
    "e3": [1, 1],
    "e4": [-1, -1, -1],
    "e5": [3, 1, 1],
    "e6": [2, 2, 1],
    "x1": [1, 1, 1],
}
MARKS = dict(zip(LISTS, [1, 3, 5, 5, 2, 4, 4, 1, 5, 3, 3, 3, 5, 1, 2, 3, 2, 4], strict=False))


def study(lists=LISTS, marks=MARKS):
    rows = [f"{q},{i},{i},{value}" for q, values in lists.items() for i, value in enumerate(values, start=1)]
    rated = [f"{query},{query[0]},{mark}" for query, mark in marks.items()]
    data, report = read_study(
        "\n".join(["query,position,row,relevance", *rows]).encode(),
        "\n".join(["query,user,satisfaction", *rated]).encode(),
        names=("r", "s"),
        scale=(0, 3),
    )
    assert report.problems == () and data is not None
    return data


def test_every_step():
    """e1 and e4 have more than 90 % invalid, e3 too few rows; then c has 2 queries, d always says 3."""
    clean = cleanse(study(), depth=3)
    assert dict(clean.left_out) == {
        "unrated_queries": 1,
        "invalid_queries": 2,
        "short_queries": 1,
        "unjudged_queries": 0,
        "few_users": 1,
        "few_queries": 2,
        "constant_users": 1,
        "constant_queries": 3,
    }
    assert clean.queries == ("a1", "a2", "a3", "a4", "b1", "b2", "b3", "e2", "e5", "e6")
    assert clean.satisfaction.tolist() == pytest.approx([0, 0.5, 1, 1, 0, 1, 1, 0, 1 / 3, 1])
    assert (clean.n_queries, clean.n_users, clean.user_of.tolist()) == (10, 3, [0] * 4 + [1] * 3 + [2] * 3)


def test_images_nobody_could_judge_are_passed_over_and_rows_stay():
    clean = cleanse(study(), depth=3)
    at = clean.queries.index("e2")
    lists = clean.lists
    assert lists.lengths[at] == 1 and lists.relevance[at, 0] == 1 and lists.row_of[at, 0] == 2
    assert clean.grid(2).lengths[at] == 0 and clean.grid(3).lengths[at] == 1


def test_nine_of_ten_invalid_are_not_more_than_90_percent():
    lists = {"a1": [-1] * 9 + [3], "a2": [-1] * 10 + [3], "a3": [1] * 10, "a4": [2] * 10, "a5": [3] * 10}
    clean = cleanse(study(lists, dict(zip(lists, [1, 2, 3, 4, 5], strict=True))), depth=1)
    assert clean.queries == ("a1", "a3", "a4", "a5") and clean.left_out["invalid_queries"] == 1


@pytest.mark.parametrize(
    ("step", "back", "gone"),
    [
        ("invalid", {"e1"}, {"invalid_queries": 0, "unjudged_queries": 1}),
        ("short", {"e3"}, {"short_queries": 0}),
        ("few", {"c1", "c2"}, {"few_users": 0, "few_queries": 0}),
        ("minmax", {"d1", "d2", "d3"}, {"constant_users": 0, "constant_queries": 0}),
    ],
)
def test_each_step_can_be_left_out(step, back, gone):
    usual, clean = cleanse(study(), depth=3), cleanse(study(), depth=3, without=[step])
    assert set(clean.queries) - set(usual.queries) == back
    assert {reason: clean.left_out[reason] for reason in gone} == gone


def test_without_any_step_satisfaction_stays_as_it_is():
    clean = cleanse(study(), depth=3, without=list(STEPS))
    assert clean.satisfaction.tolist() == [MARKS[query] for query in clean.queries]
    assert set(MARKS) - set(clean.queries) == {"e4"}, "nothing judged: no measure has a value"


def test_nothing_left_says_why_and_what_to_do():
    words = r"No query is left of 18\. Left out: .*queries with fewer rows.* \(16\).*Count fewer rows than 20"
    with pytest.raises(InputError, match=words):
        cleanse(study(), depth=20)


@pytest.mark.parametrize(
    "scale", ["1:1", "-1:3", "3:0", "0:inf", "nan:1", "3", "a:b", "0:", ":3", "1:2:3", ""]
)
def test_scales_that_cannot_be(scale):
    with pytest.raises(SettingError, match="LOW:HIGH with 0 <= LOW < HIGH"):
        parse_scale(scale)


def test_without_a_scale_the_largest_value_is_1():
    data, _ = read_study(
        b"query,position,row,relevance\nq,1,1,40\nq,2,1,80\nq,3,1,-1\n",
        b"query,user,satisfaction\nq,u,1\n",
        names=("r", "s"),
    )
    assert data.scale == (0, 80) and data.relevance[0].tolist()[:2] == [0.5, 1.0]
    assert np.isnan(data.relevance[0, 2])
