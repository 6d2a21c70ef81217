"""Readers, closed at first: do systems differ for other readers too, and how large must the next study be?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import cast

import numpy as np
import streamlit as st

from evalcore.evaluate.reader_study import (
    NAMES,
    QueriesOnly,
    analyse_readings,
    kinds_of,
    reading_in_words,
    readings_of,
)
from evalcore.evaluate.readers import depth_of
from evalcore.features.review.figures import interval_widths
from evalcore.results.mrmc import plans_table, readers_table
from evalcore.results.rows import Column, Table, system_name
from evalcore.stats.correction import CLEAR
from evalcore.stats.mrmc.analysis import ReaderStudy
from evalcore.stats.mrmc.moments import sums_of
from evalcore.stats.mrmc.sizing import Plan, outlook, pilot_of, plans
from evalcore.study.reader_judgments import Kind, ReaderJudgment
from evalcore.ui.components import figure, select, table
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import CuiscopeError
from evalcore.values.progress import Progress
from evalcore.values.writing import brief, count, in_table, listed, md_escape, p_value, plain, pluralize

FOLD = Key("other_readers")
PAIR, WIDTH, DESIGN = Key("planned_pair", of_study=True), Key("planned_width"), Key("planned_groups")
JUDGED = Key("reader_judgments", of_study=True)
Analysed = tuple[ReaderStudy, tuple[QueriesOnly, ...]]
USED = (JUDGED, PAIR, WIDTH, DESIGN)
LABELS = {
    "graded": "Grades of single results",
    "preference": "Preferences",
    "panel": "Whole lists",
    "rating": "Ratings",
}
WIDE = 0.1
LINES = (3, 5, 10, 20)
"""Numbers of readers that the figure has a line for; in two groups those that two divides, from four on."""
SPLIT_LINES = (4, 6, 10, 20)
CASES = np.unique(np.geomspace(10, 500, 40).astype(int)).astype(float)


def section(context: Context, judgments: Sequence[ReaderJudgment]) -> None:
    """The answer, every pair of systems, each reader, and a plan."""
    choices = {
        f"{kind}~{criterion}": f"{LABELS[kind]}{f', {criterion}' if criterion else ''}"
        for kind in kinds_of(judgments)
        for criterion in ("", *_criteria(judgments, kind))
    }
    chosen = next(iter(choices))
    if len(choices) > 1:
        labels = {key: plain(label, limit=80) for key, label in choices.items()}
        chosen = select.one("Judgments", labels, keep=JUDGED, width=420)
    kind, _, criterion = chosen.partition("~")
    settings, study = context.choice.settings, context.study

    def work(_: Progress) -> Analysed | str:
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
        what = reading_in_words(cast("Kind", kind), criterion, k)
        _shown(context, *result, NAMES[kind], what.rstrip("."))


def _criteria(judgments: Sequence[ReaderJudgment], kind: str) -> list[str]:
    """Of ratings, where there are several."""
    criteria = dict.fromkeys(row.criterion for row in judgments if row.kind == kind and row.criterion)
    return list(criteria) if len(criteria) > 1 else []


def _shown(
    context: Context, study: ReaderStudy, only: Sequence[QueriesOnly], name: str, sentence: str
) -> None:
    st.markdown(_answer(study, name))
    table.declared(
        context,
        _pairs(study, only),
        key="reader-study-pairs",
        alt="Difference of every two systems, with intervals for other queries and for other readers",
        file="other-readers",
    )
    readings = study.readings
    missing = readings.ratings.size - readings.n_readings
    text = f"{md_escape(sentence)}; {pluralize(len(readings.readers), 'reader')}, "
    text += f"{pluralize(len(readings.cases), 'query')}"
    text += f", {count(missing)} of {count(readings.ratings.size)} readings not complete." if missing else "."
    if not context.choice.plain:
        text += " Other readers and queries: U-statistics (Gallas), both random, t; p corrected by Holm."
    if any(row.of.variance < 0 for row in study.differences):
        text += " No interval: there is less variation than the readings can show."
    st.caption(text)
    table.declared(
        context, readers_table(study), key="reader-study-readers", alt="Value of each reader and system"
    )
    if len(study.readings.systems) > 1:
        _plan(context, study)


def _answer(study: ReaderStudy, value: str) -> str:
    best = max(study.rows, key=lambda row: row.of.value)
    first = f"**{md_escape(best.system)}** has the highest {value}, {brief(best.of.value)}"
    others = [row for row in study.differences if best.system in (row.a, row.b)]
    if not others:
        return f"{first}."
    unclear = [
        md_escape(row.b if row.a == best.system else row.a) for row in others if not row.p_corrected < CLEAR
    ]
    if not unclear:
        return f"{first}. It would probably lead with other readers and queries too."
    return f"{first}. With other readers and queries it might not be above {listed(unclear, limit=4)}."


def _pairs(study: ReaderStudy, only: Sequence[QueriesOnly]) -> Table:
    """Every pair: the difference, and both intervals."""
    rows = [
        {
            "a": row.a,
            "b": row.b,
            "difference": row.of.value,
            "queries_low": of_queries.low,
            "queries_high": of_queries.high,
            "low": row.of.low,
            "high": row.of.high,
            "p_corrected": row.p_corrected,
        }
        for row, of_queries in zip(study.differences, only, strict=True)
    ]
    return Table(
        rows,
        (
            Column("a").on_page("System", cell=system_name),
            Column("b").on_page("Minus", cell=system_name),
            Column("difference").on_page("Difference", "%+.3f"),
            Column("queries_low"),
            Column("queries_high"),
            Column("", lambda row: (row["queries_low"], row["queries_high"])).on_page(
                "Other queries, same readers", cell=_span
            ),
            Column("low"),
            Column("high"),
            Column("", lambda row: (row["low"], row["high"])).on_page(
                "Other readers and queries", cell=_span
            ),
            Column("p_corrected").on_page("p (Holm)", cell=p_value, expert=True),
        ),
    )


def _span(ends: tuple[float, float]) -> str:
    return in_table(*ends, places=3)


def _plan(context: Context, study: ReaderStudy) -> None:
    st.markdown("**How large must the next study be?**")
    names = {f"{row.a}|{row.b}": f"{row.a} minus {row.b}" for row in study.differences}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pair = next(iter(names))
        if len(names) > 1:
            pair = select.one("Difference", names, keep=PAIR, width=300)
        width = select.number(
            "Width of its 95% interval", 0.01, 1.0, keep=WIDTH, first=WIDE, step=0.01, width=200
        )
        design = select.segments(
            "Design",
            {"1": "All read all", "2": "Two groups"},
            keep=DESIGN,
            help="Two groups: half of the readers read half of the queries, the others the other half.",
        )
    place, groups = list(names).index(pair), int(design)
    chosen = study.differences[place]
    at = [study.readings.systems.index(name) for name in (chosen.a, chosen.b)]
    pilot = pilot_of(sums_of(study.readings, as_imrmc=False), None, at[0], at[1])
    cases = CASES[2 * groups <= CASES]
    lines = {
        n: outlook(pilot, n, cases, groups=groups, level=study.level)[0]
        for n in (LINES if groups == 1 else SPLIT_LINES)
    }
    drawn = interval_widths(
        {n: list(map(float, widths)) for n, widths in lines.items()},
        [int(n) for n in cases],
        what=names[pair],
        design="every reader reads every query" if groups == 1 else "two groups, each with its own queries",
        target=width,
        theme=context.theme,
    )
    figure.show(context, drawn, key="interval-widths")
    needed = plans(pilot, width=width, level=study.level, difference=nan, groups=(1, 2))
    if not needed:
        st.info("None of these numbers of readers reaches this width.", icon=":material/straighten:")
        return
    table.declared(
        context,
        _side_by_side(needed),
        key="plans",
        alt="Queries needed by number of readers, with all reading all and in two groups",
        file="plans",
        saved=plans_table(needed),
    )


def _side_by_side(needed: Sequence[Plan]) -> Table:
    """A row for each number of readers: what both designs need."""
    by_design = {(plan.readers, plan.groups): plan for plan in needed}

    def of(groups: int, name: str) -> Callable[[int], int | None]:
        return lambda n: getattr(by_design.get((n, groups)), name, None)

    return Table(
        sorted({plan.readers for plan in needed}),
        (
            Column("readers", lambda n: n).on_page("Readers"),
            *(
                Column("", of(groups, name)).on_page(f"{title}, {design}", "localized")
                for groups, design in ((1, "all read all"), (2, "two groups"))
                for name, title in (("cases", "Queries"), ("readings", "Lists judged"))
            ),
        ),
    )
