"""Runs that are no part of a study: a file from anywhere, those of a pattern, or in memory.

`with_runs` gives a study with a system more for each; nothing is written.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from glob import glob, has_magic
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalcore.study.folder.layout import is_title
from evalcore.study.in_memory import parts_by_name
from evalcore.study.parts.kind import parse_source
from evalcore.study.parts.registry import KINDS
from evalcore.study.parts.runs import bind_run
from evalcore.study.tables.files import packed
from evalcore.study.tables.ids import KnownIds
from evalcore.study.tables.problems import Problems, Refused, input_error, located
from evalcore.study.workspace.file_names import without_ending
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Run, Study
from evalcore.values.settings import Unknown

SUFFIXES = (".trec", ".run", ".txt", ".csv", ".tsv", ".json")
"""Endings of run files, before ``.gz`` where they are packed."""


def may_be_file(text: str) -> bool:
    """Whether a text that stands for a system means run files: a path, or a pattern.

    >>> may_be_file("ckpts/*.trec"), may_be_file("hog"), may_be_file("@iou[anatomy]")
    (True, False, False)
    """
    if text.startswith("@"):
        return False
    if has_magic(text) or Path(text).expanduser().is_file():
        return True
    return "/" in text or os.sep in text or text.removesuffix(".gz").endswith(SUFFIXES)


def run_files(texts: Sequence[str], taken: Collection[str]) -> dict[str, dict[str, str]]:
    """{text: {system: file}} of paths and patterns such as ``ckpts/*.trec``; ``**`` matches folders.

    A system is called as its file without the ending (`system_name`); by the whole path where that name is
    ``taken`` or several files share it.

    Raises
    ------
    InputError
        There is no such file, or none that matches.
    """
    files = {text: _matching(text) for text in dict.fromkeys(texts)}
    times = Counter(system_name(path) for path in {path for paths in files.values() for path in paths})
    return {
        text: {
            path if name in taken or times[name] > 1 else name: path
            for path in paths
            for name in [system_name(path)]
        }
        for text, paths in files.items()
    }


def _matching(text: str) -> list[str]:
    place = os.path.expanduser(text)  # noqa: PTH111 -- a pattern is no path
    if not has_magic(place):
        if not Path(place).is_file():
            raise InputError(f"There is no system and no run file {text!r}.")
        return [place]
    files = sorted(path for path in glob(place, recursive=True) if Path(path).is_file())  # noqa: PTH207
    if not files:
        raise InputError(f"No file matches {text!r}, looked for from {Path.cwd()}. Correct the pattern.")
    return files


def system_name(path: str) -> str:
    """What the system of a run file is called: the file's name without ``.gz`` and one ending.

    >>> system_name("ckpts/step_0100.trec.gz"), system_name("lr0.1.trec"), system_name("mine")
    ('step_0100', 'lr0.1', 'mine')
    """
    return without_ending(Path(path).name, (*packed(*SUFFIXES), ".gz"))


def add_runs(study: Study, new: Mapping[str, Any], *, unknown: Unknown = "error") -> tuple[Study, Report]:
    """The study with a system more for each run: {name: what `objects` takes}.

    Nothing is written; the digest of the study stays in front of the new one. A run that cannot be used is
    left out; the report holds the problems of all of them.

    Raises
    ------
    InputError
        The study has a system of that name already.
    """
    taken = [name for name in new if study.holds(name) or name in study.reads]
    if taken:
        raise InputError(f"The study has a system called {taken[0]} already. Give your run another name.")
    runs, report, images = dict(study.runs), Report(), KnownIds(study.image_ids, unknown)
    for name, value in new.items():
        run, problems = _run_of(study, name, value, images)
        report += problems
        if run is not None:
            runs[name] = run
    part = digest_of("runs", *(f"{name}:{runs[name].digest}" for name in new if name in runs))
    changed = replace(study, runs=MappingProxyType(runs), digest=f"{study.digest}+{part[:8]}")
    return changed, report


def _run_of(study: Study, system: str, value: Any, images: KnownIds) -> tuple[Run | None, Report]:
    """A run from a file or from memory, over the images of the study; None when there is none."""
    if isinstance(value, Run):  # over the images of this study
        return replace(value, system=system), Report()
    argument = f"runs[{system!r}]"
    problems = Problems(argument)
    source = KINDS["run"].source_of(value, problems, filled=True)
    is_file = isinstance(source, Path)
    if is_file:
        problems = Problems(str(source))
    run = None
    with suppress(Refused):
        rows = parse_source(KINDS["run"].parser_of(problems.file), source, problems)
        if rows is not None:
            run = bind_run(rows, problems, images, system=system, queries=study.queries)
    return run, problems.report() if is_file else located(problems.report(), {argument})


def with_runs(
    study: Study, runs: Mapping[str, Any] | None = None, /, *, unknown: Unknown = "error", **named: Any
) -> Study:
    """The study with more systems; nothing else of it is read or computed again.

    ``runs``, or keywords where names allow it: by system what `make_study` takes as its run. ``unknown``: as
    for `open_study`. Raises InputError for a name that is taken, and with all that is wrong with the runs.
    """
    new = {**parts_by_name(runs, "runs"), **named}
    for name in new:
        if not isinstance(name, str) or not is_title(name):
            rule = "Give it a name of one line, without @ in front."
            raise InputError(f"{name!r} cannot be the name of a system. {rule}")
    changed, report = add_runs(study, new, unknown=unknown)
    if report.total("error"):
        raise input_error("The runs cannot be used", report)
    whole = None if study.unfiltered is None else add_runs(study.unfiltered, new, unknown=unknown)[0]
    return replace(changed, unfiltered=whole, over=None, report=study.report + report)
