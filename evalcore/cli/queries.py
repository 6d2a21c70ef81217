"""``queries``: which queries are hard, and where one system stands apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Number, Whole, all_but, example, option
from evalcore.cli.scores import over
from evalcore.cli.study_request import on_study
from evalcore.evaluate.per_query import FEWEST, FIXED_AT, LIMIT, against_rest, in_order, leading_first
from evalcore.ranking.metrics import lower_is_better
from evalcore.results.queries import queries_table
from evalcore.results.rows import Table, decimals, plain, record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.per_query import PerQueryResult

SORTS = ("hardest", "easiest", "spread", "departs", "id")
KINDS = ("all", "hard", "good", "departs", "undefined")
WAYS = ("fixed", "middle", "quarters")
RESTS = ("mean", "best")
TOP = 20


@example("queries sample --metric nnCUI@10 --show hard")
@on_study(*all_but("interval"), "systems", "queries", csv="those of the table.")
@option("-m", "--metric", required=True, metavar="M", help="A metric, such as nnCUI@10.")
@option(
    "--sort",
    kind=SORTS,
    usual="hardest",
    help="hardest, easiest: by the mean over the systems. spread: highest minus lowest system. departs: "
    "distance of an outlier system from the median. Ties by id.",
)
@option(
    "--show",
    kind=KINDS,
    usual="all",
    help="hard, good: queries that are poor, or good, under every system. departs: where one "
    "system is an outlier. undefined: without a value.",
)
@option(
    "--good-by",
    kind=WAYS,
    usual="fixed",
    help="Good: --good-at or more, the median or more, or the best quarter; poor: less, or the lowest "
    "quarter.",
)
@option(
    "--good-at",
    kind=Number(),
    metavar="X",
    help="Good: this share of the best possible score, 1; of ranks one over it, so 0.5 is rank 2. "
    "Default: 0.5",
)
@option(
    "--departs-by",
    "smallest",
    kind=Number(0),
    usual=0.0,
    metavar="D",
    help="Systems nearer to the median than this are no outliers.",
)
@option(
    "--against-rest",
    "against",
    metavar="S",
    help="Sort by the value of this system minus that of the others, where it leads first.",
)
@option(
    "--rest", kind=RESTS, help="With --against-rest: the mean of the others (default), or the best of them."
)
@option(
    "--top", kind=Whole(0), usual=TOP, help="Rows listed: in the table, 0 for all; JSON and CSV contain all."
)
def queries(
    request: StudyRequest,
    metric: str,
    sort: Any,
    show: Any,
    good_by: str,
    good_at: float | None,
    smallest: float,
    against: str | None,
    rest: Any,
    top: int,
) -> None:
    """Which queries are hard, and where does a system differ?

    Difficulty is the mean over the systems. A system is an outlier where its modified z-score over the
    systems, 0.6745 (x - median) / MAD, is beyond 3.5 in size (Iglewicz & Hoaglin 1993); where the MAD is 0,
    (x - median) / (1.2533 MeanAD). Four systems are needed. This is a description, not a test.
    """
    if good_at is not None and good_by != "fixed":
        raise click.UsageError("--good-at has no effect without --good-by fixed.")
    if rest and not against:
        raise click.UsageError("--rest has no effect without --against-rest SYSTEM.")
    if against and sort != "hardest":
        raise click.UsageError("--against-rest has an order of its own: leave --sort out.")
    names = request.view.systems or request.study.systems
    analysis = request.analysis(metrics=(metric,), systems=names)
    limited, good_at = analysis.study, FIXED_AT if good_at is None else good_at
    result = analysis.queries(good_by=good_by, good_at=good_at, at_least=smallest)
    of = result.of
    differences = against_rest(of, against, rest or "mean") if against else None
    by_sort = in_order(of, sort, outliers=result.departures)
    places = by_sort if differences is None else leading_first(differences, of.sign)
    places = places[result.kind(show)[places]]
    table = queries_table(result, places, limited, differences=differences)
    summary = _summary(result, len(places), smallest)
    chosen: dict[str, Any] = {"sort": "against_rest" if against else sort, "show": show, "queries": table}
    if against:
        chosen["against_rest"] = {"system": against, "rest": rest or "mean"}
    listed = table._replace(rows=table.rows[: top or None])
    items = [*over(limited), *_shown(summary, listed, len(places))]
    request.emit(request.facts() | summary | chosen, items, table)


def _summary(result: PerQueryResult, n: int, smallest: float) -> dict[str, Any]:
    """What was found of all queries; ``n`` of them are listed."""
    of = result.of
    named = {"n_best_shared": "level_at_the_top", "metric": "of.metric", "systems": "of.systems"}
    return record(result, "good_at", "poor_below", **named) | {
        "n_queries": len(of.queries),
        "n_scored": int(of.known.sum()),
        "undefined": of.undefined(),
        "n_hard_for_all": result.count("hard"),
        "n_good_for_all": result.count("good"),
        "n_departs": result.count("departs") if len(of.systems) >= FEWEST else None,
        "departs_beyond_z": LIMIT,
        "departs_at_least": smallest,
        "best_alone": result.best_alone(),
        "n_listed": n,
    }


def _shown(summary: dict[str, Any], rows: Table, n: int) -> Iterator[str | Table]:
    """For people: the counts, and the queries as far as they are listed."""
    many, systems = summary["n_scored"], summary["systems"]
    under = f"all {len(systems)} systems" if len(systems) > 1 else plain(systems[0])
    more, below = ("less", "above") if lower_is_better(summary["metric"]) else ("more", "below")
    yield (
        f"{plain(summary['metric'])}: {many:,} of {summary['n_queries']:,} queries have a value under "
        f"{under}. Good: {decimals(summary['good_at'])} or {more}; "
        f"poor: {below} {decimals(summary['poor_below'])}."
    )
    if summary["undefined"]:
        why = ", ".join(f"{count:,} {reason}" for reason, count in summary["undefined"].items())
        yield f"Without a value: {why}."
    departing = summary["n_departs"]
    yield (
        f"Poor for all systems: {summary['n_hard_for_all']:,}. Good for all: {summary['n_good_for_all']:,}. "
        + ("Outliers need four systems." if departing is None else f"One outlier: {departing:,}.")
    )
    alone = ", ".join(f"{plain(name)} {count:,}" for name, count in summary["best_alone"].items())
    yield f"Best alone: {alone}; tied for first place: {summary['n_best_shared']:,}."
    listed = len(rows.rows)
    if listed:
        yield rows
    yield f"{listed:,} of {n:,} queries listed." + (" --top 0 lists all." if listed < n else "")
