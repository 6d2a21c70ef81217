"""The files of a study that readers' work begins with and ends in.

- ``review/NAME.toml``: a task; beside one of the form material ``review/NAME.csv`` with its heat maps in
  ``review/NAME/``;
- ``judgments/NAME.csv``: the answers to a task that is closed (see `close_task`).
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import tomlkit

from evalcore.features.review import store
from evalcore.features.review.items import PRACTICE, material_by_key
from evalcore.features.review.records import (
    MAX_COMMENT,
    MAX_TEXT,
    Material,
    Task,
    check,
    current,
    is_line,
    record_of,
    report_wrong,
    tidy,
    validate,
)
from evalcore.features.review.store import ID_FILE
from evalcore.study.folder.toml import Model, Value, line_that_sets, read_toml, read_values
from evalcore.study.pictures.image_files import find_images, is_picture
from evalcore.study.reader_judgments import FIELDS, file_lines
from evalcore.study.tables import tables
from evalcore.study.tables.files import content_of, parse_file
from evalcore.study.tables.load import load
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import Column, Schema
from evalcore.study.workspace.change import changed
from evalcore.values.errors import InputError, Report, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.features.review.records import Judgment
    from evalcore.values.model import ImageFiles

FOLDER, CLOSED = "review", "judgments"
MOST_TASKS = 200
WAY_OUT = "Correct the line; until then this task cannot be used."

# A task file:
#
#     title = "Chest radiographs"
#     form = "graded"                  # or preference, panel, ratings, material
#     systems = ["hog", "texture"]
#     queries = 10                     # drawn by the seed; or ids: ["img_1", "img_7"]
#     depth = 5                        # results of each list
#     scale = 5                        # steps, or 100
#     seed = 1
#     instructions = "Would this image help you with the first one?"
#     reasons = ["modality", "organ"]  # to tick
#     criteria = ["faithful"]          # of the form material
#     panel = true                     # also ask how satisfying each list is as a whole
#
# Only title, form, systems and queries must be there.


def task_text(task: Task) -> str:
    """The file of a task."""
    content = record_of(task)
    empty = [key for key in ("instructions", "criteria") if not content[key]]
    return tomlkit.dumps({key: content[key] for key in content if key not in ("name", *empty)})


@reader(lambda _: None)
def parse_task(data: bytes, problems: Problems, *, name: str) -> Task | None:
    """Read a task file. Everything wrong with it is listed; a task with errors is None, as half of what was
    meant would be judged in its place."""
    top, text = read_toml(data, problems, way_out=WAY_OUT)
    if top is None:
        return None
    read_values(top, _KEYS, text, problems, remedy=WAY_OUT)
    task, wrong = validate(Task, {**top, "name": name})
    report_wrong(problems, wrong, WAY_OUT, partial(line_that_sets, text))
    return None if problems.n_errors else task


_KEYS: Model = {
    key: Value("as `validate` says", lambda value: value)
    for key in record_of(Task(name="", title="", form="graded", systems=(), queries=1))
    if key != "name"
}


def read_tasks(study: Path) -> tuple[tuple[Task, ...], Report]:
    """The tasks of a study by name; one with errors is left out, and all its errors are in the report."""
    tasks, report = [], Report()
    for path in _task_files(study):
        task, problems = parse_file(parse_task, path, None, file=f"{FOLDER}/{path.name}", name=path.stem)
        report += problems
        if task is not None and task.form == "material":
            task, problems = _with_material(task, path)
            report += problems
        tasks += [] if task is None else [task]
    return tuple(tasks), report


def read_task(study: Path, name: str) -> Task:
    """A task by name.

    Raises
    ------
    UnknownName
        There is none of that name.
    InputError
        Its file has errors; all of them are in the report.
    """
    tasks, report = read_tasks(study)
    for task in tasks:
        if task.name == name:
            return task
    file = f"{FOLDER}/{name}.toml"
    if report.of_file(file).total("error"):
        raise InputError(f"The task {name!r} has errors. Correct {file}.", report.of_file(file))
    raise UnknownName("task", name, [task.name for task in tasks], "`review make` writes one.")


def _task_files(study: Path) -> Sequence[Path]:
    """Not hidden ones, nor links that lead outside."""
    root = Path(os.path.realpath(study))
    try:
        paths = sorted((study / FOLDER).glob("[!.]*.toml"))
        inside = [path for path in paths if Path(os.path.realpath(path)).is_relative_to(root)]
        return [path for path in inside if path.is_file()][: MOST_TASKS + 1]
    except OSError:
        return ()


def save_task(
    study: Path,
    task: Task,
    *,
    in_place: bool = False,
    replace: bool = False,
    beside: Mapping[str, Path | bytes] = MappingProxyType({}),
) -> None:
    """Write a task into a study, and the study's id with its first one.

    ``beside`` {place in the study: file, or its content} is put there first, as of `files_beside`.

    Raises
    ------
    InputError
        A task that cannot be, or is there already and is not to be replaced; a folder that may not be
        changed, or cannot be. Nothing is changed then.
    """
    file = f"{FOLDER}/{task.name}.toml"
    check(file, [task], "Nothing was written.")
    if task.name == PRACTICE:
        raise InputError(f"{PRACTICE!r} is the task for practice. Choose another name.")
    with ExitStack() as later, changed(study, in_place=in_place, file=file, what="The task") as change:
        folder = study / FOLDER
        if folder.is_symlink():
            raise InputError(f"{FOLDER} is a link, so nothing is written there. Make it a folder.")
        taken = [place for place in (file, *beside) if os.path.lexists(study / place)]
        if file in taken and not replace:
            remedy = "Choose another name: judgments of the older task would be read as of this one."
            raise InputError(f"There is a task {task.name!r} already. {remedy}")
        if taken and not replace:
            raise InputError(f"There is a file {taken[0]} already. Choose another name for the task.")
        if file not in taken and len(_task_files(study)) >= MOST_TASKS:
            raise InputError(f"A study has at most {MOST_TASKS} tasks; remove one first.")
        if not os.path.lexists(study / ID_FILE):
            change.put(ID_FILE, f"{later.enter_context(store.moving_in(study))}\n".encode())
        for place, source in beside.items():
            inside = (study / place).parent
            if any(path.is_symlink() for path in (inside, *inside.parents) if path.is_relative_to(folder)):
                raise InputError(f"{place} would be behind a link. Make its folder a folder.")
            change.put(place, source if isinstance(source, bytes) else content_of(source, source.name))
        change.put(file, task_text(task).encode())


def keep_id(study: Path) -> None:
    """Write the id of a study into it where only its path is known, before it moves: its judgments stay its
    own, and the path is free for another study. Raises InputError where it cannot be written."""
    if os.path.lexists(study / ID_FILE) or store.known_id(study) is None:
        return
    with store.moving_in(study) as identity, changed(study, what="The id of the study") as change:
        change.put(ID_FILE, f"{identity}\n".encode())


# The way out: what counts of the answers to a task, in the study's own folder of judgments.


def is_closed(study: Path, task: Task) -> bool:
    """Whether the answers to a task are in the study, so that systems may be named."""
    return task.name != PRACTICE and (study / CLOSED / f"{task.name}.csv").is_file()


def answers_file(task: Task, judgments: Iterable[Judgment]) -> tuple[str, int]:
    """What counts of the answers of people to a task, as `study.reader_judgments` reads it; how many.

    Of the form material the team is named in place of the material. "Cannot say" is a value below 0; of two
    lists it is left out.
    """
    teams = {key: each.team for key, each in material_by_key(task).items()}
    rows = []
    for judgment in current(judgments):
        if judgment.task != task.name or judgment.simulated:
            continue
        system, other = (*judgment.systems, "", "")[:2]
        result = judgment.result
        if result in teams:
            system, result = teams[result], ""
        if judgment.value is None and judgment.kind == "preference":
            continue
        value = repr(-1.0 if judgment.value is None else judgment.value)
        texts = (judgment.reader, judgment.query, result, system, other, judgment.criterion)
        notes = ("; ".join(judgment.reasons), judgment.comment)
        rows.append((*texts, str(task.depth), value, *notes, judgment.at.isoformat()))
    return "".join(file_lines(rows)), len(rows)


def close_task(study: Path, task: Task, judgments: Iterable[Judgment], *, in_place: bool = False) -> int:
    """Write ``judgments/NAME.csv``, over an earlier one of the task; how many answers are in it.

    Raises
    ------
    InputError
        The task for practice; no answer of a person; a folder that may not be changed, or a file of that
        name that is not one of this task.
    """
    file = f"{CLOSED}/{task.name}.csv"
    if task.name == PRACTICE:  # whatever file has that name
        raise InputError("Answers to the task for practice are not exported. Make a task with `review make`.")
    text, n = answers_file(task, judgments)
    if not n:
        raise InputError(f"No reader has answered the task {task.name!r} yet.")
    with changed(study, in_place=in_place, file=file, what="The judgments") as change:
        there = study / file
        if os.path.lexists(there):
            head = content_of(there, file).partition(b"\n")[0].decode("utf-8", "replace")
            if there.is_symlink() or head != ",".join(FIELDS):
                raise InputError(f"{file} is another file of judgments. Rename it, or the task.")
        answers = change.put(file, text.encode())
        counted = change.layout.files["judgments"]
        if answers not in counted:
            change.name("judgments", [*counted, answers])
    return n


# The material of a task: a table, such as
#
#     image,team,caption,explanation,heat_map
#     img_1,A,Chest nodule,The bright spot in the right lung.,a_1.png
#
# image and team must be there, and one of the others. A heat map is a picture in the task's folder.

COLUMNS = ("image", "team", "caption", "explanation", "heat_map")
MATERIAL = Schema(
    tuple(
        Column((name, name.replace("_", " ")), required=name in COLUMNS[:2], empty=None) for name in COLUMNS
    ),
    remedy=f"Name the columns {', '.join(COLUMNS)}; put a text that contains commas into double quotes.",
)
MOST_ROWS = 20_000


@reader(lambda _: ())
def parse_material(data: bytes, problems: Problems, *, teams: Sequence[str] = ()) -> tuple[Material, ...]:
    """Read the table; every row that cannot be used is an error, and so is a team that ``teams`` leaves out.

    Without ``teams`` any team can be there.
    """
    rows = load(data, MATERIAL, problems)
    if rows is None:
        return ()
    if not any(map(rows.has, COLUMNS[2:])):
        problems.error("wrong-header", "Columns are missing.", MATERIAL.remedy, line=1)
        return ()
    if rows.rows > MOST_ROWS:
        message = f"There are {rows.rows:,} rows; at most {MOST_ROWS:,}."
        problems.error("too-many-rows", message, "Leave some out.")
        return ()
    lines: dict[tuple[str, str], int] = {}
    result = []
    for line, *cells in zip(rows.lines.tolist(), *map(rows.texts, COLUMNS), strict=True):
        image, team, caption, explanation, heat_map = cells
        caption, explanation = (tidy(text, MAX_COMMENT + 1) for text in (caption, explanation))
        material = Material(image, team, caption, explanation, heat_map)
        if wrong := _wrong_material(material, teams, lines):
            rule, message, way_out = wrong
            problems.error(rule, message, way_out, line=line, value=image)
            continue
        lines[image, team] = line
        result.append(material)
    if not result and not problems.n_errors:
        problems.error("no-rows", "There are no rows below the header.", "Add some.", line=1)
    return tuple(result)


def _wrong_material(
    material: Material, teams: Sequence[str], lines: Mapping[tuple[str, str], int]
) -> tuple[str, str, str] | None:
    """Rule, message and remedy of what is wrong with a row."""
    image, team = tables.quoted(material.image), tables.quoted(material.team)
    if not is_line(material.image, MAX_TEXT):
        return "bad-id", f"The image {image} is not an id.", "Write the id of an image."
    if not is_line(material.team, MAX_TEXT):
        return "bad-team", f"The team {team} is not a name.", "Write the team, on one line."
    if teams and material.team not in teams:
        return "unknown-team", f"{team} is not a system of the task.", f"The task names {', '.join(teams)}."
    for name in ("caption", "explanation"):
        if len(getattr(material, name)) > MAX_COMMENT:
            message = f"The {name} is longer than {MAX_COMMENT:,} characters; the row is left out."
            return "too-long", message, "Shorten it."
    if not (material.text or material.heat_map):
        return "empty-row", "The row has neither text nor heat map.", "Fill one of them."
    if (first := lines.get((material.image, material.team))) is not None:
        message = f"{material.team} has {material.image} on line {first} already."
        return "repeated-row", message, "Keep one row for an image of a team."
    return None


def _with_material(task: Task, path: Path) -> tuple[Task | None, Report]:
    """The task with the table beside its file; None where that, or a heat map of it, cannot be used."""
    table = path.with_suffix(".csv")
    file = f"{FOLDER}/{table.name}"
    if not table.is_file() or table.is_symlink():
        problems = Problems(file)
        problems.error("missing-file", "The table of the material is missing.", f"Put it at {file}.")
        return None, problems.report()
    material, pictures, report = _read_material(table, file, teams=task.systems)
    bad = bool(report.total("error"))
    return (None if bad else replace(task, material=material, heat_maps=pictures)), report


def _read_material(
    table: Path, file: str, *, teams: Sequence[str]
) -> tuple[tuple[Material, ...], ImageFiles | None, Report]:
    nothing: tuple[Material, ...] = ()
    material, report = parse_file(parse_material, table, nothing, file=file, teams=teams)
    folder, names, problems = table.with_suffix(""), heat_map_names(material), Problems(file)
    pictures = None
    if names and folder.is_dir() and not folder.is_symlink():
        pictures, missing = find_images(folder, names, file=file)
        report += missing
    for place, name in enumerate(names):
        if pictures is None or pictures.entries[place] is None:
            message, remedy = f"There is no heat map {tables.quoted(name)}.", f"Put it into {folder.name}."
            problems.error("missing-picture", message, remedy, value=name)
    return material, pictures, report + problems.report()


def read_material(
    table: Path, *, teams: Sequence[str] = ()
) -> tuple[tuple[Material, ...], ImageFiles | None]:
    """A table anywhere and its heat maps, in the folder that is called like it without its ending.

    Raises
    ------
    InputError
        A row or a heat map cannot be used; the report has all of them.
    """
    material, pictures, report = _read_material(table, table.name, teams=teams)
    if report.total("error"):
        raise InputError(f"The material {table.name} cannot be used.", report)
    return material, pictures


def uploaded_material(
    files: Sequence[tuple[str, bytes]], name: str
) -> tuple[tuple[Material, ...], dict[str, bytes]]:
    """The material of uploaded files, one table and its heat maps, as (name, content); and {place in a study:
    content} of them beside a task called ``name``.

    Raises
    ------
    InputError
        Not one table, a heat map that is missing, is in no row or is no picture by its name, or a row that
        cannot be used; the report has all of them.
    """
    csv_files = [(file, data) for file, data in files if file.lower().endswith(".csv")]
    if len(csv_files) != 1:
        raise InputError(f"Give one table (CSV) of explanations, with the columns {', '.join(COLUMNS)}.")
    (file, table), problems = csv_files[0], Problems(csv_files[0][0])
    material, report = parse_material(table, file=file)
    pictures = {other: data for other, data in files if not other.lower().endswith(".csv")}
    wanted = heat_map_names(material)
    for missing in sorted({*wanted} - {*pictures}):
        message = f"There is no heat map {tables.quoted(missing)}."
        problems.error("missing-picture", message, "Upload it with the table.", value=missing)
    for other in pictures:
        if other not in wanted:
            message = f"{tables.quoted(other)} is the heat map of no row."
            problems.error("unused-picture", message, "Name it in the table, or leave it out.", value=other)
        elif other != Path(other).name or "\\" in other or other.startswith(".") or not is_picture(other):
            message = f"{tables.quoted(other)} is not the name of a picture."
            problems.error("bad-picture", message, "Rename it, such as a_1.png.", value=other)
    report += problems.report()
    if report.total("error"):
        raise InputError(f"The table {file} cannot be used.", report)
    beside = {f"{FOLDER}/{name}/{other}": data for other, data in pictures.items()}
    return material, {**beside, f"{FOLDER}/{name}.csv": table}


def files_beside(name: str, table: Path, pictures: ImageFiles | None) -> dict[str, Path]:
    """{place in a study: file} of the table and heat maps of a task of this name, heat maps first."""
    entries = [entry for entry in pictures.entries if entry] if pictures else []
    maps = {f"{FOLDER}/{name}/{entry}": table.with_suffix("") / entry for entry in entries}
    return {**maps, f"{FOLDER}/{name}.csv": table}


def heat_map_names(material: Sequence[Material]) -> list[str]:
    """The names of all heat maps, sorted, each once."""
    return sorted({each.heat_map for each in material if each.heat_map})
