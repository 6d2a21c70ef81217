"""What the commands on relevance measures print, for people and for programs."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from evalcore.cli.comparisons import MORE_FLIPS
from evalcore.cli.emit import Column, Table, also, named, titled
from evalcore.cli.output import decimals, interval, plain, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.measures.agreement import Agreement, Disagreement
    from evalcore.evaluate.measures.discrimination import Power
    from evalcore.evaluate.measures.rank_swaps import RankSwap
    from evalcore.evaluate.measures.table_one import TableOne
    from evalcore.evaluate.measures.under_measures import MeasureScores
    from evalcore.relevance.registry import RelevanceMeasure
    from evalcore.values.arrays import Floats
    from evalcore.values.model import Study


def _of_measure(name: str) -> Column:
    return Column(name, lambda row: getattr(row[1], name))


MEASURES = (
    Column("name", itemgetter(0)),
    *map(_of_measure, ("title", "family", "formula", "range", "symmetric", "needs_graph")),
    *map(_of_measure, ("reference", "plain", "relatedness")),
    Column("edges", lambda row: [{"case": case, "value": value} for case, value in row[1].edges]),
)


def described(rows: Sequence[tuple[str, RelevanceMeasure]]) -> Iterator[str]:
    """What `measures` prints, measure by measure."""
    for name, one in rows:
        low, high = one.range
        marked = " (relatedness, not similarity)" if one.relatedness else ""
        yield f"{plain(name)}{marked}: {one.title}. {one.plain}"
        yield f"  {one.formula}   from {low:g} to {high:g}   {one.reference}"
        yield from (f"  {case}: {value}" for case, value in one.edges)


def _matrix(matrix: Floats, measures: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"a": measures[i], "b": measures[j], "value": float(matrix[i, j])}
        for i in range(len(measures))
        for j in range(i + 1, len(measures))
    ]


def agreement_document(
    about: dict[str, Any], found: Agreement, facts: dict[str, Any], disagreements: Table
) -> dict[str, Any]:
    return {
        **about, "level": found.level, **facts,
        "measures": list(found.measures), "n": found.n, "left_out": found.left_out,
        "averaged_over": found.averaged_over, "kendall": _matrix(found.kendall, found.measures),
        "spearman": _matrix(found.spearman, found.measures),
        "disagreements": disagreements,
    }  # fmt: skip


def shown_agreement(
    study: Study, found: Agreement, facts: dict[str, Any], disagreements: Table
) -> Iterator[str | Table]:
    drawn = f" of {facts['population']:,}" if "population" in facts else ""
    yield (
        f"{plain(study.name)}: {found.level}, n = {found.n:,}{drawn}, {found.left_out:,} left out, "
        f"seed {facts['seed']}."
    )
    n = len(found.measures)
    columns = (
        also("measure", lambda pair: found.measures[pair[0]]),
        also("measure", lambda pair: found.measures[pair[1]]),
        also("tau", lambda pair: found.kendall[pair], decimals),
        also("rho", lambda pair: found.spearman[pair], decimals),
    )
    yield Table([(i, j) for i in range(n) for j in range(i + 1, n)], columns)
    if disagreements.rows:
        yield ""
        yield disagreements


def disagreements_table(study: Study, listed: Sequence[Disagreement]) -> Table:
    ids = study.image_ids
    columns = (
        Column("query", lambda one: ids[one.query], "query"),
        Column("candidate", lambda one: ids[one.candidate], "candidate"),
        Column("value_a", None, "value A", decimals),
        Column("value_b", None, "value B", decimals),
        Column("place_a", None, "place A", decimals),
        Column("place_b", None, "place B", decimals),
    )
    return Table(listed, columns)


def power_document(
    about: dict[str, Any],
    powers: Sequence[Power],
    scores: MeasureScores,
    crossings: Sequence[RankSwap],
) -> dict[str, Any]:
    first, means = powers[0], scores.means
    return {
        **about, "n_queries": first.n_queries,
        "left_out": scores.left_out, "test": first.test, "n_resamples": first.n_resamples, "seed": first.seed,
        "correction": first.correction, "level": first.level,
        "crossings": _crossings(crossings),
        "measures": [
            {
                "measure": p.measure, "metric": p.metric, "separated": p.separated, "share": p.share,
                "means": {name: float(means[i, j]) for i, name in enumerate(scores.systems)},
                "pairs": [
                    {
                        "a": a, "b": b, "difference": float(p.differences[i]), "p": float(p.p[i]),
                        "p_corrected": float(p.p_corrected[i]),
                    }
                    for i, (a, b) in enumerate(p.pairs)
                ],
            }
            for j, p in enumerate(powers)
        ],
    }  # fmt: skip


def table_document(about: dict[str, Any], found: TableOne) -> dict[str, Any]:
    return {
        **about, "n_asked": found.n_asked,
        "n_all": found.n_all, "test": found.test, "correction": found.correction,
        "n_resamples": found.n_resamples, "seed": found.seed,
        "cells": _cells(found),
    }  # fmt: skip


def shown_power(
    study: Study, scores: MeasureScores, powers: Sequence[Power], crossings: Sequence[RankSwap]
) -> Iterator[str | Table]:
    from evalcore.evaluate.measures.discrimination import power_at_the_floor

    first = powers[0]
    yield (
        f"{plain(study.name)}: {len(scores.systems)} systems, {first.n_queries:,} queries "
        f"({scores.left_out:,} left out). {first.test}, {first.n_resamples:,} resamples, seed {first.seed}; "
        f"{first.correction} per measure, p < {first.level:g}."
    )
    if floor := power_at_the_floor(powers, more=MORE_FLIPS):
        yield floor
    yield Table(powers, _POWERS)
    if crossings:
        yield ""
        yield _crossings(crossings)


_POWERS = (
    *titled("measure", "metric", "separated"),
    also("pairs", lambda one: len(one.pairs)),
    Column("share", None, "share", decimals),
)


def _crossings(crossings: Sequence[RankSwap]) -> Table:
    reference = crossings[0].reference if crossings else ""
    columns = (
        Column("measure", head="measure"),
        *named("reference"),
        Column("above", head="passes"),
        Column("below", head="passed"),
        Column("gap", None, "ahead", decimals),
        Column("reference_gap", None, f"behind under {reference}", decimals),
    )
    return Table(crossings, columns)


def shown_table_one(study: Study, found: TableOne) -> Iterator[str | Table]:
    yield (
        f"{plain(study.name)}: {found.n_asked:,} of {found.n_all:,} queries, ties: "
        f"{found.ties}, seed {found.seed}."
    )
    yield _cells(found)


def _cells(found: TableOne) -> Table:
    """One row per cell of Table 1: the measure that ranks, the metric, and the cell."""
    rows = [
        (name, metric, cell)
        for name, row in zip(found.systems, found.cells, strict=True)
        for metric, cell in zip(found.metrics, row, strict=True)
    ]
    return Table(rows, _CELLS)


_CELLS = (
    also("measure", itemgetter(0)),
    Column("measure", lambda row: row[0].removeprefix("@")),
    Column("metric", itemgetter(1), "metric"),
    Column("mean", lambda row: row[2].interval.mean, "mean", decimals),
    also("", lambda row: "*" if row[2].best else "~" if row[2].as_good else ""),
    Column("ci_low", lambda row: row[2].interval.low),
    Column("ci_high", lambda row: row[2].interval.high),
    also("interval", lambda row: interval(row[2].interval.low, row[2].interval.high)),
    Column("n", lambda row: row[2].interval.n, "n", whole),
    Column("n_undefined", lambda row: row[2].n_undefined),
    Column("tied", lambda row: row[2].tied, "tied", whole),
    Column("best", lambda row: row[2].best),
    Column("as_good", lambda row: row[2].as_good),
    Column("p_corrected", lambda row: row[2].p_corrected),
)
