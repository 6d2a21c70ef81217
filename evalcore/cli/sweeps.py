"""``sweep``, ``stability`` and ``cost``: what the settings of nn-IoU decide, and what they cost."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from evalcore.cli.options import as_json, on_cluster, open_clean, parse_grid, settings_of, shared_options
from evalcore.cli.output import (
    decimals,
    interval,
    plain,
    print_few,
    print_json,
    print_table,
    progress_line,
)
from evalcore.cli.scores import METRIC_HELP, SYSTEM_HELP
from evalcore.settings import CountRule, Direction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.evaluate.flips import Flip
    from evalcore.evaluate.stability import Stability, Standing

GRID_HELP = "start:stop:step, stop included, or a,b,c."
EVERY = "all"
Record = dict[str, Any]


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


def _csv(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--csv", "csv_path", metavar="FILE.csv", help="Write the rows as CSV.")(command)


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
@_axis("count-rule", CountRule, "concepts", "How neighbour matches are counted. Repeat for several.")
@_axis("direction", Direction, "undirected", "Direction of steps. Repeat for several.")
@_csv
@shared_options(without=("alpha", "threshold", "count_rule", "direction"))
@as_json
@on_cluster
def sweep(
    study: str, alpha: str, threshold: str, metrics: Sequence[str], systems: Sequence[str], subset: Any,
    count_rule: Sequence[Any], direction: Sequence[Any], csv_path: str | None, json_wanted: bool,
    **shared: Any,
) -> None:  # fmt: skip
    """Score the systems of STUDY over a grid of settings, one row per setting."""
    from evalcore.sweep import sweep as sweep_settings

    alphas, thresholds = parse_grid(alpha), [int(value) for value in parse_grid(threshold, whole=True)]
    opened, settings = open_clean(study, shared["unknown"]), settings_of(shared)
    rules, directions = _all_of(count_rule, CountRule), _all_of(direction, Direction)
    # The isolated subset is drawn at the first of each.
    settings = replace(settings, count_rule=rules[0], direction=directions[0])
    rows = [
        asdict(row)
        for row in sweep_settings(
            opened, alphas=alphas, thresholds=thresholds, metrics=metrics, systems=systems or None,
            count_rules=rules, directions=directions, settings=settings, subset=subset,
            progress=progress_line(),
        )
    ]  # fmt: skip
    _write(rows, csv_path)
    if json_wanted:
        print_json({"rows": rows})
        return
    several = [name for name, values in (("count_rule", rules), ("direction", directions)) if len(values) > 1]
    header = (*several, "alpha", "threshold", "system", "metric", "mean", "95% interval", "n")
    print_table(
        header,
        [
            (
                *(row[name] for name in several), f"{row['alpha']:g}", str(row["threshold"]), row["system"],
                row["metric"], decimals(row["mean"]), interval(row["ci_low"], row["ci_high"]),
                f"{row['n_scored']:,}",
            )
            for row in rows
        ],
    )  # fmt: skip
    print_few([row["n_scored"] for row in rows], settings)


@click.command()
@click.argument("study")
@click.option(
    "--metric", required=True, metavar="M", help="One metric. " + METRIC_HELP[: METRIC_HELP.rfind(" Repeat")]
)
@click.option("--system", "systems", multiple=True, metavar="S", help=SYSTEM_HELP)
@click.option("--alphas", default="0:1:0.1", show_default=True, metavar="GRID", help=GRID_HELP)
@click.option("--thresholds", default="0,1,2", show_default=True, metavar="GRID", help=GRID_HELP)
@_csv
@shared_options()
@as_json
@on_cluster
def stability(
    study: str, metric: str, systems: Sequence[str], alphas: str, thresholds: str, csv_path: str | None,
    json_wanted: bool, **shared: Any,
) -> None:  # fmt: skip
    """Does the ranking of the systems of STUDY depend on the settings of nn-IoU?

    At every alpha and threshold: who leads, by how much (paired bootstrap interval), and Kendall's tau of
    all means with those at --alpha and --threshold. Where one system overtakes another as alpha grows
    (linear between two alphas). And the same at --alpha and --threshold under every count rule and
    direction. Leader and lead come from the same data: a description, not a test.
    """
    from evalcore.evaluate.stability import readings
    from evalcore.evaluate.stability import stability as stability_of

    opened, settings = open_clean(study, shared["unknown"]), settings_of(shared)
    grid = {*parse_grid(alphas), settings.alpha}
    reach = {*(int(t) for t in parse_grid(thresholds, whole=True)), settings.threshold}
    names, tell = systems or None, progress_line()
    found = stability_of(
        opened, metric=metric, alphas=sorted(grid), thresholds=sorted(reach), systems=names,
        settings=settings, progress=tell,
    )  # fmt: skip
    rules, directions = readings(opened, metric=metric, systems=names, settings=settings, progress=tell)
    reference = found.at(settings.alpha, settings.threshold)
    assert reference is not None, "it was added to the grid"
    document: Record = {
        "study": opened.name, "digest": opened.digest, "metric": found.metric,
        "settings": settings.as_dict(), "reference": _standing(reference, reference),
        "standings": [_standing(one, reference) for one in found.standings],
        "flips": [asdict(flip) for flip in found.flips],
        "count_rules": [_standing(one, reference) for one in rules],
        "directions": [_standing(one, directions[0]) for one in directions],
    }  # fmt: skip
    _write([_flat(one) for one in document["standings"]], csv_path)
    if json_wanted:
        print_json(document)
    else:
        _print_stability(found, reference, document)
        print_few([], settings, differences=[mean.n for mean in reference.means])


@click.command()
@click.argument("study")
@click.option("--thresholds", default="1,2", show_default=True, metavar="GRID", help=GRID_HELP)
@click.option("--queries", "n_queries", type=click.IntRange(1), default=2000, show_default=True,
              help="Queries timed at most, drawn with seed 0.")  # fmt: skip
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="The fastest is told.")
@_csv
@shared_options(without=("threshold",), shown=("count_rule", "direction", "unknown"))
@as_json
def cost(
    study: str, thresholds: str, n_queries: int, repeats: int, csv_path: str | None, json_wanted: bool,
    **shared: Any,
) -> None:  # fmt: skip
    """Time IoU and nn-IoU on STUDY, here and now: finding neighbours beforehand, and scoring."""
    from evalcore.evaluate.cost import machine, measure_cost

    opened, settings = open_clean(study, shared["unknown"]), settings_of(shared)
    found = measure_cost(
        opened, thresholds=[int(t) for t in parse_grid(thresholds, whole=True)], settings=settings,
        n_queries=n_queries, repeats=repeats, progress=progress_line(),
    )  # fmt: skip
    rows = [asdict(one) for one in found]
    _write([{**row, "machine": machine()} for row in rows], csv_path)
    if json_wanted:
        print_json({"study": opened.name, "digest": opened.digest, "machine": machine(), "rows": rows})
        return
    click.echo(f"{plain(opened.name)} on {machine()}: {found[0].pairs:,} pairs, fastest of {repeats:,}.")
    header = ("relevance", "threshold", "neighbours, s", "scoring, s", "processor s", "queries")
    print_table(
        header,
        [
            (one.relevance, str(one.threshold), decimals(one.dictionary), decimals(one.scoring),
             decimals(one.scoring_cpu), f"{one.n_queries:,}")
            for one in found
        ],
    )  # fmt: skip


def _all_of(given: Sequence[Any], choices: Any) -> tuple[Any, ...]:
    return get_args(choices) if EVERY in given else tuple(dict.fromkeys(given))


def _write(rows: Sequence[Record], path: str | None) -> None:
    """The rows as CSV, floats in full; an empty cell where there is no number."""
    if path is None:
        return
    from evalcore.sources.tables.writers import csv_lines, write_lines

    lines = (tuple("" if value != value else str(value) for value in row.values()) for row in rows)
    write_lines(Path(path), csv_lines(tuple(rows[0]), lines))
    click.echo(f"Wrote {path}.", err=True)


def _standing(one: Standing, reference: Standing) -> Record:
    from evalcore.evaluate.stability import tau_of

    settings = one.settings
    return {
        "alpha": settings.alpha, "threshold": settings.threshold, "count_rule": settings.count_rule,
        "direction": settings.direction, "leader": one.order[0],
        "second": one.order[1] if len(one.order) > 1 else None, "lead": one.lead, "ci_low": one.low,
        "ci_high": one.high, "clear": one.clear, "tau": tau_of(reference, one),
        "systems": [
            {"system": name, "mean": mean.mean, "ci_low": mean.low, "ci_high": mean.high, "n": mean.n}
            for name, mean in zip(one.order, one.means, strict=True)
        ],
    }  # fmt: skip


def _flat(standing: Record) -> Record:
    return {name: "" if value is None else value for name, value in standing.items() if name != "systems"}


def _print_stability(found: Stability, reference: Standing, document: Record) -> None:
    head = f"{document['study']}, {found.metric}: {' > '.join(reference.order)}"
    click.echo(plain(head))
    _print_standings(document["standings"], ("threshold", "alpha"))
    click.echo("\nWhere the order changes (linear between the alphas tried):")
    for flip in found.flips:
        click.echo(f"  {_told(flip)}")
    if not found.flips:
        click.echo("  nowhere")
    click.echo("\nReadings of Algorithm 1:")
    _print_standings(document["count_rules"], ("count_rule",))
    click.echo("\nDirections:")
    _print_standings(document["directions"], ("direction", "threshold"))


def _told(flip: Flip) -> str:
    sure = "clear" if flip.clear else "too close to call"
    return (
        f"{plain(flip.winner)} overtakes {plain(flip.loser)} at alpha {flip.alpha:.3f} "
        f"(threshold {flip.threshold}; {sure})"
    )


def _print_standings(standings: Sequence[Record], columns: Sequence[str]) -> None:
    header = (*columns, "leader", "second", "lead", "95% interval", "tau")
    print_table(
        header,
        [
            (
                *(f"{one[c]:g}" if isinstance(one[c], float) else str(one[c]) for c in columns),
                one["leader"], one["second"] or "-", decimals(one["lead"]),
                interval(one["ci_low"], one["ci_high"]), decimals(one["tau"], 3),
            )
            for one in standings
        ],
    )  # fmt: skip
