"""A table for a paper: systems under measures, as LaTeX, Markdown and tidy CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import streamlit as st

from evalcore import evaluate
from evalcore.evaluate.common_pool import in_words
from evalcore.evaluate.pairs.every_pair import with_baseline_or_leader
from evalcore.figures.numbers import things
from evalcore.results.board import Board, BoardCell, board_of
from evalcore.results.board_text import BOUND, as_latex, as_markdown, without_intervals
from evalcore.results.tidy import score_rows
from evalcore.ui.components import download, messages, select, table
from evalcore.ui.frame import cache, measures, state
from evalcore.ui.overview import keys
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.measures import MeasureChoice

FIRST = 3
"""Measures in the table unless others are chosen."""


class Found(NamedTuple):
    """The table, the same as tidy rows, and over how many queries its intervals are."""

    board: Board
    rows: list[dict[str, object]]
    n: list[int]


def section(context: Context) -> None:
    """The measures, the table as it will look, its caption, and the files."""
    chosen = _chosen(context)
    found = _found(context, chosen)
    intervals = select.switch("Show intervals", keep=keys.INTERVALS, first=True)
    board = found.board
    rows = [_row(board, i, intervals=intervals) for i in range(len(board.systems))]
    if board.bound:
        rows.append([f":gray[{BOUND}]", *(f":gray[{top}]" for top in board.bound)])
    head = ["System", *(f"{md_escape(metric)} ↑" for metric in board.columns)]
    alt = f"{things(len(board.systems), 'system')} under {things(len(board.columns), 'measure')}"
    table.wrapped(pd.DataFrame(rows, columns=head), alt=alt)
    for said in (board.caption, board.note):
        st.caption(md_escape(" ".join(said if intervals else without_intervals(said))))
    messages.few(found.n)
    stem = context.stem("table")
    with st.container(horizontal=True):
        download.file(
            "LaTeX", as_latex(board, intervals=intervals), f"{stem}.tex", "text/plain", key="table-latex"
        )
        download.file(
            "Markdown", as_markdown(board, intervals=intervals), f"{stem}.md", "text/plain", key="table-md"
        )
        download.csv(pd.DataFrame(found.rows), stem)


def _chosen(context: Context) -> list[MeasureChoice]:
    """The sidebar's measure, and others on offer beside it."""
    offered = measures.beside(context.study, context.choice.measure)
    names = {name: one.shown(plain=context.choice.plain) for name, one in offered.items()}
    state.follow_default(keys.IN_TABLE)
    chosen = select.some("Measures in the table", names, keep=keys.IN_TABLE, first=list(names)[:FIRST])
    return [offered[name] for name in chosen]


def _found(context: Context, chosen: Sequence[MeasureChoice]) -> Found:
    choice = context.choice
    metrics = tuple(one.label(choice.k) for one in chosen)
    decides = (metrics, choice.baseline, choice.queries, choice.correction, choice.flips)
    return cache.remember(
        cache.key_of("paper", context.study, choice, *decides), lambda: _made(context, chosen),
        spinner="Comparing the systems under these measures…",
    )  # fmt: skip


def _made(context: Context, chosen: Sequence[MeasureChoice]) -> Found:
    study, choice = context.study, context.choice
    by_measure = [cache.scores(study, choice, choice.systems, measure=one) for one in chosen]
    scores = [of[i] for i in range(len(choice.systems)) for of in by_measure]
    settings, queries = choice.settings, cache.WHICH[choice.queries]
    intervals = evaluate.summarise_all(scores, settings=settings)
    pairs = with_baseline_or_leader(
        scores,
        baseline=choice.baseline,
        settings=settings,
        correction=choice.correction,
        n_resamples=choice.flips,
    )
    board = board_of(
        study, scores, intervals, pairs, baseline=choice.baseline or None, settings=settings, queries=queries,
        notes=in_words(context.over) if context.over else (),
    )  # fmt: skip
    rows = score_rows(study, scores, intervals, pairs, settings=settings, queries=queries)
    return Found(board, rows, [one.n_independent for one in intervals])


def _row(board: Board, i: int, *, intervals: bool) -> list[str]:
    name = board.systems[i]
    shown = f"{md_escape(name)}{' (baseline)' if name == board.baseline else ''}"
    return [shown, *(_cell(cell, intervals=intervals) for cell in board.cells[i])]


def _cell(cell: BoardCell, *, intervals: bool) -> str:
    mean = f"**{cell.mean}**" if cell.best else cell.mean
    # Word joiners keep both ends on one line of a narrow column.
    ends = cell.interval.replace("–", "\u2060–\u2060")
    return f"{mean}{cell.mark}" + (f" :gray[({ends})]" if intervals and ends else "")
