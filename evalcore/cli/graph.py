"""``search``, ``neighbours``, distances and relations: the graph of a study."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from evalcore.cli.options import Whole, example
from evalcore.cli.output import mention, progress_line
from evalcore.cli.study_request import on_study
from evalcore.evaluate.coverage import relations_of
from evalcore.graph.distances import distance_counts
from evalcore.graph.neighbourhood import neighbourhood as around
from evalcore.results.graph import distances_table, near_table
from evalcore.results.rows import Column, Table, also, named
from evalcore.results.study import relations_table
from evalcore.study import open_study
from evalcore.study.naming import find_concept, images_by_concept, search_concepts
from evalcore.study.workspace.systems import follow as follow_only
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import UnknownName

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
    request.emit({"text": text, "matches": table}, [table])


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


@example("distances sample")
@on_study("direction", runs=False)
def distances(request: StudyRequest) -> None:
    """Count how far apart concepts are, pair by pair.

    Of STUDY, in its graph.
    """
    opened = request.study
    used = images_by_concept(opened)
    counts = distance_counts(
        opened.graph,
        list(used),
        np.array(list(used.values()), np.int64),
        direction=request.settings.direction,
        progress=progress_line(),
    )
    table = distances_table(counts)
    request.emit(
        {
            "direction": counts.direction,
            "n_concepts": counts.n_concepts,
            "n_known": counts.n_known,
            "distances": table,
        },
        [f"{counts.n_known:,} of {counts.n_concepts:,} concepts are in the graph.", table],
    )


# ``relations``: which relation types the graph files have, and which a study follows.


@example("relations sample")
@on_study(runs=False)
@click.option(
    "--follow",
    multiple=True,
    metavar="R",
    help="Write to study.toml that only links of this relation type count, such as isa. Repeat for several.",
)
def relations(request: StudyRequest, follow: tuple[str, ...]) -> None:
    """List, or choose, the relation types of the graph.

    With the number of links each has in STUDY's graph files.
    """
    study = request.study
    if follow:
        known = sorted({use.relation for use in relations_of(study)})
        for name in follow:
            if name not in known:
                raise UnknownName("relation type", name, known)
        report = follow_only(Path(request.folder), follow, in_place=True)
        mention(report)
        study = open_study(request.folder, unknown=request.view.unknown)
    uses = relations_of(study)
    table = relations_table(uses) if uses else "The study has no graph files."
    request.emit({"relations": [asdict(use) for use in uses]}, [table])
