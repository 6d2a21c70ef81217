"""More about the scores: other cut-offs, precision and recall, what they are made of, a table for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.evaluate.by_kind import FromKinds, from_kinds
from evalcore.evaluate.scoring import score
from evalcore.evaluate.summary import summarise_all
from evalcore.evaluate.targets import known_labels, metric_of
from evalcore.figures.counts import kind_shares, results_by_kind
from evalcore.figures.curves import metric_curves, precision_recall
from evalcore.figures.words import HEADS
from evalcore.ranking.binary import LEVELS
from evalcore.ranking.metrics import lower_is_better
from evalcore.relevance.registry import RELEVANCE, parse_relevance
from evalcore.report import verdicts
from evalcore.results.board import FIRST, board_of
from evalcore.results.paper import Board, BoardCell, as_latex, as_markdown, without_intervals
from evalcore.results.scores import score_rows, scores_table, scoring_of
from evalcore.results.study import shares_table
from evalcore.ui.components import download, figure, fold, messages, select, table
from evalcore.ui.frame import cache, measures, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import MeasureChoice
from evalcore.ui.frame.state import Key
from evalcore.values.grouping import label_types
from evalcore.values.model import Interval, Scores
from evalcore.values.writing import arrow, md_escape, pluralize

CLOSER, LOOK = Key("closer"), Key("look")
IN_TABLE, INTERVALS = Key("table", of_study=True), Key("intervals")
CUTOFFS, RECALL, KINDS, PAPER = "cutoffs", "recall", "kinds", "paper"
TITLES = {
    CUTOFFS: "Score at other cut-offs",
    RECALL: "Precision and recall",
    KINDS: "What the score is made of",
    PAPER: "Table for a paper",
}
"""The parts, by their names in the address."""


def folded(context: Context) -> None:
    """One part at a time: a figure takes longer than the rest of the page."""
    title = "**Look closer**: other cut-offs, what scores are made of, a table for a paper"
    fold.section(title, _section, context, keep=CLOSER, icon=":material/troubleshoot:")


def _section(context: Context) -> None:
    choice, study = context.choice, context.study
    offered = {
        CUTOFFS: choice.measure.cut,
        RECALL: study.labels is not None and choice.settings.ties == "id",
        KINDS: study.kinds is not None,
        PAPER: True,
    }
    names = {name: TITLES[name] for name, there in offered.items() if there}
    draw = {CUTOFFS: _curves, RECALL: _precision_recall, KINDS: _kinds, PAPER: _paper}
    draw[select.segments("Look closer", names, keep=LOOK, label_visibility="collapsed")](context)


def _look(context: Context) -> dict[str, Any]:
    """What figures of systems share."""
    baseline = context.choice.baseline or None
    return {"systems": context.study.systems, "theme": context.theme, "baseline": baseline}


def _summarised(scores: Sequence[Scores], context: Context) -> dict[str, list[Interval]]:
    """Means with their intervals, by system in the order of the scores."""
    means: dict[str, list[Interval]] = {}
    for each, mean in zip(scores, summarise_all(scores, settings=context.choice.settings), strict=True):
        means.setdefault(each.system, []).append(mean)
    return means


def _curves(context: Context) -> None:
    study, choice = context.study, context.choice
    by_k = cache.scores_by_k(study, choice, choice.systems, measure=choice.measure)
    scores = [each for scores in by_k.values() for each in scores]
    key = cache.key_of("intervals by k", study, choice)
    means = cache.remember(key, lambda: _summarised(scores, context))
    metric = choice.measure.shown(plain=choice.plain)
    drawn = metric_curves(means, tuple(by_k), metric=metric, current=choice.k, **_look(context))
    figure.show(context, drawn, key="curves")


def _precision_recall(context: Context) -> None:
    """By the labels of the chosen measure, or the first type of labels where it has none."""
    study, choice = context.study, context.choice
    about = metric_of(study, choice.metric, choice.settings).labels or label_types(known_labels(study))[:1]
    metrics = [f"IPrec({'&'.join(about)},recall={level:g})" for level in LEVELS]
    with cache.stops_for_plugins():
        means = cache.remember(
            cache.key_of("precision and recall", study, choice, "&".join(about)),
            lambda: _summarised(
                score(study, metrics=metrics, systems=choice.systems, settings=choice.settings), context
            ),
            spinner=cache.SCORING,
        )
    drawn = precision_recall(means, LEVELS, target=" and ".join(about), **_look(context))
    figure.show(context, drawn, key="precision-recall")


# Where the score comes from: findings, or only how and where an image was taken.


def _kinds(context: Context) -> None:
    """Two figures and a table; by the relevance of the chosen measure, else nn-IoU or IoU."""
    study, choice = context.study, context.choice
    assert study.kinds is not None, "offered only with kinds"
    by, k = metric_of(study, choice.metric, choice.settings).relevance, choice.k if choice.measure.cut else 10
    if by is None or parse_relevance(by).kind not in RELEVANCE:
        by = "nn-iou" if study.knows_neighbours else "iou"
    result: tuple[FromKinds, ...] = cache.remember(
        cache.key_of("from kinds", study, choice, by, k),
        lambda: from_kinds(study, relevance=by, systems=choice.systems, k=k, settings=choice.settings),
    )
    if not result:
        return
    order = verdicts.ranked_systems(cache.analysis(study, choice).means_of())
    result = tuple(sorted(result, key=lambda row: order.index(row.system)))
    figure.show(context, results_by_kind(result, theme=context.theme), key="kinds-results")
    figure.show(context, kind_shares(result, theme=context.theme), key="kinds-shares")
    table.declared(
        context,
        shares_table(result, HEADS),
        key="kinds-table",
        file="kinds",
        note=md_escape(
            f"First {pluralize(result[0].k, 'result')}, {result[0].relevance}; kinds by "
            f"{study.kinds.source}. Queries with no finding are listed in the last columns."
        ),
        alt=f"Where the scores of {pluralize(len(result), 'system')} come from",
    )


# A table for a paper: systems under measures, as LaTeX, Markdown and CSV.


def _paper(context: Context) -> None:
    """The measures, the table as it will look, its caption, and the files."""
    chosen = _measures(context)
    of = scoring_of(cache.analysis(context.study, context.choice, measures=chosen))
    intervals = select.switch("Show intervals", keep=INTERVALS, first=True)
    board = board_of(of)
    rows = [_row(board, i, intervals=intervals) for i in range(len(board.systems))]
    head = ["System", *(f"{md_escape(name)} {arrow(lower_is_better(name))}" for name in board.columns)]
    alt = f"{pluralize(len(board.systems), 'system')} under {pluralize(len(board.columns), 'measure')}"
    table.wrapped(pd.DataFrame(rows, columns=head), alt=alt)
    for said in (board.caption, board.note):
        st.caption(md_escape(" ".join(said if intervals else without_intervals(said))))
    messages.few([mean.n_independent for mean in of.intervals])
    stem = context.stem("table")
    files = {
        "LaTeX": (as_latex(board, intervals=intervals), "tex"),
        "Markdown": (as_markdown(board, intervals=intervals), "md"),
    }
    with st.container(horizontal=True):
        for label, (text, ending) in files.items():
            download.file(label, text, f"{stem}.{ending}", "text/plain", key=f"table-{ending}")
        scored = score_rows(of.scores, of.intervals, of.comparisons)
        saved = scores_table(scored, context.choice.settings, of.comparisons)
        download.csv(table.in_file(context, saved), stem)


def _measures(context: Context) -> list[MeasureChoice]:
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
