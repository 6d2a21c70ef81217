"""The tasks of a study, in ``review/`` beside its other files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcore.features.review.adaptive.course import CLAIMS
from evalcore.features.review.adaptive.setup import AT_MOST, NO_PRIOR, OF_FORMS, Adaptive
from evalcore.features.review.diagnosis.reading import ALONE
from evalcore.features.review.diagnosis.setup import (
    DESIGNS,
    DETAILS,
    FROM_FILE,
    MAX_ARMS,
    MAX_CHOICE,
    MAX_CHOICES,
    MAX_WASHOUT,
    OF_LABELS,
    UNKNOWN,
    WASHOUT,
    Setup,
)
from evalcore.features.review.read.material_files import heat_maps, parse_material
from evalcore.features.review.read.store import FILE as ID_FILE
from evalcore.features.review.read.store import known_id, moving_in
from evalcore.features.review.read.truth_files import Truths, parse_truths
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
from evalcore.features.review.verdicts import LABELS, LINKS
from evalcore.study.folder.layout import read_layout
from evalcore.study.folder.toml_text import line_that_sets, read_toml, report_unknown_key, toml_text
from evalcore.study.tables.lines import content_of, parse_file
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.workspace.change import changed
from evalcore.study.workspace.home import safe_name
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
# Of the form diagnosis: arms = ["alone", "hog"] # in place of systems design = "crossover" # or sequential,
# split washout = 28 # days choices = ["cyst", "abscess"] # none: free text truth = "file" # NAME.csv beside
# it; or labels:COLUMN, none show = ["caption", "label"] # of a result region = true # may be marked
#
# Adaptive tasks, graded or preference: adaptive = "best" # or order, value at_most = 200 # items level = 0.95
# within = 0.05 # of value prior = "nn-iou" # or none shared = 2 # queries that all readers judge
#
# Only title, form, systems (of diagnosis: arms) and queries must be there.

MAX_TITLE, MAX_INSTRUCTIONS = 120, 4_000
WAY_OUT = "Correct the line; until then this task cannot be used."
_ROOM = 200_000
"""Characters of all ids of queries together: a task file stays a small file."""


def is_task_name(name: str) -> bool:
    """Whether a task, and so its file, can be called so on every system.

    >>> is_task_name("chest-2026"), is_task_name("../chest"), is_task_name("con"), is_task_name("links")
    (True, False, False, False)
    """
    taken = name in (LINKS, LABELS) or name.endswith(".judgments")
    return len(name) <= MAX_NAME and safe_name(name) == name and not taken


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
    if task.diagnosis is not None:
        empty += ["systems", "reasons", "panel"]
        content |= {key: _plain(getattr(task.diagnosis, key)) for key in _OF_DIAGNOSIS}
    if task.adaptive is not None:
        content |= {"adaptive": task.adaptive.claim}
        content |= {key: getattr(task.adaptive, key) for key in _OF_ADAPTIVE}
        empty += [] if task.adaptive.claim == "value" else ["within"]
        empty += [] if task.adaptive.lists else ["lists"]
    return toml_text({key: value for key, value in content.items() if key not in empty})


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def check_task(task: Task) -> None:
    """InputError, with everything that is wrong, for a task that no file could hold."""
    file = f"review/{task.name}.toml"
    back, report = parse_task(task_text(task).encode("utf-8", "surrogatepass"), name=task.name, file=file)
    if back is not None and back.diagnosis is not None and task.diagnosis is not None:
        back = replace(back, diagnosis=replace(back.diagnosis, truths=task.diagnosis.truths))
    if back != task:
        raise InputError("This task cannot be written.", report)


@reader(lambda _: None)
def parse_task(data: bytes, *, name: str, file: str) -> tuple[Task | None, Report]:
    """Read a task file. Everything wrong with it is listed; a task with errors is None, as half of what was
    meant would be judged in its place."""
    problems = Problems(file)
    if not is_task_name(name):
        rule = f"letters, digits, - and _, at most {MAX_NAME} characters, not {LINKS} or {LABELS}"
        problems.error("bad-name", f"A task file must be called by {rule}.", "Rename the file.", value=name)
    top, text = read_toml(data, problems, way_out=WAY_OUT)
    if top is None:
        return None, problems.report()
    fields = _Fields(top, text, problems)
    task = fields.task(name)
    return (None if problems.n_errors else task), problems.report()


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
        diagnosis = self._diagnosis() if self._top.get("form") == "diagnosis" else None
        task = Task(
            name=name,
            title=self._get("title", "", _is_title, f"one line of at most {MAX_TITLE} characters", must=True),
            form=self._get("form", "graded", _one_of(FORMS), f"one of {', '.join(FORMS)}", must=True),
            systems=diagnosis.systems
            if diagnosis
            else self._lines("systems", (), MAX_SYSTEMS, MAX_TEXT, must=True),
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
            reasons=() if diagnosis else self._lines("reasons", REASONS, MAX_REASONS, MAX_REASON),
            criteria=self._lines("criteria", (), MAX_REASONS, MAX_NAME),
            panel=self._get("panel", False, lambda value: type(value) is bool, "true or false"),
            diagnosis=diagnosis,
            adaptive=self._adaptive() if "adaptive" in self._top else None,
        )
        self._together(task)
        return task

    def _diagnosis(self) -> Setup:
        """What only tasks of diagnoses have."""
        setup = Setup(
            arms=self._lines("arms", (ALONE,), MAX_ARMS, MAX_TEXT, must=True),
            design=self._get("design", "sequential", _one_of(DESIGNS), f"one of {', '.join(DESIGNS)}"),
            washout=self._get(
                "washout", WASHOUT, _whole(0, MAX_WASHOUT), f"a whole number of days from 0 to {MAX_WASHOUT}"
            ),
            per_reader=self._get(
                "per_reader", 0, _whole(0, MAX_QUERIES), f"a whole number from 0 (all) to {MAX_QUERIES:,}"
            ),
            choices=self._lines("choices", (), MAX_CHOICES, MAX_CHOICE),
            truth=self._get("truth", FROM_FILE, _is_source, f"{FROM_FILE}, {UNKNOWN}, or {OF_LABELS}COLUMN"),
            show=self._lines("show", DETAILS, len(DETAILS), MAX_TEXT),  # type: ignore[arg-type]
            region=self._get("region", False, lambda value: type(value) is bool, "true or false"),
        )
        if not {*setup.show} <= {*DETAILS}:
            self._wrong("show", f"a list of {', '.join(DETAILS)}", list(setup.show))
        if setup.design == "sequential" and setup.systems and ALONE not in setup.arms:
            self._wrong("arms", f"with {ALONE!r} for the design sequential", list(setup.arms))
        if setup.design != "sequential" and len(setup.arms) < 2:
            self._wrong("arms", f"at least two arms for the design {setup.design}", list(setup.arms))
        if len(setup.choices) == 1:
            self._wrong("choices", "none, or at least two", list(setup.choices))
        return setup

    def _adaptive(self) -> Adaptive:
        """What only adaptive tasks have."""
        number = "a number above 0 and below 1"
        if self._top["adaptive"] != "value" and "within" in self._top:
            self._wrong("within", "left out unless adaptive is value", self._top["within"])
        return Adaptive(
            claim=self._get("adaptive", "best", _one_of(CLAIMS), f"one of {', '.join(CLAIMS)}"),
            at_most=self._get(
                "at_most", 0, _whole(1, AT_MOST), f"a whole number from 1 to {AT_MOST:,}", must=True
            ),
            level=self._get("level", 0.95, _is_share, number),
            within=self._get("within", 0.05, _is_share, number),
            prior=self._get("prior", NO_PRIOR, _is_title, f"a relevance, or {NO_PRIOR}"),
            shared=self._get(
                "shared", 2, _whole(0, MAX_QUERIES), f"a whole number from 0 to {MAX_QUERIES:,}"
            ),
            lists=self._get("lists", "", _is_title, "what `review make` wrote"),
        )

    def _together(self, task: Task) -> None:
        """What only the values together can have wrong."""
        if task.form == "preference" and len(task.systems) == 1:
            self._wrong("systems", "at least two systems for the form preference", list(task.systems))
        for key in _OF_DIAGNOSIS if task.diagnosis is None else ("systems", "reasons", "panel"):
            if key in self._top:
                rule = "arms name the systems" if key == "systems" else f"it is not of the form {task.form}"
                self._wrong(key, f"left out, as {rule}", self._top[key])
        if task.adaptive is None:
            for key in _OF_ADAPTIVE:
                if key in self._top:
                    self._wrong(key, "left out unless the task has a line adaptive = …", self._top[key])
        elif task.form not in OF_FORMS:
            self._wrong(
                "adaptive", f"left out unless the form is {' or '.join(OF_FORMS)}", task.adaptive.claim
            )
        elif task.panel:
            self._wrong("panel", "left out, as adaptive tasks ask no second question", True)
        elif task.adaptive.claim != "value" and len(task.systems) == 1:
            self._wrong(
                "systems", f"at least two systems for adaptive = {task.adaptive.claim!r}", list(task.systems)
            )
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


def _is_source(value: Any) -> bool:
    column = value.removeprefix(OF_LABELS) if isinstance(value, str) else ""
    return value in (FROM_FILE, UNKNOWN) or (column != value and is_line(column, MAX_TEXT))


def _is_share(value: Any) -> bool:
    return type(value) is float and 0 < value < 1


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


_OF_ADAPTIVE = ("at_most", "level", "within", "prior", "shared", "lists")
_OF_DIAGNOSIS = ("arms", "design", "per_reader", "washout", "choices", "truth", "show", "region")
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
    *_OF_DIAGNOSIS,
    "adaptive",
    *_OF_ADAPTIVE,
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
        if task is not None and task.diagnosis is not None and task.diagnosis.truth == FROM_FILE:
            task, said = _with_truths(task, task.diagnosis, path)
            report += said
        tasks += [task] if task is not None else []
    return tuple(tasks), report


def _with_material(task: Task, path: Path) -> tuple[Task | None, Report]:
    """The task with the table beside its file; None where that, or a heat map of it, cannot be used."""
    table, missing = _beside(path, "material")
    file = f"{FOLDER}/{table.name}"
    if missing.problems:
        return None, missing
    nothing: tuple[Material, ...] = ()
    material, report = parse_file(parse_material, table, nothing, file=file, teams=task.systems)
    pictures, found = heat_maps(path.with_suffix(""), material, file=file)
    report += found
    bad = bool(report.total("error"))
    return (None if bad else replace(task, material=material, heat_maps=pictures)), report


def _with_truths(task: Task, setup: Setup, path: Path) -> tuple[Task | None, Report]:
    """The same with the truth of its cases."""
    table, missing = _beside(path, "truth")
    if missing.problems:
        return None, missing
    nothing: Truths = ()
    truths, report = parse_file(parse_truths, table, nothing, file=f"{FOLDER}/{table.name}")
    bad = bool(report.total("error"))
    return (None if bad else replace(task, diagnosis=replace(setup, truths=truths))), report


def _beside(path: Path, what: str) -> tuple[Path, Report]:
    """The table beside a task file, and an error where it is missing."""
    table = path.with_suffix(".csv")
    file = f"{FOLDER}/{table.name}"
    problems = Problems(file)
    if not table.is_file() or table.is_symlink():
        problems.error("missing-file", f"The table of the {what} is missing.", f"Put it at {file}.")
    return table, problems.report()


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
