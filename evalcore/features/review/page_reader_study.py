"""People, closed at first: do systems differ for other readers too, and how large must the next study be?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import NamedTuple

import numpy as np
import streamlit as st

from evalcore.features.review.figures import interval_widths
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.reader_study import Judged as Analysed
from evalcore.features.review.reader_study import (
    What,
    analysed,
    asked_systems,
    kinds_of,
    readings_of,
    readings_of_task,
)
from evalcore.features.review.readers import as_asked
from evalcore.features.review.tasks import Task
from evalcore.results.mrmc import plans_table, readers_table
from evalcore.results.rows import Column, Table, system_name
from evalcore.stats.correction import CLEAR
from evalcore.stats.mrmc.moments import sums_of
from evalcore.stats.mrmc.sizing import Plan, outlook, pilot_of, plans
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
USED = (JUDGED, PAIR, WIDTH, DESIGN)
LABELS = {"preference": "Preferences", "panel": "Whole lists", "rating": "Ratings"}
WIDE = 0.1
LINES = (3, 5, 10, 20)
"""Numbers of readers that the figure has a line for; in two groups those that two divides, from four on."""
SPLIT_LINES = (4, 6, 10, 20)
CASES = np.unique(np.geomspace(10, 500, 40).astype(int)).astype(float)


class Judged(NamedTuple):
    """Judgments that can be analysed: what a reading is; of all tasks together where ``task`` is None."""

    label: str
    what: What
    task: Task | None


def offered(tasks: Sequence[Task], judgments: Sequence[Judgment]) -> dict[str, Judged]:
    """What can be analysed, by a key for the address: all grades together, and other kinds task by task."""
    result: dict[str, Judged] = {}
    there = {(one.task, one.kind) for one in judgments}
    if any(kind == "graded" for _, kind in there):
        result["grades"] = Judged("Grades of single results", What("graded"), None)
    for task in tasks:
        for kind in kinds_of(task):
            if kind == "graded" or (task.name, kind) not in there:
                continue
            for criterion in ("", *task.criteria) if kind == "rating" else ("",):
                by = f", {criterion}" if criterion else ""
                key = "~".join(filter(None, (kind, task.name, criterion)))
                result[key] = Judged(f"{LABELS[kind]}{by}: {task.title}", What(kind, criterion), task)
    return result


def section(context: Context, tasks: Sequence[Task], judgments: Sequence[Judgment]) -> None:
    """The answer, every pair of systems, each reader, and a plan."""
    every = offered(tasks, judgments)
    chosen = next(iter(every))
    if len(every) > 1:
        labels = {key: plain(one.label, limit=80) for key, one in every.items()}
        chosen = select.one("Judgments", labels, keep=JUDGED, width=420)
    _, what, task = every[chosen]
    graded = [one for one in tasks if one.form == "graded"]
    k = as_asked(graded or tasks)[0] if task is None else task.depth
    settings, study = context.choice.settings, context.study
    systems = asked_systems(tasks)

    def work(_: Progress) -> Analysed | str:
        try:
            if task is None:
                return analysed(readings_of(study, judgments, k=k, systems=systems, settings=settings))
            return analysed(readings_of_task(study, task, judgments, what))
        except CuiscopeError as problem:
            return str(problem)

    answers = digest_of([f"{judgment.id} {judgment.said} {judgment.value}" for judgment in judgments])
    key = f"reader study {(study.digest, answers, k, systems, settings, task, what)!r}"
    result = jobs.run(key, work, label="Comparing the systems for other readers")
    if isinstance(result, str):
        st.info(md_escape(result), icon=":material/groups:")
    elif result is not None:
        sentence = (
            f"Mean grade of the first {pluralize(k, 'result')}" if task is None else what.sentence(task)
        )
        simulated = {one.reader for one in judgments if one.simulated} & {*result.study.readings.readers}
        _shown(context, result, what, sentence.rstrip("."), simulated=len(simulated))


def _shown(context: Context, judged: Analysed, what: What, sentence: str, *, simulated: int) -> None:
    study = judged.study
    st.markdown(_answer(judged, what))
    table.declared(
        context,
        _pairs(judged),
        key="reader-study-pairs",
        alt="Difference of every two systems, with intervals for other queries and for other readers",
        file="other-readers",
    )
    readings = study.readings
    missing = readings.ratings.size - readings.n_readings
    text = f"{md_escape(sentence)}; {pluralize(len(readings.readers), 'reader')}, "
    text += f"{count(simulated)} of them simulated, " if simulated else ""
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
        _plan(context, judged)


def _answer(judged: Analysed, what: What) -> str:
    study = judged.study
    best = max(study.rows, key=lambda row: row.of.value)
    name = md_escape(what.name)
    first = f"**{md_escape(best.system)}** has the highest {name}, {brief(best.of.value)} from 0 to 1"
    others = [row for row in study.differences if best.system in (row.a, row.b)]
    if not others:
        return f"{first}."
    unclear = [
        md_escape(row.b if row.a == best.system else row.a) for row in others if not row.p_corrected < CLEAR
    ]
    if not unclear:
        return f"{first}. It would probably lead with other readers and queries too."
    return f"{first}. With other readers and queries it might not be above {listed(unclear, limit=4)}."


def _pairs(judged: Analysed) -> Table:
    """Every pair: the difference, and both intervals."""
    study = judged.study
    rows = [
        {
            "a": row.a,
            "b": row.b,
            "difference": row.of.value,
            "queries_low": only.low,
            "queries_high": only.high,
            "low": row.of.low,
            "high": row.of.high,
            "p_corrected": row.p_corrected,
        }
        for row, only in zip(study.differences, judged.queries_only, strict=True)
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


def _plan(context: Context, judged: Analysed) -> None:
    study = judged.study
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
