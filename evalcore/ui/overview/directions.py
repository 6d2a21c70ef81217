"""Matched pairs in both directions side by side, as papers on image-text retrieval print them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from evalcore.evaluate.pairs.both_directions import BothDirections, both_directions
from evalcore.evaluate.slices.conditions import select
from evalcore.ranking.metrics import lower_is_better
from evalcore.results.board_text import as_latex, as_markdown, without_intervals
from evalcore.results.both_directions import directions_board, directions_table
from evalcore.ui.components import download, messages, table
from evalcore.ui.components import select as choose
from evalcore.ui.frame import cache, studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.ui.overview.leaderboard import row_of
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape
from evalcore.values.writing import arrow, pluralize

ENDS = Key("directions_intervals")
"""Ten columns with their intervals are wider than a page."""


def section(context: Context) -> None:
    """The table of every system of the study, whatever the sidebar selects, and its files."""
    try:
        result = _found(context)
    except CuiscopeError as problem:
        st.warning(md_escape(str(problem), limit=400), icon=":material/error:")
        return
    board = directions_board(result, context.study.name)
    intervals = choose.switch("Show intervals", keep=ENDS)
    arrows = [arrow(lower_is_better(metric)) for _ in result.directions for metric in result.metrics]
    head = ["System", *(f"{md_escape(name)} {way}" for name, way in zip(board.columns, arrows, strict=True))]
    rows = [row_of(board, i, intervals=intervals) for i in range(len(board.systems))]
    alt = f"{pluralize(len(rows), 'system')} in {pluralize(len(result.directions), 'direction')}"
    table.wrapped(pd.DataFrame(rows, columns=head), alt=alt)
    for said in (board.caption, board.note):
        st.caption(md_escape(" ".join(said if intervals else without_intervals(said))))
    messages.few([mean.n_independent for mean in result.means.values()])
    stem = context.stem("both-directions")
    with st.container(horizontal=True):
        for label, written, ending in (("LaTeX", as_latex, "tex"), ("Markdown", as_markdown, "md")):
            text = written(board, intervals=intervals)
            download.file(label, text, f"{stem}.{ending}", "text/plain", key=f"directions-{ending}")
        saved = pd.DataFrame(directions_table(result).saved())
        download.csv(saved, stem)


def _found(context: Context) -> BothDirections:
    choice = context.choice

    def work() -> BothDirections:
        study = studies.opened(context.entry.path)
        study = select(study, choice.where) if choice.where else study
        return both_directions(study, settings=choice.settings, queries=cache.WHICH[choice.queries])

    key = ("both directions", context.study.content, choice.where, choice.queries, repr(choice.settings))
    return cache.remember(key, work, spinner="Scoring both directions…")
