"""What is wrong with the file of one run, line by line, and its repaired form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.figures.numbers import count, listed, things
from evalcore.ui.components import download, messages, table
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from evalcore.features.imageclef.result import Result


EXAMPLES = 5
"""Problems of one rule that are shown; the saved file has all that were kept."""


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
    alike = rows.groupby(["Official script", "Rule"], sort=False).cumcount()
    shown = rows[alike < EXAMPLES].head(messages.PROBLEMS_SHOWN).map(md_escape)
    with st.container(key="challenge-problems"):
        table.wrapped(
            shown, height="content" if len(shown) <= 10 else 460,
            alt=f"{things(len(shown), 'problem')} with line and remedy", cards="challenge-problems",
        )  # fmt: skip
    stem, total = one.name.rsplit(".", 1)[0], one.n_problems
    note = f"{things(total, 'problem')}; those at which the official script stops come first."
    if len(shown) < total:
        held = "all" if len(found) == total else f"the first {count(len(found))}"
        note += f" Up to {EXAMPLES} of a kind are shown; the file contains {held}."
        counts = sorted(one.report.counts.items(), key=lambda kind: -kind[1])
        often = [f"{md_escape(rule)} {count(n)}" for (_, _, rule), n in counts if n > EXAMPLES]
        note += f" Most frequent: {listed(often, limit=3)}." if often else ""
    table.beside(note, rows, f"{stem}_problems")
    if one.run.repaired is None:
        st.caption(one.run.why_not_repaired)
    else:
        download.file(
            "Repaired file", one.run.repaired, f"{stem}.csv", "text/csv", icon=":material/build:",
            key="save-repaired", help="The file with unambiguous errors corrected.",
        )  # fmt: skip
