"""``satisfaction --paper FOLDER``: every table and figure of Shao et al. 2019 as files."""

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
    sweep_table,
    variance_table,
)
from evalcore.figures.printed import PAPER
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.satisfaction.agreement import Evaluated, SweepRow


def write_tables_and_figures(folder: str, one: Evaluated, *, rows: int) -> None:
    """Tables 1 to 3, Figure 3 and the agreement of each measure; ``rows``: whose variance Figure 3 shows."""
    each, depth = dots(one.clean, rows=rows), one.result.rows[-1].depth
    below = f"first {pluralize(depth, 'row')} · {pluralize(one.result.n_queries, 'query')}"
    of_dots = partial(satisfaction_dots, each, rows=rows, theme=PAPER)
    figures = {"figure-3a": of_dots(against="mean"), "figure-3b": of_dots(against="beside")}
    figures["table-3"] = paired_agreement(
        of_gains(one.result, depth),
        names=BOTH_GAINS,
        title="Which measure rises with satisfaction?",
        subtitle=below,
        theme=PAPER,
    )
    if one.halves is not None:
        figures["table-2"] = paired_agreement(
            of_quarters(one.halves),
            names=SUBSETS,
            title="Better where relevance varies?",
            subtitle=f"{below}, {one.halves.n} in each quarter",
            theme=PAPER,
        )
    tables = {
        "table-1": counts_table([counts(one.data, one.clean)]),
        "table-2": variance_table(one.halves),
        "table-3": differences_table(one.result),
        "figure-3": dots_table(each),
    }
    write_paper(folder, tables, figures)


def write_windows(folder: str, rows: Sequence[SweepRow], *, depth: int) -> None:
    """Agreement by window: the table, and its curves."""
    curves = sweep_curves(rows, depth=depth, theme=PAPER)
    write_paper(folder, {"windows": sweep_table(rows)}, {"windows": curves})
