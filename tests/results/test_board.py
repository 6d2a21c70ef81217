"""The table for a paper: what is bold, marked and bounded, and what its caption says."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from markdown_it import MarkdownIt
from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexWalker

from evalcore.evaluate import summarise_all
from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.comparison import against_baseline
from evalcore.results.board import board_of
from evalcore.results.paper import as_latex, as_markdown
from evalcore.results.scores import Scoring
from evalcore.values.model import DEFINED, NO_RELEVANT, Scores
from evalcore.values.settings import Settings, View
from tests.toy import study_of

SETTINGS = Settings()
STUDY = study_of({f"i{n:02}": {"a"} for n in range(12)})


def scored(system, values, metric="AP(organ)"):
    values = np.asarray(values, float)
    reasons = np.where(np.isnan(values), NO_RELEVANT, DEFINED).astype(np.uint8)
    return Scores(system, metric, np.arange(len(values), dtype=np.int32), values, reasons, 0, 0, 0, None)


def board(scores, *, baseline=None, **more):
    intervals = summarise_all(scores, settings=SETTINGS)
    systems = tuple(dict.fromkeys(score.system for score in scores))
    metrics = tuple(dict.fromkeys(score.metric for score in scores))
    view = View(metrics=metrics, systems=systems, baseline=baseline or "")
    pairs = Analysis(STUDY, view, lambda: scores).comparisons
    return board_of(Scoring(STUDY, scores, intervals, pairs, baseline, SETTINGS, **more))


LOW = np.linspace(0.1, 0.32, 12)
HIGH = np.linspace(0.5, 0.72, 12)


def test_all_that_is_written_as_high_as_the_best_is_bold():
    found = board([scored("a", HIGH), scored("b", HIGH + 0.0001), scored("c", HIGH - 0.01)])
    assert found.systems == ("b", "a", "c")
    assert [row[0].mean for row in found.cells] == ["0.610", "0.610", "0.600"]
    assert [row[0].best for row in found.cells] == [True, True, False]


def test_a_single_system_is_the_best_of_nothing():
    found = board([scored("a", HIGH)])
    assert [row[0].best for row in found.cells] == [False] and "Bold" not in as_latex(found)


def test_the_note_says_which_end_of_ranks_is_best():
    rows = [scored("a", HIGH, "MeanR(organ)"), scored("b", LOW, "MeanR(organ)")]
    assert "Bold: the lowest of a column" in as_latex(board(rows))


@pytest.mark.parametrize(("p", "mark"), [(0.049, "†"), (0.05, "")])
def test_a_mark_needs_a_corrected_p_below_05(p, mark):
    rows = [scored("a", HIGH), scored("b", LOW)]
    intervals = summarise_all(rows, settings=SETTINGS)
    pairs = [replace(one, p_corrected=p) for one in against_baseline(rows, baseline="b", settings=SETTINGS)]
    found = board_of(Scoring(STUDY, rows, intervals, pairs, "b", SETTINGS))
    assert [row[0].mark for row in found.cells] == [mark, ""]


def captions_of(text):
    """(short, long) of every caption, as words on paper."""
    found = []
    for one in re.finditer(r"\\caption(?=\[)", text):
        walker = LatexWalker(text, tolerant_parsing=False)
        short, place, length = walker.get_latex_maybe_optional_arg(one.end())
        long, _, _ = walker.get_latex_expression(place + length)
        words = LatexNodes2Text(strict_latex_spaces=True)
        found.append((words.nodelist_to_text(short.nodelist), words.nodelist_to_text(long.nodelist)))
    return found


@pytest.mark.parametrize("name", ["hog", " ".join(["a very long name of a system"] * 12)])
def test_a_caption_is_short_has_a_shorter_form_and_nothing_is_lost(name):
    study = replace(STUDY, name=name)
    rows = [scored(name, HIGH), scored("b", LOW), scored(name, LOW, "CUI@5"), scored("b", HIGH, "CUI@5")]
    intervals = summarise_all(rows, settings=SETTINGS)
    pairs = against_baseline(rows, baseline=name, settings=SETTINGS)
    text = as_latex(board_of(Scoring(study, rows, intervals, pairs, name, SETTINGS)))
    ((short, long),) = captions_of(text)
    assert len(long.split()) <= 60 and len(short.split()) < len(long.split())
    assert short.startswith("Means under 2 measures of 2 systems, ") and long.startswith(short)
    below = text.partition(r"\end{tabular}")[2]
    assert "2,000 resamples, seed 0" in below and "p of one comparison, not corrected" in below
    assert STUDY.content in below


def test_rows_are_in_order_of_score_with_ties_by_name():
    none = np.full(12, np.nan)
    rows = [
        scored("none", none),
        scored("z", LOW),
        scored("b", HIGH),
        scored("a", HIGH),
        scored("top", HIGH + 0.1),
    ]
    assert board(rows).systems == ("top", "a", "b", "z", "none")
    lines = [
        line.split(" & ")[0] for line in as_latex(board(rows, baseline="b")).splitlines() if " & " in line
    ]
    assert lines == ["System", "top", "a", "b (baseline)", "z", "none"]


def test_the_latex_is_well_formed_and_reads_back():
    found = board([scored("lbp_glcm & co", HIGH), scored("[b]*", LOW)], baseline="[b]*")
    written = as_latex(found)
    (outer,), *_ = LatexWalker(written.strip(), tolerant_parsing=False).get_latex_nodes()
    assert isinstance(outer, LatexEnvironmentNode) and outer.environmentname == "table"
    (inner,) = [one for one in outer.nodelist if isinstance(one, LatexEnvironmentNode)]
    assert inner.environmentname == "tabular"
    rows = [line for line in inner.latex_verbatim().splitlines() if line.endswith(r"\\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [1, 1, 1]
    assert rows[1].startswith(r"lbp\_glcm \& co & \textbf{0.610}$^\dagger$ {\footnotesize(0.5")
    assert rows[2].startswith("{[}b{]}{*} (baseline) & 0.210 {")
    plain = as_latex(found, intervals=False)
    assert r"{\footnotesize(" not in plain and "In parentheses" not in plain


def test_the_markdown_reads_back():
    found = board([scored("a|b", HIGH), scored("_c_", LOW)], baseline="_c_")
    page = MarkdownIt("commonmark").enable("table").render(as_markdown(found, intervals=False))
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", page)
    assert cells == ["System", "AP(organ)", "a|b", "<strong>0.610</strong>†", "_c_ (baseline)", "0.210"]
    assert "Bold: the highest of a column" in page and "(0." in as_markdown(found)
