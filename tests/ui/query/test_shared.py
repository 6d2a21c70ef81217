"""What results share with a query: who finds how many of what is sought, by hand, and Why in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.query.shared import Sought, Tally, in_common, sentence
from evalcore.values.concept_values import ConceptKinds
from tests.ui.conftest import HOSTILE, board, said

Open = Callable[..., AppTest]
PAGE = "pages/1_Queries.py?q=q1"
PAIR = {"a": "alpha", "b": "beta"}
LIKE = "with the same finding (mass)"


def of(*tallies: tuple[str, int, int], there: int | None = None) -> str:
    images = None if there is None else np.arange(9) < there
    return sentence([Tally(*one) for one in tallies], Sought(LIKE, images)).replace("**", "")


@pytest.mark.parametrize(
    ("tallies", "expected"),
    [
        ([("a", 4, 5), ("b", 1, 5)], f"a finds 4 of 5 images {LIKE}, b 1."),
        ([("a", 0, 5), ("b", 1, 5)], f"b finds 1 of 5 images {LIKE}, a none."),
        ([("a", 2, 5), ("b", 1, 3)], f"a finds 2 of 5 images {LIKE}, b 1 of 3."),
        ([("a", 3, 5), ("b", 3, 5)], f"Both systems find 3 of 5 images {LIKE}."),
        ([("a", 3, 5), ("b", 3, 5), ("c", 3, 5)], f"All 3 systems find 3 of 5 images {LIKE}."),
        ([("a", 1, 5), ("b", 3, 5), ("c", 2, 5)], f"b finds 3 of 5 images {LIKE}, c 2, a 1."),
        ([("a", 0, 5), ("b", 0, 5)], f"Neither system finds an image {LIKE} in its top 5."),
        ([("a", 0, 5)], f"a does not find an image {LIKE} in its top 5."),
        (
            [("a", 0, 5), ("b", 0, 5), ("c", 0, 5)],
            f"None of the 3 systems finds an image {LIKE} in its top 5.",
        ),
        ([("a", 2, 5), ("b", 0, 0)], f"a finds 2 of 5 images {LIKE}; b returned nothing."),
        ([("a", 1, 1), ("b", 0, 1)], f"a finds 1 of 1 image {LIKE}, b none."),
        ([("a", 0, 0), ("b", 0, 0)], "Neither system returned anything for this query."),
        ([("a", 0, 0)], "The system returned nothing for this query."),
    ],
)
def test_counts_ties_and_unanswered_queries(tallies: list[tuple[str, int, int]], expected: str) -> None:
    assert of(*tallies) == expected


def test_how_many_there_are_is_said_where_they_are_fewer_than_what_is_looked_at() -> None:
    assert of(("a", 2, 5), ("b", 1, 5), there=2).endswith("b 1. Only 2 such images exist.")
    assert of(("a", 1, 5), ("b", 1, 5), there=1).endswith("Only 1 such image exists.")
    assert of(("a", 2, 5), ("b", 1, 5), there=5).endswith("b 1.")
    none = f"The collection has no other image {LIKE}, so none can be found; b returned nothing."
    assert of(("a", 0, 5), ("b", 0, 0), there=0) == none


def first(app: AppTest) -> str:
    """The sentence on the page."""
    assert not app.exception
    (text,) = [m.value for m in app.markdown if "returned" in m.value or " find" in m.value]
    return text.replace("\\", "").replace("**", "")


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        # organ chest: q1, q2; head: q3, q4, q5. alpha q2 q5 q3 q4, beta q4 q3 q5 q2
        ({"measure": "P(organ)", "k": "2"}, "alpha finds 1 of 2 images with the same organ, beta none."),
        # by the label type with most values, the last of them: two of organ as of modality
        ({}, "Both systems find 1 of 4 images with the same organ (chest). Only 1 such image exists."),
        ({"q": "q3"}, "Both systems find 2 of 4 images with the same organ (head). Only 2 such images exist"),
        ({"q": "q5"}, "alpha finds 2 of 4 images with the same organ (head); beta returned nothing."),
        ({"q": "q6"}, "This query has no labels and no concepts, so its results cannot be judged."),
    ],
)
def test_by_the_labels_of_the_study(
    open_app: Open, study_folder: Path, link: dict[str, str], expected: str
) -> None:
    assert expected in said(open_app(PAGE, study=study_folder, **{"q": "q1", **PAIR, **link})).replace(
        "**", ""
    ).replace("\\", "")


def test_by_findings_then_by_the_measure_and_with_its_values_for_experts(
    open_app: Open, study_folder: Path
) -> None:
    (study_folder / "labels.csv").unlink()
    by_measure = first(open_app(PAGE, study=study_folder, q="q1", measure="mean(iou)", **PAIR))
    # CT and chest: q2 and q5 share CT, q3 and q4 nothing
    assert by_measure == "Both systems find 2 of 4 images that share a concept."
    (study_folder / "kinds.csv").write_text("cui,kind\nC0000007,finding\n")
    app = open_app(PAGE, study=study_folder, q="q3", measure="mean(iou)", k="1", reading="Expert", **PAIR)
    # q3 and q5 bleed; alpha's first result of q3 is q4, beta's q1: IoU 2/3 and 0
    assert first(app) == (
        "Neither system finds an image with the same finding (C0000007) in its top 1. Judged by concepts. "
        "mean(iou)@1: alpha 0.667, beta 0."
    )


def test_a_label_that_is_markup_stays_text(open_app: Open, study_folder: Path) -> None:
    (study_folder / "labels.csv").write_text(f'ID,finding\nq1,"{HOSTILE}"\nq2,"{HOSTILE}"\n')
    app = open_app(PAGE, study=study_folder, q="q1", **PAIR)
    (text,) = [m.value for m in app.markdown if "Both systems find" in m.value]
    assert "![x](" not in text and "<script" not in text.replace("\\<script", "")


def test_what_decides_the_query_comes_first_and_no_news_is_left_out(
    open_app: Open, study_folder: Path
) -> None:
    """q1 {CT, chest, nodule}, q2 {CT, chest, mass}: a nodule is a kind of mass in the graph."""
    (study_folder / "kinds.csv").write_text(
        "cui,kind\nC0000001,modality\nC0000003,anatomy\nC0000005,finding\nC0000006,finding\n"
    )
    app = open_app(PAGE, study=study_folder, q="q1", k="1", **PAIR)
    # alpha's first is q2, beta's first q4: MR of the head
    text = first(app)
    assert text.startswith(
        "alpha finds 1 of 1 image with the same finding (Nodule) or a kind of it, beta none"
    )
    assert text.endswith("Judged by concepts.")
    common = [[item["common"] for item in one["items"]] for one in board(app)["lists"]]
    assert common[0] == [[["≈", "Mass"], ["=", "Chest"], ["=", "Computed tomography"]]]
    why = said(open_app(PAGE, study=study_folder, q="q1", why="q2", threshold="0", **PAIR))
    assert "Related findings: **Nodule** (query) is a kind of **Mass**." in why, "the same at any distance"
    none = open_app(PAGE, study=study_folder, q="q1", k="1", a="alpha", b="alpha", measure="mean(iou)")
    assert not none.exception


NAMES = {
    "M": "CT",
    "A": "Chest",
    "F": "Nodule",
    "G": "Mass",
    "P": "Axial",
    "L": "Lateral",
    "U": "Left",
    "D": "Stent",
}
KIND = ConceptKinds.of_concepts(
    {
        "M": "modality",
        "A": "anatomy",
        "F": "finding",
        "G": "finding",
        "P": "plane",
        "L": "plane",
        "D": "device",
    },
    "by hand",
)


NEITHER = "Neither image has a finding listed."
BOTH = "Same region (Chest) and modality (CT)."


@pytest.mark.parametrize(
    ("query", "result", "sentence"),
    [
        ("MAF", "MAG", f"Different findings: Nodule (query), Mass (result). {BOTH}"),
        ("MAF", "MA", f"Only the query has a finding listed: Nodule. {BOTH}"),
        (
            "MA",
            "MAFG",
            "Only the result has a finding listed: Mass and Nodule. Same region (Chest) and modality (CT).",
        ),
        ("MAF", "MAF", "Shared finding: Nodule. Same region (Chest) and modality (CT)."),
        ("FG", "FGM", "Shared findings: Mass and Nodule."),
        ("MPA", "MPA", f"{NEITHER} Same region (Chest), modality (CT) and plane (Axial)."),
        ("MP", "ML", f"{NEITHER} Same modality (CT). Different planes: Axial (query), Lateral (result)."),
        ("MP", "M", f"{NEITHER} Same modality (CT)."),
        ("MPL", "ML", f"{NEITHER} Same modality (CT) and plane (Lateral)."),
        ("MU", "MU", f"{NEITHER} Same modality (CT). Also shared: Left."),
        ("D", "D", f"{NEITHER} Same device (Stent)."),
        ("", "", NEITHER),
        ("F", "G", "Different findings: Nodule (query), Mass (result)."),
        (
            "MD",
            "MF",
            "Only the result has a finding listed: Nodule. Only the query has a device listed: "
            "Stent. Same modality (CT).",
        ),
    ],
)
def test_findings_come_first_and_a_missing_one_is_not_another_one(query, result, sentence) -> None:
    shared = set(query) & set(result)
    assert in_common(shared, set(query), set(result), KIND, NAMES.__getitem__) == sentence


def test_related_findings_are_named_before_other_pairs() -> None:
    near = [("F", "G", 1), ("A", "U", 2), ("M", "P", 1)]
    assert in_common("", set("FAM"), set("GUP"), KIND, NAMES.__getitem__, near=near) == (
        "Related findings: Nodule with Mass (1 step). Also linked: Chest with Left (2 steps) and CT with "
        "Axial (1 step)."
    )
    assert in_common("", set("FA"), set("U"), KIND, NAMES.__getitem__, near=near[1:2]) == (
        "Only the query has a finding listed: Nodule. Linked: Chest with Left (2 steps)."
    )


def test_a_kind_of_a_finding_is_related_at_any_distance() -> None:
    kin = [("F", "G", True)]
    assert in_common("", set("F"), set("G"), KIND, NAMES.__getitem__, kin=kin) == (
        "Related findings: Nodule (query) is a kind of Mass."
    )
    near = [("F", "G", 1)]
    assert in_common("", set("F"), set("G"), KIND, NAMES.__getitem__, near=near, kin=[("F", "G", False)]) == (
        "Related findings: Mass (result) is a kind of Nodule."
    )
