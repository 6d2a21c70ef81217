"""A run that is no part of a study: a file from anywhere, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from evalcore.study.runs.runs import bind_run, parse_run
from evalcore.study.tables.limits import max_bytes, report_too_large
from evalcore.study.tables.lines import read_bytes, report_open_end
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Ints
from evalcore.values.model import Run
from evalcore.values.problems import Report
from evalcore.values.settings import Unknown

STDIN = "-"


def read_given_run(
    place: str, *, system: str, image_ids: Sequence[str], unknown: Unknown, queries: Ints
) -> tuple[Run | None, Report]:  # fmt: skip
    """The run in a file, or on standard input ("-"), over the images of a study; None when there is none.

    Read and checked as a run in a study's folder (see `parse_run` and `bind_run`).
    """
    found = Problems("standard input" if place == STDIN else place)
    data = _from_stdin(found) if place == STDIN else read_bytes(Path(place), found)
    if data is None:
        return None, found.report()
    rows, parsing = parse_run(data, file=found.file)
    if rows.rows and rows.format in ("csv", "trec") and not data.startswith(b"\x1f\x8b"):
        report_open_end(found, data)
    run, binding = bind_run(rows, system=system, image_ids=image_ids, unknown=unknown, queries=queries)
    if not data.strip():
        found.error("empty-file", "There is nothing in it.", "Give the rows of a run.")
    return run, found.report() + parsing + binding


def _from_stdin(found: Problems) -> bytes | None:
    data = sys.stdin.buffer.read(max_bytes() + 1)
    if len(data) <= max_bytes():
        return data
    report_too_large(found)
    return None
