"""``compare`` and ``--overlap``: many systems at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from evalcore.cli import comparing
from evalcore.cli.comparing import MORE_FLIPS, compared, lines_of_lists, over_queries, smallest_difference
from evalcore.cli.options import (
    ALL,
    NN_IOU,
    SYSTEM_HELP,
    Number,
    Whole,
    corrected,
    example,
    with_flips,
    with_level,
    with_metrics,
    with_seed,
    with_systems,
)
from evalcore.cli.output import about, few, progress_line
from evalcore.cli.study_request import on_study
from evalcore.evaluate import compare_all, summarise_all
from evalcore.evaluate import score as score_systems
from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.pairs.every_pair import every_pair, in_order
from evalcore.evaluate.pairs.overlap import K, overlaps
from evalcore.evaluate.pairs.ranks import groups_of_equals, letter, rank_intervals
from evalcore.evaluate.summary import method_of_differences, too_narrow
from evalcore.evaluate.systems import name_of
from evalcore.results.pairs import comparisons_table, overlap_table, ranks_of
from evalcore.results.rows import Column, Table, named, plain, whole
from evalcore.results.scores import COUNTED, SEED, mean_of
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.pairs.overlap import Overlaps
    from evalcore.evaluate.pairs.ranks import Equals, RankInterval
    from evalcore.values.model import Comparison, Interval, Scores, Study
    from evalcore.values.settings import Correction, Settings

# What ``compare`` prints: systems with ranks and letters, comparisons.


class SystemRow(NamedTuple):
    """One system under one metric; without rank and letters where only two are compared."""

    scores: Scores
    mean: Interval
    rank: RankInterval | None
    letters: str


class Group(NamedTuple):
    """Systems that are not told apart under one metric."""

    metric: str
    letter: str
    systems: tuple[str, ...]
    level: float


def systems_table(
    scores: Sequence[Scores],
    intervals: Sequence[Interval],
    ranks: Sequence[RankInterval],
    equals: Sequence[tuple[str, Equals]],
) -> Table:
    """Rows as given, or metric by metric and best first where there are ranks and groups of equals."""
    by_rank = {(interval.system, interval.metric): interval for interval in ranks}
    letters = {
        (name, metric): text
        for metric, equal in equals
        for name, text in zip(equal.systems, equal.letters, strict=True)
    }
    rows = [
        SystemRow(scores, mean, by_rank.get(key := (scores.system, scores.metric)), letters.get(key, ""))
        for scores, mean in zip(scores, intervals, strict=True)
    ]
    place = {key: i for i, key in enumerate(letters)}
    rows.sort(key=lambda row: place.get((row.scores.system, row.scores.metric), 0))
    missing = Column("missing", "scores.missing", "missing", whole)
    columns = (*mean_of(rows[0].mean.level), *COUNTED, missing, SEED)
    return Table(rows, (*columns, *(ranks_of(ranks[0].level) if ranks else ())))


def equals_table(equals: Sequence[tuple[str, Equals]]) -> Table:
    """The groups of equals, each with its letter."""
    rows = [
        Group(metric, letter(place), members, equal.level)
        for metric, equal in equals
        for place, members in enumerate(equal.groups)
    ]
    return Table(rows, named("metric", "letter", "systems", "level"))


def shown(
    study: Study, systems: Table, comparisons: Table, ranks: Sequence[RankInterval], *, everyone: bool
) -> Iterator[str | Table]:
    """For people: systems, then comparisons, each with the method above."""
    first: SystemRow = systems.rows[0]
    yield about(study, len(first.scores.queries), first.mean)
    yield systems
    ranks_of_matches = any(row.mean.lower_is_better for row in systems.rows)
    yield f"missing: not answered, counted {'as the last place' if ranks_of_matches else '0'}."
    if everyone:
        yield from _about_ranks(ranks)
    comparison: Comparison = comparisons.rows[0]
    over = over_what(comparisons.rows)
    yield f"\n{comparison.test}, {pluralize(comparison.n_resamples, 'flip')}, seed {comparison.seed}; {over}."
    if floor := at_the_floor(comparisons.rows, more=MORE_FLIPS):
        yield floor
    yield comparisons


def _about_ranks(ranks: Sequence[RankInterval]) -> Iterator[str]:
    """What rank, first and equals mean, and over which queries."""
    first = ranks[0]
    yield (
        f"rank: by the mean, over {first.n:,} queries with a value under every system "
        f"({first.left_out:,} others "
        f"left out); its interval and first (share of resamples that put it first): {first.method}, "
        f"{first.n_resamples:,} resamples, seed {first.seed}."
    )
    yield (
        "equals: systems that share a letter do not differ clearly (corrected p >= .05), which does not "
        "prove them equal."
    )


# ``compare``: two systems, or every pair of them with ranks and groups of equals.

_TWO = "Name two different systems, A and B, or ask for every pair with --all."


@example("compare data hog texture --metric nnCUI@10")
@on_study(*ALL, csv=True)
@click.argument("names", nargs=-1, metavar="[A B]")
@with_metrics()
@click.option("--all", "everyone", is_flag=True, help="Every pair of systems, instead of A and B.")
@click.option("--system", "systems", multiple=True, metavar="S", help=f"{SYSTEM_HELP} With --all.")
@over_queries
@with_level
@with_seed("resamples and flips.")
@corrected
@with_flips
@smallest_difference
def compare(
    request: StudyRequest,
    names: Sequence[str],
    metrics: Sequence[str],
    everyone: bool,
    systems: Sequence[str],
    which: str | None,
    level: float,
    seed: int,
    correction: Correction,
    flips: int,
    smallest: float | None,
) -> None:
    """Compare two systems of STUDY, or all pairs.

    A minus B, or with --all every pair. Differences are paired by query: bootstrap interval (2,000
    resamples), permutation test (--set flips), p corrected over all comparisons shown (--set correction).
    With --all also the rank of each system under resampled queries, and groups of equals: letters that
    systems share unless corrected p < .05 separates them. --csv writes the comparisons.
    """
    _check_names(names, everyone=everyone, systems=systems)
    settings = request.settings
    chosen = tuple(names) or tuple(systems) or request.study.systems
    if names and name_of(request.study, names[0]) == name_of(request.study, names[1]):
        raise click.UsageError(_TWO)
    over, limited = compared(request, chosen, which)
    scores = score_systems(
        limited, metrics=metrics, systems=chosen, settings=settings, progress=progress_line()
    )
    comparisons = _comparisons(
        scores, everyone, settings=settings, level=level, seed=seed, correction=correction, n_resamples=flips
    )
    intervals = summarise_all(scores, settings=settings, level=level, seed=seed)
    ranks, equals = _ranked(scores, comparisons, settings, level, seed) if everyone else ([], [])
    shown_scores = systems_table(scores, intervals, ranks, equals)
    table = comparisons_table(
        comparisons,
        method=method_of_differences(settings),
        grouped_by=scores[0].grouped_by,
        smallest=smallest,
    )
    request.emit(
        {
            **request.facts(),
            "systems": shown_scores,
            "comparisons": table,
            **({"equals": equals_table(equals)} if everyone else {}),
            **over.facts(),
        },
        [
            *over.lines(),
            *shown(limited, shown_scores, table, ranks, everyone=everyone),
            *comparing.lines_of_seeds(scores),
            *few(
                [interval.n_independent for interval in intervals],
                settings,
                differences=[comparison.n_independent for comparison in comparisons],
            ),
        ],
        table,
    )


def _check_names(names: Sequence[str], *, everyone: bool, systems: Sequence[str]) -> None:
    """A and B, or --all: one of the two ways to name what is compared."""
    if everyone and names:
        raise click.UsageError("--all compares every pair: leave A and B out, or choose by --system.")
    if not everyone and systems:
        raise click.UsageError("--system goes with --all. Two systems are named as A and B.")
    if not everyone and len(names) != 2:
        raise click.UsageError(_TWO)


def _comparisons(
    scores: Sequence[Scores],
    everyone: bool,
    *,
    settings: Settings,
    level: float,
    seed: int,
    correction: Correction,
    n_resamples: int,
) -> tuple[Comparison, ...]:
    """Every pair, or the first system minus the second under each metric."""
    if everyone:
        return every_pair(
            scores, settings=settings, level=level, seed=seed, correction=correction, n_resamples=n_resamples
        )
    half = len(scores) // 2
    pairs = list(zip(scores[half:], scores[:half], strict=True))
    return compare_all(
        pairs,
        settings=settings,
        level=level,
        seed=seed,
        correction=correction,
        n_resamples=n_resamples,
        family="pairs",
    )


def _by_metric(scores: Sequence[Scores]) -> list[list[Scores]]:
    metrics = dict.fromkeys(score.metric for score in scores)
    return [[score for score in scores if score.metric == metric] for metric in metrics]


def _ranked(
    scores: Sequence[Scores], comparisons: Sequence[Comparison], settings: Settings, level: float, seed: int
) -> tuple[list[RankInterval], list[tuple[str, Equals]]]:
    """The rank of each system, and the groups of equals, metric by metric."""
    ranks: list[RankInterval] = []
    equals: list[tuple[str, Equals]] = []
    for members in _by_metric(scores):
        metric = members[0].metric
        ranks += rank_intervals(members, settings=settings, level=level, seed=seed)
        order = [score.system for score in in_order(members, metric, settings)]
        equals.append(
            (
                metric,
                groups_of_equals(
                    order, [comparison for comparison in comparisons if comparison.metric == metric]
                ),
            )
        )
    return ranks, equals


# ``compare --overlap``: how alike the results of every two systems are.

_TAKES = (*NN_IOU, "include_self", "where")
"""What acts on rankings: relevance can rank by itself, as @nn-iou. No mean of a metric is reported."""


@example("compare data --overlap --depth 50 --k 10")
@on_study(*_TAKES, csv=True)
@with_systems
@click.option(
    "--depth",
    type=Whole(1, 1_000),
    default=50,
    show_default=True,
    help="Results of each list: those compared.",
)
@click.option(
    "--k",
    type=Whole(1),
    show_default="10, or the depth if that is less",
    help="Results that count: shared ones among the first K.",
)
@click.option(
    "--p",
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="Persistence: 0.9 gives the first 10 results 86% of the weight, 0.98 the first 50.",
)
@over_queries
@with_level
@with_seed("resamples.")
def overlap(
    request: StudyRequest,
    systems: Sequence[str],
    depth: int,
    k: int | None,
    p: float,
    which: str | None,
    level: float,
    seed: int,
) -> None:
    """How alike are the results of every two systems?

    Rank-biased overlap (Webber et al. 2010), 0 for nothing in common, 1 for the same list, extrapolated from
    the lists seen, with its bounds; and the share of the first K results that both return. Means over the
    queries both answer, with bootstrap intervals. Equal scores count in the order of the run.
    """
    settings = request.settings
    over, limited = compared(request, systems or None, which)
    result = overlaps(
        limited,
        systems or None,
        depth=depth,
        k=min(K, depth) if k is None else k,
        p=p,
        settings=settings,
        level=level,
        seed=seed,
        progress=progress_line(),
    )
    table = overlap_table(result)
    request.emit(
        {
            **request.facts(),
            "depth": result.depth,
            "k": result.k,
            "p": result.p,
            "ci_level": result.level,
            "n_queries": result.n_queries,
            "n_resamples": result.n_resamples,
            "seed": result.seed,
            "overlaps": table,
            **over.facts(),
        },
        [
            *over.lines(),
            *lines_of_lists(request.study, systems or None),
            _above(limited, result),
            table,
            _BELOW,
            *filter(None, [too_narrow([pair.n_groups or pair.n for pair in result.pairs])]),
        ],
        table,
    )


_BELOW = (
    "bounds: mean lowest and highest possible value, whatever follows these results. "
    "left out: queries that one of the two does not answer."
)


def _above(study: Study, overlaps: Overlaps) -> str:
    first = overlaps.pairs[0]
    chosen = f" with {', '.join(study.where)}" if study.where else ""
    return (
        f"{plain(study.name)}: {pluralize(overlaps.n_queries, 'query')}{plain(chosen)}. Rank-biased overlap, "
        f"p = {overlaps.p:g}, of the first {overlaps.depth:,} results; shared: of the first {overlaps.k:,}. "
        f"Intervals: {overlaps.level:.0%}, {first.method}, {overlaps.n_resamples:,} resamples, seed "
        f"{overlaps.seed}."
    )
