"""The study without some links: which are left out, and how its systems score then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.before_after import BeforeAfter, before_after
from evalcore.features.review.page import on_links, votes
from evalcore.figures.differences import difference_dots
from evalcore.figures.numbers import count, in_table, p_value, signed, things
from evalcore.stats.levels import best_first
from evalcore.ui.components import figure, messages, table, tidy
from evalcore.ui.concepts.link import leave_out, put_back
from evalcore.ui.frame import jobs
from evalcore.ui.frame.measures import RELATED_FIRST
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Set

    from evalcore.graph import ConceptGraph
    from evalcore.graph.links import Edge
    from evalcore.ui.frame.context import Choice, Context
    from evalcore.values.model import Study


def judged(context: Context, graph: ConceptGraph, off: Set[str]) -> None:
    """The links that more readers find senseless than sensible, to be left out together."""
    found = on_links.senseless(votes.said_in(context), graph)
    left = [text for text in found if text not in off]
    if left:
        more = "more " if len(left) < len(found) else ""
        with st.container(horizontal=True, vertical_alignment="center", key="judged-links"):
            st.markdown(
                f":material/rate_review: Readers find {things(len(left), f'{more}link')} senseless.",
                width="content",
            )
            st.button(
                "Leave this link out" if len(left) == 1 else "Leave these links out", key="off-judged",
                icon=":material/link_off:", on_click=leave_out, args=tuple(left),
                help="Only on this page and in its address; the study's files do not change.",
            )  # fmt: skip


def left_out(study: Study, off: list[tuple[str, Edge]]) -> None:
    """The links left out, each with the way back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Links left out:", width="content")
        for text, (a, b) in off:
            label = f"{md_escape(study.name_of(a), limit=30)} – {md_escape(study.name_of(b), limit=30)}"
            st.button(
                label, icon=":material/add_link:", key=f"on-{text}", on_click=put_back, args=(text,),
                help="Use this link again.",
            )  # fmt: skip
        if len(off) > 1:
            st.button("Use all links again", key="all-on", on_click=put_back, args=("",), type="tertiary")


def scores(context: Context, less: Study, n_off: int) -> None:
    """What leaving links out does to the scores of the systems."""
    links = "link" if n_off == 1 else f"{count(n_off)} links"
    st.header(f"Scores without the {links} left out", anchor=False)
    study, choice = context.study, replace(context.choice, measure=RELATED_FIRST)
    rows = jobs.run(
        f"without-{less.digest}-{choice.metric}-{choice.systems}-{choice.settings!r}-{choice.correction}"
        f"-{choice.flips}",
        lambda progress: before_after(
            study, less, systems=choice.systems, metric=choice.metric, settings=choice.settings,
            correction=choice.correction, n_resamples=choice.flips, progress=progress,
        ),
        label="Scoring the systems with and without the links",
    )  # fmt: skip
    if rows is None:
        return
    changes = [
        replace(row.change, baseline="all links", system=row.system, metric=choice.metric_shown)
        for row in rows
    ]
    st.markdown(sentence(rows))
    drawn = difference_dots(changes, systems=study.systems, theme=context.theme)
    figure.show(context, drawn, key="without-dots", file="without")
    messages.few([row.change.n_pairs for row in rows])
    _listed(context, rows, choice)


def sentence(rows: tuple[BeforeAfter, ...]) -> str:
    """Whether the ranking of the systems changes, and by how much at most."""
    names = [row.system for row in rows]
    before, after = (
        [names[i] for i in best_first(names, means)]
        for means in ([row.before.mean for row in rows], [row.after.mean for row in rows])
    )
    largest = max(rows, key=lambda r: abs(r.change.difference))
    ranking = "stays the same"
    if before != after:
        leads = "still leads" if after[0] == before[0] else "now leads"
        ranking = f"changes: **{md_escape(after[0])}** {leads}"
    return (
        f"The ranking of the systems {ranking}. The largest change is "
        f"**{signed(largest.change.difference)}** (**{md_escape(largest.system)}**)."
    )


def _listed(context: Context, rows: tuple[BeforeAfter, ...], choice: Choice) -> None:
    shown = pd.DataFrame(
        {
            "System": [plain(row.system) for row in rows],
            "With all links ↑": [row.before.mean for row in rows],
            "Without ↑": [row.after.mean for row in rows],
            "Difference": [row.change.difference for row in rows],
            "Interval of the difference": [
                in_table(row.change.low, row.change.high, places=4) for row in rows
            ],
            f"p ({rows[0].change.correction})": [p_value(row.change.p_corrected) for row in rows],
            "Queries": [row.change.n_pairs for row in rows],
        }
    )
    one = rows[0].change
    method = (
        f"{choice.metric} · paired by query, {one.test} ({count(one.n_resamples)}), {one.correction} over "
        f"{things(len(rows), 'system')}, seed {one.seed}"
    )
    table.show(
        shown, key="without-table", alt="Score of each system with and without the links",
        columns=table.numbers("%.3f", "With all links ↑", "Without ↑") | table.numbers("%+.4f", "Difference"),
        file=context.stem("without"), note="" if choice.plain else method,
        saved=tidy.scored(context, _tidy(rows)),
    )  # fmt: skip


def _tidy(rows: tuple[BeforeAfter, ...]) -> pd.DataFrame:
    """One row per system, for the file."""
    return pd.DataFrame(
        [
            {
                "system": row.system, "mean_with_links": row.before.mean, "mean_without": row.after.mean,
                **tidy.of_comparison(row.change),
            }
            for row in rows
        ]
    )  # fmt: skip
