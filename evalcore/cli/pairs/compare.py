"""``compare``: two systems, or every pair of them with ranks and groups of equals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.comparing import compared, over_queries
from evalcore.cli.comparisons import smallest_difference
from evalcore.cli.options import ALL, SYSTEM_HELP, corrected, with_flips, with_level, with_metrics, with_seed
from evalcore.cli.output import few, progress_line
from evalcore.cli.pairs import output
from evalcore.cli.scoring import of_seeds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked
    from evalcore.evaluate.pairs.critical import MeanRanks
    from evalcore.evaluate.pairs.equals import Equals
    from evalcore.evaluate.pairs.ranks import RankInterval
    from evalcore.values.model import Comparison, Scores
    from evalcore.values.settings import Correction, Settings


_TWO = "Name two different systems, A and B, or ask for every pair with --all."


@on_study(*ALL, csv=True, cluster=True)
@click.argument("names", nargs=-1, metavar="[A B]")
@with_metrics
@click.option("--all", "everyone", is_flag=True, help="Every pair of systems, instead of A and B.")
@click.option("--system", "systems", multiple=True, metavar="S", help=f"With --all: {SYSTEM_HELP}")
@click.option(
    "--mean-ranks", is_flag=True,
    help="With --all: mean ranks over queries too, by Friedman's test and Nemenyi's critical difference.",
)  # fmt: skip
@over_queries
@with_level
@with_seed("Seed of resamples and flips.")
@corrected
@with_flips
@smallest_difference
def compare(
    asked: Asked, names: Sequence[str], metrics: Sequence[str], everyone: bool, systems: Sequence[str],
    mean_ranks: bool, which: str | None, level: float, seed: int, correction: Correction,
    flips: int, smallest: float | None,
) -> None:  # fmt: skip
    """Compare two systems of STUDY, A minus B, or with --all every pair of them.

    Differences are paired by query: bootstrap interval (2,000 resamples), permutation test (--flips), p
    corrected over all comparisons shown (--correction). With --all also the rank of each system under
    resampled queries, and groups of equals: letters that systems share unless corrected p < .05 tells them
    apart. --csv writes the comparisons.
    """
    from evalcore.evaluate import score as score_systems
    from evalcore.evaluate import summarise_all
    from evalcore.evaluate.summary import method_of_differences
    from evalcore.evaluate.systems import name_of

    _check_names(names, everyone=everyone, systems=systems, mean_ranks=mean_ranks)
    settings = asked.settings
    chosen = tuple(names) or tuple(systems) or asked.study.systems
    if names and name_of(asked.study, names[0]) == name_of(asked.study, names[1]):
        raise click.UsageError(_TWO)
    over, limited = compared(asked, chosen, which)
    scores = score_systems(
        limited, metrics=metrics, systems=chosen, settings=settings, progress=progress_line()
    )
    found = _comparisons(
        scores, everyone, settings=settings, level=level, seed=seed, correction=correction, n_resamples=flips
    )
    intervals = summarise_all(scores, settings=settings, level=level, seed=seed)
    ranks, equals = _ranked(scores, found, settings, level, seed) if everyone else ([], [])
    tested = _mean_ranks(scores, settings) if mean_ranks else ()
    shown_scores = output.systems_table(scores, intervals, ranks, equals)
    table = output.comparisons_table(
        found, method=method_of_differences(settings), grouped_by=scores[0].grouped_by, smallest=smallest
    )
    asked.emit(
        {
            **asked.facts(),
            "systems": shown_scores, "comparisons": table,
            **({"equals": output.equals_table(equals)} if everyone else {}),
            **({"mean_ranks": [output.mean_ranks_document(one) for one in tested]} if tested else {}),
            **over.facts(),
        },
        [
            *over.lines(),
            *output.shown(limited, shown_scores, table, ranks, everyone=everyone),
            *of_seeds.lines(scores),
            *(part for one in tested for part in output.shown_mean_ranks(one)),
            *few([one.n_independent for one in intervals], settings,
                 differences=[one.n_independent for one in found]),
        ], table,
    )  # fmt: skip


def _check_names(names: Sequence[str], *, everyone: bool, systems: Sequence[str], mean_ranks: bool) -> None:
    """A and B, or --all: one of the two ways to name what is compared."""
    if everyone and names:
        raise click.UsageError("--all compares every pair: leave A and B out, or choose by --system.")
    if not everyone and (systems or mean_ranks):
        unused = "--system" if systems else "--mean-ranks"
        raise click.UsageError(f"{unused} goes with --all. Two systems are named as A and B.")
    if not everyone and len(names) != 2:
        raise click.UsageError(_TWO)


def _comparisons(
    scores: Sequence[Scores], everyone: bool, *, settings: Settings, level: float, seed: int,
    correction: Correction, n_resamples: int,
) -> tuple[Comparison, ...]:  # fmt: skip
    """Every pair, or the first system minus the second under each metric."""
    from evalcore.evaluate import compare_all
    from evalcore.evaluate.pairs.every_pair import every_pair

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
    metrics = dict.fromkeys(one.metric for one in scores)
    return [[one for one in scores if one.metric == metric] for metric in metrics]


def _ranked(
    scores: Sequence[Scores], found: Sequence[Comparison], settings: Settings, level: float, seed: int
) -> tuple[list[RankInterval], list[tuple[str, Equals]]]:
    """The rank of each system, and the groups of equals, metric by metric."""
    from evalcore.evaluate.pairs.equals import groups_of_equals
    from evalcore.evaluate.pairs.every_pair import in_order
    from evalcore.evaluate.pairs.ranks import rank_intervals

    ranks: list[RankInterval] = []
    equals: list[tuple[str, Equals]] = []
    for members in _by_metric(scores):
        metric = members[0].metric
        ranks += rank_intervals(members, settings=settings, level=level, seed=seed)
        order = [one.system for one in in_order(members, metric, settings)]
        equals.append((metric, groups_of_equals(order, [one for one in found if one.metric == metric])))
    return ranks, equals


def _mean_ranks(scores: Sequence[Scores], settings: Settings) -> list[MeanRanks]:
    from evalcore.evaluate.pairs.critical import mean_ranks

    return [mean_ranks(members, settings=settings) for members in _by_metric(scores)]
