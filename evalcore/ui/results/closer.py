"""More about the scores: other cut-offs, what they are made of, a table for a paper."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from evalcore.ranking.metrics import lower_is_better
from evalcore.report import parts
from evalcore.results.board import FIRST
from evalcore.results.paper import board_of
from evalcore.results.scores import saved_scores
from evalcore.results.writers import Cell, latex, markdown
from evalcore.ui.components import download, fold, messages, part, select, table
from evalcore.ui.frame import cache, measures, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import MeasureChoice
from evalcore.ui.frame.state import Key
from evalcore.values.writing import arrow, md_escape, pluralize

CLOSER, LOOK = Key("closer"), Key("look")
IN_TABLE, INTERVALS = Key("table", of_study=True), Key("intervals")
CUTOFFS, KINDS, PAPER = "cutoffs", "kinds", "paper"
TITLES = {CUTOFFS: "Score at other cut-offs", KINDS: "What the score is made of", PAPER: "Table for a paper"}
"""The parts, by their names in the address."""


def folded(context: Context) -> None:
    """One part at a time: a figure takes longer than the rest of the page."""
    title = "Look closer: other cut-offs, what scores are made of, a table for a paper"
    fold.section(title, _section, context, param=CLOSER)


def _section(context: Context) -> None:
    choice, study = context.choice, context.study
    offered = {CUTOFFS: choice.measure.cut, KINDS: study.kinds is not None, PAPER: True}
    names = {name: TITLES[name] for name, there in offered.items() if there}
    draw = {CUTOFFS: _curves, KINDS: _kinds, PAPER: _paper}
    draw[select.segments("Look closer", names, param=LOOK, label_visibility="collapsed")](context)


def _curves(context: Context) -> None:
    study, choice = context.study, context.choice
    by_k = cache.scores_by_k(study, choice, choice.systems, measure=choice.measure)
    scores = [each for scores in by_k.values() for each in scores]
    analysis, shown = cache.analysis(study, choice), choice.measure.shown(plain=choice.plain)
    part.figures(context, parts.curve(analysis, analysis.view.metrics[0], shown=shown, scores=scores))


def _kinds(context: Context) -> None:
    """What scores come from, by the relevance of the chosen measure, else by concepts."""
    analysis = cache.analysis(context.study, context.choice)
    instead = "nn-iou" if context.study.knows_neighbours else "iou"
    section = parts.kinds(analysis, analysis.view.metrics[0], instead=instead)
    part.figures(context, section)
    if section is not None:
        part.numbers(context, section, file="kinds")


# A table for a paper: systems under measures, as LaTeX, Markdown and CSV.


def _paper(context: Context) -> None:
    """The measures, the table as it will look, its caption, and the files."""
    chosen = _measures(context)
    analysis = cache.analysis(context.study, context.choice, measures=chosen)
    board = board_of(analysis, intervals=select.switch("Show intervals", param=INTERVALS, first=True))
    first, *metrics = board.heads
    rows = [[md_escape(name.text), *map(_cell, cells)] for name, *cells in board.rows]
    head = [first, *(f"{md_escape(name)} {arrow(lower_is_better(name))}" for name in metrics)]
    alt = f"{pluralize(len(board.rows), 'system')} under {pluralize(len(metrics), 'measure')}"
    table.wrapped(pd.DataFrame(rows, columns=head), alt=alt)
    for text in (board.caption, board.note):
        st.caption(md_escape(text))
    messages.small_sample_warning([mean.n_independent for mean in analysis.means])
    stem = context.stem("table")
    files = {"LaTeX": (latex(board), "tex"), "Markdown": (markdown(board), "md")}
    with st.container(horizontal=True):
        for label, (text, ending) in files.items():
            look = {"key": f"table-{ending}", "type": "tertiary"}
            download.file(label, text, f"{stem}.{ending}", "text/plain", **look)
        download.csv(table.in_file(context, saved_scores(analysis)._replace(facts={})), stem)


def _measures(context: Context) -> list[MeasureChoice]:
    """The sidebar's measure, and others on offer beside it."""
    offered = measures.selectable(context.study, context.choice.measure)
    names = {name: choice.shown(plain=context.choice.plain) for name, choice in offered.items()}
    state.follow_default(IN_TABLE)
    chosen = select.multiselect("Measures in the table", names, param=IN_TABLE, first=list(names)[:FIRST])
    return [offered[name] for name in chosen]


def _cell(cell: Cell) -> str:
    """A cell of a board as Markdown."""
    text = f"**{cell.text}**" if cell.best else cell.text
    # Word joiners keep both ends on one line of a narrow column.
    ends = cell.interval.replace("–", "\u2060–\u2060")
    return f"{text}{cell.mark}" + (f" :gray[({ends})]" if ends else "")
