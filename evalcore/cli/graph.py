"""``search`` and ``neighbours``: concepts by their names, and what lies around them in the graph."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from evalcore.cli.options import Whole, example
from evalcore.cli.study_request import on_study
from evalcore.graph.neighbourhood import neighbourhood as around
from evalcore.results.graph import near_table
from evalcore.results.rows import Column, Table, also, named
from evalcore.study.naming import find_concept, images_by_concept, search_concepts
from evalcore.values.concept_scheme import UMLS

if TYPE_CHECKING:
    from evalcore.cli.study_request import StudyRequest


@example("search sample lung")
@on_study(runs=False)
@click.argument("text")
@click.option("--top", type=Whole(1), default=12, show_default=True, help="Rows listed: matches.")
def search(request: StudyRequest, text: str, top: int) -> None:
    """Find concepts by id or by any of their names.

    Concepts of STUDY; typing errors are tolerated.
    """
    head = "cui" if request.study.scheme == UMLS else "concept"
    columns = (Column("cui", head=head), *_MATCHES)
    table = Table(search_concepts(request.study, text, limit=top), columns)
    request.emit({"text": text}, [("matches", table)])


_MATCHES = (
    also("name", lambda match: match.preferred or "-"),
    also("found as", lambda match: match.name if match.name != match.preferred else ""),
    *named("preferred", "name"),
    Column("images", head="images"),
    Column("in_graph", None, "in the graph", lambda known: "yes" if known else "no"),
    *named("likeness"),
)


@example("neighbours sample lung")
@on_study("direction", runs=False)
@click.argument("concept")
@click.option("--within", type=Whole(1, 4), default=2, show_default=True, help="Steps at most.")
def neighbourhood(request: StudyRequest, concept: str, within: int) -> None:
    """List the concepts around CONCEPT in STUDY's graph.

    CONCEPT is an id or a name. The list includes how often each concept is used.
    """
    opened = request.study
    cui = find_concept(opened, concept)
    used = images_by_concept(opened)
    result = around(opened.graph, cui, within=within, used=used, direction=request.settings.direction)
    request.emit(asdict(result) | {"images": used.get(cui, 0)}, [near_table(opened, result)])
