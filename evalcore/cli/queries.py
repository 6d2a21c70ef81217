"""``queries``: which queries are hard, where one system differs, and which look like a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from evalcore import extensions
from evalcore.cli.options import Number, Whole, all_but, example, option
from evalcore.cli.scores import over
from evalcore.cli.study_request import on_study
from evalcore.evaluate.new_query import nearest
from evalcore.evaluate.per_query import GOOD_AT, KINDS, ORDERS, against_rest, leading_first, sort_queries
from evalcore.ranking.metrics import lower_is_better
from evalcore.results.queries import queries_table
from evalcore.results.rows import Column, Table, decimals, named, plain, record
from evalcore.study.tables.files import content_of
from evalcore.values.errors import InputError
from evalcore.values.model import count_reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.cli.study_request import StudyRequest
    from evalcore.values.arrays import Ints
    from evalcore.values.model import Study

TOP = 20


@example("queries sample --metric nnCUI@10 --top 5")
@on_study(*all_but("interval"), "systems", "queries", csv="those of the table.")
@option("-m", "--metric", required=True, metavar="M", help="A metric, such as nnCUI@10.")
@option(
    "--sort",
    kind=ORDERS,
    usual="hardest",
    help="hardest, easiest: by the mean over the systems. spread: highest minus lowest system. Ties by id.",
)
@option(
    "--show",
    kind=KINDS,
    usual="all",
    help="hard, good: queries that are poor, or good, under every system. undefined: without a value.",
)
@option(
    "--good-at",
    kind=Number(),
    metavar="X",
    help="Good: this share of the best possible score, 1, or more; of ranks one over it, so 0.5 is rank 2. "
    "Poor: less. Default: 0.5",
)
@option(
    "--against-rest",
    "against",
    metavar="S",
    help="Sort by the value of this system minus the mean of the others, where it leads first.",
)
@option(
    "--like",
    "picture",
    metavar="FILE",
    help="Sort by likeness to this picture: by the vectors of the first system whose encoder is at hand.",
)
@option(
    "--top", kind=Whole(0), usual=TOP, help="Rows listed: in the table, 0 for all; JSON and CSV contain all."
)
def queries(
    request: StudyRequest,
    metric: str,
    sort: Any,
    show: Any,
    good_at: float | None,
    against: str | None,
    picture: str | None,
    top: int,
) -> None:
    """Which queries are hard, and where does a system differ?

    Difficulty is the mean over the systems.
    """
    if (against or picture) and sort != "hardest":
        own = "--against-rest" if against else "--like"
        raise click.UsageError(f"{own} has an order of its own: leave --sort out.")
    if against and picture:
        raise click.UsageError("--against-rest and --like each have an order: leave one of them out.")
    names = request.view.systems or request.study.systems
    analysis = request.analysis(metrics=(metric,), systems=names)
    limited, per_query = analysis.study, analysis.queries(good_at=GOOD_AT if good_at is None else good_at)
    differences = against_rest(per_query, against) if against else None
    places = (
        sort_queries(per_query, sort) if differences is None else leading_first(differences, per_query.sign)
    )
    if picture:
        places = np.searchsorted(per_query.queries, _nearest(limited, picture))
    places = places[per_query.kind(show)[places]]
    table = queries_table(per_query, places, limited, differences=differences)
    summary = record(per_query, *_SUMMARY) | {"n_listed": len(places)}
    by = "against_rest" if against else "like" if picture else sort
    chosen: dict[str, Any] = {"sort": by, "show": show, "queries": table}
    if against:
        chosen["against_rest"] = against
    listed = table._replace(rows=table.rows[: top or None])
    items = [*over(limited), *_shown(summary, listed, len(places))]
    request.emit(request.facts() | summary | chosen, items, table)


def _nearest(study: Study, picture: str) -> Ints:
    """The queries with a vector, those most like the picture first; InputError where no encoder reads it."""
    file = Path(picture)
    vectors, silent = extensions.addition("live answers")(
        study, text="", picture=content_of(file, file.name), name=file.name
    )
    if not vectors:
        why = "; ".join(f"{system}: {reason}" for system, reason in silent.items())
        raise InputError(f"No system of the study reads pictures: make one with `encode`. {why}".strip())
    system, vector = next(iter(vectors.items()))
    return nearest(study.embeddings[system], vector, study.queries, len(study.queries))


_SUMMARY = (
    *named("metric", "systems", "good_at"),
    Column("n_queries", lambda per_query: len(per_query.queries)),
    Column("n_scored", lambda per_query: int(per_query.known.sum())),
    Column("undefined", lambda per_query: count_reasons(per_query.reasons)),
    Column("n_hard_for_all", lambda per_query: per_query.count("hard")),
    Column("n_good_for_all", lambda per_query: per_query.count("good")),
    Column("best_alone", lambda per_query: per_query.best_alone()),
    Column("n_best_shared", "level_at_the_top"),
)
"""Counts over all queries."""


def _shown(summary: dict[str, Any], rows: Table, n: int) -> Iterator[str | Table]:
    """For people: the counts, and the queries as far as they are listed."""
    many, systems = summary["n_scored"], summary["systems"]
    under = f"all {len(systems)} systems" if len(systems) > 1 else plain(systems[0])
    more, below = ("less", "above") if lower_is_better(summary["metric"]) else ("more", "below")
    yield (
        f"{plain(summary['metric'])}: {many:,} of {summary['n_queries']:,} queries have a value under "
        f"{under}. Good: {decimals(summary['good_at'])} or {more}; "
        f"poor: {below} that."
    )
    if summary["undefined"]:
        why = ", ".join(f"{count:,} {reason}" for reason, count in summary["undefined"].items())
        yield f"Without a value: {why}."
    yield f"Poor for all systems: {summary['n_hard_for_all']:,}. Good for all: {summary['n_good_for_all']:,}."
    alone = ", ".join(f"{plain(name)} {count:,}" for name, count in summary["best_alone"].items())
    yield f"Best alone: {alone}; tied for first place: {summary['n_best_shared']:,}."
    listed = len(rows.rows)
    if listed:
        yield rows
    yield f"{listed:,} of {n:,} queries listed." + (" --top 0 lists all." if listed < n else "")
