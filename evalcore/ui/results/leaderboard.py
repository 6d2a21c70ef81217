"""The leaderboard, and a table for a paper: systems under measures, as LaTeX, Markdown and CSV."""

from __future__ import annotations

from math import isnan

import pandas as pd
import streamlit as st

from evalcore.ranking.metrics import lower_is_better
from evalcore.results.board import FIRST, Board, BoardCell, board_of
from evalcore.results.board_text import BOUND, as_latex, as_markdown, without_intervals
from evalcore.results.rows import Table
from evalcore.results.scores import saved_scores, score_rows, scoring_of, shown_scores
from evalcore.stats.correction import NAMES
from evalcore.study.reads import remark
from evalcore.ui.components import download, messages, select, table
from evalcore.ui.frame import cache, measures, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import MeasureChoice
from evalcore.ui.frame.state import Key
from evalcore.values.writing import arrow, md_escape, plain, pluralize


def board_of_page(context: Context) -> tuple[Table, Table]:
    """The leaderboard under the chosen measure, best first, and all of it for its file."""
    study, choice = context.study, context.choice
    analysis = cache.analysis(study, choice)
    scores, against = analysis.scores, analysis.comparisons
    rows = score_rows(scores, analysis.means, against)
    table_ = shown_scores(
        sorted(rows, key=lambda row: (isnan(row.mean.mean), -row.mean.merit)),
        against,
        settings=choice.settings,
        correction=NAMES[choice.chosen.correction],
        smallest=choice.smallest_difference,
        names={score.system: _name(context, score.system) for score in scores},
        owed={row.system: row.change.difference for row in analysis.owed()},
        group=study.groups.name if study.groups else "group",
    )
    return table_, saved_scores(rows, against, settings=choice.settings)


def _name(context: Context, system: str) -> str:
    """A system and what is remarked of it."""
    baseline = "baseline" if system == context.choice.baseline else ""
    remarks = ", ".join(filter(None, (baseline, remark(system, context.study.looks))))
    return plain(system) + (f" ({remarks})" if remarks else "")


# Which figure is looked at more closely, and what the table for a paper holds.

LOOK = Key("look")
IN_TABLE = Key("table", of_study=True)
INTERVALS = Key("intervals")
TAKEN_MEASURES = Key("report", of_study=True)
TAKEN_BY = Key("report_by", of_study=True)
TAKEN_SWEEP = Key("report_sweep")
"""What a report and its figures hold: measures, slices, other settings of related concepts."""


def section(context: Context) -> None:
    """The measures, the table as it will look, its caption, and the files."""
    chosen = _chosen(context)
    study, choice = context.study, context.choice
    of = scoring_of(cache.analysis(study, choice, measures=chosen))
    intervals = select.switch("Show intervals", keep=INTERVALS, first=True)
    board = board_of(of)
    rows = [_row(board, i, intervals=intervals) for i in range(len(board.systems))]
    if board.bound:
        rows.append([f":gray[{BOUND}]", *(f":gray[{top}]" for top in board.bound)])
    head = ["System", *(f"{md_escape(name)} {arrow(lower_is_better(name))}" for name in board.columns)]
    alt = f"{pluralize(len(board.systems), 'system')} under {pluralize(len(board.columns), 'measure')}"
    table.wrapped(pd.DataFrame(rows, columns=head), alt=alt)
    for said in (board.caption, board.note):
        st.caption(md_escape(" ".join(said if intervals else without_intervals(said))))
    messages.few([mean.n_independent for mean in of.intervals])
    stem = context.stem("table")
    with st.container(horizontal=True):
        download.file(
            "LaTeX", as_latex(board, intervals=intervals), f"{stem}.tex", "text/plain", key="table-latex"
        )
        download.file(
            "Markdown", as_markdown(board, intervals=intervals), f"{stem}.md", "text/plain", key="table-md"
        )
        saved = saved_scores(
            score_rows(of.scores, of.intervals, of.comparisons), of.comparisons, settings=choice.settings
        )
        download.csv(table.in_file(context, saved), stem)


def _chosen(context: Context) -> list[MeasureChoice]:
    """The sidebar's measure, and others on offer beside it."""
    offered = measures.beside(context.study, context.choice.measure)
    names = {name: one.shown(plain=context.choice.plain) for name, one in offered.items()}
    state.follow_default(IN_TABLE)
    chosen = select.some("Measures in the table", names, keep=IN_TABLE, first=list(names)[:FIRST])
    return [offered[name] for name in chosen]


def _row(board: Board, i: int, *, intervals: bool) -> list[str]:
    """A row of a board as Markdown: the system, then a cell per column."""
    name = board.systems[i]
    shown = f"{md_escape(name)}{' (baseline)' if name == board.baseline else ''}"
    return [shown, *(_cell(cell, intervals=intervals) for cell in board.cells[i])]


def _cell(cell: BoardCell, *, intervals: bool) -> str:
    mean = f"**{cell.mean}**" if cell.best else cell.mean
    # Word joiners keep both ends on one line of a narrow column.
    ends = cell.interval.replace("–", "\u2060–\u2060")
    return f"{mean}{cell.mark}" + (f" :gray[({ends})]" if intervals and ends else "")
