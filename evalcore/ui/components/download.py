"""Files to take away: one call each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.study.tables.writers import defused

if TYPE_CHECKING:
    from collections.abc import Callable

    Data = bytes | str | Callable[[], bytes]


def file(
    label: str, data: Data, name: str, mime: str, *, key: str, icon: str = ":material/download:", **look: Any
) -> None:  # fmt: skip
    """A button that saves ``data``, or what it returns when it is selected, without drawing the page anew."""
    st.download_button(label, data, name, mime, icon=icon, on_click="ignore", key=key, **look)


def csv(
    table: pd.DataFrame | Callable[[], pd.DataFrame], name: str, *, label: str = "CSV", **look: Any
) -> None:
    """A button that saves a table as ``name``.csv, every digit and every row of it."""
    data: Data = (lambda: csv_safe(table())) if callable(table) else csv_safe(table)
    file(label, data, f"{safe_file(name)}.csv", "text/csv", key=f"save-{name}", **look)


def csv_safe(table: pd.DataFrame) -> bytes:
    """CSV with every cell `defused`, its header too."""
    safe = table.copy()
    for column in safe.columns:
        if safe[column].dtype == object or pd.api.types.is_string_dtype(safe[column]):
            safe[column] = [defused(cell) for cell in safe[column]]
    return bytes(safe.rename(columns=defused).to_csv(index=False).encode("utf-8"))


def safe_file(name: str) -> str:
    """Any text as part of a file name: letters, digits, dots, dashes and underscores."""
    return re.sub(r"[^\w.-]+", "_", name)[:80]
