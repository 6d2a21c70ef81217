"""Matched pairs in both directions as a table: side by side for people and files, and as papers print it."""

from __future__ import annotations

from functools import partial
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from evalcore.ranking.metrics import lower_is_better
from evalcore.results.board import Board, by_score, cells_of
from evalcore.results.caption import IN_PARENTHESES
from evalcore.results.rows import Column, Table, decimals, whole
from evalcore.results.rows import interval as both_ends
from evalcore.values.model import Interval
from evalcore.values.own_queries import PAIRS
from evalcore.values.writing import arrow, listed, pluralize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.evaluate.pairs.both_directions import BothDirections


class DirectionRow(NamedTuple):
    """A system under a measure: by direction its mean, where it answers."""

    system: str
    metric: str
    means: Mapping[str, Interval]


def field_name(metric: str) -> str:
    """What papers call a measure of matched pairs: R@1 for Success(pairs)@1, MedR for MedR(pairs)."""
    return metric.replace(f"Success({PAIRS})@", "R@").replace(f"({PAIRS})", "")


def directions_table(result: BothDirections) -> Table:
    """One row per system and measure, the directions side by side: mean, interval, queries with a value."""
    rows = [
        DirectionRow(
            system,
            metric,
            {way: mean for way in result.directions if (mean := result.means.get((system, metric, way)))},
        )
        for system in _order(result)
        for metric in result.metrics
    ]
    columns = [
        Column("system", head="system"),
        Column("metric", None, "measure", lambda name: f"{field_name(name)} {arrow(lower_is_better(name))}"),
    ]
    for way in result.directions:
        columns += [
            Column(f"{way}:mean", partial(_of, way, "mean"), way, decimals),
            Column(
                "", partial(_ends, way), "interval", lambda ends: "-" if ends is None else both_ends(*ends)
            ),
            Column(f"{way}:ci_low", partial(_of, way, "low")),
            Column(f"{way}:ci_high", partial(_of, way, "high")),
            Column(f"{way}:n", partial(_of, way, "n"), "n", lambda n: "-" if n is None else whole(n)),
        ]
    first = next(iter(result.means.values()))
    facts = {"ci_level": first.level, "ci_method": first.method, "seed": first.seed}
    return Table(rows, tuple(columns), facts)


def _of(way: str, name: str, row: DirectionRow) -> float | None:
    value: float | None = getattr(row.means.get(way), name, None)
    return value


def _ends(way: str, row: DirectionRow) -> tuple[float, float] | None:
    mean = row.means.get(way)
    return None if mean is None else (mean.low, mean.high)


def _order(result: BothDirections) -> tuple[str, ...]:
    """Systems best first under the first measure of the first direction in which they answer."""
    first = result.metrics[0]
    return by_score(
        {
            system: next(
                mean.merit for way in result.directions if (mean := result.means.get((system, first, way)))
            )
            for system in result.systems
        }
    )


def directions_board(result: BothDirections, study: str) -> Board:
    """The same as papers print it: a system per row, the measures of one direction after the other's."""
    some = next(iter(result.means.values()))
    none = Interval(nan, nan, nan, some.level, "", 0, 0, some.seed)
    heads = {
        (way, metric): f"{way} {field_name(metric)}" for way in result.directions for metric in result.metrics
    }
    systems = _order(result)
    means = {
        (system, head): result.means.get((system, metric, way), none)
        for system in systems
        for (way, metric), head in heads.items()
    }
    sizes = listed(
        [
            f"{way}: {pluralize(result.n_queries[way], 'query')} among {result.n_candidates[way]:,}"
            for way in result.directions
        ]
    )
    lower = [field_name(metric) for metric in result.metrics if lower_is_better(metric)]
    left_out = [f"Left out, no answer in any direction: {listed(result.silent)}."] if result.silent else []
    methods = sorted({mean.method for mean in result.means.values()})
    resamples = (
        f"{some.n_resamples:,} resamples, seed {some.seed}" if some.n_resamples else f"seed {some.seed}"
    )
    return Board(
        systems,
        tuple(heads.values()),
        cells_of(systems, tuple(heads.values()), means, {}),
        (),
        f"Matched pairs in {pluralize(len(result.directions), 'direction')}, {study}",
        (
            f"Matched pairs of {study}; {sizes}.",
            f"Bold: best{f'; {listed(lower)}: lower is better' if lower else ''}.",
        ),
        (
            "R@K: whether a matched item is among the first K of the whole gallery. "
            "A match that a list does not contain counts as the last place.",
            f"{IN_PARENTHESES}{some.level:.0%} interval ({listed(methods)}, {resamples}).",
            *left_out,
        ),
        None,
        "both-directions",
        panel=len(result.metrics),
        heads=tuple((way, field_name(metric)) for way, metric in heads),
    )
