"""What lies behind the score of one run: its concepts and near misses, or every caption metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.features.imageclef.captions.vectors import PARTS
from evalcore.figures.numbers import NOTHING, listed, number, things
from evalcore.ui.components import download, table
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.imageclef.concepts.detail import ConceptDetail, ConceptTally
    from evalcore.features.imageclef.result import Result
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study

AT_LEAST, EXTREMES, NEAR_MISSES = 5, 4, 8
"""Images a concept needs to be named among the best or worst; concepts and near misses that are named."""
OVERALL = {
    "head2025": "**Relevance (mean of three)** (head2025)",
    "head2026": "**Relevance (mean of four)** (head2026)",
    "factuality": "**Factuality**", "mean6": "**Overall (mean of six)** (mean6)",
    "aspects4": "**Mean of relevance (mean of four) and factuality** (aspects4)",
}  # fmt: skip
"""The overall scores in words, and their names on the command line."""


def section(context: Context, one: Result[Any]) -> None:
    """Concepts with their hits, and near misses; or every caption metric and what is missing."""
    if one.detail is None:
        _metrics(one)
        return
    _extremes(context.study, one.detail)
    _concepts(context.study, one.detail, file=f"{one.name.rsplit('.', 1)[0]}_concepts")
    _near_misses(context, one.detail, one.metric("nn-F1"))


def _extremes(study: Study, detail: ConceptDetail) -> None:
    """The concepts that are found best and worst, among those of several images."""

    def named(tallies: Sequence[ConceptTally]) -> str:
        return listed([f"{md_escape(study.name_of(c.cui), limit=40)} ({number(c.f1)})" for c in tallies])

    best, worst = (ask(EXTREMES, at_least=AT_LEAST) for ask in (detail.best, detail.worst))
    if best:
        st.markdown(
            f"Detected best: {named(best)}. Detected worst: {named(worst)}. "
            f":gray[In brackets: F1. Only concepts of {AT_LEAST} or more images are named.]"
        )


def _concepts(study: Study, detail: ConceptDetail, *, file: str) -> None:
    tallies = sorted(detail.concepts, key=lambda c: (-c.missed, -c.wrong))
    rows = pd.DataFrame(
        {
            "Concept": [plain(study.name_of(c.cui)) for c in tallies],
            "CUI": [plain(c.cui) for c in tallies],
            "F1 ↑": [c.f1 for c in tallies],
            "Precision ↑": [c.precision for c in tallies],
            "Recall ↑": [c.recall for c in tallies],
            "Found": [c.hits for c in tallies],
            "Wrong": [c.wrong for c in tallies],
            "Missed": [c.missed for c in tallies],
        }
    )
    table.show(
        rows, key="challenge-concepts", file=file, height=360, placeholder=NOTHING,
        columns=table.numbers("%.3f", "F1 ↑", "Precision ↑", "Recall ↑"),
        note=f"{things(len(rows), 'concept')}, the most often missed first. Found, wrong and missed count "
        "images. None of this is part of the official score.",
        alt=f"{things(len(rows), 'concept')} with hits, wrong predictions and misses",
    )  # fmt: skip


def _near_misses(context: Context, detail: ConceptDetail, nn_f1: float) -> None:
    """What the run scores when neighbours of missed concepts earn credit, and the most frequent of them."""
    study, settings = context.study, context.choice.settings
    if detail.nn_f1 is None:
        st.caption("The open study has no concept graph, so near misses cannot be counted.")
        return
    reach = f"at most {things(settings.threshold, 'step')} from a missed concept"
    st.markdown(
        f"Predictions {reach} are near misses. With partial credit for each of them (α {settings.alpha:g}), "
        f"the run scores **{number(nn_f1)}**."
        if context.choice.plain
        else f"nn\\-F1 \\= (2·|G∩P| \\+ {settings.alpha:g}·NN) / (|G| \\+ |P|), where NN counts predictions "
        f"{reach}: **{number(nn_f1)}** on average."
    )
    lines = [
        f"- **{md_escape(study.name_of(mixed.predicted))}** instead of "
        f"**{md_escape(study.name_of(mixed.true))}**: {things(mixed.images, 'image')}"
        for mixed in detail.confusions[:NEAR_MISSES]
    ]
    if lines:
        st.markdown("\n".join(["Most frequent near misses:\n", *lines]))


def _metrics(one: Result[Any]) -> None:
    """Every metric with its value or what it lacks, then the overall scores."""
    single = dict.fromkeys([*(name for name in one.values if name not in PARTS), *one.missing])
    lacking = {name: ", ".join(one.lacking.get(name, ())) for name in PARTS}
    rows = pd.DataFrame(
        {
            "Metric ↑": [*(md_escape(name) for name in single), *(OVERALL[name] for name in PARTS)],
            "Value": [number(one.metric(name), digits=4) for name in (*single, *PARTS)],
            "Missing": [
                *(md_escape(one.missing.get(name, ""), limit=400) for name in single),
                *(md_escape(f"Needs {parts}.", limit=400) if parts else "" for parts in lacking.values()),
            ],
        }
    )
    table.wrapped(rows, alt="Caption metrics of the run, and what is missing for the others", cards="metrics")
    download.csv(
        lambda: pd.DataFrame({"ID": one.images} | dict(one.values)), f"{one.name.rsplit('.', 1)[0]}_values",
        label="All values per image",
        help="This file can be uploaded later under “Computed elsewhere”, as scores of models.",
    )  # fmt: skip
