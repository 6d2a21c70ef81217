"""Relevances as whole grades: what lies halfway goes up."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.evaluate.qrels import graded, ids_of
from tests.toy import study_of
from tests.toy_runs import with_parts


@pytest.mark.parametrize(
    ("value", "how", "grade"),
    [
        (0.25, {"scale": 2, "at": None}, 1),  # 0.5, which rounding to even would make 0
        (0.285, {"scale": 100, "at": None}, 29),  # 28.499999999999996 in binary, 28.5 on paper
        (0.2499, {"scale": 2, "at": None}, 0),
        (0.0005, {"scale": None, "at": None}, 1),
        (1 / 6 + 1 / 6 + 1 / 6, {"scale": None, "at": 0.5}, 1),  # 1/2 on paper and less in binary
        (0.499, {"scale": None, "at": 0.5}, 0),
    ],
)
def test_a_half_is_rounded_up_and_a_value_at_the_threshold_is_relevant(value, how, grade):
    assert graded(np.array([value]), **how).tolist() == [grade]


def test_unknown_images_have_as_many_names_as_the_longest_list_has_places():
    study = study_of({image: {"vein"} for image in "abcd"})
    runs = {"short": {"a": ["b"]}, "long": {"a": ["b", "c", "d"]}}
    assert ids_of(with_parts(study, runs=runs)) == (*"abcd", *(f"unknown-image-{n}" for n in (1, 2, 3)))
    assert ids_of(study) == tuple("abcd")
