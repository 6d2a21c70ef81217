"""The tasks of a study, in ``review/`` beside its other files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcore.features.review.read.material_files import heat_maps, parse_material
from evalcore.features.review.read.store import FILE as ID_FILE
from evalcore.features.review.read.store import known_id, moving_in
from evalcore.features.review.tasks import (
    BY_CRITERIA,
    FORMS,
    MAX_DEPTH,
    MAX_NAME,
    MAX_QUERIES,
    MAX_REASON,
    MAX_REASONS,
    MAX_SEED,
    MAX_SYSTEMS,
    MAX_TEXT,
    REASONS,
    SCALES,
    Task,
    is_line,
)
from evalcore.study.folder.layout import read_layout
from evalcore.study.folder.toml import line_that_sets, read_toml, report_unknown_key, toml_text
from evalcore.study.tables.files import content_of, parse_file
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.workspace.change import changed
from evalcore.study.workspace.file_names import safe_name
from evalcore.values.errors import InputError, Report, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.features.review.tasks import Material

# A task file, ``review/NAME.toml`` of a study:
#
# title = "Chest radiographs" form = "graded" # or preference, panel, ratings systems = ["hog", "texture"]
# queries = 10 # drawn by the seed; or ids: queries = ["img_1", "img_7"] depth = 5 # results of each list
# scale = 5 # steps, or 100 seed = 1 instructions = "Would this image help you with the first one?" reasons
# = ["modality", "organ"] # to tick criteria = ["faithful", "clear"] # of the form ratings panel = true #
# also ask how satisfying each list is as a whole
#
# Only title, form, systems and queries must be there.

MAX_TITLE, MAX_INSTRUCTIONS = 120, 4_000
WAY_OUT = "Correct the line; until then this task cannot be used."
_ROOM = 200_000
"""Characters of all ids of queries together: a task file stays a small file."""


def is_task_name(name: str) -> bool:
    """Whether a task, and so its file, can be called so on every system.

    >>> is_task_name("chest-2026"), is_task_name("../chest"), is_task_name("con")
    (True, False, False)
    """
    return len(name) <= MAX_NAME and safe_name(name) == name and not name.endswith(".judgments")


def task_text(task: Task) -> str:
    """The file of a task."""
    content: dict[str, Any] = {
        "title": task.title,
        "form": task.form,
        "systems": list(task.systems),
        "queries": list(task.queries) or task.draw,
        "depth": task.depth,
        "scale": task.scale,
        "seed": task.seed,
        "instructions": task.instructions,
        "reasons": list(task.reasons),
        "criteria": list(task.criteria),
        "panel": task.panel,
    }
    empty = [key for key in ("instructions", "criteria") if not content[key]]
    return toml_text({key: value for key, value in content.items() if key not in empty})


def check_task(task: Task) -> None:
    """InputError, with everything that is wrong, for a task that no file could hold."""
    file = f"review/{task.name}.toml"
    back, report = parse_task(task_text(task).encode("utf-8", "surrogatepass"), name=task.name, file=file)
    if back != task:
        raise InputError("This task cannot be written.", report)


@reader(lambda _: None)
def parse_task(data: bytes, problems: Problems, *, name: str) -> Task | None:
    """Read a task file. Everything wrong with it is listed; a task with errors is None, as half of what was
    meant would be judged in its place."""
    if not is_task_name(name):
        rule = f"letters, digits, - and _, at most {MAX_NAME} characters"
        problems.error("bad-name", f"A task file must be called by {rule}.", "Rename the file.", value=name)
    top, text = read_toml(data, problems, way_out=WAY_OUT)
    if top is None:
        return None
    fields = _Fields(top, text, problems)
    task = fields.task(name)
    return None if problems.n_errors else task


class _Fields:
    """The values of a task file, checked one by one."""

    def __init__(self, top: Mapping[str, Any], text: str, problems: Problems) -> None:
        self._top, self._text, self._found = top, text, problems

    def task(self, name: str) -> Task:
        """The task as far as it can be read."""
        for key in self._top:
            if key not in _KEYS:
                message = f"Nothing of a task is called {key!r}."
                report_unknown_key(self._found, self._text, key, _KEYS, message)
        queries, draw = self._queries()
        task = Task(
            name=name,
            title=self._get("title", "", _is_title, f"one line of at most {MAX_TITLE} characters", must=True),
            form=self._get("form", "graded", _one_of(FORMS), f"one of {', '.join(FORMS)}", must=True),
            systems=self._lines("systems", (), MAX_SYSTEMS, MAX_TEXT, must=True),
            queries=queries,
            draw=draw,
            depth=self._get("depth", 5, _whole(1, MAX_DEPTH), f"a whole number from 1 to {MAX_DEPTH}"),
            scale=self._get("scale", 5, _one_of(SCALES), "5 (steps) or 100 (0 to 100)"),
            seed=self._get("seed", 0, _whole(0, MAX_SEED), "a whole number from 0 on"),
            instructions=self._get(
                "instructions",
                "",
                _is_instructions,
                f"a text of at most {MAX_INSTRUCTIONS:,} characters, without control signs",
            ),
            reasons=self._lines("reasons", REASONS, MAX_REASONS, MAX_REASON),
            criteria=self._lines("criteria", (), MAX_REASONS, MAX_NAME),
            panel=self._get("panel", False, lambda value: type(value) is bool, "true or false"),
        )
        self._together(task)
        return task

    def _together(self, task: Task) -> None:
        """What only the values together can have wrong."""
        if task.form == "preference" and len(task.systems) == 1:
            self._wrong("systems", "at least two systems for the form preference", list(task.systems))
        by_criteria = task.form in BY_CRITERIA
        if by_criteria and not task.criteria and "criteria" not in self._top:
            self._missing("criteria", f'at least one criterion for the form {task.form}, as in ["faithful"]')
        if by_criteria and self._top.get("criteria") == []:
            self._wrong("criteria", f"at least one criterion for the form {task.form}", [])
        if not by_criteria and task.criteria:
            self._wrong("criteria", "left out unless the form is ratings or material", list(task.criteria))

    def _queries(self) -> tuple[tuple[str, ...], int]:
        given = self._top.get("queries")
        rule = f"how many to draw, from 1 to {MAX_QUERIES:,}, or a list of as many different ids"
        if given is None:
            self._missing("queries", rule)
        elif _whole(1, MAX_QUERIES)(given):
            return (), int(given)
        elif given != [] and _are_lines(MAX_QUERIES, MAX_TEXT)(given) and sum(map(len, given)) <= _ROOM:
            return tuple(given), 0
        else:
            self._wrong("queries", rule, given)
        return (), 0

    def _lines(
        self, key: str, usual: tuple[str, ...], most: int, longest: int, *, must: bool = False
    ) -> tuple[str, ...]:
        number = f"1 to {most}" if must else f"at most {most}"
        rule = f"a list of {number} different lines of at most {longest} characters"
        fits = _are_lines(most, longest)
        result = self._get(key, usual, lambda value: fits(value) and bool(value or not must), rule, must=must)
        return tuple(result)

    def _get(
        self, key: str, usual: Any, fits: Callable[[Any], bool], rule: str, *, must: bool = False
    ) -> Any:
        if key not in self._top:
            if must:
                self._missing(key, rule)
            return usual
        if fits(self._top[key]):
            return self._top[key]
        self._wrong(key, rule, self._top[key])
        return usual

    def _missing(self, key: str, rule: str) -> None:
        self._found.error(
            "missing-key", f"A task needs `{key}`: {rule}.", f"Add a line: {key} = …", value=key
        )

    def _wrong(self, key: str, rule: str, value: object) -> None:
        message = f"`{key}` must be {rule}."
        line = line_that_sets(self._text, key)
        self._found.error("wrong-value", message, WAY_OUT, line=line, value=value)


def _one_of(allowed: tuple[Any, ...]) -> Callable[[Any], bool]:
    return lambda value: type(value) is type(allowed[0]) and value in allowed


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and low <= value <= high


def _are_lines(most: int, longest: int) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        return (
            isinstance(value, list)
            and len(value) <= most
            and all(isinstance(one, str) and is_line(one, longest) for one in value)
            and len({*value}) == len(value)
        )

    return fits


def _is_title(value: Any) -> bool:
    return isinstance(value, str) and is_line(value, MAX_TITLE)


def _is_instructions(value: Any) -> bool:
    if not isinstance(value, str) or len(value) > MAX_INSTRUCTIONS:
        return False
    plain = value.replace("\n", "").replace("\t", "")
    return not plain or plain.isprintable()


_KEYS = (
    "title",
    "form",
    "systems",
    "queries",
    "depth",
    "scale",
    "seed",
    "instructions",
    "reasons",
    "criteria",
    "panel",
)

FOLDER = "review"
MOST = 200
"""Files of one kind in the folder."""


def read_tasks(study: Path) -> tuple[tuple[Task, ...], Report]:
    """The tasks of a study by name; one with errors is left out, and all its errors are in the report."""
    tasks, report = [], Report()
    for path in files_of(study, ".toml"):
        task, said = parse_file(parse_task, path, None, file=f"{FOLDER}/{path.name}", name=path.stem)
        report += said
        if task is not None and task.form == "material":
            task, said = _with_material(task, path)
            report += said
        tasks += [task] if task is not None else []
    return tuple(tasks), report


def _with_material(task: Task, path: Path) -> tuple[Task | None, Report]:
    """The task with the table beside its file; None where that, or a heat map of it, cannot be used."""
    table = path.with_suffix(".csv")
    file = f"{FOLDER}/{table.name}"
    if not table.is_file() or table.is_symlink():
        problems = Problems(file)
        problems.error("missing-file", "The table of the material is missing.", f"Put it at {file}.")
        return None, problems.report()
    nothing: tuple[Material, ...] = ()
    material, report = parse_file(parse_material, table, nothing, file=file, teams=task.systems)
    pictures, found = heat_maps(path.with_suffix(""), material, file=file)
    report += found
    bad = bool(report.total("error"))
    return (None if bad else replace(task, material=material, heat_maps=pictures)), report


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
    data = task_text(task).encode("utf-8", "surrogatepass")
    check_task(task)
    with changed(study, in_place=in_place, file=file, what="The task") as change:
        folder = study / FOLDER
        if folder.is_symlink():
            raise InputError(f"{FOLDER} is a link, so nothing is written there. Make it a folder.")
        there = os.path.lexists(study / file)
        taken = [place for place in beside if os.path.lexists(study / place)]
        if there and not replace:
            remedy = "Choose another name: judgments of the older task would be read as of this one."
            raise InputError(f"There is a task {task.name!r} already. {remedy}")
        if taken and not replace:
            raise InputError(f"There is a file {taken[0]} already. Choose another name for the task.")
        if not there and len(files_of(study, ".toml")) >= MOST:
            raise InputError(f"A study keeps at most {MOST} tasks; remove one first.")
        change.make_folder(folder)
        if not os.path.lexists(study / ID_FILE):
            with moving_in(study) as identity:
                change.put(ID_FILE, f"{identity}\n".encode())
        for place, source in beside.items():
            inside = (study / place).parent
            if any(path.is_symlink() for path in (inside, *inside.parents) if path.is_relative_to(folder)):
                raise InputError(f"{place} would be behind a link. Make its folder a folder.")
            change.make_folder(inside)
            change.put(place, source if isinstance(source, bytes) else content_of(source, source.name))
        change.put(file, data)


def keep_id(study: Path) -> None:
    """Write the id of a study into it where only its path is known, before it moves: its judgments stay its
    own, and the path is free for another study. Raises InputError where it cannot be written."""
    if os.path.lexists(study / ID_FILE) or known_id(study) is None:
        return
    with changed(study, in_place=False, file=ID_FILE, what="The id of the study") as change:
        change.make_folder(study / FOLDER)
        with moving_in(study) as identity:
            change.put(ID_FILE, f"{identity}\n".encode())


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
