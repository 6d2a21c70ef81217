"""What is wrong with the file of one run, line by line, and its repaired form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.figures.numbers import count, things
from evalcore.markdown import md_escape, plain
from evalcore.ui.components import download, messages, table

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
            "Line": ["" if p.line is None else str(p.line) for p in found],
            "Rule": [p.rule for p in found],
            "What is wrong": [plain(p.message, limit=300) for p in found],
            "What to do": [plain(p.remedy, limit=300) for p in found],
        }
    )
    shown = rows.head(messages.PROBLEMS_SHOWN).map(md_escape)
    with st.container(key="challenge-problems"):
        table.wrapped(
            shown, height="content" if len(shown) <= 10 else 460,
            alt=f"{things(len(shown), 'problem')} with line and remedy", cards="challenge-problems",
        )  # fmt: skip
    stem, total = one.name.rsplit(".", 1)[0], one.n_problems
    note = f"{things(total, 'problem')}; those at which the official script stops come first."
    if len(shown) < total:
        held = "all" if len(found) == total else f"the first {count(len(found))}"
        note += f" The first {count(len(shown))} are shown; the file holds {held}."
    table.beside(note, rows, f"{stem}_problems")
    if one.run.repaired is None:
        st.caption(one.run.why_not_repaired)
    else:
        download.file(
            "Repaired file", one.run.repaired, f"{stem}.csv", "text/csv", icon=":material/build:",
            key="save-repaired", help="The file without what can be corrected in only one way.",
        )  # fmt: skip
