"""The leaderboard as a table: values -> DataFrame and its column settings. Numbers stay numbers and sort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import floor, isfinite, log10
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from evalcore import evaluate
from evalcore.evaluate.common_pool import in_words
from evalcore.evaluate.pairs.every_pair import with_baseline_or_leader
from evalcore.results.board import FIRST, Board, BoardCell, board_of
from evalcore.results.board_text import BOUND, as_latex, as_markdown, without_intervals
from evalcore.results.tidy import score_rows
from evalcore.stats.effect import IS_LARGER, judgement
from evalcore.ui.components import download, messages, select, table
from evalcore.ui.frame import cache, measures, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import MeasureChoice
from evalcore.ui.frame.state import Key
from evalcore.values.markdown import md_escape, plain
from evalcore.values.model import Comparison, Interval, Scores
from evalcore.values.writing import in_table, p_value, pluralize, span

Columns = dict[str, Any]
_SCORE = "%.3f"
_EXPERT = ["Wins", "Ties", "Losses", "Effect", "Short lists", "Tied at k"]
"""Columns that Simple leaves out."""


def table_leaderboard(
    scores: Sequence[Scores],
    intervals: Mapping[str, Interval],
    comparisons: Sequence[Comparison],
    *,
    baseline: str,
    plain_words: bool,
    correction: str = "Holm",
    smallest: float = 0.0,
    owed: Mapping[str, float] = MappingProxyType({}),
    group: str = "group",
    spread: Mapping[str, float] = MappingProxyType({}),
    reading: Mapping[str, str] = MappingProxyType({}),
) -> tuple[pd.DataFrame, Columns]:
    """One row per system, best first, the baseline marked.

    ``correction`` names that of the p-values; ``smallest``: the difference that matters, 0 for none named.
    ``owed``: what results of the query's own ``group`` would add to each average; a column of its own.
    ``spread``: standard deviation over seeds by system, for systems that have several. ``reading``: what is
    remarked of systems that read captions.
    """
    against = {c.system: c for c in comparisons}
    compared_with = baseline or next((c.baseline for c in comparisons), "")
    places = _difference_places(comparisons)
    own, over, p_head = f"Own {plain(group, limit=20)} would add", f"Over {smallest:g}?", f"p ({correction})"

    def row(s: Scores) -> dict[str, Any]:
        mean, c = intervals[s.system], against.get(s.system)
        remarks = ", ".join(filter(None, ("baseline" * (s.system == baseline), reading.get(s.system))))
        return {
            "System": plain(s.system) + (f" ({remarks})" if remarks else ""),
            "Score ↑": mean.mean,
            "95% interval": span(mean.low, mean.high, places=3),
            "Seeds": len(s.seeds) or None,
            "SD of seeds": spread.get(s.system),
            own: owed.get(s.system),
            "Difference": c.difference if c else None,
            "Interval of the difference": in_table(c.low, c.high, places=places) if c else "",
            over: IS_LARGER[judgement(c.low, c.high, smallest)] if c else "",
            p_head: p_value(c.p_corrected) if c else "",
            "Wins": c.wins if c else None,
            "Ties": c.ties if c else None,
            "Losses": c.losses if c else None,
            "Effect": c.effect_size if c else None,
            "Queries": s.n_scored,
            "Undefined": s.n_undefined,
            "Unanswered": s.missing,
            "Short lists": s.short,
            "Tied at k": s.tied,
        }

    rows = pd.DataFrame(map(row, sorted(scores, key=lambda s: -_at(intervals, s.system))))
    without = [] if any(s.seeds for s in scores) else ["Seeds", "SD of seeds"]
    without += ([] if owed else [own]) + ([] if smallest else [over]) + (_EXPERT if plain_words else [])
    return rows.drop(columns=without), _columns(compared_with, places, own=own, p_head=p_head)


def _at(intervals: Mapping[str, Interval], system: str) -> float:
    mean = intervals[system].mean
    return mean if mean == mean else float("-inf")


def _difference_places(comparisons: Sequence[Comparison]) -> int:
    """Decimals that show every difference with two digits at least: three, more where they are small."""
    sizes = [abs(c.difference) for c in comparisons if c.difference and isfinite(c.difference)]
    return min(6, max(3, 1 - floor(log10(min(sizes))))) if sizes else 3


def _columns(baseline: str, places: int, *, own: str, p_head: str) -> Columns:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    whole = partial(number, format="localized")
    return {
        "System": text(pinned=True),
        "Score ↑": number(
            format=_SCORE, help="Average over the queries that have a value. Higher is better."
        ),
        "95% interval": text(
            alignment="right", help="Where the average would probably lie with other queries."
        ),
        "Seeds": whole(help="Runs of one system whose values are averaged, query by query."),
        "SD of seeds": number(
            format=_SCORE, help="Standard deviation of the seeds' averages; one seed has none."
        ),
        own: number(format="%+.3f", help="How much higher the average is when these results count."),
        "Difference": number(
            format=f"%+.{places}f", help=f"Average of score minus that of {md_escape(baseline)}, per query."
        ),
        "Interval of the difference": text(
            alignment="right", help="If it excludes zero, the difference is unlikely to be due to chance."
        ),
        p_head: text(alignment="right", help="Paired permutation test, corrected for all rows together."),
        "Wins": whole(help="Queries on which the system beats the baseline."),
        "Ties": whole(),
        "Losses": whole(),
        "Effect": number(format="%.2f", help="Average difference in units of its spread over queries."),
        "Queries": whole(help="Queries with a value."),
        "Undefined": whole(help="Queries without concepts, or with nothing relevant to find."),
        "Unanswered": whole(help="Queries the system returned nothing for: they count as 0."),
        "Short lists": whole(help="Answered with fewer than k images."),
        "Tied at k": whole(help="Queries whose k-th place is shared by equal scores."),
    }


# Which figure is looked at more closely, and what the table for a paper holds.

LOOK = Key("look")
IN_TABLE = Key("table", of_study=True)
INTERVALS = Key("intervals")
TAKEN_MEASURES = Key("report", of_study=True)
TAKEN_BY = Key("report_by", of_study=True)
TAKEN_SWEEP = Key("report_sweep")
"""What a report and its figures hold: measures, slices, other settings of related concepts."""

# A table for a paper: systems under measures, as LaTeX, Markdown and tidy CSV.


class Found(NamedTuple):
    """The table, the same as tidy rows, and over how many queries its intervals are."""

    board: Board
    rows: list[dict[str, object]]
    n: list[int]


def section(context: Context) -> None:
    """The measures, the table as it will look, its caption, and the files."""
    chosen = _chosen(context)
    found = _found(context, chosen)
    intervals = select.switch("Show intervals", keep=INTERVALS, first=True)
    board = found.board
    rows = [_row(board, i, intervals=intervals) for i in range(len(board.systems))]
    if board.bound:
        rows.append([f":gray[{BOUND}]", *(f":gray[{top}]" for top in board.bound)])
    head = ["System", *(f"{md_escape(metric)} ↑" for metric in board.columns)]
    alt = f"{pluralize(len(board.systems), 'system')} under {pluralize(len(board.columns), 'measure')}"
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
    state.follow_default(IN_TABLE)
    chosen = select.some("Measures in the table", names, keep=IN_TABLE, first=list(names)[:FIRST])
    return [offered[name] for name in chosen]


def _found(context: Context, chosen: Sequence[MeasureChoice]) -> Found:
    choice = context.choice
    metrics = tuple(one.label(choice.k) for one in chosen)
    decides = (metrics, choice.baseline, choice.queries, choice.correction, choice.flips)
    return cache.remember(
        cache.key_of("paper", context.study, choice, *decides),
        lambda: _made(context, chosen),
        spinner="Comparing the systems under these measures…",
    )


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
        study,
        scores,
        intervals,
        pairs,
        baseline=choice.baseline or None,
        settings=settings,
        queries=queries,
        notes=in_words(context.over) if context.over else (),
    )
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
