"""``bounds``: how much is there to gain from the systems of a study?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.asked import on_study
from evalcore.cli.comparing import compared, facts, lines, over_queries
from evalcore.cli.emit import Column, Table, also, emit
from evalcore.cli.options import ALL, on_cluster
from evalcore.cli.output import decimals, few, interval, plain, progress_line, whole
from evalcore.cli.same_group import facts as group_facts
from evalcore.cli.same_group import lines as group_lines
from evalcore.cli.scores import METRIC_HELP, SYSTEM_HELP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked

WORTH_MORE = "a good result can be worth more after poor ones."
HONEST = "Both bounds are chosen after seeing the answers: no system, and no fair comparison with one."


@click.command()
@click.argument("study")
@click.option("--metric", "metrics", multiple=True, required=True, metavar="M", help=METRIC_HELP)
@click.option("--system", "systems", multiple=True, metavar="S", help=SYSTEM_HELP)
@over_queries
@click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
    help="Level of the intervals.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of resamples.")
@on_study(*(name for name in ALL if name != "interval"))
@on_cluster
def bounds(
    asked: Asked, metrics: Sequence[str], systems: Sequence[str], which: str | None, level: float, seed: int
) -> None:  # fmt: skip
    """How good could a choice between the systems of STUDY be, or another order of what they return?

    Best system per query: the highest value among the systems, query by query; no selection does better. Best
    order of their results: the first K results of all systems together, ordered by what they earn; no
    re-ranking and no fusion of them does better.
    """
    from evalcore.evaluate import score, summarise_all
    from evalcore.evaluate.fusion import bounds as of
    from evalcore.evaluate.wanted import metrics_of

    study, settings = asked.study, asked.settings
    over, limited = compared(asked, tuple(systems) or study.systems, which)
    names = tuple(systems) or study.systems
    rows: list[dict[str, Any]] = []
    unknown: list[str] = []
    for metric in metrics_of(limited, metrics, settings):
        scores = score(limited, metrics=[metric], systems=names, settings=settings, progress=progress_line())
        found = of.bounds(limited, scores, settings=settings)
        of_all = [one for one in (found.oracle, found.reordered) if one is not None]
        unknown += [str(metric)] if found.reordered is None else []
        every = [*scores, *of_all]
        means = summarise_all(every, settings=settings, level=level, seed=seed)
        rows += [
            {"bound": one in of_all, "scores": one, "mean": mean, "best": best}
            for one, mean, best in zip(every, means, [*found.best, *(None for _ in of_all)], strict=True)
        ]
    table = Table(rows, _COLUMNS)
    document = {
        "study": study.name, "digest": study.content, "settings": asked.recorded(), "bounds": table,
        "note": HONEST, **facts(over), **group_facts(limited),
    }  # fmt: skip
    first = rows[0]["mean"]
    drawn = f", {first.n_resamples:,} resamples, seed {first.seed}"
    shown: list[str | Table] = [
        *lines(over), *group_lines(limited),
        f"{plain(study.name)}: {len(limited.queries):,} queries. Intervals: {first.level:.0%}, "
        f"{first.method}{drawn}.",
        table, f"{HONEST} best on: queries on which a system is the best or as good as the best.",
        *(f"{name}: the best order is not known; {WORTH_MORE}" for name in unknown),
        *few([row["mean"].n_independent for row in rows], settings),
    ]  # fmt: skip
    emit(document, shown, json=asked.json)


_COLUMNS = (
    Column("system", lambda row: row["scores"].system, "system or bound", plain),
    Column("metric", lambda row: row["scores"].metric, "metric"),
    Column("is_bound", lambda row: row["bound"]),
    Column("mean", lambda row: row["mean"].mean, "mean", decimals),
    also("interval", lambda row: interval(row["mean"].low, row["mean"].high)),
    also("n", lambda row: row["mean"].n, whole),
    Column("ci_low", lambda row: row["mean"].low),
    Column("ci_high", lambda row: row["mean"].high),
    Column("n_scored", lambda row: row["scores"].n_scored),
    Column("n_undefined", lambda row: row["scores"].n_undefined, "undefined", whole),
    Column("best_on", lambda row: row["best"], "best on", lambda n: "" if n is None else whole(n)),
    Column("seed", lambda row: row["mean"].seed),
)
