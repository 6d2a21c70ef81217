"""Folded on the page Readers: do systems differ for other readers too, how large must the next study be?"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import streamlit as st

from evalcore.evaluate.reader_study import (
    analyse_readings,
    kinds_of,
    reading_in_words,
    readings_of,
    systems_not_read,
)
from evalcore.evaluate.readers import depth_of
from evalcore.results.mrmc import cautions, differences_table, method, plans_table, readers_table, sentence
from evalcore.stats.mrmc.analysis import ReaderStudy
from evalcore.stats.mrmc.moments import sums_of
from evalcore.stats.mrmc.sizing import pilot_of, plans
from evalcore.study.reader_judgments import Kind, ReaderJudgment
from evalcore.ui.components import select, table
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import CuiscopeError
from evalcore.values.progress import Progress
from evalcore.values.writing import md_escape, plain

FOLD = Key("other_readers")
PAIR, WIDTH = Key("planned_pair", of_study=True), Key("planned_width")
JUDGED = Key("reader_judgments", of_study=True)
LABELS = {
    "graded": "Grades of single results",
    "preference": "Preferences",
    "panel": "Whole lists",
    "rating": "Ratings",
}


def section(context: Context, judgments: Sequence[ReaderJudgment]) -> None:
    """The answer, every pair of systems, each reader, and a plan."""
    choices: dict[str, tuple[Kind, str]] = {}
    for kind in kinds_of(judgments):
        criteria = dict.fromkeys(row.criterion for row in judgments if row.kind == kind and row.criterion)
        for criterion in ("", *(criteria if len(criteria) > 1 else ())):
            choices[f"{kind}~{criterion}"] = kind, criterion
    chosen = next(iter(choices))
    if len(choices) > 1:
        labels = {
            key: plain(", ".join(filter(None, (LABELS[k], c))), limit=80) for key, (k, c) in choices.items()
        }
        chosen = select.selectbox("Judgments", labels, param=JUDGED, width=420)
    kind, criterion = choices[chosen]
    settings, study = context.choice.settings, context.study

    def work(_: Progress) -> ReaderStudy | str:
        try:
            readings = readings_of(study, judgments, kind=kind, criterion=criterion, settings=settings)
            return analyse_readings(readings)
        except CuiscopeError as problem:
            return str(problem)

    version = digest_of([repr(row) for row in judgments])
    key = f"reader study {(study.digest, version, chosen, settings)!r}"
    result = jobs.run(key, work, label="Comparing the systems for other readers")
    if isinstance(result, str):
        st.info(md_escape(result), icon=":material/groups:")
    elif result is not None:
        k = depth_of(row for row in judgments if row.kind == kind)
        _shown(context, result, reading_in_words(kind, criterion, k).rstrip("."))


def _shown(context: Context, study: ReaderStudy, what: str) -> None:
    st.markdown(md_escape(sentence(study), limit=600))
    table.results_table(
        context,
        differences_table(study),
        key="reader-study-pairs",
        alt="Difference of every two systems, with intervals for other readers and queries",
        file="other-readers",
    )
    left_out = systems_not_read(context.study, study.readings)
    st.caption(md_escape(" ".join([f"{what}; {method(study)}", *left_out, *cautions(study)]), limit=900))
    table.results_table(
        context, readers_table(study), key="reader-study-readers", alt="Value of each reader and system"
    )
    if study.differences:
        _plan(context, study)


def _plan(context: Context, study: ReaderStudy) -> None:
    """Queries needed by number of readers, with these judgments as a pilot."""
    st.markdown("**How large must the next study be?**")
    names = {f"{row.a}|{row.b}": f"{row.a} minus {row.b}" for row in study.differences}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pair = next(iter(names))
        if len(names) > 1:
            pair = select.selectbox("Difference", names, param=PAIR, width=300)
        width = select.number(
            "Width of its 95% interval", 0.01, 1.0, param=WIDTH, first=0.1, step=0.01, width=200
        )
    row = study.differences[list(names).index(pair)]
    at = [study.readings.systems.index(name) for name in (row.a, row.b)]
    pilot = pilot_of(sums_of(study.readings, as_imrmc=False), None, at[0], at[1])
    needed = plans(pilot, width=width, level=study.level, difference=nan, groups=(1, 2))
    if not needed:
        st.info("None of these numbers of readers reaches this width.", icon=":material/straighten:")
        return
    alt = "Queries needed by number of readers, with all reading all and in two groups"
    table.results_table(context, plans_table(needed), key="plans", alt=alt, file="plans")
