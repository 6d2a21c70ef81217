"""What the measures page hands out: a table as CSV beside the line that says how it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.ui.components import download

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.agreement import Agreement, Disagreement
    from evalcore.ui.frame.context import Context


def beside(context: Context, told: str, table: pd.DataFrame, name: str) -> None:
    """The method line, and the table as a file next to it."""
    note, save = st.columns([4, 1], vertical_alignment="center")
    note.caption(told)
    save.download_button(
        "CSV", download.csv_safe(table), f"{name}-{context.study.digest[:8]}.csv", "text/csv",
        icon=":material/download:", on_click="ignore", width="stretch", key=f"csv-{name}",
    )  # fmt: skip


def agreement(found: Agreement) -> pd.DataFrame:
    """One row per two measures."""
    m = found.measures
    return pd.DataFrame(
        [
            {
                "level": found.level, "measure": m[i], "other measure": m[j], "n": found.n,
                "left out": found.left_out, "Kendall tau-b": found.kendall[i, j],
                "Spearman rho": found.spearman[i, j],
            }
            for i in range(len(m))
            for j in range(i + 1, len(m))
        ]
    )  # fmt: skip


def disagreements(context: Context, a: str, b: str, listed: Sequence[Disagreement]) -> pd.DataFrame:
    """One row per pair of images."""
    ids = context.study.image_ids
    return pd.DataFrame(
        [
            {
                "query": ids[one.query], "candidate": ids[one.candidate], a: one.value_a, b: one.value_b,
                f"share below, {a}": one.place_a, f"share below, {b}": one.place_b,
            }
            for one in listed
        ]
    )  # fmt: skip
