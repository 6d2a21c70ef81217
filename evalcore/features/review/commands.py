"""``review``: tasks for readers who judge results blind, and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evalcore.cli.options import Whole, as_json, example, option, options
from evalcore.cli.output import STDOUT, TEXT_FILE, emit, mention, put_lines
from evalcore.cli.study_request import StudyRequest, on_study
from evalcore.features.review import files, records
from evalcore.features.review.database import describe
from evalcore.features.review.exchange import csv_of, import_judgments, json_of
from evalcore.features.review.items import (
    check_items,
    items_for,
    lists_of,
    progress,
    same_lists,
    systems_to_judge,
)
from evalcore.features.review.store import judgments_of
from evalcore.results.rows import Column, Table, plain
from evalcore.study.folder.layout import existing_folder, find_layout
from evalcore.study.tables.files import content_of
from evalcore.study.workspace.home import is_uploaded
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.writing import pluralize


@example("review make my_study --task chest --n-queries 10 --system hog --depth 5", own_files=True)
@on_study()
@options(
    option("--task", "name", required=True, metavar="NAME", help="Name of a task: letters, digits, - and _."),
    option("--title", help="Title that readers see. Default: the name."),
    option(
        "--form",
        kind=records.FORMS,
        usual="graded",
        help="graded: each result alone. preference: two lists side by side. panel: a whole list. "
        "material: what teams say about images, by several criteria.",
    ),
    option(
        "--material",
        kind=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Of the form material: a table with image, team, caption, explanation, heat_map. Heat maps are "
        "in the folder of its name. Default teams and images: all of it.",
    ),
    option("--n-queries", "draw", kind=Whole(1), metavar="N", help="Queries drawn at most: by the seed."),
    option(
        *("--query", "queries"),
        usual=(),
        metavar="ID",
        help="A query, in place of those drawn. Repeat for several.",
    ),
    option(
        *("-s", "--system", "systems"),
        usual=(),
        metavar="S",
        help="A system: whose results are judged. Repeat for several. Default: all with a run.",
    ),
    option("--depth", kind=Whole(), usual=5, help="Results of each list: those judged."),
    option("--steps", "scale", kind=("5", "100"), usual="5", help="5 steps, or 0 to 100."),
    option(
        "--seed",
        kind=Whole(0, records.MAX_SEED),
        usual=0,
        help="Seed of random draws: queries, order and sides.",
    ),
    option("--instructions", usual="", show_default=False, help="The question to readers, in your words."),
    option(
        *("--reason", "reasons"),
        usual=(),
        help="A reason to tick. Repeat for several. Default: modality, organ, finding, …",
    ),
    option(
        *("--criterion", "criteria"), usual=(), help="A criterion of the form material. Repeat for several."
    ),
    click.option("--panel", is_flag=True, help="Also ask how satisfying each list is as a whole."),
    click.option("--replace", "over", is_flag=True, help="Replace what has this name: the task."),
)
def make(
    request: StudyRequest,
    name: str,
    title: str | None,
    draw: int | None,
    queries: Sequence[str],
    systems: Sequence[str],
    scale: str,
    reasons: Sequence[str],
    material: Path | None,
    over: bool,
    **more: Any,
) -> None:
    """Write a task for readers into STUDY.

    A task that has judgments cannot be replaced: they would count as answers to the new one.
    """
    if (more["form"] == "material") != (material is not None):
        raise click.UsageError("--form material and --material FILE are used together.")
    if (draw and queries) or not (draw or queries or material):
        raise click.UsageError("Use one of --n-queries N and --query ID: which queries are judged.")
    study = request.study
    rows, beside = _material(material, name, systems) if material else ((), {})
    teams = tuple(dict.fromkeys(row.team for row in rows))
    chosen = tuple(systems) or teams or systems_to_judge(study)
    if not chosen:
        raise InputError("The study has no system with a list of results, so there is nothing to judge.")
    task = records.Task(
        name=name,
        title=title or name,
        queries=tuple(queries) or draw or min(len({row.image for row in rows}), records.MAX_QUERIES),
        systems=chosen,
        scale=int(scale),
        reasons=tuple(reasons) or records.REASONS,
        **more,
    )
    file = f"review/{name}.toml"
    records.checked(file, [task], "Nothing was written.")
    lists, items = check_items(study, replace(task, material=rows))
    same = same_lists(task, lists)
    folder = Path(request.folder)
    files.save_task(folder, task, in_place=not is_uploaded(folder), replace=over, beside=beside)
    facts = {
        "task": name,
        "form": task.form,
        "queries": list(lists),
        "systems": list(task.systems),
        "items": len(items),
        "same_lists": same,
        "file": file,
    }
    shown = pluralize(len(lists), "image" if material else "query")
    text = f"{shown}, {pluralize(len(items), 'item')} to judge. Wrote {file}."
    if same:
        text += f" Skipped: {pluralize(same, 'pair')} of lists that are the same."
    request.emit(facts, [text])


def _material(
    table: Path, task: str, teams: Sequence[str]
) -> tuple[tuple[records.Material, ...], dict[str, Path | bytes]]:
    """The material of a table and of the folder that has its name without the ending."""
    folder = table.with_suffix("")
    pictures = {path.name: path for path in folder.iterdir()} if folder.is_dir() else {}
    data = content_of(table, table.name)
    return files.new_material(data, pictures, file=table.name, task=task, teams=teams)


_TASKS = (
    Column("name", lambda row: row[0].name, "task"),
    Column("title", lambda row: row[0].title, "title"),
    Column("form", lambda row: row[0].form, "form"),
    Column("systems", lambda row: list(row[0].systems), "systems", ", ".join),
    Column("readers", lambda row: len({judgment.reader for judgment in row[1]}), "readers"),
    Column("judgments", lambda row: len(row[1]), "judgments"),
    Column("closed", lambda row: row[2], "closed", lambda closed: "yes" if closed else "no"),
)
_READERS = (
    Column("reader", lambda row: row[0], "reader"),
    Column("done", lambda row: row[1].done, "done"),
    Column("of", lambda row: row[1].n, "of"),
    Column(
        "cannot_say",
        lambda row: sum(judgment.status == "cannot-say" for judgment in row[1].answers.values()),
        "cannot say",
    ),
)


@example("review show sample simulated")
@on_study()
@click.argument("name", required=False)
def show(request: StudyRequest, name: str | None) -> None:
    """List the tasks of STUDY; with NAME how far each reader is.

    Withdrawn answers do not count.
    """
    folder = existing_folder(request.folder)
    if name is None:
        tasks, report = files.read_tasks(folder)
        mention(report)
        answers = records.current(judgments_of(folder))
        rows = [(t, [j for j in answers if j.task == t.name], files.is_closed(folder, t)) for t in tasks]
        table = Table(rows, _TASKS)
        shown: list[str | Table] = [table] if tasks else ["The study has no tasks. `review make` writes one."]
        shown.append(f"\nJudgments are kept in {plain(describe())}.")
        request.emit({"study": request.folder, "database": describe(), "tasks": table}, shown)
        return
    task = files.read_task(folder, name)
    answers = judgments_of(folder, task=name)
    lists = lists_of(request.study, task)
    readers = sorted({judgment.reader for judgment in answers})
    done = [(each, progress(items_for(task, lists, each), name, each, answers)) for each in readers]
    table = Table(done, _READERS)
    facts = records.record_of(task) | {"queries": list(lists), "closed": files.is_closed(folder, task)}
    document = {"study": request.folder, "task": facts, "readers": table}
    lines = [
        f"{key}: {plain(_text(value))}" for key, value in facts.items() if value not in ("", [], 0, False)
    ]
    tail: list[str | Table] = ["", table] if readers else ["", "There are no judgments yet."]
    request.emit(document, [*lines, *tail])


def _text(value: object) -> str:
    if value is True:
        return "yes"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@example("review export my_study simulated", own_files=True)
@click.command()
@click.argument("study")
@click.argument("name")
@click.option(
    "--out",
    type=TEXT_FILE,
    metavar="FILE",
    help="Where to write: every answer with all fields, .csv or .json, .gz after it packs it; - for CSV, "
    "printed. Without it the task is closed.",
)
@as_json
def export(study: str, name: str, out: str | None, json_wanted: bool) -> None:
    """Close the task NAME: add its answers to STUDY as judgments.

    They are in judgments/NAME.csv, with the names of the systems: the relevance qrels:NAME, and what
    `readers` and `mrmc` analyse. “Cannot say” counts as not judged. To close a task again, remove that file
    first. With --out nothing is closed: the file contains every answer, also changed and withdrawn ones, for
    `review import`.
    """
    folder = existing_folder(study)
    find_layout(folder)
    answers = judgments_of(folder, task=name)
    if out is None:
        task = files.read_task(folder, name)
        n = files.close_task(folder, task, answers, in_place=not is_uploaded(folder))
        place, count = f"{files.CLOSED}/{name}.csv", n
    else:
        ending = ".csv" if out == STDOUT else Path(out.removesuffix(".gz")).suffix.lower()
        if ending not in (".csv", ".json"):
            raise click.UsageError(f"--out must end in .csv or .json; got {plain(out)}.")
        if not answers:
            known = {*(judgment.task for judgment in judgments_of(folder))}
            raise UnknownName("task with answers", name, known)
        put_lines(out, (csv_of if ending == ".csv" else json_of)(answers))
        place, count = out, len(answers)
    readers = sorted({judgment.reader for judgment in answers})
    facts = {"study": study, "task": name, "out": place, "judgments": count, "readers": readers}
    text = f"{pluralize(count, 'judgment')} of {pluralize(len(readers), 'reader')}. Wrote {plain(place)}."
    emit(facts, [text], json=json_wanted)


@example("review import my_study judgments.csv", own_files=True)
@click.command("import")
@click.argument("study")
@click.argument("file", metavar="FILE")
@as_json
def import_(study: str, file: str, json_wanted: bool) -> None:
    """Add the judgments of FILE to those of STUDY.

    FILE is .csv or .json, as `review export --out` writes them. All of them or none: a file with errors is
    refused with every error by its line. Judgments the study already has are counted and skipped. They go
    into the database; no file of the study changes.
    """
    folder = existing_folder(study)
    find_layout(folder)
    new, known, report = import_judgments(folder, Path(file))
    mention(report)
    tasks = sorted({judgment.task for judgment in new})
    facts = {"study": study, "file": file, "new": len(new), "known": known, "tasks": tasks}
    of_tasks = f", of {plain(', '.join(tasks))}" if tasks else ""
    text = f"Added {pluralize(len(new), 'judgment')}{of_tasks}; the study already contained {known:,}."
    emit(facts, [text], json=json_wanted)
