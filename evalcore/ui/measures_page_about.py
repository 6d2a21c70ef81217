"""What each measure is: one sentence, the formula, the range, the source, and what happens at the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.relevance.registry import describe
from evalcore.ui import measures_page, messages, tables
from evalcore.ui.format import things
from evalcore.ui.text import md_escape, plain

if TYPE_CHECKING:
    from evalcore.relevance.registry import RelevanceMeasure
    from evalcore.ui.context import Context

FAMILIES = {
    "overlap": "Findings in common",
    "neighbours": "Findings in common, close ones count in part",
    "taxonomy": "How close findings lie in the medical hierarchy",
    "embedding": "How alike a system finds the pictures",
}


def section(context: Context, measures: tuple[str, ...]) -> None:
    """The chosen measures side by side, by what they look at."""
    told = {name: describe(name) for name in measures}
    kinds = [kind for kind in FAMILIES if any(one.family == kind for one in told.values())]
    messages.lead(
        f"{things(len(measures), 'measure')}, **{things(len(kinds), 'way')}** to say that an image is "
        "relevant. Choose the one whose sentence says what you mean, then see whether it agrees with the "
        "others and whether it tells your systems apart."
    )
    for kind in kinds:
        st.subheader(FAMILIES[kind], anchor=False)
        for name, one in told.items():
            if one.family == kind:
                _measure(context, name, one)
    _all(context, told)


def _measure(context: Context, name: str, one: RelevanceMeasure) -> None:
    title = md_escape(measures_page.label(name, plain=context.choice.plain))
    with st.container(border=True, key=f"about-{name}"):
        left, right = st.columns([1, 1.3], gap="medium")
        left.markdown(f"**{title}**")
        left.markdown(md_escape(one.plain))
        low, high = one.range
        left.caption(
            f"From {low:g} (nothing alike) to {high:g} (the same)"
            + (" · needs the medical hierarchy" if one.needs_graph else "")
        )
        if context.choice.plain:
            right.caption("What it does at the edges")
        else:
            right.markdown(f"`{one.formula}`")
            right.caption(f"{md_escape(one.reference)} · {_laws(one)}")
        right.table(
            pd.DataFrame(
                [(md_escape(case), md_escape(value)) for case, value in one.edges], columns=["When", "Value"]
            ),
            border="horizontal", hide_index=True, alt=f"Edge cases of {plain(name)}",
        )  # fmt: skip


def _laws(one: RelevanceMeasure) -> str:
    return ", ".join(
        [
            "symmetric" if one.symmetric else "not symmetric",
            "1 for equal sets" if one.one_with_itself else "equal sets may stay below 1",
            "a shared finding more never lowers it"
            if one.monotone_in_shared
            else "not monotone in shared findings",
        ]
    )


def _all(context: Context, told: dict[str, RelevanceMeasure]) -> None:
    """The same as a file."""
    table = pd.DataFrame(
        [
            {
                "Name": name, "Title": one.title, "Formula": one.formula, "From": one.range[0],
                "To": one.range[1], "Reference": one.reference, "In words": one.plain,
                "Edges": "; ".join(f"{case}: {value}" for case, value in one.edges),
            }
            for name, one in told.items()
        ]
    )  # fmt: skip
    st.download_button(
        "CSV of these measures", tables.csv_safe(table), "measures.csv", "text/csv",
        icon=":material/download:", on_click="ignore",
    )  # fmt: skip
    if not context.choice.plain:
        st.caption(
            f"Each name works wherever a relevance does: nDCG({md_escape(next(iter(told)))})@10 in a score, "
            f"@{md_escape(next(iter(told)))} as a system. Study {context.study.digest}."
        )
