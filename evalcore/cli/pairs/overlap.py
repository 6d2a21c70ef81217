"""``overlap``: how alike the results of every two systems are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.comparing import compared, over_queries
from evalcore.cli.emit import Column, Table, also, ends
from evalcore.cli.options import NN_IOU, Number, Whole, with_level, with_seed, with_systems
from evalcore.cli.output import decimals, interval, plain, progress_line, whole
from evalcore.cli.scoring.of_seeds import lines_of_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked
    from evalcore.evaluate.pairs.overlap import Overlaps
    from evalcore.values.model import Study

_TAKES = (*NN_IOU, "include_self", "where")
"""What acts on rankings: relevance can rank by itself, as @nn-iou. No mean of a metric is reported."""


@on_study(*_TAKES, csv=True, cluster=True)
@with_systems
@click.option(
    "--depth", type=Whole(1, 1_000), default=50, show_default=True,
    help="Results of each list that are compared.",
)  # fmt: skip
@click.option(
    "--k", type=Whole(1), show_default="10, or the depth if that is less",
    help="Of the first K results the shared ones are counted.",
)  # fmt: skip
@click.option(
    "--p", type=Number(0, 1, min_open=True, max_open=True), default=0.9, show_default=True,
    help="Persistence: 0.9 gives the first 10 results 86% of the weight, 0.98 the first 50.",
)  # fmt: skip
@over_queries
@with_level
@with_seed("Seed of resamples.")
def overlap(
    asked: Asked, systems: Sequence[str], depth: int, k: int | None, p: float, which: str | None,
    level: float, seed: int,
) -> None:  # fmt: skip
    """How alike are the results of every two systems of STUDY?

    Rank-biased overlap (Webber et al. 2010), 0 for nothing in common, 1 for the same list, extrapolated from
    the lists seen, with its bounds; and the share of the first K results that both return. Means over the
    queries both answer, with bootstrap intervals. Equal scores count in the order of the run.
    """
    from evalcore.evaluate.pairs.overlap import K, overlaps
    from evalcore.evaluate.summary import too_narrow

    settings = asked.settings
    over, limited = compared(asked, systems or None, which)
    found = overlaps(
        limited, systems or None, depth=depth, k=min(K, depth) if k is None else k, p=p, settings=settings,
        level=level, seed=seed, progress=progress_line(),
    )  # fmt: skip
    table = Table(found.pairs, _PAIRS)
    asked.emit(
        {
            **asked.facts(),
            "depth": found.depth, "k": found.k, "p": found.p, "ci_level": found.level,
            "n_queries": found.n_queries, "n_resamples": found.n_resamples, "seed": found.seed,
            "overlaps": table, **over.facts(),
        },
        [
            *over.lines(), *lines_of_lists(asked.study, systems or None),
            _above(limited, found), table, _BELOW,
            *filter(None, [too_narrow([one.n_groups or one.n for one in found.pairs])]),
        ], table,
    )  # fmt: skip


_PAIRS = (
    Column("a", head="system"),
    Column("b", head="and"),
    Column("rbo", None, "overlap", decimals),
    *ends("rbo_", name="rbo_ci"),
    also("bounds", lambda one: interval(one.at_least, one.at_most)),
    Column("rbo_at_least", "at_least"),
    Column("rbo_at_most", "at_most"),
    Column("shared", None, "shared", decimals),
    *ends("shared_", name="shared_ci", head="its interval"),
    Column("n", None, "n", whole),
    Column("left_out", None, "left out", whole),
    Column("ci_method", "method"),
)
_BELOW = (
    "bounds: mean least and greatest value, whatever comes below the results seen. "
    "left out: queries that one of the two does not answer."
)


def _above(study: Study, found: Overlaps) -> str:
    first = found.pairs[0]
    chosen = f" with {', '.join(study.where)}" if study.where else ""
    return (
        f"{plain(study.name)}: {found.n_queries:,} queries{plain(chosen)}. Rank-biased overlap, "
        f"p = {found.p:g}, of the first {found.depth:,} results; shared: of the first {found.k:,}. "
        f"Intervals: {found.level:.0%}, {first.method}, {found.n_resamples:,} resamples, seed {found.seed}."
    )
