"""What the tabs of the ablation page share: all numbers behind a fold, and as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.numbers import things
from evalcore.ui.components import download

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
        download.csv(rows, context.stem(name))
