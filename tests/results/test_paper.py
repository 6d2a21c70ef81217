"""Tables for a paper: what is bold, marked and bounded, and what their captions say."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexWalker

from evalcore.evaluate.analysis import Analysis, analyse
from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.conditions import select
from evalcore.evaluate.measures import TableCell, TableOne
from evalcore.results.pairs import slice_differences_table
from evalcore.results.paper import board_of, pairs_on_paper, slice_boards, table_one
from evalcore.results.scores import saved_scores, slice_means_table
from evalcore.results.writers import HIGHER, LOWER, Cell, latex
from evalcore.values.settings import View
from tests.toy import comparison_of, interval_of, scores_of, study_of, with_parts

STUDY = limited(study_of({f"i{n:02}": {"a"} for n in range(12)}), ["@iou"])
LOW, HIGH = np.linspace(0.1, 0.32, 12), np.linspace(0.5, 0.72, 12)


def board(*scores, baseline="", study=STUDY, intervals=True, p=None):
    """The table of these scores; ``p``: of every comparison, in place of its own."""
    systems, metrics = ({getattr(score, name): 0 for score in scores} for name in ("system", "metric"))
    view = View(metrics=tuple(metrics), systems=tuple(systems), baseline=baseline)
    analysis = Analysis(study, view, lambda: scores)
    if p is not None:
        analysis.__dict__["comparisons"] = tuple(replace(c, p_corrected=p) for c in analysis.comparisons)
    return board_of(analysis, intervals=intervals)


def test_all_that_is_written_as_high_as_the_best_is_bold():
    table = board(scores_of("a", HIGH), scores_of("b", HIGH + 0.0001), scores_of("c", HIGH - 0.01))
    assert [(name.text, cell.text, cell.best) for name, cell in table.rows] == [
        ("b", "0.610", True),
        ("a", "0.610", True),
        ("c", "0.600", False),
    ]
    (row,) = board(scores_of("a", HIGH)).rows
    assert not row[1].best, "a single system is the best of nothing"
    ranks = board(scores_of("a", HIGH, metric="MeanR(organ)"), scores_of("b", LOW, metric="MeanR(organ)"))
    assert "Bold: lowest." in ranks.caption and [row[1].best for row in ranks.rows] == [True, False]
    middle = board(scores_of("a", HIGH, metric="MedR(organ)"), scores_of("b", LOW, metric="MedR(organ)"))
    assert middle.caption.startswith("MedR(organ) of 2 systems") and middle.note.startswith("Medians over")


@pytest.mark.parametrize(("p", "mark"), [(0.049, HIGHER), (0.05, "")])
def test_a_mark_needs_a_corrected_p_below_05(p, mark):
    table = board(scores_of("a", HIGH), scores_of("b", LOW), baseline="b", p=p)
    assert [row[1].mark for row in table.rows] == [mark, ""]
    lower = board(scores_of("a", HIGH), scores_of("b", LOW), baseline="a", p=p)
    assert [row[1].mark for row in lower.rows] == ["", LOWER if mark else ""]


def test_a_caption_says_what_is_shown_and_the_note_how():
    scores = [
        scores_of("hog", HIGH),
        scores_of("b", LOW),
        scores_of("hog", LOW, metric="CUI@5"),
        scores_of("b", HIGH, metric="CUI@5"),
    ]
    text = latex(board(*scores, baseline="hog", study=replace(STUDY, name="a study")))
    caption, _, _ = LatexWalker(text, tolerant_parsing=False).get_latex_expression(
        text.index(r"\caption") + len(r"\caption")
    )
    words = LatexNodes2Text(strict_latex_spaces=True).nodelist_to_text(caption.nodelist)
    assert words.startswith("Means under 2 measures of 2 systems, a study; n = 12 queries. In parentheses:")
    assert "lower than the baseline hog (p < 0.05, not corrected)." in words
    below = text.partition(r"\end{tabular}")[2]
    assert "2,000 resamples, seed 0" in below and "p of one comparison, not corrected" in below
    assert STUDY.content in below


def test_the_latex_is_well_formed_and_reads_back():
    scores = scores_of("lbp_glcm & co", HIGH), scores_of("[b]*", LOW)
    written = latex(board(*scores, baseline="[b]*"))
    (outer,), *_ = LatexWalker(written.strip(), tolerant_parsing=False).get_latex_nodes()
    assert isinstance(outer, LatexEnvironmentNode) and outer.environmentname == "table"
    (inner,) = [node for node in outer.nodelist if isinstance(node, LatexEnvironmentNode)]
    assert inner.environmentname == "tabular"
    rows = [line for line in inner.latex_verbatim().splitlines() if line.endswith(r"\\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [1, 1, 1]
    assert rows[1].startswith(r"lbp\_glcm \& co & \textbf{0.610}$^\dagger$ {\footnotesize(0.5")
    assert rows[2].startswith("{[}b{]}{*} (baseline) & 0.210 {")
    plain = board(*scores, intervals=False)
    assert r"{\footnotesize(" not in latex(plain) and "In parentheses" not in plain.caption


@pytest.mark.parametrize("label", ["no side", "All queries"])
def test_a_label_called_like_a_slice_of_the_program_has_a_column_and_rows_of_its_own(label):
    sets = {f"q{i}": {"vein", f"c{i % 2}"} for i in range(6)}
    answers = {query: [other for other in sets if other != query] for query in sets}
    labels = {"side": {"q0": label, "q1": label, "q2": label, "q3": "left", "q4": "left"}}
    study = with_parts(study_of(sets), runs={"a": answers, "b": answers}, labels=labels)
    analysis = analyse(study, View(metrics=("CUI@3",), baseline="b"))
    (table,) = slice_boards(analysis, analysis.sliced(["side"]))
    assert table.heads == [
        "System",
        "All queries (n = 6)",
        f"{label} (n = 3)",
        "left (n = 2)",
        "no side (n = 1)",
    ]
    assert all(len(row) == 5 for row in table.rows)
    saved = saved_scores(analysis, analysis.sliced(["side"])).saved()
    chosen = [("", 6), (f"side={label}", 3), ("side=left", 2), ("side=", 1)]
    assert [*zip(saved["system"], saved["condition"], saved["n"], strict=True)] == [
        (system, *part) for part in chosen for system in "ab"
    ]
    for table in (slice_means_table, partial(slice_differences_table, analysis)):
        found = {row["condition"] for row in table(analysis.sliced(["side"])).records()}
        assert found == {condition for condition, _ in chosen[1:]}
    for condition, n in chosen[1:]:
        assert len(select(study, [condition]).queries) == n


def test_differences_have_their_test_in_the_note_and_a_caption_to_print():
    values = {"a": HIGH, "b": LOW, "c": HIGH - 0.1}
    scores = [scores_of(name, some, metric="AP(organ)") for name, some in values.items()]
    view = View(metrics=("AP(organ)",), systems=tuple(values))
    analysis = Analysis(STUDY, view, lambda: scores)
    table = pairs_on_paper(analysis, analysis.pairs)
    assert table.caption.startswith("Differences under AP(organ), ") and "corrected by Holm." in table.caption
    assert "paired permutation" in table.note and STUDY.content in table.note
    assert len(table.rows) == 3 and "Difference" in table.heads


# Table 1.


def cell(mean: float, *, best: bool = False, p: float = 0.01) -> TableCell:
    against = None if best else replace(comparison_of("@b", "@a"), p=p, p_corrected=p)
    return TableCell(scores_of("@b", LOW), interval_of(mean), against, best)


def test_table_one_is_in_percent_with_its_marks():
    cells = (
        (cell(0.91234, p=0.2), cell(0.5), cell(0.25, best=True)),
        (cell(0.95, best=True), cell(0.51, best=True), cell(float("nan"))),
    )
    metrics = ("P(modality)@5", "P(modality)@10", "P(modality&organ)@5")
    how = (40, 50, "paired permutation", "Holm", 10_000, 7)
    table = table_one(TableOne(("@iou", "@nn-iou"), metrics, cells, *how), ["iou", "nn"], study="Toy")
    assert table.heads == ["Measure", "modality @5", "modality @10", "modality & organ @5"]
    assert table.rows == [
        [Cell("iou"), Cell("91.23"), Cell("50.00", mark=LOWER), Cell("25.00", best=True)],
        [Cell("nn"), Cell("95.00", best=True), Cell("51.00", best=True), Cell("–")],
    ]
    assert "n = 40 queries" in table.caption and "40 of 50 queries (seed 7)" in table.note
