"""The sentence on top of a query: who finds how many of what is sought, counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.query.verdict import Sought, Tally, sentence
from tests.ui.conftest import HOSTILE, said

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
        ({}, "Both systems find 1 of 4 images with the same organ (chest). Only 1 such image exists"),
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
        "Neither system finds an image with the same finding (C0000007) in its top 1. "
        "mean(iou)@1: alpha 0.667, beta 0."
    )


def test_a_label_that_is_markup_stays_text(open_app: Open, study_folder: Path) -> None:
    (study_folder / "labels.csv").write_text(f'ID,finding\nq1,"{HOSTILE}"\nq2,"{HOSTILE}"\n')
    app = open_app(PAGE, study=study_folder, q="q1", **PAIR)
    (text,) = [m.value for m in app.markdown if "Both systems find" in m.value]
    assert "![x](" not in text and "<script" not in text.replace("\\<script", "")
