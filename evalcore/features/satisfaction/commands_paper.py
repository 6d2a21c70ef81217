"""``satisfaction --set paper=FOLDER``: every table and figure of Shao et al. 2019 as files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evalcore.cli.output import write_paper
from evalcore.features.satisfaction.agreement import counts, dots
from evalcore.features.satisfaction.data import SUBSETS
from evalcore.features.satisfaction.figures import (
    BOTH_GAINS,
    of_gains,
    of_quarters,
    paired_agreement,
    satisfaction_dots,
    sweep_curves,
)
from evalcore.features.satisfaction.tables import (
    counts_table,
    differences_table,
    dots_table,
    joined,
    sweep_table,
    variance_table,
)
from evalcore.figures.printed import PAPER
from evalcore.results.rows import Table
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.satisfaction.agreement import Evaluated, SweepRow
    from evalcore.features.satisfaction.data import Clean, Satisfaction
    from evalcore.figures.frame import Drawn


def marked(data: Satisfaction) -> str:
    """What a figure of simulated users says first."""
    return "Simulated users · " if data.origin == "simulated" else ""


def as_one(tables: Mapping[str, Table]) -> Table:
    """The table of the only data set, or those of several below each other."""
    return joined(tables) if len(tables) > 1 else next(iter(tables.values()))


def write_tables_and_figures(folder: str, sets: Sequence[Evaluated], *, rows: int) -> None:
    """Tables 1 to 3, Figure 3 and the agreement of each measure; ``rows``: whose variance Figure 3 shows."""
    figures: dict[str, Drawn] = {}
    for number, one in enumerate(sets, start=1):
        end = f"-data-set-{number}" if len(sets) > 1 else ""
        each, of, depth = dots(one.clean, rows=rows), marked(one.data), one.result.rows[-1].depth
        below = f"{of}first {pluralize(depth, 'row')} · {pluralize(one.result.n_queries, 'query')}"
        of_dots = partial(satisfaction_dots, each, rows=rows, of=of, theme=PAPER)
        figures |= {f"figure-3a{end}": of_dots(against="mean"), f"figure-3b{end}": of_dots(against="beside")}
        figures[f"table-3{end}"] = paired_agreement(
            of_gains(one.result, depth),
            names=BOTH_GAINS,
            title="Which measure rises with satisfaction?",
            subtitle=below,
            theme=PAPER,
        )
        if one.halves is not None:
            figures[f"table-2{end}"] = paired_agreement(
                of_quarters(one.halves),
                names=SUBSETS,
                title="Better where relevance varies?",
                subtitle=f"{below}, {one.halves.n} in each quarter",
                theme=PAPER,
            )
    tables = {
        "table-1": counts_table([counts(one.data, one.clean, name=one.name) for one in sets]),
        "table-2": as_one({one.name: variance_table(one.halves) for one in sets}),
        "table-3": as_one({one.name: differences_table(one.result) for one in sets}),
        "figure-3": as_one({one.name: dots_table(dots(one.clean, rows=rows)) for one in sets}),
    }
    write_paper(folder, tables, figures)


def write_windows(
    folder: str,
    sets: Sequence[tuple[str, Satisfaction, Clean]],
    results: Mapping[str, Sequence[SweepRow]],
    *,
    depth: int,
) -> None:
    """Agreement by window, order of reading and discount: the table, and the curves of each data set."""
    figures = {
        f"windows-data-set-{number}" if len(sets) > 1 else "windows": sweep_curves(
            results[name], depth=depth, of=marked(data), theme=PAPER
        )
        for number, (name, data, _) in enumerate(sets, start=1)
    }
    table = as_one({name: sweep_table(rows) for name, rows in results.items()})
    write_paper(folder, {"windows": table}, figures)
