"""Grades for trec_eval from what several readers said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from evalcore.features.review.judgments import Judgment, qrels_of
from evalcore.values.errors import InputError, UnknownName

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def said(n, reader, result, value, **more):
    given = {"said": "cannot-say"} if value is None else {}
    return Judgment(
        id=str(n),
        task="t",
        reader=reader,
        kind="graded",
        query="q",
        result=result,
        value=value,
        at=NOW + timedelta(seconds=n),
        **{**given, **more},
    )


SAID = [
    said(1, "R1", "x", 0.25),
    said(2, "R2", "x", 0.75),
    said(3, "R3", "x", 1.0),  # median 0.75
    said(4, "R1", "y", 0.5),
    said(5, "R2", "y", 0.75),  # between two: the lower
    said(6, "R1", "z", None),
    said(7, "R2", "z", 0.0),
    said(8, "R1", "w", None),
    said(9, "R1", "v", 0.0),
    said(10, "R1", "v", 1.0),  # the last counts
    said(11, "R4", "v", 0.0, simulated=True),
]


def test_the_median_of_the_readers_and_what_is_left_out():
    found = qrels_of(SAID, grades=4)
    assert found.rows == (("q", "v", 4), ("q", "x", 3), ("q", "y", 2), ("q", "z", 0))
    assert (found.cannot_say, found.simulated, found.several) == (2, 1, 2)
    assert found.readers == ("R1", "R2", "R3")
    assert "".join(found.lines()) == "q 0 v 4\nq 0 x 3\nq 0 y 2\nq 0 z 0\n"


def test_one_reader_alone():
    found = qrels_of(SAID, grades=100, reader="R1")
    assert found.rows == (("q", "v", 100), ("q", "x", 25), ("q", "y", 50)) and found.cannot_say == 2
    with pytest.raises(UnknownName, match="No reader who judged single results called 'R4'"):
        qrels_of(SAID, grades=4, reader="R4")


def test_an_id_with_a_space():
    with pytest.raises(InputError, match="contains a space"):
        list(qrels_of([said(1, "R1", "a b", 1.0)], grades=4).lines())


@pytest.mark.parametrize("image", ["a b", "a\u3000b", "a\u00a0b"])
def test_any_space_is_known_before_the_file_is_offered(image):
    assert qrels_of([said(1, "R1", image, 1.0)], grades=4).spaced == image
    assert qrels_of([said(1, "R1", "ab", 1.0)], grades=4).spaced is None


@pytest.mark.parametrize(
    ("value", "grades", "grade"), [(0.25, 2, 1), (0.75, 2, 2), (0.5, 1, 1), (0.25, 1, 0)]
)
def test_half_a_grade_is_rounded_up(value, grades, grade):
    assert qrels_of([said(1, "R1", "x", value)], grades=grades).rows == (("q", "x", grade),)
