"""The tasks of a study, in ``review/`` beside its other files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.features.review.read.identity import FILE as ID_FILE
from evalcore.features.review.read.identity import moving_in
from evalcore.features.review.read.task_toml import check_task, parse_task, task_text
from evalcore.study.folder.layout import read_layout
from evalcore.study.tables.lines import parse_file
from evalcore.study.workspace.change import changed
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.problems import Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.review.tasks import Task

FOLDER = "review"
MOST = 200
"""Files of one kind in the folder."""


def read_tasks(study: Path) -> tuple[tuple[Task, ...], Report]:
    """The tasks of a study by name; one with errors is left out, and all its errors are in the report."""
    tasks, report = [], Report()
    for path in files_of(study, ".toml"):
        task, said = parse_file(parse_task, path, None, file=f"{FOLDER}/{path.name}", name=path.stem)
        report += said
        tasks += [task] if task is not None else []
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
        raise InputError(f"The task {name!r} has errors. Mend {file}.", report.of_file(file))
    raise UnknownName("task", name, [task.name for task in tasks], "`review make` writes one.")


def save_task(study: Path, task: Task, *, in_place: bool = False, replace: bool = False) -> None:
    """Write a task into a study, and the study's id with its first one.

    Raises
    ------
    InputError
        A task that cannot be, or is there already and is not to be replaced; a folder that may not be
        changed, or cannot be. Nothing is changed then.
    """
    file = f"{FOLDER}/{task.name}.toml"
    data = task_text(task).encode("utf-8", "surrogatepass")
    check_task(task)
    with changed(study, in_place=in_place, file=file, what="The task") as change:
        folder = study / FOLDER
        if folder.is_symlink():
            raise InputError(f"{FOLDER} is a link, so nothing is written there. Make it a folder.")
        if os.path.lexists(study / file) and not replace:
            remedy = "Choose another name: judgments of the older task would be read as of this one."
            raise InputError(f"There is a task {task.name!r} already. {remedy}")
        if len(files_of(study, ".toml")) >= MOST:
            raise InputError(f"A study keeps at most {MOST} tasks; remove one first.")
        change.make_folder(folder)
        if not os.path.lexists(study / ID_FILE):
            with moving_in(study) as identity:
                change.put(ID_FILE, f"{identity}\n".encode())
        change.put(file, data)


def check_folder(study: Path) -> None:
    """InputError when there is no such study folder: else it would merely have no tasks and no judgments."""
    read_layout(study)


def files_of(study: Path, ending: str) -> Sequence[Path]:
    """The files of the review folder with an ending; not hidden ones, nor links that lead outside."""
    folder = study / FOLDER
    try:
        paths = sorted(path for path in folder.iterdir() if path.name.endswith(ending))
    except OSError:
        return ()
    root = Path(os.path.realpath(study))
    kept = [
        path
        for path in paths
        if path.name[0] != "." and path.is_file() and Path(os.path.realpath(path)).is_relative_to(root)
    ]
    return kept[: MOST + 1]
