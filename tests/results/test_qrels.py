"""Relevances as whole grades: what lies halfway goes up."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.results.qrels import graded, ids_of
from tests.toy import study_of
from tests.toy_runs import with_parts


@pytest.mark.parametrize(
    ("value", "scale", "grade"),
    [
        (0.25, 2, 1),  # 0.5, which rounding to even would make 0
        (0.25, 10, 3),  # 2.5, to even: 2
        (0.285, 100, 29),  # 28.499999999999996 in binary, 28.5 on paper
        (0.2499, 2, 0),
        (0.0005, None, 1),
    ],
)
def test_a_half_is_rounded_up(value, scale, grade):
    assert graded(np.array([value]), scale=scale, at=None).tolist() == [grade]


def test_a_value_at_the_threshold_is_relevant():
    """1/6 + 1/6 + 1/6 is 1/2 on paper and less in binary."""
    assert graded(np.array([0.5, 1 / 6 + 1 / 6 + 1 / 6, 0.499]), scale=None, at=0.5).tolist() == [1, 1, 0]


def test_unknown_images_have_as_many_names_as_the_longest_list_has_places():
    study = study_of({image: {"vein"} for image in "abcd"})
    runs = {"short": {"a": ["b"]}, "long": {"a": ["b", "c", "d"]}}
    assert ids_of(with_parts(study, runs=runs)) == (*"abcd", *(f"unknown-image-{n}" for n in (1, 2, 3)))
    assert ids_of(study) == tuple("abcd")
