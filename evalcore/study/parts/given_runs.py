"""Runs that are no part of a study: a file from anywhere, those of a pattern, or standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
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
    run, binding = bind_run(rows, system=system, image_ids=image_ids, unknown=unknown, queries=queries)
    if not data.strip():
        problems.error("empty-file", "There is nothing in it.", "Give the rows of a run.")
    return run, problems.report() + parsing + binding


def _from_stdin(problems: Problems) -> bytes | None:
    data = sys.stdin.buffer.read(max_bytes() + 1)
    if len(data) <= max_bytes():
        return data
    report_too_large(problems)
    return None


SUFFIXES = (".trec", ".run", ".txt", ".csv", ".tsv", ".json")
"""Endings of run files, before ``.gz`` where they are packed."""


def system_name(path: str | Path) -> str:
    """What a run file without a name of its own is called: its name without ``.gz`` and one ending.

    >>> system_name("ckpts/step_0100.trec.gz"), system_name("lr0.1.trec"), system_name("mine")
    ('step_0100', 'lr0.1', 'mine')
    """
    name = Path(path).name
    stem = name.removesuffix(".gz") or name
    return stem[: -len(ending)] if (ending := Path(stem).suffix).lower() in SUFFIXES else stem


def matching(pattern: str) -> dict[str, str]:
    """{system: file} of the files that a pattern such as ``ckpts/*.trec`` matches, or of one file.

    ``**`` matches folders of any depth. Systems are called by `system_name`.

    Raises
    ------
    InputError
        No file matches; or two would be called the same.
    """
    place = os.path.expanduser(pattern)  # noqa: PTH111 -- a pattern is no path
    given = glob(place, recursive=True) if has_magic(place) else [place]  # noqa: PTH207 -- absolute ones too
    files = sorted(path for path in map(Path, given) if path.is_file())
    if not files and not has_magic(place):
        raise InputError(
            f"There is no file {pattern!r}, and it is not written NAME=FILE, as in mine=run.trec."
        )
    if not files:
        raise InputError(
            f"No file matches {pattern!r}, looked for from {Path.cwd()}. Correct the pattern, "
            "or name each run: --run NAME=FILE."
        )
    named: dict[str, str] = {}
    for path in files:
        name = system_name(path)
        if name in named:
            raise InputError(
                f"{named[name]} and {path} would both be called {name!r}. Give each a name of its own: "
                f"--run NAME={path}."
            )
        named[name] = str(path)
    return named
