"""``satisfaction --windows 1:20``: does the answer depend on the window, the order and the discount?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import whole_grid
from evalcore.features.satisfaction.agreement import DISCOUNTS, counts, sweep_sentence, swept
from evalcore.features.satisfaction.commands_paper import write_windows
from evalcore.features.satisfaction.data import ORDERS
from evalcore.features.satisfaction.tables import counts_table, joined, sweep_table
from evalcore.results.rows import Table, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.satisfaction.data import Clean, Resample, Satisfaction
    from evalcore.ranking.grid import Reading


def windows_of(text: str) -> tuple[int, ...]:
    """``1:20`` (or ``w=1:20``) as the windows from 1 to 20.

    >>> windows_of("1,5,10"), windows_of("w=2:4")
    ((1, 5, 10), (2, 3, 4))
    """
    windows = whole_grid(text.removeprefix("w="))
    if min(windows) < 1:
        raise click.BadParameter("A window has one image or more.", param_hint="--windows")
    return windows


def orders_of(text: str) -> list[Any]:
    """Orders of reading, as ``rows,snake``."""
    return _named(text, ORDERS, "--orders")


def discounts_of(text: str) -> list[Any]:
    """Discounts, as ``rbp,log``."""
    return _named(text, DISCOUNTS, "--discount")


def _named(text: str, known: Mapping[Any, str], option: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    wrong = [name for name in names if name not in known]
    if wrong:
        raise click.BadParameter(f"{wrong[0]!r} is not one of {', '.join(known)}.", param_hint=option)
    return list(dict.fromkeys(names))


def emit_sweep(
    request: StudyRequest,
    sets: Sequence[tuple[str, Satisfaction, Clean]],
    texts: tuple[str, str, str],
    *,
    depth: int,
    reading: Reading,
    resample: Resample,
    n_resamples: int,
    seed: int,
    settings: Mapping[str, Any],
    paper: str | None = None,
) -> None:
    """Compute and print the sweep of each data set; ``texts``: of --windows, --orders and --discount,
    ``paper``: folder for the table and the curves as files."""
    windows, orders, discounts = windows_of(texts[0]), orders_of(texts[1]), discounts_of(texts[2])
    results = {
        name: swept(
            clean,
            windows=windows,
            orders=orders,
            discounts_asked=discounts,
            depth=depth,
            reading=reading,
            resample=resample,
            n_resamples=n_resamples,
            seed=seed,
        )
        for name, _, clean in sets
    }
    tables = {name: sweep_table(rows) for name, rows in results.items()}
    several = len(sets) > 1
    table = joined(tables) if several else tables[sets[0][0]]
    sizes = counts_table([counts(data, clean, name=name) for name, data, clean in sets])
    lines: list[str | Table] = []
    if any(data.origin == "simulated" for _, data, _ in sets):
        lines.append("SIMULATED USERS: no real data; they show what the method can find.")
    lines += [
        sizes,
        f"\nSpearman's rho with satisfaction, first {depth} rows; {n_resamples:,} resamples, seed {seed}, "
        "intervals pointwise",
        table,
    ]
    lines += [
        f"{plain(name)}: {sweep_sentence(rows)}" if several else sweep_sentence(rows)
        for name, rows in results.items()
    ]
    if paper:
        write_windows(paper, sets, results, depth=depth)
    used = {"windows": list(windows), "orders": orders, "discounts": discounts}
    source = [data.what for _, data, _ in sets]
    request.emit(
        {
            "rows": table,
            "counts": sizes,
            "settings": {"source": source, **settings, **used},
            "digest": [data.digest for _, data, _ in sets],
        },
        lines,
        table,
    )
