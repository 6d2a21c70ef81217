"""People: does retrieval help the doctor? A sentence and a figure; closed, what changed and when it helps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import nan

import streamlit as st

from evalcore.features.review.diagnosis import tables, words
from evalcore.features.review.diagnosis.analysis import HELPED, Analysis
from evalcore.features.review.diagnosis.evidence import Evidence, analysis_of
from evalcore.features.review.diagnosis.figures import ArmRow, arm_rows, arms_and_readers
from evalcore.features.review.diagnosis.reading import Diagnosis
from evalcore.features.review.diagnosis.storage import diagnoses_from
from evalcore.features.review.diagnosis.truth import truths_of
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.tasks import Task
from evalcore.ui.components import figure, fold, messages, select, table
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape
from evalcore.values.progress import Progress
from evalcore.values.writing import pluralize

TASK = Key("diagnosis_task", of_study=True)
CHANGES, WHEN, SCORES, ARMS = Key("changes"), Key("when_it_helps"), Key("more_help"), Key("arms")
OUTCOME = Key("help_in")
HELP_IN = {"right": "Right answers", "confidence": "Confidence", "time": "Time"}


def answered(tasks: Iterable[Task], judgments: Iterable[Judgment]) -> tuple[Task, ...]:
    """The tasks that ask for diagnoses and have some."""
    names = {one.task for one in judgments if one.kind == "diagnosis"}
    return tuple(task for task in tasks if task.diagnosis is not None and task.name in names)


def section(context: Context, tasks: Sequence[Task], judgments: Sequence[Judgment]) -> None:
    """One task, or the choice of one: its answer, its figure, and what is closed below."""
    by_name = {task.name: task for task in tasks}
    name = next(iter(by_name))
    if len(by_name) > 1:
        name = select.one("Task", {task.name: task.title for task in tasks}, keep=TASK, width=340)
    result = _analysed(context, by_name[name], [one for one in judgments if one.task == name])
    if isinstance(result, str):
        st.error(md_escape(result, limit=600), icon=":material/error:")
    elif result is not None:
        _shown(context, *result)


def _analysed(
    context: Context, task: Task, judgments: Sequence[Judgment]
) -> tuple[Analysis, Evidence, tuple[Diagnosis, ...]] | str | None:
    """What the diagnoses say; the problem where they cannot be read, None while it is computed."""
    study, settings = context.study, context.choice.settings

    def work(progress: Progress) -> tuple[Analysis, Evidence, tuple[Diagnosis, ...]] | str:
        try:
            diagnoses = diagnoses_from(judgments, task, truths_of(study, task))
            if not diagnoses:
                return "This task has no answers yet."
            analysis, evidence = analysis_of(study, task, diagnoses, settings=settings, progress=progress)
            return analysis, evidence, diagnoses
        except InputError as problem:
            return str(problem)

    answers = digest_of([f"{one.id} {one.said} {one.value}" for one in judgments])
    key = f"diagnoses {(study.digest, answers, task, settings)!r}"
    return jobs.run(key, work, label="Comparing readers with results and alone")


def _shown(
    context: Context, analysis: Analysis, evidence: Evidence, diagnoses: tuple[Diagnosis, ...]
) -> None:
    if any(arm.simulated for arm in analysis.arms):
        st.warning(
            "**Simulated answers** are among these: they show what this page does, not what readers think.",
            icon=":material/smart_toy:",
        )
    messages.lead(md_escape(words.headline(analysis)), key="lead-first")
    rows = arm_rows(analysis) or [ArmRow("Alone", nan, nan, nan, {}, 0)]
    readers = pluralize(analysis.readers, "reader")
    figure.show(context, arms_and_readers(rows, readers=readers, theme=context.theme), key="arms-and-readers")
    given = context, analysis, evidence, diagnoses
    if analysis.changes:
        fold.section("Which answers changed?", _changes, *given, keep=CHANGES)
    if analysis.help:
        fold.section("When do results help?", _when, *given, keep=WHEN)
    if analysis.against:
        title = "Does a higher score mean more help?"
        fold.section(title, _scores, *given, keep=SCORES, opened_by=(OUTCOME,))
    fold.section("All arms, and how they were compared", _arms, *given, keep=ARMS)


def _sentences(texts: Iterable[str]) -> None:
    for text in texts:
        st.markdown(md_escape(text))


def _changes(context: Context, analysis: Analysis, *_: object) -> None:
    _sentences(words.changed(analysis))
    for by, alt in (
        ("", "Answers that changed between every two arms"),
        ("reader", "Answers that changed, by reader"),
        ("case", "Answers that changed, by case"),
    ):
        rows = tables.changes_table(analysis, by)
        name = f"changed-answers{'-by-' + by if by else ''}"
        table.declared(context, rows, key=name, alt=alt, file=name)


def _when(context: Context, analysis: Analysis, *_: object) -> None:
    _sentences(words.helped(analysis))
    table.declared(
        context,
        tables.help_table(analysis),
        key="when-results-help",
        alt="Right answers with results and alone, by what the results showed",
        file="when-results-help",
    )


def _scores(context: Context, analysis: Analysis, *_: object) -> None:
    _sentences(filter(None, [words.more_help(analysis)]))
    outcome = select.segments(
        "Help in", {name: HELP_IN[name] for name in HELPED}, keep=OUTCOME, help="What help is the change of."
    )
    shown = next(name for name in HELPED if name == outcome)
    table.declared(
        context,
        tables.against_table(analysis, shown),
        key="help-by-score",
        alt="How much more help cases with higher scores got, by measure",
        file="help-by-score",
        saved=tables.against_table(analysis),
    )
    if context.choice.plain:
        st.caption("Help with a score one standard deviation higher, against that of an average case.")


def _arms(context: Context, analysis: Analysis, evidence: Evidence, diagnoses: tuple[Diagnosis, ...]) -> None:
    for name, rows, alt in (
        ("arms", tables.values_table(analysis), "Right answers, confidence and time by arm"),
        ("arm-differences", tables.differences_table(analysis), "Differences of every two arms"),
        ("arm-counts", tables.counts_table(analysis), "Answers by arm, and what is missing"),
    ):
        if rows.rows:
            table.declared(context, rows, key=name, alt=alt, file=name)
    texts = [words.missing(analysis), words.method(analysis)]
    every = tables.readings_table(diagnoses, evidence.kinds(diagnoses), evidence.scores)
    texts.append("The file has every answer, what its results showed, and the scores of its case.")
    table.beside(
        md_escape(" ".join(filter(None, texts))), table.in_file(context, every), context.stem("diagnoses")
    )
