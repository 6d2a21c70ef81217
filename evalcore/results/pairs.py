"""Every two systems: how they differ, and how alike their results are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evalcore.results.rows import (
    WINS,
    Column,
    Table,
    also,
    decimals,
    difference_of,
    ends,
    interval,
    p_values_of,
    system_name,
    whole,
)
from evalcore.values.writing import in_table, p_value, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.pairs.overlap import Overlaps
    from evalcore.values.model import Comparison


def comparisons_table(
    comparisons: Sequence[Comparison], *, method: str, grouped_by: str, more: Sequence[Column] = ()
) -> Table:
    """Differences, at least one; the correction stands above its p.

    ``method``: of their intervals; ``grouped_by``: what resamples draw whole groups by, "" for queries.
    ``more``: columns after these.
    """

    def how(one: Comparison) -> str:
        return method + (f" by {grouped_by} ({one.n_groups:,} groups)" if one.n_groups else "")

    first = comparisons[0]
    corrected = "p, not corrected" if first.correction == "none" else f"p ({first.correction})"
    titles = {"p": "p", "p_corrected": corrected}
    cell = partial(in_table, places=3)
    columns = (
        Column("system", head="system").on_page("System", cell=system_name),
        Column("baseline", head="minus").on_page("Minus", cell=system_name),
        Column("metric", head="metric"),
        *difference_of(title="Difference", interval_title=f"{first.level:.0%} interval", cell=cell),
        Column("ci_level", "level"),
        Column("ci_method", how),
        *(
            one.on_page(titles[one.name], cell=p_value) if one.name in titles else one
            for one in p_values_of(first.correction, pairs_title="Queries")
        ),
        *(one._replace(name=one.head or "").on_page(str(one.head).capitalize()) for one in WINS),
    )
    return Table(comparisons, (*columns, *more))


def overlap_table(overlaps: Overlaps) -> Table:
    """How alike the results of every two systems are: rank-biased overlap, its bounds, shared results."""
    level = f"{overlaps.level:.0%} interval"
    columns = (
        Column("a", head="system").on_page("System", cell=system_name),
        Column("b", head="and").on_page("And", cell=system_name),
        Column("rbo", None, "overlap", decimals).on_page("Overlap", "%.3f"),
        *ends("rbo_", name="rbo_ci", title=level),
        also("bounds", lambda one: (one.at_least, one.at_most), lambda pair: interval(*pair)).on_page(
            "Bounds", cell=lambda pair: span(*pair)
        ),
        Column("rbo_at_least", "at_least"),
        Column("rbo_at_most", "at_most"),
        Column("shared", None, "shared", decimals).on_page(f"Shared of {overlaps.k:,}", "%.3f"),
        *ends("shared_", name="shared_ci", head="its interval", title=f"{level} "),
        Column("n", None, "n", whole).on_page("Queries"),
        Column("left_out", None, "left out", whole).on_page("Left out"),
        Column("ci_method", "method"),
    )
    facts = {"depth": overlaps.depth, "k": overlaps.k, "p": overlaps.p, "seed": overlaps.seed}
    return Table(overlaps.pairs, columns, facts)
