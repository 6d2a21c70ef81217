"""What the commands on relevance measures print, for people and for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.output import decimals, interval, plain, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.agreement import Agreement, Disagreement
    from evalcore.evaluate.discrimination import Power
    from evalcore.evaluate.rank_swaps import RankSwap
    from evalcore.evaluate.table_one import TableOne
    from evalcore.evaluate.under_measures import MeasureScores
    from evalcore.model import Floats, Study


def _matrix(matrix: Floats, measures: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"a": measures[i], "b": measures[j], "value": float(matrix[i, j])}
        for i in range(len(measures))
        for j in range(i + 1, len(measures))
    ]


def agreement_document(
    study: Study, settings: dict[str, Any], found: Agreement, told: dict[str, Any],
    listed: Sequence[Disagreement],
) -> dict[str, Any]:  # fmt: skip
    ids = study.image_ids
    return {
        "study": study.name, "digest": study.digest, "settings": settings, "level": found.level, **told,
        "measures": list(found.measures), "n": found.n, "left_out": found.left_out,
        "averaged_over": found.averaged_over, "kendall": _matrix(found.kendall, found.measures),
        "spearman": _matrix(found.spearman, found.measures),
        "disagreements": [
            {
                "query": ids[one.query], "candidate": ids[one.candidate], "value_a": one.value_a,
                "value_b": one.value_b, "place_a": one.place_a, "place_b": one.place_b,
            }
            for one in listed
        ],
    }  # fmt: skip


def print_agreement(
    study: Study, found: Agreement, told: dict[str, Any], listed: Sequence[Disagreement]
) -> None:
    drawn = f" of {told['population']:,}" if "population" in told else ""
    click.echo(
        f"{plain(study.name)}: {found.level}, n = {found.n:,}{drawn}, {found.left_out:,} left out, "
        f"seed {told['seed']}."
    )
    rows = [
        (found.measures[i], found.measures[j], decimals(found.kendall[i, j]), decimals(found.spearman[i, j]))
        for i in range(len(found.measures))
        for j in range(i + 1, len(found.measures))
    ]
    print_table(("measure", "measure", "tau", "rho"), rows)
    if listed:
        click.echo("")
        ids = study.image_ids
        print_table(
            ("query", "candidate", "value A", "value B", "place A", "place B"),
            [
                (ids[d.query], ids[d.candidate], *(decimals(v) for v in
                 (d.value_a, d.value_b, d.place_a, d.place_b)))
                for d in listed
            ],
        )  # fmt: skip


def power_document(
    study: Study,
    settings: dict[str, Any],
    powers: Sequence[Power],
    scores: MeasureScores,
    crossings: Sequence[RankSwap],
) -> dict[str, Any]:
    first, means = powers[0], scores.means
    return {
        "study": study.name, "digest": study.digest, "settings": settings, "n_queries": first.n_queries,
        "left_out": scores.left_out, "test": first.test, "n_resamples": first.n_resamples, "seed": first.seed,
        "correction": first.correction, "level": first.level,
        "crossings": [asdict(one) for one in crossings],
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


def table_document(study: Study, settings: dict[str, Any], found: TableOne) -> dict[str, Any]:
    return {
        "study": study.name, "digest": study.digest, "settings": settings, "n_asked": found.n_asked,
        "n_all": found.n_all, "test": found.test, "correction": found.correction,
        "n_resamples": found.n_resamples, "seed": found.seed,
        "cells": [
            {
                "measure": name.removeprefix("@"), "metric": metric, "mean": cell.interval.mean,
                "ci_low": cell.interval.low, "ci_high": cell.interval.high, "n": cell.interval.n,
                "n_undefined": cell.n_undefined, "tied": cell.tied, "best": cell.best,
                "as_good": cell.as_good, "p_corrected": cell.p_corrected,
            }
            for name, row in zip(found.systems, found.cells, strict=True)
            for metric, cell in zip(found.metrics, row, strict=True)
        ],
    }  # fmt: skip


def print_power(
    study: Study, scores: MeasureScores, powers: Sequence[Power], crossings: Sequence[RankSwap]
) -> None:
    first = powers[0]
    click.echo(
        f"{plain(study.name)}: {len(scores.systems)} systems, {first.n_queries:,} queries "
        f"({scores.left_out:,} left out). {first.test}, {first.n_resamples:,} resamples, seed {first.seed}; "
        f"{first.correction} per measure, p < {first.level:g}."
    )
    print_table(
        ("measure", "metric", "separated", "pairs", "share"),
        [(p.measure, p.metric, str(p.separated), str(len(p.pairs)), decimals(p.share)) for p in powers],
    )
    if crossings:
        click.echo("")
        print_table(
            ("measure", "passes", "passed", "ahead", f"behind under {crossings[0].reference}"),
            [
                (one.measure, one.above, one.below, decimals(one.gap), decimals(one.reference_gap))
                for one in crossings
            ],
        )


def print_table_one(study: Study, found: TableOne) -> None:
    click.echo(
        f"{plain(study.name)}: {found.n_asked:,} of {found.n_all:,} queries, ties: "
        f"{found.ties}, seed {found.seed}."
    )
    print_table(
        ("measure", "metric", "mean", "", "interval", "n", "tied"),
        [
            (
                name, metric, decimals(cell.interval.mean), "*" if cell.best else "~" if cell.as_good else "",
                interval(cell.interval.low, cell.interval.high), f"{cell.interval.n:,}", f"{cell.tied:,}",
            )
            for name, row in zip(found.systems, found.cells, strict=True)
            for metric, cell in zip(found.metrics, row, strict=True)
        ],
    )  # fmt: skip
