"""What results share with a query: who finds how many of what is sought, by hand."""

from __future__ import annotations

from pathlib import Path

from tests.ui.conftest import HOSTILE, Open, board, page_text


def test_by_findings_with_the_values_of_the_measure_for_experts(open_query: Open, study_folder: Path) -> None:
    (study_folder / "labels.csv").unlink()
    (study_folder / "kinds.csv").write_text("cui,kind\nC0000007,finding\n")
    app = open_query(q="q3", measure="mean(iou)", k="1", reading="Expert")
    # q3 and q5 bleed; alpha's first result of q3 is q4, beta's q1: IoU 2/3 and 0
    assert (
        "Neither system finds an image with the same finding (C0000007) in its top 1. Judged by concepts. "
        "mean(iou)@1: alpha 0.667, beta 0."
    ) in page_text(app).replace("\\", "").replace("**", "")


def test_a_label_that_is_markup_stays_text(open_query: Open, study_folder: Path) -> None:
    (study_folder / "labels.csv").write_text(f'ID,finding\nq1,"{HOSTILE}"\nq2,"{HOSTILE}"\n')
    (text,) = [m.value for m in open_query().markdown if "Both systems find" in m.value]
    assert "![x](" not in text and "<script" not in text.replace("\\<script", "")


def test_what_decides_the_query_comes_first(open_query: Open, kinds: Path) -> None:
    """q1 {CT, chest, nodule}, q2 {CT, chest, mass}: a nodule is a kind of mass in the graph."""
    common = [[item["common"] for item in side["items"]] for side in board(open_query(k="1"))["lists"]]
    assert common[0] == [[["≈", "Mass"], ["=", "Chest"], ["=", "Computed tomography"]]]
