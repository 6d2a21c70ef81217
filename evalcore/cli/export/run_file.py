"""A run as a command writes it: TREC or CSV, in a file, on standard output, or as JSON."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.cli.output import STDOUT, complain, print_json, write_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.cli.asked import Asked
    from evalcore.values.model import Run


def write_run(
    asked: Asked, blocks: Iterable[Run], ids: Sequence[str], out: str | None, what: Mapping[str, Any]
) -> None:
    """Write the blocks, each some of the queries, and say so; ``what`` tells in JSON how they came about.

    ``out``: CSV when it ends in .csv, else TREC; .gz packs it. "-" or None: TREC on standard output, but None
    with --json one document with every value.
    """
    from evalcore.study.tables.writers import csv_lines, defused, run_rows, trec_lines

    if asked.json and out is None:
        found: dict[str, dict[str, float]] = {}
        for query, candidate, _, value in chain.from_iterable(run_rows(block, ids) for block in blocks):
            found.setdefault(query, {})[candidate] = value
        print_json({**what, "settings": asked.recorded(), "run": found})
        return
    if out is not None and Path(out.removesuffix(".gz")).suffix == ".csv":
        rows = chain.from_iterable(run_rows(block, ids) for block in blocks)
        lines = csv_lines(("query", "candidate", "rank", "score"), rows)
        if any(defused(image) != image for image in ids):
            defusing = "Image ids that begin like a formula have an apostrophe in front of them in this file."
            complain(f"{defusing} To score the run, write a TREC file instead.")
    else:
        lines = chain.from_iterable(trec_lines(block, ids) for block in blocks)
    write_file(out or STDOUT, lines)
    if asked.json:
        print_json({**what, "settings": asked.recorded(), "out": out})
