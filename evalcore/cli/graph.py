"""``graph search``, ``neighbours``, ``effect`` and distances: the graph, and what it does to a study."""

from __future__ import annotations

from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from evalcore.cli.options import ALL, Setting, Whole, corrected, example, with_flips
from evalcore.cli.output import few, mention, progress_line
from evalcore.cli.study_request import on_study, with_settings
from evalcore.evaluate.before_after import before_after
from evalcore.evaluate.coverage import relations_of
from evalcore.evaluate.graph_effect import graph_effect, study_without, working_pairs
from evalcore.graph.distances import distance_counts
from evalcore.graph.links import edge_named
from evalcore.graph.neighbourhood import neighbourhood as around
from evalcore.results.graph import distances_table, near_table, pairs_table, without_table
from evalcore.results.rows import Column, Table, also, decimals, named, whole
from evalcore.results.study import relations_table
from evalcore.stats.correction import NAMES
from evalcore.study import open_study
from evalcore.study.naming import find_concept, images_by_concept, search_concepts
from evalcore.study.workspace.workspace import follow as follow_only
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError, UnknownName

if TYPE_CHECKING:
    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.before_after import BeforeAfter
    from evalcore.values.settings import Correction


@example("graph search data lung")
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


@example("graph neighbours data lung")
@on_study("direction", runs=False, own=("direction",))
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


@example("graph neighbours data --distances")
@on_study("direction", runs=False, own=("direction",))
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


@example("graph effect data --top 5")
@on_study(*ALL)
@click.option("--without", "edges", multiple=True, metavar="A-B", help="Leave out this link, and compare.")
@click.option("--system", "systems", multiple=True, metavar="S", help="A system: to compare; all if none.")
@click.option(
    "--metric", default="nnCUI@10", show_default=True, metavar="M", help="A metric: to compare systems by."
)
@click.option("--top", type=Whole(1), default=20, show_default=True, help="Rows listed: pairs of concepts.")
@corrected
@with_flips
def effect(
    request: StudyRequest,
    edges: tuple[str, ...],
    systems: tuple[str, ...],
    metric: str,
    top: int,
    correction: Correction,
    flips: int,
) -> None:
    """Show what the graph changes: pairs and scores.

    How many image pairs of STUDY, through which concepts, and how the scores change.
    """
    opened, settings = request.study, request.settings
    graph = opened.graph
    if edges and graph is None:
        raise InputError("The study has no graph, so no links can be left out.")
    links = [edge_named(graph, text) for text in edges] if graph is not None else []
    changed = study_without(opened, links)
    versions = [graph_effect(version, settings=settings) for version in (opened, changed)[: 1 + bool(links)]]
    pairs = working_pairs(changed, settings=settings)
    compared = (
        before_after(
            opened,
            changed,
            systems=systems or opened.systems or ("@iou", "@nn-iou"),
            metric=metric,
            settings=settings,
            correction=correction,
            n_resamples=flips,
            progress=progress_line(),
        )
        if links
        else ()
    )
    listed = pairs_table(opened, pairs[:top])
    of_systems = without_table(compared, metric, NAMES[correction])
    systems_too: tuple[str | Table, ...] = ("", of_systems) if compared else ()
    request.emit(
        {
            "settings": request.recorded(),
            "without": [list(link) for link in links],
            "metric": metric,
            "before": versions[0].as_dict(),
            "after": versions[-1].as_dict() if links else None,
            "pairs": listed,
            "n_pairs": len(pairs),
            "systems": [_as_dict(row) for row in compared],
        },
        [
            f"threshold {settings.threshold}, {settings.direction}, count rule {settings.count_rule}, "
            f"alpha {settings.alpha:g}",
            Table(list(zip(("as it is", "without"), versions, strict=False)), _VERSIONS),
            f"\nConcept pairs at work between most image pairs ({len(listed.rows):,} of {len(pairs):,}):",
            listed,
            *systems_too,
            *few([], settings, differences=[row.change.n_pairs for row in compared]),
        ],
    )


_VERSIONS = (
    also("graph", itemgetter(0)),
    also("image pairs", lambda row: row[1].n_pairs, whole),
    also("share a concept", lambda row: row[1].n_related, whole),
    also("changed", lambda row: f"{row[1].n_changed:,} ({row[1].share:.2%})"),
    also("of which share none", lambda row: row[1].n_new, whole),
    also("mean change", lambda row: row[1].mean_change, decimals),
)


def _as_dict(row: BeforeAfter) -> dict[str, Any]:
    """A row for JSON; ``spread`` is for people who plan a study."""
    result = asdict(row)
    del result["change"]["spread"]
    return result


# ``graph neighbours --relations``: which relation types the graph files have, and which a study follows.


@example("graph neighbours data --relations")
@on_study(runs=False)
@click.option(
    "--follow",
    cls=Setting,
    multiple=True,
    metavar="R",
    help="Write to study.toml that only links of this relation type count, such as isa. Repeat for several.",
)
@with_settings
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
        study = open_study(request.folder, unknown=request.unknown)
    uses = relations_of(study)
    table = relations_table(uses) if uses else "The study has no graph files."
    request.emit({"relations": [asdict(use) for use in uses]}, [table])
