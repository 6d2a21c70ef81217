"""The files of a study that are about tasks: what readers are asked, and what they answered.

- ``review/NAME.toml``: a task; beside one of the form material ``review/NAME.csv`` with its heat maps in
  ``review/NAME/``;
- ``judgments/NAME.csv``: the answers to a task that is closed (see `close_task`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

import tomlkit

from evalcore.features.review import records, store
from evalcore.features.review.items import PRACTICE, material_by_key
from evalcore.features.review.records import Judgment, Material, Task
from evalcore.features.review.store import ID_FILE
from evalcore.study.folder.toml import Model, Value, line_that_sets, read_toml, read_values
from evalcore.study.parts.images import find_images, is_picture
from evalcore.study.reader_judgments import file_lines
from evalcore.study.tables.files import content_of, reader
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, Rule, guarded, quoted
from evalcore.study.tables.schema import NO_ROWS, Column, Schema
from evalcore.study.workspace.change import changed
from evalcore.values.errors import InputError, Report, UnknownName

FOLDER, CLOSED = "review", "judgments"
MOST_TASKS = 200
WAY_OUT = "Correct the line; until then this task cannot be used."

# A task file:
#
#     title = "Chest radiographs"
#     form = "graded"                  # or preference, panel, material
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
    content = records.record_of(task)
    empty = [key for key in ("instructions", "criteria") if not content[key]]
    return tomlkit.dumps({key: content[key] for key in content if key not in ("name", *empty)})


@reader(lambda _: None)
def parse_task(data: bytes, problems: Problems, *, name: str) -> Task | None:
    """Read a task file. Everything wrong with it is listed; a task with errors is None, as half of what was
    meant would be judged in its place."""
    top, text = read_toml(data, problems, way_out=WAY_OUT)
    read_values(top, _KEYS, text, problems, remedy=WAY_OUT)
    task, wrong = records.validate(Task, {**top, "name": name})
    records.report_wrong(problems, wrong, WAY_OUT, partial(line_that_sets, text))
    return None if problems.n_errors else task


_KEYS: Model = {
    key: Value("as `validate` says", lambda value: value)
    for key in records.record_of(Task(name="", title="", form="graded", systems=(), queries=1))
    if key != "name"
}


def read_tasks(study: Path) -> tuple[tuple[Task, ...], Report]:
    """The tasks of a study by name; one with errors is left out, and all its errors are in the report."""
    tasks, report = [], Report()
    for path in _task_files(study):
        task, problems = parse_task(path, file=f"{FOLDER}/{path.name}", name=path.stem)
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
        There is no task of that name.
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

    ``beside`` {place in the study: file, or its content} is put there first, as of `new_material`.

    Raises
    ------
    InputError
        A task with wrong values, or that is there already and is not to be replaced, or has judgments; a
        folder that may not be changed, or cannot be. Nothing is changed then.
    """
    file = f"{FOLDER}/{task.name}.toml"
    records.checked(file, [task], "Nothing was written.")
    if task.name == PRACTICE:
        raise InputError(f"{PRACTICE!r} is the task for practice. Choose another name.")
    with ExitStack() as later, changed(study, in_place=in_place, file=file, what="The task") as change:
        folder = study / FOLDER
        if folder.is_symlink():
            raise InputError(f"{FOLDER} is a link, so nothing is written there. Make it a folder.")
        taken = [place for place in (file, *beside) if os.path.lexists(study / place)]
        if file in taken and not replace:
            raise InputError(f"There is a task {task.name!r} already. Choose another name.")
        if is_closed(study, task) or store.judgments_of(study, task=task.name):
            remedy = "They would count as answers to this one: choose another name."
            raise InputError(f"There are judgments of a task {task.name!r}. {remedy}")
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
    """Whether the answers to a task are in the study: it is no longer judged, and systems may be named."""
    return task.name != PRACTICE and (study / CLOSED / f"{task.name}.csv").is_file()


def answers_file(task: Task, judgments: Iterable[Judgment]) -> tuple[str, int]:
    """What counts of the answers of people to a task, as `study.reader_judgments` reads it; how many.

    Of the form material the team is named in place of the material. "Cannot say" is a value below 0; of two
    lists it is left out.
    """
    teams = {key: each.team for key, each in material_by_key(task).items()}
    rows = []
    for judgment in records.current(judgments):
        if judgment.task != task.name:
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
    """Write ``judgments/NAME.csv``; how many answers are in it.

    Raises
    ------
    InputError
        The task for practice; no answer; a folder that may not be changed, or that has a file of that name:
        it may have answers of readers elsewhere.
    """
    file = f"{CLOSED}/{task.name}.csv"
    if task.name == PRACTICE:  # whatever file has that name
        raise InputError("Answers to the task for practice are not exported. Make a task with `review make`.")
    text, n = answers_file(task, judgments)
    if not n:
        raise InputError(f"No reader has answered the task {task.name!r} yet.")
    with changed(study, in_place=in_place, file=file, what="The judgments") as change:
        if os.path.lexists(study / file):
            raise InputError(f"There is a file {file} already. To close the task again, remove or rename it.")
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
    keys=COLUMNS[:2],
    duplicate=Rule(
        "repeated-row", "'{value}' is on line {first} already.", "Keep one row for an image of a team."
    ),
    no_rows=NO_ROWS,
)
MOST_ROWS = 20_000


@reader(lambda _: ())
def parse_material(data: bytes, problems: Problems, *, teams: Sequence[str] = ()) -> tuple[Material, ...]:
    """Read the table; every row that cannot be used is an error, and so is a team that ``teams`` leaves out.

    Without ``teams`` any team can be there.
    """
    rows = read(data, MATERIAL, problems)
    if rows.rows and not any(map(rows.has, COLUMNS[2:])):
        problems.refuse("wrong-header", "Columns are missing.", MATERIAL.remedy, line=1)
    if rows.rows > MOST_ROWS:
        message = f"There are {rows.rows:,} rows; at most {MOST_ROWS:,}."
        problems.refuse("too-many-rows", message, "Leave some out.")
    result = []
    for line, *cells in zip(rows.lines.tolist(), *map(rows.texts, COLUMNS), strict=True):
        record = dict(zip(COLUMNS, cells, strict=True))
        record |= {
            name: records.tidy(record[name], records.MAX_COMMENT + 1) for name in ("caption", "explanation")
        }
        material, wrong = records.validate(Material, record)
        records.report_wrong(problems, wrong, "Correct the row.", lambda _, line=line: line)  # type: ignore[misc]
        if material is not None and teams and material.team not in teams:
            message = f"{quoted(material.team)} is not a system of the task."
            remedy = f"The task names {', '.join(teams)}."
            problems.error("unknown-team", message, remedy, line=line, value=material.team)
        elif material is not None:
            result.append(material)
    return tuple(result)


def _with_material(task: Task, path: Path) -> tuple[Task | None, Report]:
    """The task with the table beside its file; None where that, or a heat map of it, cannot be used."""
    table = path.with_suffix(".csv")
    folder, file = table.with_suffix(""), f"{FOLDER}/{table.name}"
    problems, pictures = Problems(file), None
    if not table.is_file() or table.is_symlink():
        problems.error("missing-file", "The table of the material is missing.", f"Put it at {file}.")
        return None, problems.report()
    material, report = parse_material(table, file=file, teams=task.systems)
    names = heat_map_names(material)
    if names and folder.is_dir() and not folder.is_symlink():
        pictures = guarded(problems, partial(find_images, folder, names), None)
    for place, name in enumerate(names):
        if pictures is None or pictures.entries[place] is None:
            _report_missing(problems, name, f"Put it into {folder.name}.")
    report += problems.report()
    if report.total("error"):
        return None, report
    return replace(task, material=material, heat_maps=pictures), report


def new_material(
    table: bytes, pictures: Mapping[str, Path | bytes], *, file: str, task: str, teams: Sequence[str] = ()
) -> tuple[tuple[Material, ...], dict[str, Path | bytes]]:
    """The material of a table from elsewhere; and {place in a study: content} of it beside a task.

    Parameters
    ----------
    table, file : its content, and its name for messages.
    pictures : heat maps by name, or the files they are in; those that no row names are left out.
    task : the name of the task.
    teams : those that can be there; without them any.

    Raises
    ------
    InputError
        A row cannot be used, or a heat map is missing or is no picture by its name; the report has all.
    """
    material, report = parse_material(table, file=file, teams=teams)
    problems, names = Problems(file), heat_map_names(material)
    for name in names:
        if name not in pictures:
            _report_missing(problems, name, "Put it beside the table, or leave it out.")
        elif name != Path(name).name or "\\" in name or name.startswith(".") or not is_picture(name):
            message = f"{quoted(name)} is not the name of a picture."
            problems.error("bad-picture", message, "Rename it, such as a_1.png.", value=name)
    report += problems.report()
    if report.total("error"):
        raise InputError(f"The table {file} cannot be used.", report)
    beside = {f"{FOLDER}/{task}/{name}": pictures[name] for name in names}
    return material, {**beside, f"{FOLDER}/{task}.csv": table}


def _report_missing(problems: Problems, name: str, remedy: str) -> None:
    problems.error("missing-picture", f"There is no heat map {quoted(name)}.", remedy, value=name)


def heat_map_names(material: Sequence[Material]) -> list[str]:
    """The different names of heat maps, sorted."""
    return sorted({each.heat_map for each in material if each.heat_map})
