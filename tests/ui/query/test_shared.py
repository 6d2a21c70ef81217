"""What results share with a query: who finds how many of what is sought, by hand, and Why in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from evalcore.ui.query.shared import MatchCount, Sought, sentence
from tests.ui.conftest import HOSTILE, Open, board, page_text

PAGE = "pages/1_Queries.py?q=q1"
PAIR = {"a": "alpha", "b": "beta"}
LIKE = "with the same finding (mass)"


def sentence_of(*tallies: tuple[str, int, int], there: int | None = None) -> str:
    images = None if there is None else np.arange(9) < there
    return sentence([MatchCount(*tally) for tally in tallies], Sought(LIKE, images)).replace("**", "")


def first(app: AppTest) -> str:
    """The sentence on the page."""
    assert not app.exception
    (text,) = [m.value for m in app.markdown if "returned" in m.value or " find" in m.value]
    return text.replace("\\", "").replace("**", "")


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
    common = [[item["common"] for item in side["items"]] for side in board(app)["lists"]]
    assert common[0] == [[["≈", "Mass"], ["=", "Chest"], ["=", "Computed tomography"]]]
    why = page_text(open_app(PAGE, study=study_folder, q="q1", why="q2", threshold="0", **PAIR))
    assert "Related findings: **Nodule** (query) is a kind of **Mass**." in why, "the same at any distance"
    open_app(PAGE, study=study_folder, q="q1", k="1", a="alpha", b="alpha", measure="mean(iou)")
