"""``sweep``, ``--stability`` and ``--cost``: what the settings of nn-IoU decide, and what they cost."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, get_args

import click

from evalcore.cli import comparing
from evalcore.cli.options import ALL, NN_IOU, Whole, all_but, example, options, parse_grid, whole_grid
from evalcore.cli.output import few, progress_line
from evalcore.cli.study_request import on_study
from evalcore.evaluate.cost import machine, measure_cost
from evalcore.evaluate.sweep import covered, grid_points, tried, with_setting_in_use
from evalcore.evaluate.targets import metrics_of
from evalcore.results.rows import Table, plain
from evalcore.results.sweeps import cost_table, standings_columns, sweep_table
from evalcore.values.settings import CountRule, Direction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.sweep import Crossover, Stability, Standing

GRID_HELP = "start:stop:step, stop included, or a,b,c."
EVERY = "all"


_grid = options(
    click.option("--alphas", "alpha", default="0:1:0.1", show_default=True, metavar="GRID", help=GRID_HELP),
    click.option(
        "--thresholds", "threshold", default="0,1,2", show_default=True, metavar="GRID", help=GRID_HELP
    ),
)


def _axis(name: str, choices: Any, default: str, text: str) -> Callable[..., Any]:
    """A shared option that here takes several values, or all of them."""
    return click.option(
        f"--{name}s",
        name.replace("-", "_"),
        multiple=True,
        type=click.Choice([*get_args(choices), EVERY]),
        default=(default,),
        show_default=True,
        help=text,
    )


@example("sweep sample --alphas 0:1:0.5 --thresholds 1 --metric nnCUI@10")
@on_study(*all_but(*NN_IOU), "metrics", "systems", "queries", csv=True)
@_grid
@click.option(
    "--subset",
    type=click.Choice(["all", "disagree", "topk_differs"]),
    default="all",
    show_default=True,
    help="Per metric, only queries on which @iou and @nn-iou differ at alpha 0.5 and threshold 1: "
    "disagree by the metric's value, topk_differs by the first K results. It selects by outcome, so gains "
    "there overstate gains overall.",
)
@_axis("count-rule", CountRule, "concepts", "How neighbour matches are counted. Repeat for several.")
@_axis("direction", Direction, "undirected", "Direction of steps. Repeat for several.")
def sweep(
    request: StudyRequest,
    alpha: str,
    threshold: str,
    subset: Any,
    count_rule: Sequence[Any],
    direction: Sequence[Any],
) -> None:
    """Score systems over a grid of settings of nn-IoU.

    One row per setting.
    """
    alphas, settings = parse_grid(alpha), request.settings
    thresholds, left_out = covered(request.study, whole_grid(threshold))
    rules, directions = _all_of(count_rule, CountRule), _all_of(direction, Direction)
    # The isolated subset is drawn at the first of each.
    settings = replace(settings, count_rule=rules[0], direction=directions[0])
    analysis = request.analysis(settings=settings)
    limited, view = analysis.study, analysis.view
    rows = analysis.sweep(
        alphas=alphas,
        thresholds=thresholds,
        count_rules=rules,
        directions=directions,
        subset=subset,
        progress=progress_line(),
    )
    points = grid_points(
        settings, alphas=alphas, thresholds=thresholds, count_rules=rules, directions=directions
    )
    settings_tried = tried(limited, points, metrics_of(limited, view.metrics, settings), view.systems)
    several = [name for name, values in (("count_rule", rules), ("direction", directions)) if len(values) > 1]
    table = sweep_table(rows, heads=several)
    request.emit(
        {"rows": table, **settings_tried.facts(), **comparing.facts(limited)}
        | ({"left_out": left_out} if left_out else {})
        | ({"where": list(request.study.where)} if request.study.where else {}),
        [
            *comparing.lines(limited),
            table,
            *([left_out] if left_out else []),
            *([settings_tried.in_words()] if settings_tried.others() else []),
            *few([row.interval.n_groups or row.n_scored for row in rows], settings),
        ],
        table,
    )


@example("stability sample --alphas 0,1 --thresholds 1 --metric nnCUI@10")
@on_study(*ALL, "systems", "queries", csv=True)
@click.option("-m", "--metric", required=True, metavar="M", help="A metric, such as nnCUI@10.")
@click.option("--alphas", default="0:1:0.1", show_default=True, metavar="GRID", help=GRID_HELP)
@click.option("--thresholds", default="0,1,2", show_default=True, metavar="GRID", help=GRID_HELP)
def stability(request: StudyRequest, metric: str, alphas: str, thresholds: str) -> None:
    """Does the ranking depend on the settings of nn-IoU?

    At every alpha and threshold: who leads, by how much (paired bootstrap interval), and Kendall's tau of
    all means with those at --alpha and --threshold. Where one system overtakes another as alpha grows
    (linear between two alphas). And the same at --alpha and --threshold under every count rule and
    direction. Leader and lead come from the same data: a description, not a test.
    """
    opened, settings = request.study, request.settings
    reach, left_out = covered(opened, whole_grid(thresholds))
    tried, reach = with_setting_in_use(parse_grid(alphas), reach, settings)
    analysis, progress = request.analysis(metrics=(metric,)), progress_line()
    limited = analysis.study
    result = analysis.stability(alphas=tried, thresholds=reach, progress=progress)
    rules, directions = analysis.readings(progress=progress)
    reference = result.at(settings.alpha, settings.threshold)
    assert reference is not None, "it was added to the grid"
    columns = standings_columns(reference)
    standings = Table(result.standings, columns)
    document = {
        "study": opened.name,
        "digest": opened.content,
        "metric": result.metric,
        "settings": request.recorded(),
        "reference": Table([reference], columns).records()[0],
        **result.tried.facts(),
        "standings": standings,
        "flips": [asdict(crossover) for crossover in result.crossovers],
        "count_rules": Table(rules, columns),
        "directions": Table(directions, standings_columns(directions[0])),
        **comparing.facts(limited),
        **({"left_out": left_out} if left_out else {}),
    }
    head = f"{opened.name}, {result.metric}: {' > '.join(reference.order)}"
    warning = few([], settings, differences=[mean.n_independent for mean in reference.means])
    request.emit(
        document,
        [
            *comparing.lines(limited),
            plain(head),
            result.tried.in_words(),
            *([left_out] if left_out else []),
            *_leads(result, reference),
            *_shown(result, reference, rules, directions),
            *warning,
        ],
        standings,
    )


@example("cost sample --n-queries 20 --repeats 1")
@on_study("count_rule", "direction", csv=True)
@click.option("--thresholds", default="1,2", show_default=True, metavar="GRID", help=GRID_HELP)
@click.option(
    "--n-queries",
    type=Whole(1),
    default=2000,
    show_default=True,
    help="Queries drawn at most: those timed, with seed 0.",
)
@click.option("--repeats", type=Whole(1), default=5, show_default=True, help="The fastest counts.")
def cost(request: StudyRequest, thresholds: str, n_queries: int, repeats: int) -> None:
    """Time IoU and nn-IoU on STUDY, here and now.

    Finding neighbours beforehand, and scoring.
    """
    opened, here = request.study, machine()
    rows = measure_cost(
        opened,
        thresholds=whole_grid(thresholds),
        settings=request.settings,
        n_queries=n_queries,
        repeats=repeats,
        progress=progress_line(),
    )
    table = cost_table(rows, here)
    request.emit(
        {"study": opened.name, "digest": opened.content, "machine": here, "rows": table},
        [f"{plain(opened.name)} on {here}: {rows[0].pairs:,} pairs, fastest of {repeats:,}.", table],
        table,
    )


def _all_of(given: Sequence[Any], choices: Any) -> tuple[Any, ...]:
    return get_args(choices) if EVERY in given else tuple(dict.fromkeys(given))


def _leads(result: Stability, reference: Standing) -> Iterator[str]:
    """At how many of the different settings the leader of --alpha and --threshold leads."""
    if len(reference.order) < 2:
        return
    leads = [
        standing
        for standing in result.different
        if standing.order[0] == reference.order[0] and not standing.level
    ]
    clear = sum(lead.clear for lead in leads)
    yield (
        f"{plain(reference.order[0])} leads at {len(leads):,} of the {len(result.different):,} different "
        f"settings, clearly at {clear:,}."
    )


def _shown(
    result: Stability, reference: Standing, rules: Sequence[Standing], directions: Sequence[Standing]
) -> Iterator[str | Table]:
    yield Table(result.standings, standings_columns(reference, ("threshold", "alpha")))
    yield "\nWhere the order changes (linear between the alphas tried):"
    yield from [f"  {_sentence(crossover)}" for crossover in result.crossovers] or ["  nowhere"]
    yield "\nInterpretations of Algorithm 1:"
    yield Table(rules, standings_columns(reference, ("count_rule",)))
    yield "\nDirections:"
    yield Table(directions, standings_columns(directions[0], ("direction", "threshold")))


def _sentence(crossover: Crossover) -> str:
    sure = "clear" if crossover.clear else "too close to call"
    return (
        f"{plain(crossover.winner)} overtakes {plain(crossover.loser)} at alpha {crossover.alpha:.3f} "
        f"(threshold {crossover.threshold}; {sure})"
    )
