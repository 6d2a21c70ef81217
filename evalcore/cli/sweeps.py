"""``sweep``, ``stability`` and ``cost``: what the settings of nn-IoU decide, and what they cost."""

from __future__ import annotations

from dataclasses import asdict, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, get_args

import click

from evalcore.cli.asked import on_study
from evalcore.cli.comparing import compared, facts, lines, over_queries
from evalcore.cli.emit import Column, Table, also, emit, named
from evalcore.cli.options import ALL, on_cluster, parse_grid
from evalcore.cli.output import decimals, few, interval, plain, progress_line, whole
from evalcore.cli.same_group import facts as group_facts
from evalcore.cli.same_group import lines as group_lines
from evalcore.cli.scores import METRIC_HELP, SYSTEM_HELP
from evalcore.settings import CountRule, Direction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcore.cli.asked import Asked
    from evalcore.evaluate.sweep.crossovers import Crossover
    from evalcore.evaluate.sweep.stability import Stability, Standing

GRID_HELP = "start:stop:step, stop included, or a,b,c."
EVERY = "all"


def _grid(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--alpha`` and ``--threshold`` as lists of values."""
    options = [
        click.option("--alpha", default="0:1:0.1", show_default=True, metavar="GRID", help=GRID_HELP),
        click.option("--threshold", default="0,1,2", show_default=True, metavar="GRID", help=GRID_HELP),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _axis(name: str, choices: Any, default: str, text: str) -> Callable[..., Any]:
    """A shared option that here takes several values, or all of them."""
    return click.option(
        f"--{name}", multiple=True, type=click.Choice([*get_args(choices), EVERY]), default=(default,),
        show_default=True, help=text,
    )  # fmt: skip


@click.command()
@click.argument("study")
@_grid
@click.option("--metric", "metrics", multiple=True, required=True, metavar="M", help=METRIC_HELP)
@click.option("--system", "systems", multiple=True, metavar="S", help=SYSTEM_HELP)
@click.option(
    "--subset", type=click.Choice(["all", "disagree", "p_at_k_differs", "topk_differs"]), default="all",
    show_default=True,
    help="Per metric only queries that @iou and @nn-iou serve differently at alpha 0.5 and threshold 1: "
    "p_at_k_differs (or disagree) by the metric's value, topk_differs by the first K results. It selects "
    "by outcome: gains there overstate gains overall.",
)  # fmt: skip
@over_queries
@_axis("count-rule", CountRule, "concepts", "How neighbour matches are counted. Repeat for several.")
@_axis("direction", Direction, "undirected", "Direction of steps. Repeat for several.")
@on_study(*(name for name in ALL if name not in ("alpha", "threshold", "count_rule", "direction")), csv=True)
@on_cluster
def sweep(
    asked: Asked, alpha: str, threshold: str, metrics: Sequence[str], systems: Sequence[str], subset: Any,
    which: str | None, count_rule: Sequence[Any], direction: Sequence[Any],
) -> None:  # fmt: skip
    """Score the systems of STUDY over a grid of settings, one row per setting."""
    from evalcore.evaluate.sweep.rows import sweep as sweep_settings

    alphas, thresholds = parse_grid(alpha), [int(value) for value in parse_grid(threshold, whole=True)]
    settings = asked.settings
    over, limited = compared(asked, systems, which)
    rules, directions = _all_of(count_rule, CountRule), _all_of(direction, Direction)
    # The isolated subset is drawn at the first of each.
    settings = replace(settings, count_rule=rules[0], direction=directions[0])
    rows = sweep_settings(
        limited, alphas=alphas, thresholds=thresholds, metrics=metrics, systems=systems or None,
        count_rules=rules, directions=directions, settings=settings, subset=subset, progress=progress_line(),
    )  # fmt: skip
    several = [name for name, values in (("count_rule", rules), ("direction", directions)) if len(values) > 1]
    found = Table(rows, (*(also(name, attrgetter(name)) for name in several), *_SWEEP))
    emit(
        {"rows": found, **facts(over), **group_facts(limited)}
        | ({"where": list(asked.study.where)} if asked.study.where else {}),
        [
            *lines(over), *group_lines(limited), found,
            *few([row.interval.n_groups or row.n_scored for row in rows], settings),
        ],
        json=asked.json, csv=asked.csv, csv_rows=asked.marked(found),
    )  # fmt: skip


_SWEEP = (
    Column("alpha", None, "alpha", "{:g}".format),
    Column("threshold", head="threshold"),
    Column("system", head="system"),
    Column("metric", head="metric"),
    Column("mean", lambda row: row.interval.mean, "mean", decimals),
    also("95% interval", lambda row: interval(row.interval.low, row.interval.high)),
    Column("ci_low", lambda row: row.interval.low),
    Column("ci_high", lambda row: row.interval.high),
    Column("n_scored", None, "n", whole),
    *named("count_rule", "direction"),
)


@click.command()
@click.argument("study")
@click.option(
    "--metric", required=True, metavar="M", help="One metric. " + METRIC_HELP[: METRIC_HELP.rfind(" Repeat")]
)
@click.option("--system", "systems", multiple=True, metavar="S", help=SYSTEM_HELP)
@click.option("--alphas", default="0:1:0.1", show_default=True, metavar="GRID", help=GRID_HELP)
@click.option("--thresholds", default="0,1,2", show_default=True, metavar="GRID", help=GRID_HELP)
@over_queries
@on_study(*ALL, csv=True)
@on_cluster
def stability(
    asked: Asked, metric: str, systems: Sequence[str], alphas: str, thresholds: str, which: str | None
) -> None:
    """Does the ranking of the systems of STUDY depend on the settings of nn-IoU?

    At every alpha and threshold: who leads, by how much (paired bootstrap interval), and Kendall's tau of
    all means with those at --alpha and --threshold. Where one system overtakes another as alpha grows
    (linear between two alphas). And the same at --alpha and --threshold under every count rule and
    direction. Leader and lead come from the same data: a description, not a test.
    """
    from evalcore.evaluate.sweep.grid import with_setting_in_use
    from evalcore.evaluate.sweep.stability import readings
    from evalcore.evaluate.sweep.stability import stability as stability_of

    opened, settings = asked.study, asked.settings
    over, limited = compared(asked, systems, which)
    tried, reach = with_setting_in_use(
        parse_grid(alphas), [int(t) for t in parse_grid(thresholds, whole=True)], settings
    )
    names, progress = systems or None, progress_line()
    found = stability_of(
        limited, metric=metric, alphas=tried, thresholds=reach, systems=names,
        settings=settings, progress=progress,
    )  # fmt: skip
    rules, directions = readings(limited, metric=metric, systems=names, settings=settings, progress=progress)
    reference = found.at(settings.alpha, settings.threshold)
    assert reference is not None, "it was added to the grid"
    columns = _standings(reference)
    standings = Table(found.standings, columns)
    document = {
        "study": opened.name, "digest": opened.content, "metric": found.metric,
        "settings": asked.recorded(), "reference": Table([reference], columns).records()[0],
        "standings": standings, "flips": [asdict(crossover) for crossover in found.crossovers],
        "count_rules": Table(rules, columns), "directions": Table(directions, _standings(directions[0])),
        **facts(over), **group_facts(limited),
    }  # fmt: skip
    head = f"{opened.name}, {found.metric}: {' > '.join(reference.order)}"
    warning = few([], settings, differences=[mean.n_independent for mean in reference.means])
    emit(
        document,
        [
            *lines(over), *group_lines(limited), plain(head),
            *_shown(found, reference, rules, directions), *warning,
        ],
        json=asked.json, csv=asked.csv,
        csv_rows=asked.marked(Table(found.standings, [one for one in columns if one.name != "systems"])),
    )  # fmt: skip


@click.command()
@click.argument("study")
@click.option("--thresholds", default="1,2", show_default=True, metavar="GRID", help=GRID_HELP)
@click.option("--queries", "n_queries", type=click.IntRange(1), default=2000, show_default=True,
              help="Queries timed at most, drawn with seed 0.")  # fmt: skip
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="The fastest counts.")
@on_study("count_rule", "direction", csv=True)
def cost(asked: Asked, thresholds: str, n_queries: int, repeats: int) -> None:
    """Time IoU and nn-IoU on STUDY, here and now: finding neighbours beforehand, and scoring."""
    from evalcore.evaluate.cost import machine, measure_cost

    opened, here = asked.study, machine()
    rows = measure_cost(
        opened, thresholds=[int(t) for t in parse_grid(thresholds, whole=True)], settings=asked.settings,
        n_queries=n_queries, repeats=repeats, progress=progress_line(),
    )  # fmt: skip
    found = Table(rows, _COST)
    emit(
        {"study": opened.name, "digest": opened.content, "machine": here, "rows": found},
        [f"{plain(opened.name)} on {here}: {rows[0].pairs:,} pairs, fastest of {repeats:,}.", found],
        json=asked.json, csv=asked.csv,
        csv_rows=Table(rows, (*_COST, Column("machine", lambda _: here))),
    )  # fmt: skip


_COST = (
    Column("relevance", head="relevance"),
    Column("threshold", head="threshold"),
    Column("dictionary", None, "neighbours, s", decimals),
    Column("scoring", None, "scoring, s", decimals),
    Column("scoring_cpu", None, "processor s", decimals),
    *named("pairs"),
    Column("n_queries", None, "queries", whole),
    *named("repeats"),
)


def _all_of(given: Sequence[Any], choices: Any) -> tuple[Any, ...]:
    return get_args(choices) if EVERY in given else tuple(dict.fromkeys(given))


def _standings(reference: Standing, shown: Sequence[str] = ()) -> tuple[Column, ...]:
    """Who leads at a setting, by how much, and how alike the order is to that at the reference.

    shown: the settings that stand first in the table.
    """
    from evalcore.evaluate.sweep.stability import tau_of

    def tau(one: Standing) -> float:
        return tau_of(reference, one)

    def setting(name: str) -> Callable[[Standing], Any]:
        return attrgetter(f"settings.{name}")

    return (
        *(also(name, setting(name), _short) for name in shown),
        *(Column(name, setting(name)) for name in ("alpha", "threshold", "count_rule", "direction")),
        Column("leader", lambda one: one.order[0], "leader"),
        Column("second", lambda one: (*one.order, None)[1], "second", lambda name: name or "-"),
        Column("lead", None, "lead", decimals),
        Column("ci_low", lambda one: one.low),
        Column("ci_high", lambda one: one.high),
        also("95% interval", lambda one: interval(one.low, one.high)),
        *named("clear"),
        Column("tau", tau, "tau", lambda value: decimals(value, 3)),
        Column("systems", _systems),
    )


def _systems(one: Standing) -> list[dict[str, Any]]:
    return [
        {"system": name, "mean": mean.mean, "ci_low": mean.low, "ci_high": mean.high, "n": mean.n}
        for name, mean in zip(one.order, one.means, strict=True)
    ]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shown(
    found: Stability, reference: Standing, rules: Sequence[Standing], directions: Sequence[Standing]
) -> Iterator[str | Table]:
    yield Table(found.standings, _standings(reference, ("threshold", "alpha")))
    yield "\nWhere the order changes (linear between the alphas tried):"
    yield from [f"  {_sentence(one)}" for one in found.crossovers] or ["  nowhere"]
    yield "\nInterpretations of Algorithm 1:"
    yield Table(rules, _standings(reference, ("count_rule",)))
    yield "\nDirections:"
    yield Table(directions, _standings(directions[0], ("direction", "threshold")))


def _sentence(one: Crossover) -> str:
    sure = "clear" if one.clear else "too close to call"
    return (
        f"{plain(one.winner)} overtakes {plain(one.loser)} at alpha {one.alpha:.3f} "
        f"(threshold {one.threshold}; {sure})"
    )
