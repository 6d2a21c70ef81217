"""``export run --fuse`` and ``score --bounds``: systems put together, and what there is to gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from evalcore.cli.comparing import compared, over_queries
from evalcore.cli.export import write_run
from evalcore.cli.options import (
    NN_IOU,
    Number,
    Whole,
    all_but,
    example,
    with_level,
    with_metrics,
    with_seed,
    with_systems,
)
from evalcore.cli.output import TEXT_FILE, about, few, progress_line
from evalcore.cli.study_request import on_study
from evalcore.evaluate import score, summarise_all
from evalcore.evaluate.fusion import bounds as of
from evalcore.evaluate.fusion.runs import fused, fused_runs
from evalcore.evaluate.targets import metrics_of
from evalcore.ranking.metrics import lower_is_better
from evalcore.results.rows import Column, Table, also, decimals, ends, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.values.model import Interval, Scores

# ``score --bounds``: how much is there to gain from the systems of a study?

WORTH_MORE = "a good result can be worth more after poor ones."
HONEST = "Both bounds are chosen after seeing the answers: no system, and no fair comparison with one."


class _Row(NamedTuple):
    """A system or a bound under a metric; best_on: how many queries it is the best on, None for bounds."""

    scores: Scores
    mean: Interval
    is_bound: bool
    best_on: int | None


@example("score data --bounds --metric nnCUI@10")
@on_study(*all_but("interval"))
@with_metrics()
@with_systems
@over_queries
@with_level
@with_seed("resamples.")
def bounds(
    request: StudyRequest,
    metrics: Sequence[str],
    systems: Sequence[str],
    which: str | None,
    level: float,
    seed: int,
) -> None:
    """How good could a choice between systems be?

    Or another order of what they return? Best system per query: the highest value among the systems,
    query by query; no selection does better. Best order of their results: the first K results of all
    systems together, ordered by what they earn; no re-ranking and no fusion of them does better.
    """
    study, settings = request.study, request.settings
    over, limited = compared(request, tuple(systems) or study.systems, which)
    names = tuple(systems) or study.systems
    rows: list[_Row] = []
    unknown: list[str] = []
    for metric in metrics_of(limited, metrics, settings):
        scores = score(limited, metrics=[metric], systems=names, settings=settings, progress=progress_line())
        result = of.bounds(limited, scores, settings=settings)
        of_all = [score for score in (result.oracle, result.reordered) if score is not None]
        unknown += [str(metric)] if result.reordered is None else []
        every = [*scores, *of_all]
        means = summarise_all(every, settings=settings, level=level, seed=seed)
        rows += [
            _Row(score, mean, score in of_all, best)
            for score, mean, best in zip(every, means, [*result.best, *(None for _ in of_all)], strict=True)
        ]
    table = Table(rows, _COLUMNS)
    document = {**request.facts(), "bounds": table, "note": HONEST, **over.facts()}
    shown: list[str | Table] = [
        *over.lines(),
        about(limited, len(limited.queries), rows[0].mean),
        table,
        f"{HONEST} best on: queries on which a system is the best or as good as the best.",
        *(
            f"{name}: no best order is computed for ranks."
            if lower_is_better(name)
            else f"{name}: the best order is not known; {WORTH_MORE}"
            for name in unknown
        ),
        *few([row.mean.n_independent for row in rows], settings),
    ]
    request.emit(document, shown)


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

# ``export run --fuse``: several systems as one run file.

METHODS = ("rrf", "combsum", "combmnz", "isr", "borda")
BY_HELP = (
    "The method. rrf: sum of 1 / (k + rank). combsum: sum of scores, each list scaled to 0 to 1. combmnz: "
    "that, times the number of systems that return the image. isr: sum of 1 / rank², times that number. "
    "borda: sum of the ranks below the image."
)


@example("export run data --fuse --system hog --system texture --method combmnz --depth 10")
@on_study(*NN_IOU, "include_self", "where")
@click.option(
    "--system",
    "systems",
    multiple=True,
    required=True,
    metavar="S",
    help="A system: a folder of systems/, or @ and a relevance. Two or more.",
)
@click.option("--method", type=click.Choice(METHODS), default="rrf", show_default=True, help=BY_HELP)
@click.option("--rrf-k", "k", type=Number(), default=60, show_default=True, help="The constant of rrf.")
@click.option("--depth", "top", type=Whole(1), help="Results of each list: all of them unless set.")
@click.option(
    "--out",
    type=TEXT_FILE,
    metavar="FILE",
    help="Where to write: a TREC run, or CSV when it ends in .csv; .gz packs it. Else printed.",
)
def fuse(
    request: StudyRequest, systems: Sequence[str], method: str, k: float, top: int | None, out: str | None
) -> None:
    """Put systems together, query by query, as a run.

    Images a system does not return add nothing (in borda: they share the places that are left). Scores are
    brought to 0 to 1 per query and system. `score --system rrf:A+B` does the same without a file. Equal
    fused scores are ordered by image id. A system without a run gives as many results as the longest run.
    """
    study, settings = request.study, request.settings
    system, ids = fused(study, systems, method=method, k=k), study.image_ids
    assert system.fusion is not None, "it is fused"
    blocks = fused_runs(study, system, depth=top, settings=settings, progress=progress_line())
    what = {
        "system": system.name,
        "method": method,
        "k": system.fusion.k,
        "members": list(system.fusion.members),
        "top": top,
    }
    write_run(request, blocks, ids, out, what)
