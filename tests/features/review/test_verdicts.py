"""Votes on links and labels: one of each reader, the last; the majority decides."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from evalcore.features.review.judgments import taken_back
from evalcore.features.review.verdicts import (
    by_image,
    label_judgment,
    label_votes,
    labels_judged_wrong,
    link_judgment,
    link_votes,
    senseless_links,
    verdict_rows,
)
from tests.toy import study_of

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def link(n, sense, reader, of=("C2", "C1")):
    return link_judgment(*of, sense, reader=reader, id=str(n), at=NOW + timedelta(seconds=n))


def test_the_last_vote_of_each_reader_counts():
    said = [link(1, True, "R1"), link(2, True, "R2"), link(3, False, "R1"), link(4, False, "R3")]
    [votes] = link_votes(said).values()
    assert (votes.right, votes.wrong, votes.cannot_say, votes.readers) == (1, 2, 0, ("R1", "R2", "R3"))
    assert votes.verdict == "wrong" and senseless_links(said) == {("C2", "C1")}


def test_level_votes_leave_a_link_where_it_is():
    said = [link(1, True, "R1"), link(2, False, "R2"), link(3, None, "R3")]
    assert link_votes(said)["C2", "C1"].verdict == "level" and senseless_links(said) == frozenset()
    said.append(taken_back(said[0], id="4", at=NOW + timedelta(seconds=4)))
    assert senseless_links(said) == {("C2", "C1")}
    assert link_votes(said)["C2", "C1"].cannot_say == 1


def test_a_link_upside_down_is_another_one():
    said = [link(1, False, "R1"), link(2, True, "R1", of=("C1", "C2"))]
    assert senseless_links(said) == {("C2", "C1")}


def test_labels_are_right_wrong_or_missing():
    said = [
        label_judgment("i1", "organ=chest", what, reader=f"R{n}", id=str(n), at=NOW)
        for n, what in enumerate(("right", "wrong", "wrong", "missing", None))
    ]
    votes = label_votes(said)
    assert set(votes) == {("i1", "organ=chest", ""), ("i1", "organ=chest", "missing")}
    on_it = votes["i1", "organ=chest", ""]
    assert (on_it.right, on_it.wrong, on_it.cannot_say, on_it.verdict) == (1, 2, 1, "wrong")
    assert votes["i1", "organ=chest", "missing"].verdict == "right"


def label(n, said, reader, of=("i1", "vein")):
    return label_judgment(*of, said, reader=reader, id=str(n), at=NOW + timedelta(seconds=n))


def wrong_in(said):
    study = study_of({"i1": {"vein", "brain"}, "i2": {"brain"}})
    return labels_judged_wrong(verdict_rows(said, names={}, graph=None), study)


def test_labels_judged_wrong_are_those_an_image_still_carries():
    said = [
        label(1, "wrong", "R1"),
        label(2, "wrong", "R2", ("i2", "vein")),
        label(3, "right", "R1", ("i1", "brain")),
        label(4, "wrong", "R1", ("i9", "vein")),
        label(5, "missing", "R1", ("i2", "head")),
    ]
    assert wrong_in(said) == (("i1", "vein"),)
    assert wrong_in([*said, label(6, "right", "R2")]) == ()  # level
    assert by_image([("i1", "vein"), ("i2", "brain"), ("i1", "brain")]) == {
        "i1": ("vein", "brain"),
        "i2": ("brain",),
    }


def test_a_decision_on_a_label_counts_alone():
    said = [label(1, "right", "R1"), label(2, "right", "R2"), label(3, "wrong", "A1")]
    assert wrong_in(said) == ()
    assert wrong_in([*said[:2], replace(said[2], adjudicated=True)]) == (("i1", "vein"),)
