"""``bounds``: how much is there to gain from the systems of a study?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.cli.asked import on_study
from evalcore.cli.comparing import compared, over_queries
from evalcore.cli.emit import Column, Table, also, ends
from evalcore.cli.options import all_but, with_level, with_metrics, with_seed, with_systems
from evalcore.cli.output import about, decimals, few, progress_line, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked
    from evalcore.values.model import Interval, Scores

WORTH_MORE = "a good result can be worth more after poor ones."
HONEST = "Both bounds are chosen after seeing the answers: no system, and no fair comparison with one."


class _Row(NamedTuple):
    """A system or a bound under a metric; best_on: how many queries it is the best on, None for bounds."""

    scores: Scores
    mean: Interval
    is_bound: bool
    best_on: int | None


@on_study(*all_but("interval"), cluster=True)
@with_metrics
@with_systems
@over_queries
@with_level
@with_seed("Seed of resamples.")
def bounds(
    asked: Asked, metrics: Sequence[str], systems: Sequence[str], which: str | None, level: float, seed: int
) -> None:
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
    rows: list[_Row] = []
    unknown: list[str] = []
    for metric in metrics_of(limited, metrics, settings):
        scores = score(limited, metrics=[metric], systems=names, settings=settings, progress=progress_line())
        found = of.bounds(limited, scores, settings=settings)
        of_all = [one for one in (found.oracle, found.reordered) if one is not None]
        unknown += [str(metric)] if found.reordered is None else []
        every = [*scores, *of_all]
        means = summarise_all(every, settings=settings, level=level, seed=seed)
        rows += [
            _Row(one, mean, one in of_all, best)
            for one, mean, best in zip(every, means, [*found.best, *(None for _ in of_all)], strict=True)
        ]
    table = Table(rows, _COLUMNS)
    document = {
        **asked.facts(), "bounds": table,
        "note": HONEST, **over.facts(),
    }  # fmt: skip
    shown: list[str | Table] = [
        *over.lines(),
        about(limited, len(limited.queries), rows[0].mean),
        table, f"{HONEST} best on: queries on which a system is the best or as good as the best.",
        *(f"{name}: the best order is not known; {WORTH_MORE}" for name in unknown),
        *few([row.mean.n_independent for row in rows], settings),
    ]  # fmt: skip
    asked.emit(document, shown)


_COLUMNS = (
    Column("system", "scores.system", "system or bound"),
    Column("metric", "scores.metric", "metric"),
    Column("is_bound"),
    Column("mean", "mean.mean", "mean", decimals),
    *ends("mean."),
    also("n", "mean.n", whole),
    Column("n_scored", "scores.n_scored"),
    Column("n_undefined", "scores.n_undefined", "undefined", whole),
    Column("best_on", None, "best on", lambda n: "" if n is None else whole(n)),
    Column("seed", "mean.seed"),
)
