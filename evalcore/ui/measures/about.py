"""What each measure is, side by side: one sentence, formula, range, source, and values at the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.figures.numbers import NOTHING, things
from evalcore.relevance.registry import describe
from evalcore.ui.components import download, messages, table
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.relevance.registry import RelevanceMeasure
    from evalcore.ui.frame.context import Context

FAMILIES = {
    "overlap": "Shared concepts",
    "neighbours": "Shared concepts; related ones earn partial credit",
    "taxonomy": "How close the concepts lie in the medical hierarchy",
    "vectors": "How close the concepts lie in vectors of a file: relatedness, not similarity",
    "embedding": "How similar a system finds the images",
}


def section(context: Context, measures: Mapping[str, str]) -> None:
    """The measures side by side: what they are, then what they give in special cases."""
    by_name = {name: describe(name) for name in measures}
    by_label = dict(zip(measures.values(), by_name.values(), strict=True))
    kinds = {one.family for one in by_name.values()}
    messages.lead(
        f"{things(len(measures), 'measure')}, **{things(len(kinds), 'way')}** to define when an image is "
        "relevant. Choose the one whose sentence says what you mean; then see whether it agrees with the "
        "others and separates your systems."
    )
    _sentences(by_label, plain=context.choice.plain)
    st.header("Special cases", anchor=False)
    _edges(by_label)
    download.csv(_table(by_name), "measures", label="CSV of these measures")
    if not context.choice.plain:
        first = md_escape(next(iter(measures)))
        st.caption(
            f"Use a name wherever a relevance is asked for: nDCG({first})@10 as a metric, @{first} as a "
            f"system, --by {first} on the command line. Taxonomy names are SET:CONCEPT; all combinations "
            "exist."
        )


def _sentences(by_label: Mapping[str, RelevanceMeasure], *, plain: bool) -> None:
    """One row per measure; formula, properties and source for researchers."""
    rows = []
    for label, one in by_label.items():
        row = {
            "Measure": f"**{md_escape(label)}**",
            "What it says": md_escape(one.plain),
            "Looks at": FAMILIES[one.family],
            "Range": "{:g} to {:g}".format(*one.range),
        }
        if not plain:
            row["Formula"], row["Properties"] = md_escape(one.formula), _properties(one)
            row["Source"] = md_escape(one.reference)
        rows.append(row)
    alt = f"{things(len(rows), 'measure')}: what each says, looks at, and its range"
    table.wrapped(pd.DataFrame(rows), alt=alt, cards="measures")


def _properties(one: RelevanceMeasure) -> str:
    return "; ".join([
        "symmetric" if one.symmetric else "not symmetric",
        "1 for equal sets" if one.one_with_itself else "not always 1 for equal sets",
        f"one more shared concept {'never lowers' if one.monotone_in_shared else 'can lower'} it",
    ])  # fmt: skip


def _edges(by_label: Mapping[str, RelevanceMeasure]) -> None:
    """Cases as rows, measures as columns; a dash where a case cannot be or nothing special happens."""
    cases = dict.fromkeys(case for one in by_label.values() for case, _ in one.edges)
    given = pd.DataFrame({"Case": [md_escape(case) for case in cases]})
    for label, one in by_label.items():
        values = dict(one.edges)
        given[md_escape(label)] = [md_escape(values.get(case, NOTHING)) for case in cases]
    alt = f"{things(len(cases), 'special case')} and what each measure gives"
    table.wrapped(given, alt=alt)
    st.caption("–: This case cannot occur, or nothing special happens.")


def _table(by_name: Mapping[str, RelevanceMeasure]) -> pd.DataFrame:
    """Everything the registry knows of them."""
    return pd.DataFrame(
        [
            {
                "Name": name, "Title": one.title, "Formula": one.formula, "From": one.range[0],
                "To": one.range[1], "Reference": one.reference, "In words": one.plain,
                "Edges": "; ".join(f"{case}: {value}" for case, value in one.edges),
            }
            for name, one in by_name.items()
        ]
    )  # fmt: skip
