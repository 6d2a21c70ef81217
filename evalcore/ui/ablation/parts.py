"""What the tabs of the ablation page share: all numbers behind a fold, and as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.exports.recorded import of_metric
from evalcore.figures.numbers import things
from evalcore.ui.components import download, tidy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.sweep.stability import Standing
    from evalcore.ui.frame.context import Context


def numbers(context: Context, rows: pd.DataFrame, name: str, *, saved: pd.DataFrame) -> None:
    """All numbers of a grid behind a fold, and as CSV, which holds ``saved``."""
    score = st.column_config.NumberColumn(format="%.4f")
    shown = [column for column in ("Score ↑", "From", "To") if column in rows.columns]
    with st.container(horizontal=True, vertical_alignment="top"):
        with st.expander("All numbers", icon=":material/table:"):
            st.dataframe(
                rows, hide_index=True, key=f"numbers-{name}", height="auto" if len(rows) < 10 else 320,
                column_config=dict.fromkeys(shown, score), alt=f"Table of {things(len(rows), 'row')}",
            )  # fmt: skip
        download.csv(tidy.counted(context, saved), context.stem(name))


def tidy_standings(context: Context, standings: Sequence[Standing]) -> pd.DataFrame:
    """One row per setting and system, for the file."""
    return pd.DataFrame(
        [
            {
                "system": name, "place": place, **of_metric(context.choice.metric), **tidy.of_interval(mean),
                **one.settings.as_dict(),
            }
            for one in standings
            for place, (name, mean) in enumerate(zip(one.order, one.means, strict=True), start=1)
        ]
    )  # fmt: skip
