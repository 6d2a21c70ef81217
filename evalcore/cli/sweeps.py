"""``sweep`` and ``cost``: what the settings of nn-IoU decide, and what they cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import click

from evalcore.cli.options import ALL, NumberGrid, Whole, example, option
from evalcore.cli.output import progress_line, small_sample_warning
from evalcore.cli.scores import over
from evalcore.cli.study_request import on_study
from evalcore.evaluate.cost import machine, measure_cost
from evalcore.evaluate.sweep import (
    THRESHOLDS,
    covered,
    grid_points,
    reading_points,
    refuse_nothing_to_vary,
    with_setting_in_use,
)
from evalcore.report.robustness import stable
from evalcore.report.verdicts import as_text, in_terms
from evalcore.results.rows import plain
from evalcore.results.sweeps import cost_table, crossovers_table, identical, standings_table, sweep_table
from evalcore.values.settings import CountRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.output import Item
    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.sweep import Grid, Stability, Standing, SweepRow

GRID_HELP = "start:stop:step, stop included, or a,b,c."
EVERY = "all"
_THRESHOLDS = ",".join(map(str, THRESHOLDS))


@example("sweep sample --alphas 0:1:0.5 --thresholds 1 --metric nnCUI@10")
@on_study(*ALL, "metrics", "systems", "queries", csv="those of the table.")
@option("--alphas", kind=NumberGrid("alpha"), usual="0:1:0.1", metavar="GRID", help=GRID_HELP)
@option("--thresholds", kind=NumberGrid("threshold"), usual=_THRESHOLDS, metavar="GRID", help=GRID_HELP)
@option(
    "--subset",
    kind=("all", "disagree"),
    usual="all",
    help="disagree: per metric, only queries whose value differs between @iou and @nn-iou at alpha 0.5 and "
    "threshold 1. It selects by outcome, so gains there overstate gains overall, and no ranking is given.",
)
@option(
    "--count-rules",
    kind=click.Choice([*get_args(CountRule), EVERY]),
    usual=("concepts",),
    help="How neighbour matches are counted. Repeat for several.",
)
def sweep(
    request: StudyRequest,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    subset: Any,
    count_rules: Sequence[Any],
) -> None:
    """Do scores and ranking depend on the settings of nn-IoU?

    One row per setting, system and metric. Then at every alpha and threshold who leads, by how much (paired
    bootstrap interval), and Kendall's tau of all means with those at --alpha and --threshold; where one
    system overtakes another as alpha grows (linear between two alphas); and the same at --alpha and
    --threshold under every count rule. Leader and lead come from the same data: a description,
    not a test.
    """
    refuse_nothing_to_vary(request.study)
    rules = get_args(CountRule) if EVERY in count_rules else tuple(dict.fromkeys(count_rules))
    reach, left_out = covered(request.study, thresholds)
    settings = replace(
        request.settings, count_rule=rules[0]
    )  # the isolated subset is drawn at the first rule
    points = grid_points(settings, alphas=alphas, thresholds=reach, count_rules=rules)
    axes = with_setting_in_use(alphas, reach, request.settings)
    ranked = grid_points(request.settings, alphas=axes[0], thresholds=axes[1])
    readings = reading_points(request.settings)
    analysis, every = request.analysis(settings=settings), (*points, *ranked, *readings)
    scored = analysis.grid(every if subset == "all" else points, subset=subset, progress=progress_line())
    study, grid = analysis.study, scored.among(points)
    rows, (tried, different) = grid.rows(), grid.tried
    table = sweep_table(rows, heads=["count_rule"] if len(rules) > 1 else [])
    request.emit(
        request.facts()
        | {"settings_tried": tried, "settings_different": different}
        | ({"left_out": left_out} if left_out else {}),
        [
            *over(study),
            ("rows", table),
            *filter(None, [left_out, identical(tried, different)]),
            *(f"{metric}: @iou and @nn-iou differ on no query." for metric in _empty(subset, rows)),
            *small_sample_warning([row.interval.n_groups or row.n_scored for row in rows]),
            *(_rankings(request, scored.among(ranked), scored.among(readings)) if subset == "all" else ()),
        ],
        table,
    )


def _empty(subset: str, rows: Sequence[SweepRow]) -> Sequence[str]:
    """The metrics under which a subset has no query."""
    empty = dict.fromkeys(row.metric for row in rows if not row.n_scored)
    return tuple(empty) if subset == "disagree" else ()


def _rankings(request: StudyRequest, grid: Grid, rules_grid: Grid) -> Iterator[Item]:
    """The ranking at every setting, at --alpha and --threshold, and under every reading of Algorithm 1."""
    settings = request.settings
    in_use: dict[str, Standing] = {}
    stabilities: list[Stability] = []
    for metric in grid.metrics:
        stability = grid.stability(metric)
        reference = stability.at(settings.alpha, settings.threshold)
        assert reference is not None, "it was added to the grid"
        stabilities.append(stability)
        in_use[metric] = reference
        yield "\n" + as_text(stable(stability, in_terms(metric), settings))
    standings = [standing for stability in stabilities for standing in stability.standings]
    yield "standings", standings_table(standings, in_use, ("threshold", "alpha"))
    crossovers = crossovers_table(stabilities)
    yield "\nWhere the order changes (linear between the alphas tried):"
    yield "crossovers", crossovers
    yield from () if crossovers.rows else ["  nowhere"]
    yield "\nInterpretations of Algorithm 1:"
    rules = [standing for metric in grid.metrics for standing in rules_grid.standings(metric)]
    yield "count_rules", standings_table(rules, in_use, ("count_rule",))


@example("cost sample --n-queries 20 --repeats 1")
@on_study("count_rule", "direction", csv="those of the table.")
@option("--thresholds", kind=NumberGrid("threshold"), usual="1,2", metavar="GRID", help=GRID_HELP)
@option("--n-queries", kind=Whole(1), usual=2000, help="Queries drawn at most: those timed, with seed 0.")
@option("--repeats", kind=Whole(1), usual=5, help="The fastest counts.")
def cost(request: StudyRequest, thresholds: Sequence[int], n_queries: int, repeats: int) -> None:
    """Time IoU and nn-IoU on STUDY, here and now.

    Finding neighbours beforehand, and scoring.
    """
    opened, here = request.study, machine()
    rows = measure_cost(
        opened,
        thresholds=thresholds,
        settings=request.settings,
        n_queries=n_queries,
        repeats=repeats,
        progress=progress_line(),
    )
    table = cost_table(rows, here)
    about = f"{plain(opened.name)} on {here}: {rows[0].pairs:,} pairs, fastest of {repeats:,}."
    request.emit(request.facts() | {"machine": here}, [about, ("rows", table)], table)
