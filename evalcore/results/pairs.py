"""Every two systems: how they differ, whether one declined, and how similar their results are."""

from __future__ import annotations

from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any

from evalcore.evaluate.comparison import FALSE_ALARMS
from evalcore.evaluate.summary import METHODS
from evalcore.results.rows import (
    WINS,
    Column,
    Table,
    decimals,
    difference_of,
    ends,
    named,
    p_values_of,
    plain,
    signed,
    system_name,
    whole,
)
from evalcore.results.scores import SLICE
from evalcore.stats.effect import IS_LARGER, detectable, judgement, pairs_needed
from evalcore.values.writing import in_table, p_equals, pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.analysis import Analysis, Row
    from evalcore.evaluate.comparison import Gated
    from evalcore.evaluate.overlap import Overlaps
    from evalcore.values.model import Comparison


def _method(analysis: Analysis, comparison: Comparison) -> str:
    """The method of the interval of a comparison."""
    by = (
        f" by {analysis.scores[0].grouped_by} ({comparison.n_groups:,} groups)" if comparison.n_groups else ""
    )
    return f"{METHODS[analysis.view.settings.interval]}{by}"


def comparisons_table(analysis: Analysis, comparisons: Sequence[Comparison]) -> Table:
    """Differences; the correction is named above its p.

    Where the view names a smallest difference that matters, with columns about the size of differences.
    """
    correction = comparisons[0].correction if comparisons else ""
    level = comparisons[0].level if comparisons else 0.95
    cell = partial(in_table, places=3)
    columns = (
        Column("system", head="system").on_page("System", cell=system_name),
        Column("baseline", head="minus").on_page("Minus", cell=system_name),
        Column("metric", head="metric"),
        *difference_of(title="Difference", interval_title=f"{level:.0%} interval", cell=cell),
        Column("ci_level", "level"),
        Column("ci_method", lambda comparison: _method(analysis, comparison)),
        *(
            column.on_page(column.head or "") if column.name in ("p", "p_corrected") else column
            for column in p_values_of(correction, pairs_title="Queries")
        ),
        *(column.on_page(column.name.capitalize()) for column in WINS),
        Column("effect_size", head="effect", text=decimals),
    )
    return Table(comparisons, (*columns, *_size(analysis.view.smallest_difference)))


def _size(smallest: float) -> tuple[Column, ...]:
    """Columns about the size of a difference, where a smallest one that matters was named."""
    if not smallest:
        return ()

    def power(c: Comparison) -> tuple[float, int | None]:
        if c.centre == "median":
            return nan, None
        how = {"level": c.level, "design_effect": c.design_effect}
        return detectable(c.spread, c.n_pairs, **how), pairs_needed(c.spread, smallest, **how)

    judged = f"more than {smallest:g}"
    return (
        Column("smallest_difference", lambda _: smallest),
        Column("judgement", lambda c: judgement(c.low, c.high, smallest), judged, IS_LARGER.__getitem__),
        Column("standard_error"),
        Column("design_effect"),
        Column("detectable_difference", lambda c: power(c)[0], "detectable", decimals),
        Column("queries_needed", lambda c: power(c)[1], "n needed", lambda n: "" if n is None else whole(n)),
    )


def slice_differences_table(analysis: Analysis, sliced: Sequence[Row]) -> Table:
    """How systems differ from the baseline slice by slice: the compared ones of `Analysis.sliced`."""
    compared = [row for row in sliced if row.against is not None]
    correction = next((row.against.correction for row in compared if row.against), "")
    columns = (
        *SLICE,
        Column("baseline", "against.baseline"),
        Column("system", "against.system", "system"),
        Column("metric", "against.metric", "metric"),
        *difference_of("against."),
        *p_values_of(correction, "against."),
        Column("ci_method", lambda row: _method(analysis, row.against)),
    )
    return Table(compared, columns)


# Whether a system declined below a bound.


def gate_facts(rows: Sequence[Gated], bound: float) -> dict[str, Any]:
    """For JSON: the bound, and by metric the test against it."""
    return {
        "bound": bound,
        "significance": FALSE_ALARMS,
        "declined": any(row.declined for row in rows),
        "metrics": Table(rows, (Column("metric", "comparison.metric"), *named("p_below", "declined"))),
    }


def gate_in_words(rows: Sequence[Gated], bound: float | None) -> list[str]:
    """How a decline is established, and which are; the verdict is last. Nothing without a bound."""
    if bound is None:
        return []
    n = len(rows)
    corrected = f", corrected by Holm over {n:,} metrics" if n > 1 else ""
    lower = any(row.comparison.lower_is_better for row in rows)
    ranks = f" (of ranks: above {abs(bound):g})" if lower else ""
    rule = (
        f"A decline is established where the mean difference is below {bound:g}{ranks} in a one-sided paired "
        f"permutation test{corrected}, p < {FALSE_ALARMS:g}."
    )
    declined = sorted((row for row in rows if row.declined), key=lambda row: row.comparison.lead)
    if not declined:
        return [rule, f"No decline below {bound:g} is established ({pluralize(n, 'comparison')})."]
    named = "; ".join(
        f"{c.system} under {c.metric}, {signed(c.difference)} from {c.baseline} with {p_equals(p)}"
        for c, p in declined
    )
    return [rule, plain(f"Declined: {named} (below {bound:g}).")]


# How similar results are.


def overlap_table(overlaps: Overlaps) -> Table:
    """How similar the results of every two systems are: rank-biased overlap, shared results."""
    first = overlaps.pairs[0].rbo
    level = f"{first.level:.0%} interval"
    columns = (
        Column("a", head="system").on_page("System", cell=system_name),
        Column("b", head="and").on_page("And", cell=system_name),
        Column("rbo", "rbo.mean", "overlap", decimals).on_page("Overlap"),
        *ends("rbo.", name="rbo_ci", title=level),
        Column("shared", "shared.mean", "shared", decimals).on_page(f"Shared of {overlaps.k:,}"),
        *ends("shared.", name="shared_ci", head="its interval", title=f"{level} "),
        Column("n", "rbo.n", "n", whole).on_page("Queries"),
        Column("left_out", None, "left out", whole).on_page("Left out"),
        Column("ci_method", "rbo.method"),
    )
    facts = {"depth": overlaps.depth, "k": overlaps.k, "p": overlaps.p, "seed": first.seed}
    return Table(overlaps.pairs, columns, facts)
