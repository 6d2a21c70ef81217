"""What the tabs of the ablation page share: all numbers behind a fold, and a click that opens a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.figures.numbers import things
from evalcore.ui.compare.keys import SYSTEM_A, SYSTEM_B
from evalcore.ui.components import download
from evalcore.ui.frame import state
from evalcore.ui.frame.pages import page_info
from evalcore.ui.query.keys import QUERY

if TYPE_CHECKING:
    import pandas as pd

    from evalcore.ui.frame.context import Context


def numbers(context: Context, rows: pd.DataFrame, name: str) -> None:
    """All numbers of a grid behind a fold, and as CSV."""
    score = st.column_config.NumberColumn(format="%.4f")
    shown = [column for column in ("Score ↑", "From", "To") if column in rows.columns]
    with st.container(horizontal=True, vertical_alignment="top"):
        with st.expander("All numbers", icon=":material/table:"):
            st.dataframe(
                rows, hide_index=True, key=f"numbers-{name}", height="auto" if len(rows) < 10 else 320,
                column_config=dict.fromkeys(shown, score), alt=f"Table of {things(len(rows), 'row')}",
            )  # fmt: skip
        st.download_button(
            "CSV", download.csv_safe(rows), f"{name}-{context.study.digest[:8]}.csv", "text/csv",
            icon=":material/download:", on_click="ignore", key=f"save-{name}",
        )  # fmt: skip


def open_clicked(clicked: Any, *, a: str, b: str) -> None:
    """Go to the query of a clicked mark, with the two systems it compares."""
    for point in clicked["selection"]["points"]:
        told = point.get("customdata")
        image = told[0] if isinstance(told, (list, tuple)) else told
        if image:
            also = {QUERY: str(image), SYSTEM_A: a, SYSTEM_B: b}
            for key, value in also.items():
                state.set_value(key, value)
            st.switch_page(page_info("query").file, query_params=state.link_params(also))
