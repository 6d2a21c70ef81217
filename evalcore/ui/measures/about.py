"""What each measure is, side by side: one sentence, formula, range, source, and values at the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.figures.numbers import NOTHING, things
from evalcore.relevance.registry import describe
from evalcore.ui.components import download, messages
from evalcore.ui.components.text import md_escape
from evalcore.ui.measures import chosen as measures_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.relevance.registry import RelevanceMeasure
    from evalcore.ui.frame.context import Context

FAMILIES = {
    "overlap": "Findings in common",
    "neighbours": "Findings in common, close ones count in part",
    "taxonomy": "How close findings lie in the medical hierarchy",
    "embedding": "How alike a system finds the images",
}


def section(context: Context, measures: tuple[str, ...]) -> None:
    """The chosen measures side by side: what they are, then what they give in odd cases."""
    told = {name: describe(name) for name in measures}
    kinds = {one.family for one in told.values()}
    messages.lead(
        f"{things(len(measures), 'measure')}, **{things(len(kinds), 'way')}** to say that an image is "
        "relevant. Take the one whose sentence says what you mean; then see whether it agrees with the "
        "others and tells your systems apart."
    )
    names = measures_page.labels(context, measures)
    _sentences(context, told, names)
    st.subheader("In odd cases", anchor=False)
    _edges(told, names)
    _file(context, told)


def _sentences(context: Context, told: Mapping[str, RelevanceMeasure], names: Sequence[str]) -> None:
    """One row per measure; formula, source and laws for researchers."""
    rows = []
    for label, one in zip(names, told.values(), strict=True):
        low, high = one.range
        row = {
            "Measure": f"**{md_escape(label)}**",
            "What it says": md_escape(one.plain),
            "Looks at": FAMILIES[one.family],
            "Range": f"{low:g} to {high:g}",
        }
        if not context.choice.plain:
            row |= {
                "Formula": md_escape(one.formula), "Laws": _laws(one), "Source": md_escape(one.reference)
            }  # fmt: skip
        rows.append(row)
    st.table(
        pd.DataFrame(rows), border="horizontal", hide_index=True,
        alt=f"{things(len(rows), 'measure')}: what each says, looks at, and its range",
    )  # fmt: skip


def _laws(one: RelevanceMeasure) -> str:
    laws = {
        "symmetric": one.symmetric,
        "1 for equal sets": one.one_with_itself,
        "one more shared concept never lowers it": one.monotone_in_shared,
    }
    return "; ".join(law if holds else f"not: {law}" for law, holds in laws.items())


def _edges(told: Mapping[str, RelevanceMeasure], names: Sequence[str]) -> None:
    """Cases as rows, measures as columns; a dash where a case cannot be or nothing special happens."""
    cases = dict.fromkeys(case for one in told.values() for case, _ in one.edges)
    table = pd.DataFrame({"Case": [md_escape(case) for case in cases]})
    for label, one in zip(names, told.values(), strict=True):
        values = dict(one.edges)
        table[md_escape(label)] = [md_escape(values.get(case, NOTHING)) for case in cases]
    st.table(
        table, border="horizontal", hide_index=True,
        alt=f"{things(len(cases), 'odd case')} and what each measure gives",
    )  # fmt: skip
    st.caption("–: the case cannot be, or nothing special happens.")


def _file(context: Context, told: Mapping[str, RelevanceMeasure]) -> None:
    """Everything the registry knows of them."""
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
        "CSV of these measures", download.csv_safe(table), "measures.csv", "text/csv",
        icon=":material/download:", on_click="ignore",
    )  # fmt: skip
    if not context.choice.plain:
        first = md_escape(next(iter(told)))
        st.caption(
            f"A name works wherever a relevance does: nDCG({first})@10 as a metric, @{first} as a system, "
            f"--by {first} on the command line. Taxonomy names are SET:CONCEPT; all combinations exist."
        )
