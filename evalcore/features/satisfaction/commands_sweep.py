"""``satisfaction --windows 1:20``: does the answer depend on the window?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import whole_grid
from evalcore.features.satisfaction.agreement import counts, sweep_sentence, swept
from evalcore.features.satisfaction.commands_paper import write_windows
from evalcore.features.satisfaction.tables import counts_table, sweep_table
from evalcore.results.rows import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.satisfaction.data import Clean, Resample, Satisfaction
    from evalcore.ranking.grid import Reading


def windows_of(text: str) -> tuple[int, ...]:
    """``1:20`` as the windows from 1 to 20.

    >>> windows_of("1,5,10"), windows_of("2:4")
    ((1, 5, 10), (2, 3, 4))
    """
    windows = whole_grid(text)
    if min(windows) < 1:
        raise click.BadParameter("A window has one image or more.", param_hint="--windows")
    return windows


def emit_sweep(
    request: StudyRequest,
    data: Satisfaction,
    clean: Clean,
    windows: tuple[int, ...],
    *,
    depth: int,
    reading: Reading,
    resample: Resample,
    n_resamples: int,
    seed: int,
    settings: Mapping[str, Any],
    paper: str | None = None,
) -> None:
    """Compute and print the sweep; ``paper``: folder for the table and the curves as files."""
    rows = swept(
        clean,
        windows=windows,
        depth=depth,
        reading=reading,
        resample=resample,
        n_resamples=n_resamples,
        seed=seed,
    )
    table, sizes = sweep_table(rows), counts_table([counts(data, clean)])
    lines: list[str | Table] = [
        sizes,
        f"\nSpearman's rho with satisfaction, first {depth} rows; {n_resamples:,} resamples, seed {seed}, "
        "intervals pointwise",
        table,
        sweep_sentence(rows),
    ]
    if paper:
        write_windows(paper, rows, depth=depth)
    facts = {"source": data.what, **settings, "windows": list(windows)}
    request.emit({"rows": table, "counts": sizes, "settings": facts, "digest": data.digest}, lines, table)
