"""What is wrong with the file of one run, line by line, and its repaired form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.challenge.checks.repair import why_not_repaired
from evalcore.figures.numbers import count, things
from evalcore.ui.components import download, table
from evalcore.ui.components.text import plain

if TYPE_CHECKING:
    from evalcore.challenge.result import Result


def section(one: Result[Any]) -> None:
    """Every problem of a file, those that the official script stops at first, and the repaired file."""
    found = sorted(one.report.problems, key=lambda p: (p.severity != "error", p.line is None, p.line or 0))
    if not found:
        st.success(
            "No problems found: the file follows the rules of this edition.", icon=":material/check_circle:"
        )
        return
    rows = pd.DataFrame(
        {
            "Official script": ["stops" if p.severity == "error" else "goes on" for p in found],
            "Line": pd.array([p.line for p in found], dtype="Int64"),
            "Rule": [p.rule for p in found],
            "What is wrong": [plain(p.message, limit=300) for p in found],
            "What to do": [plain(p.remedy, limit=300) for p in found],
        }
    )
    stem = one.name.rsplit(".", 1)[0]
    more = f" Only the first {count(len(found))} are listed." if one.n_problems > len(found) else ""
    table.show(
        rows, key="challenge-problems", file=f"{stem}_problems", height=min(420, 38 * len(rows) + 40),
        note=f"{things(one.n_problems, 'problem')}, those at which the official script stops first.{more}",
        alt=f"{things(len(found), 'problem')} with line and remedy",
        columns={
            "What is wrong": st.column_config.TextColumn(width="large"),
            "What to do": st.column_config.TextColumn(width="medium"),
        },
    )  # fmt: skip
    if one.run.repaired is None:
        st.caption(why_not_repaired(one.run.unrepaired))
    else:
        download.file(
            "Repaired file", one.run.repaired, f"{stem}.csv", "text/csv", icon=":material/build:",
            key="save-repaired", help="The file without what can be corrected in only one way.",
        )  # fmt: skip
