"""Every pair of systems: which differ, and how far their results overlap."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evalcore.evaluate import overlap
from evalcore.report import parts
from evalcore.results.method import p_value_floor_note
from evalcore.ui.components import messages, part, select
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.choices import MORE_FLIPS
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key

DIFFERENCES, RESULTS = "differences", "results"
VIEWS = {DIFFERENCES: "Differences", RESULTS: "Overlap"}
PAIRS_TABLE = Key("pairs_table")
DEPTHS = (10, 20, 50, 100, 200)
WIDTH = 220


@state.fragment()
def section(context: Context) -> None:
    """Every chosen system against every other, in one of two views."""
    view = select.segments("Show of all systems", VIEWS, param=pages.AT_ONCE, label_visibility="collapsed")
    {DIFFERENCES: _differences, RESULTS: _overlaps}[view](context)


def _choose(pair: Sequence[str]) -> None:
    """Callback: the two systems of the square that was clicked are compared in the first part."""
    for key, value in zip((pages.SYSTEM_A, pages.SYSTEM_B, state.TAB), (*pair, "two"), strict=True):
        state.set_value(key, value)
    st.rerun("app")


# Which systems differ?


def _differences(context: Context) -> None:
    choice = context.choice
    analysis = cache.analysis(context.study, choice)
    section = parts.every_pair(
        analysis, analysis.view.metrics[0], shown=choice.metric_shown, tested=not choice.plain
    )
    assert section is not None, "offered only with so many systems"
    messages.headline(section.answer, key="lead-part")
    part.figures(context, section, clicked=_choose, square=True)
    more = "" if choice.plain else p_value_floor_note(analysis.pairs, more=MORE_FLIPS)
    part.numbers(context, section, file="every-pair", more=more, param=PAIRS_TABLE)


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
            param=pages.DEPTH,
            first=overlap.DEPTH,
            width=WIDTH,
        )
        p = select.number(
            "Persistence p",
            0.05,
            0.99,
            param=pages.PERSISTENCE,
            first=overlap.P,
            step=0.05,
            width=WIDTH,
            help="How likely a reader is to go on to the next result. With 0.9 the first ten results have "
            "86% of the weight.",
        )
    section = parts.overlap(cache.analysis(study, choice), depth=depth, k=min(choice.k, depth), p=p)
    assert section is not None, "offered only with so many systems"
    with words:
        messages.headline(section.answer, key="lead-part")
    part.figures(context, section, clicked=_choose, square=True)
    part.numbers(context, section, file="overlap", param=PAIRS_TABLE)
