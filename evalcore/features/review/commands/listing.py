"""``review list`` and ``review show``: the tasks of a study, and how far readers are."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.emit import Column, Table, emit
from evalcore.cli.options import as_json
from evalcore.cli.output import mention, plain

if TYPE_CHECKING:
    from evalcore.cli.asked import Asked

_COLUMNS = (
    Column("name", lambda one: one[0].name, "task"), Column("title", lambda one: one[0].title, "title"),
    Column("form", lambda one: one[0].form, "form"),
    Column("systems", lambda one: list(one[0].systems), "systems", ", ".join),
    Column("queries", lambda one: len(one[0].queries) or one[0].draw, "queries"),
    Column("readers", lambda one: len({said.reader for said in one[1]}), "readers"),
    Column("judgments", lambda one: len(one[1]), "judgments"),
)  # fmt: skip
_READERS = (
    Column("reader", lambda one: one[0], "reader"), Column("done", lambda one: one[1].done, "done"),
    Column("of", lambda one: one[1].n, "of"),
    Column("cannot_say", lambda one: sum(s.said == "cannot-say" for s in one[1].said.values()), "cannot say"),
)  # fmt: skip


@click.command("list")
@click.argument("study")
@as_json
def list_tasks(study: str, json_wanted: bool) -> None:
    """List the tasks of STUDY, how many readers judged how much, and where that is kept.

    What was taken back does not count.
    """
    from evalcore.features.review.judgments import current
    from evalcore.features.review.read.database import in_words
    from evalcore.features.review.read.task_files import check_folder, read_tasks
    from evalcore.features.review.read.together import judgments_in, judgments_of

    folder = Path(study)
    check_folder(folder)
    tasks, report = read_tasks(folder)
    mention(report + judgments_in(folder)[1])
    said = current(judgments_of(folder)) if tasks else ()
    table = Table([(task, [one for one in said if one.task == task.name]) for task in tasks], _COLUMNS)
    shown: list[str | Table] = [table] if tasks else ["The study has no tasks. `review make` writes one."]
    shown.append(f"\nJudgments are kept in {plain(in_words())}.")
    emit({"study": study, "database": in_words(), "tasks": table}, shown, json=json_wanted)


@on_study()
@click.argument("name")
def show(asked: Asked, name: str) -> None:
    """Show the task NAME of STUDY, how far each reader is, and on how much readers differ."""
    from evalcore.features.review.adjudication import differences
    from evalcore.features.review.items import plan_of
    from evalcore.features.review.pools import lists_of
    from evalcore.features.review.progress import progress
    from evalcore.features.review.read.task_files import check_folder, read_task
    from evalcore.features.review.read.together import judgments_of

    folder = Path(asked.folder)
    check_folder(folder)
    task = read_task(folder, name)
    said = judgments_of(folder, name)
    lists = lists_of(asked.study, task)
    readers = sorted({one.reader for one in said if not one.adjudicated})
    done = Table([(one, progress(plan_of(task, lists, reader=one), said)) for one in readers], _READERS)
    differ = differences(plan_of(task, lists, reader=""), said)
    open_ones = sum(not one.is_settled for one in differ)
    facts = {**asdict(task), "queries": list(lists)}
    document = {"study": asked.folder, "task": facts, "readers": done, "differences": len(differ),
                "settled": len(differ) - open_ones}  # fmt: skip
    lines = [f"{key}: {plain(_text(value))}" for key, value in facts.items() if value not in ("", [], (), 0)]
    tail: list[str | Table] = ["", done] if readers else ["", "Nobody has judged anything yet."]
    if differ:
        tail.append(f"\nReaders differ on {len(differ):,}; {len(differ) - open_ones:,} are settled.")
    asked.emit(document, [*lines, *tail])


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
