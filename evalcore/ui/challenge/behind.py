"""One run on the challenge page: its problems and its repair, and what lies behind its score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.challenge.captions.vectors import PARTS
from evalcore.challenge.checks.repair import why_not_repaired
from evalcore.figures.numbers import count, listed, number, things
from evalcore.ui.components import download
from evalcore.ui.components.table import ROWS_SHOWN
from evalcore.ui.components.text import md_escape, plain

if TYPE_CHECKING:
    from evalcore.challenge.concepts.detail import ConceptDetail, ConceptTally
    from evalcore.challenge.result import Result
    from evalcore.model import Study
    from evalcore.ui.frame.context import Context

AT_LEAST = 5
"""Images a concept must have to be named among the best or worst."""
SCORE = "%.4f"
OVERALL = {
    "head2025": "**Relevance as in 2025** (head2025)", "head2026": "**Relevance as in 2026** (head2026)",
    "factuality": "**Factuality**", "mean6": "**Mean of all six** (mean6)",
    "aspects4": "**Mean of relevance 2026 and factuality** (aspects4)",
}  # fmt: skip
"""The overall numbers in words, and their names on the command line."""


def problems(one: Result[Any]) -> None:
    """Everything found in one file, what the script stops at first, and the repaired file."""
    found = sorted(one.report.problems, key=lambda p: (p.severity != "error", p.line is None, p.line or 0))
    if not found:
        st.success("No problem found: the file is as the edition asks for.", icon=":material/check_circle:")
        return
    table = pd.DataFrame(
        {
            "Official script": ["stops" if p.severity == "error" else "goes on" for p in found],
            "Line": pd.array([p.line for p in found], dtype="Int64"),
            "Rule": [p.rule for p in found],
            "What is wrong": [plain(p.message, limit=300) for p in found],
            "What to do": [plain(p.remedy, limit=300) for p in found],
        }
    )
    st.dataframe(
        table.head(ROWS_SHOWN), hide_index=True, key=f"problems-{one.name}",
        height=min(420, 38 * len(table) + 40),
        alt=f"{things(len(found), 'problem')} with line and remedy",
        column_config={
            "What is wrong": st.column_config.TextColumn(width="large"),
            "What to do": st.column_config.TextColumn(width="medium"),
        },
    )  # fmt: skip
    total = one.n_problems
    note, first, second = st.columns([3, 1, 1.3], vertical_alignment="center")
    if total > min(len(table), ROWS_SHOWN):
        note.caption(f"The first {count(min(len(table), ROWS_SHOWN))} of {count(total)} are shown.")
    first.download_button(
        "Problems", download.csv_safe(table), "problems.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch", key=f"save-problems-{one.name}",
    )  # fmt: skip
    if one.run.repaired is None:
        note.caption(why_not_repaired(one.run.unrepaired))
    else:
        second.download_button(
            "Repaired file", one.run.repaired, f"{one.name.rsplit('.', 1)[0]}.csv", "text/csv",
            icon=":material/build:", on_click="ignore", width="stretch", key=f"save-repaired-{one.name}",
        )  # fmt: skip


def behind(context: Context, one: Result[Any]) -> None:
    """Concepts with their hits, and near confusions; or every caption metric and what is missing."""
    study, detail = context.study, one.detail
    if detail is None:
        _caption_metrics(one)
        return
    _extremes(study, detail)
    table = pd.DataFrame(
        {
            "Concept": [plain(study.name_of(c.cui)) for c in detail.concepts],
            "CUI": [plain(c.cui) for c in detail.concepts],
            "F1 ↑": [c.f1 for c in detail.concepts],
            "Precision ↑": [c.precision for c in detail.concepts],
            "Recall ↑": [c.recall for c in detail.concepts],
            "Found": [c.hits for c in detail.concepts],
            "Wrong": [c.wrong for c in detail.concepts],
            "Missed": [c.missed for c in detail.concepts],
        }
    ).sort_values(["Missed", "Wrong"], ascending=False)
    decimal = st.column_config.NumberColumn(format="%.3f")
    st.dataframe(
        table.head(ROWS_SHOWN), hide_index=True, key=f"concepts-{one.name}", height=360, placeholder="–",
        column_config=dict.fromkeys(("F1 ↑", "Precision ↑", "Recall ↑"), decimal),
        alt=f"{things(len(table), 'concept')} with hits, wrong predictions and misses",
    )  # fmt: skip
    st.caption(f"{things(len(table), 'concept')}, the most missed first; not official.")
    settings = context.choice.settings
    if study.graph is None:
        st.caption("The open study has no concept graph, so there is no credit for near misses.")
        return
    st.markdown(
        f"nn\\-F1 \\= (2·|G∩P| \\+ {settings.alpha:g}·NN) / (|G| \\+ |P|): predictions at most "
        f"{things(settings.threshold, 'step')} from a missed concept earn a part."
    )
    for mixed in detail.confusions[:8]:
        st.markdown(
            f"- **{md_escape(study.name_of(mixed.predicted))}** instead of its neighbour "
            f"**{md_escape(study.name_of(mixed.true))}**: {things(mixed.images, 'image')}"
        )


def _extremes(study: Study, detail: ConceptDetail) -> None:
    """The concepts that are found best and worst, among those of several images."""

    def named(tallies: tuple[ConceptTally, ...]) -> str:
        return listed([f"{md_escape(study.name_of(c.cui), limit=40)} ({number(c.f1)})" for c in tallies])

    best, worst = (ask(4, at_least=AT_LEAST) for ask in (detail.best, detail.worst))
    if best:
        st.markdown(
            f"Found best: {named(best)}. Found worst: {named(worst)}. "
            f":gray[F1 of concepts that {AT_LEAST} images or more have.]"
        )


def _caption_metrics(one: Result[Any]) -> None:
    """Every metric with its value or what it lacks, then the overall numbers."""
    single = dict.fromkeys([*(name for name in one.values if name not in PARTS), *one.missing])
    lacking = {name: ", ".join(one.lacking.get(name, ())) for name in PARTS}
    table = pd.DataFrame(
        {
            "Metric ↑": [*(md_escape(name) for name in single), *(OVERALL[name] for name in PARTS)],
            "Value": [number(one.metric(name), digits=4) for name in (*single, *PARTS)],
            "Missing": [
                *(md_escape(one.missing.get(name, ""), limit=400) for name in single),
                *(md_escape(f"Needs {parts}.", limit=400) if parts else "" for parts in lacking.values()),
            ],
        }
    )
    st.table(
        table, border="horizontal", hide_index=True,
        alt="Caption metrics of the run, and what is missing for the others",
    )  # fmt: skip
    values = pd.DataFrame({"ID": one.images} | {name: one.values[name] for name in one.values})
    st.download_button(
        "All values per image", download.csv_safe(values), f"{one.name.rsplit('.', 1)[0]}_values.csv",
        "text/csv", icon=":material/download:", on_click="ignore", key=f"save-values-{one.name}",
        help="Can be brought again as scores of models.",
    )  # fmt: skip
