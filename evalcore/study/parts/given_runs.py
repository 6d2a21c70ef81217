"""Runs that are no part of a study: a file from anywhere, those of a pattern, or standard input."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from glob import glob, has_magic
from pathlib import Path

from evalcore.study.custom_formats import custom_format
from evalcore.study.parts.runs import bind_run, parse_run
from evalcore.study.tables.limits import max_bytes, report_too_large
from evalcore.study.tables.lines import read_bytes, report_open_end
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Ints
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Run
from evalcore.values.settings import Unknown

STDIN = "-"


def read_given_run(
    place: str, *, system: str, image_ids: Sequence[str], unknown: Unknown, queries: Ints
) -> tuple[Run | None, Report]:
    """The run in a file, or on standard input ("-"), over the images of a study; None when there is none.

    Read and checked as a run in a study's folder (see `parse_run` and `bind_run`).
    """
    problems = Problems("standard input" if place == STDIN else place)
    data = _from_stdin(problems) if place == STDIN else read_bytes(Path(place), problems)
    if data is None:
        return None, problems.report()
    custom = custom_format("run", place)
    rows, parsing = (parse_run if custom is None else custom.parse)(data, file=problems.file)
    if custom is None and rows.rows and rows.format in ("csv", "trec") and not data.startswith(b"\x1f\x8b"):
        report_open_end(problems, data)
    problems.include(parsing)
    run = bind_run(rows, problems, system=system, image_ids=image_ids, unknown=unknown, queries=queries)
    if not data.strip():
        problems.error("empty-file", "There is nothing in it.", "Give the rows of a run.")
    return run, problems.report()


def _from_stdin(problems: Problems) -> bytes | None:
    data = sys.stdin.buffer.read(max_bytes() + 1)
    if len(data) <= max_bytes():
        return data
    report_too_large(problems)
    return None


SUFFIXES = (".trec", ".run", ".txt", ".csv", ".tsv", ".json")
"""Endings of run files, before ``.gz`` where they are packed."""


def may_be_file(text: str) -> bool:
    """Whether a text that stands for a system means run files: a path, a pattern, or standard input ("-").

    >>> may_be_file("ckpts/*.trec"), may_be_file("hog"), may_be_file("@iou[anatomy]")
    (True, False, False)
    """
    if text.startswith("@"):
        return False
    if text == STDIN or has_magic(text) or Path(text).expanduser().is_file():
        return True
    return "/" in text or os.sep in text or text.removesuffix(".gz").endswith(SUFFIXES)


def run_files(texts: Sequence[str], taken: Collection[str]) -> dict[str, dict[str, str]]:
    """{text: {system: file}} of paths and patterns such as ``ckpts/*.trec``; ``**`` matches folders.

    A system is called as its file without the ending (`system_name`); by the whole path where that name is
    ``taken`` or several files share it. Standard input is called stdin.

    Raises
    ------
    InputError
        There is no such file, or none that matches; standard input more than once.
    """
    if list(texts).count(STDIN) > 1:
        raise InputError("Standard input can be read only once.")
    files = {text: [STDIN] if text == STDIN else _matching(text) for text in dict.fromkeys(texts)}
    times = Counter(system_name(path) for path in {path for of in files.values() for path in of})
    return {
        text: {
            path if name in taken or times[name] > 1 else name: path
            for path in of
            for name in [system_name(path)]
        }
        for text, of in files.items()
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
    if path == STDIN:
        return "stdin"
    name = Path(path).name
    stem = name.removesuffix(".gz") or name
    return stem[: -len(ending)] if (ending := Path(stem).suffix).lower() in SUFFIXES else stem
