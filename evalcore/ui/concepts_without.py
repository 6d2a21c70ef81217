"""The study without some links: which are left out, and how its systems score then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.before_after import BeforeAfter, before_after
from evalcore.figures.differences import difference_dots, difference_dots_alt
from evalcore.figures.reading import how_to_read
from evalcore.stats.levels import best_first
from evalcore.ui import charts, jobs, messages, tables
from evalcore.ui.concepts_link import put_back
from evalcore.ui.format import p_value, signed, signed_interval, things
from evalcore.ui.text import md_escape, plain

if TYPE_CHECKING:
    from evalcore.graph.links import Edge
    from evalcore.model import Study
    from evalcore.ui.context import Context

SCORE = "%.3f"


def left_out(study: Study, off: list[tuple[str, Edge]]) -> None:
    """The links left out, each with the way back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Left out here:", width="content")
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
    st.subheader(f"Scores without {'this link' if n_off == 1 else 'these links'}", anchor=False)
    study, choice = context.study, context.choice
    metric = f"nnCUI@{choice.k}"
    rows = jobs.run(
        f"without-{less.digest}-{metric}-{choice.systems}-{choice.settings!r}",
        lambda progress: before_after(
            study, less, systems=choice.systems, metric=metric, settings=choice.settings, progress=progress
        ),
        label="Scoring the systems with and without the links",
    )
    if rows is not None:
        _scores(context, rows, metric)


def _scores(context: Context, rows: tuple[BeforeAfter, ...], metric: str) -> None:
    shown = f"Related ones count too, top {context.choice.k}" if context.choice.plain else metric
    changes = [
        replace(row.change, baseline="the whole graph", system=row.system, metric=shown) for row in rows
    ]
    st.markdown(_sentence(rows))
    st.plotly_chart(
        difference_dots(changes, systems=context.study.systems, theme=context.theme), theme=None,
        key="without-dots", config=charts.toolbar(context, "without"), alt=difference_dots_alt(changes),
    )  # fmt: skip
    messages.how_to_read(how_to_read("difference_dots", context.reading))
    table = pd.DataFrame(
        {
            "System": [plain(row.system) for row in rows],
            "With all links ↑": [row.before.mean for row in rows],
            "Without ↑": [row.after.mean for row in rows],
            "Difference": [row.change.difference for row in rows],
            "Interval of the difference": [
                signed_interval(row.change.low, row.change.high, places=4) for row in rows
            ],
            "p (Holm)": [p_value(row.change.p_corrected) for row in rows],
            "Queries": [row.change.n_pairs for row in rows],
        }
    )
    number = st.column_config.NumberColumn
    st.dataframe(
        table, hide_index=True, key="without-table", alt="Score of each system with and without the links",
        column_config={
            "With all links ↑": number(format=SCORE), "Without ↑": number(format=SCORE),
            "Difference": number(format="%+.4f"),
        },
    )  # fmt: skip
    messages.few([row.change.n_pairs for row in rows])
    st.download_button(
        "CSV", tables.csv_safe(table), f"without-{context.study.digest[:8]}.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="without-csv",
    )  # fmt: skip
    if not context.choice.plain:
        one = rows[0].change
        st.caption(
            f"{metric} · paired by query, {one.test} ({one.n_resamples:,}), Holm over "
            f"{things(len(rows), 'system')}, seed {one.seed}"
        )


def _sentence(rows: tuple[BeforeAfter, ...]) -> str:
    """Whether the order of the systems changes."""
    names = [r.system for r in rows]
    before, after = (
        [names[i] for i in best_first(names, means)]
        for means in ([r.before.mean for r in rows], [r.after.mean for r in rows])
    )
    largest = max(rows, key=lambda r: abs(r.change.difference))
    moved = (
        f"The largest change is **{signed(largest.change.difference)}** (**{md_escape(largest.system)}**)."
    )
    if before == after:
        return f"The order of the systems stays the same. {moved}"
    return f"The order of the systems changes: **{md_escape(after[0])}** now leads. {moved}"
