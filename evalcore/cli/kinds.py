"""``kinds``: which kinds of concepts a system's first results share with the query."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from evalcore.cli import comparing
from evalcore.cli.options import NN_IOU, Whole, example
from evalcore.cli.output import progress_line
from evalcore.cli.study_request import on_study
from evalcore.evaluate.by_kind import from_kinds
from evalcore.results.rows import Table, plain
from evalcore.results.study import shares_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.by_kind import FromKinds


@example("kinds sample --k 10")
@on_study(*NN_IOU, "include_self", "where", "systems", "queries", csv="those of the table.")
@click.option(
    "--relevance",
    "by",
    metavar="R",
    help="A relevance: of concept sets. Default: nn-iou, or iou without a graph.",
)
@click.option(
    "--k", "top", type=Whole(1), default=10, show_default=True, help="Results that count: the first K."
)
def kinds(request: StudyRequest, by: str | None, top: int) -> None:
    """Which kinds of concepts the scores come from.

    Modality, plane, anatomy, findings and so on. Shares of the summed relevance of the first results, by
    the kind of the concepts that add it; and how many results share nothing but modality, plane and
    anatomy with the query.
    """
    opened = request.study
    limited = request.compared()
    relevance = by or ("nn-iou" if opened.knows_neighbours else "iou")
    result = from_kinds(
        limited,
        relevance=relevance,
        systems=request.view.systems or None,
        k=top,
        settings=request.settings,
        progress=progress_line(),
    )
    shares = shares_table(result)
    facts = {"by": relevance, "top": top, "kinds": opened.kinds.source if opened.kinds else ""}
    facts["systems"] = [asdict(row) for row in result]
    request.emit(request.facts() | facts, [*comparing.over(limited), *_lines(result, shares)], shares)


def _lines(rows: tuple[FromKinds, ...], shares: Table) -> Iterator[str | Table]:
    if rows:
        first = rows[0]
        yield f"Where the relevance {plain(first.relevance)} of the first {first.k} results comes from."
    yield shares
    yield (
        "Kinds: shares of the summed relevance. Then, of the results: relevant by modality, plane and "
        "anatomy alone (with the 95% interval of the mean over queries, percentile bootstrap, 2,000 "
        "resamples, seed 0), relevant by other concepts too, and sharing nothing."
    )
