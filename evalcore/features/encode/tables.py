"""What changed pictures say of encoders, as a table of the command and the page."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.features.encode.augmented import N_RESAMPLES, AugmentedRow
from evalcore.results.rows import Column, Table, also, decimals, ends, plain, whole

_UNITS = {"rotated": "{:g} degrees", "cropped": "{:.0%} of each side", "darker": "by {:.0%}"}
METHOD = (
    "Share of changed pictures whose own picture comes back first (equal similarities: in random order); "
    f"95% intervals: percentile bootstrap over pictures, {N_RESAMPLES:,} resamples, seed 0."
)


def augmented_table(rows: Sequence[AugmentedRow]) -> Table:
    """One change of some strength under one encoder a row."""
    columns = (
        Column("system", None, "system", plain).on_page("System", cell=plain),
        Column("change", None, "change").on_page("Change"),
        Column("level"),
        also("how much", lambda row: _UNITS[row.change].format(row.level)).on_page("How much"),
        Column("first", None, "comes back first", decimals).on_page("Comes back first"),
        *ends("ci_", title="95% interval"),
        Column("in_ten", None, "in first 10", decimals).on_page("In the first 10"),
        Column("reciprocal_rank", None, "RR", decimals).on_page("Reciprocal rank", expert=True),
        Column("n", None, "pictures", whole),
        Column("n_candidates", None, "candidates", whole),
    )
    return Table(rows, columns)
