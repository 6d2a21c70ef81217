"""Every pair of systems: which differ, and how far their results overlap."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evalcore.evaluate import overlap
from evalcore.evaluate.comparison import at_the_floor, matrix_of, over_what
from evalcore.evaluate.summary import method_of_differences
from evalcore.figures.maps import overlap_matrix, pair_matrix
from evalcore.report import verdicts
from evalcore.results.pairs import comparisons_table, overlap_table
from evalcore.results.rows import Table
from evalcore.ui.components import figure, fold, messages, select, table
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.choices import MORE_FLIPS
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.errors import InputError
from evalcore.values.writing import md_escape, pluralize

DIFFERENCES, RESULTS = "differences", "results"
VIEWS = {DIFFERENCES: "Differences", RESULTS: "Overlap"}
LEAST = 3
"""Two systems are compared by the first part of the page."""
PAIRS_TABLE = Key("pairs_table")
KEYS = (pages.AT_ONCE, pages.DEPTH, pages.PERSISTENCE, PAIRS_TABLE)
"""What a link asks of this part: its view, what is chosen there, and its fold."""
DEPTHS = (10, 20, 50, 100, 200)
WIDTH = 220


@state.fragment()
def section(context: Context) -> None:
    """Every chosen system against every other, in one of two views."""
    view = select.segments("Show of all systems", VIEWS, keep=pages.AT_ONCE, label_visibility="collapsed")
    {DIFFERENCES: _differences, RESULTS: _overlaps}[view](context)


def _choose(pair: Sequence[str]) -> None:
    """Callback: the two systems of the square that was clicked are compared in the first part."""
    for key, value in zip((pages.SYSTEM_A, pages.SYSTEM_B, state.TAB), (*pair, "two"), strict=True):
        state.set_value(key, value)
    st.rerun("app")


def _table(context: Context, rows: Table, name: str, note: str, *, of: str, more: str = "") -> None:
    """The table ``of`` a view with its note on the method and its file, closed at first."""
    fold.section(
        "Table, and how this was compared",
        lambda: table.declared(
            context,
            rows,
            key=f"{name}-table",
            file=name,
            note=f"{note}{context.chosen}. {more}".strip(),
            alt=f"Table of {of}",
        ),
        keep=PAIRS_TABLE,
    )


# Which systems differ?


def _differences(context: Context) -> None:
    study, choice = context.study, context.choice
    analysis = cache.analysis(study, choice)
    pairs = analysis.pairs
    messages.lead(verdicts.of_pairs(pairs), key="lead-part")
    try:
        equals = verdicts.of_equals(analysis.equals().groups)
    except InputError as error:
        equals = md_escape(str(error))
    if equals:
        st.markdown(equals)
    drawn = pair_matrix(matrix_of(pairs), metric=choice.metric_shown, theme=context.theme)
    key = f"pairs-{study.digest}"
    figure.show(context, drawn, key=key, file="every-pair", clicked=_choose, square=True)
    rows = comparisons_table(
        pairs, method=method_of_differences(choice.settings), grouped_by=analysis.scores[0].grouped_by
    )
    _table(
        context,
        rows,
        "every-pair",
        f"{over_what(pairs)}; {md_escape(pairs[0].test)}, seed {pairs[0].seed}",
        of=f"{pluralize(len(pairs), 'pair')} of systems with difference, interval and p",
        more="" if choice.plain else at_the_floor(pairs, more=MORE_FLIPS),
    )


# How far do the results of two systems overlap? Rank-biased overlap and shared results.


def _overlaps(context: Context) -> None:
    """The choice of depth and persistence, the matrix, the table."""
    study, choice = context.study, context.choice
    words = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        depth = select.amount(
            "Results compared",
            DEPTHS,
            1,
            overlap.MOST_DEPTH,
            keep=pages.DEPTH,
            first=overlap.DEPTH,
            width=WIDTH,
        )
        p = select.number(
            "Persistence p",
            0.05,
            0.99,
            keep=pages.PERSISTENCE,
            first=overlap.P,
            step=0.05,
            width=WIDTH,
            help="How likely a reader is to go on to the next result. With 0.9 the first ten results have "
            "86% of the weight.",
        )
    k = min(choice.k, depth)
    result = cache.remember(
        ("overlap", study.digest, repr(choice.settings), choice.systems, depth, k, p),
        lambda: cache.analysis(study, choice).overlaps(depth=depth, k=k, p=p),
        spinner="Comparing the results of every two systems…",
    )
    with words:
        messages.lead(verdicts.of_overlaps(result), key="lead-part")
    drawn = overlap_matrix(result, theme=context.theme)
    key = f"overlap-{study.digest}"
    figure.show(context, drawn, key=key, file="overlap", clicked=_choose, square=True)
    _table(
        context,
        overlap_table(result),
        "overlap",
        f"Rank-biased overlap, p = {p:g}, of the first {pluralize(depth, 'result')}; bounds: whatever comes "
        f"below; left out: not answered by both; intervals: {md_escape(result.pairs[0].method)}, "
        f"{result.n_resamples:,} resamples, seed {result.seed}",
        of=f"the overlap of {pluralize(len(result.pairs), 'pair')} of systems",
    )
