"""``explain``, ``path`` and ``dictionary``: concepts, what connects them, and what that adds."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.options import NN_IOU, Number, as_csv, choice_option, example
from evalcore.cli.output import STDOUT, TEXT_FILE, complain, concept_name, csv_text, write_file
from evalcore.cli.study_request import on_study
from evalcore.engine import neighbours_of
from evalcore.evaluate.ratings import N_RESAMPLES, against_ratings
from evalcore.graph import shortest_paths, steps
from evalcore.graph.links import only_links
from evalcore.graph.paths import PATH_COLUMNS, path_dot, path_rows
from evalcore.relevance.explain import explain as explain_pair
from evalcore.relevance.registry import available
from evalcore.results.graph import ratings_table
from evalcore.results.rows import Column, Table, also, decimals, plain
from evalcore.study.concepts.ratings import read_ratings
from evalcore.study.graphs.neighbours import dictionary_rows
from evalcore.study.naming import find_concept
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.output import Item
    from evalcore.cli.study_request import StudyRequest
    from evalcore.graph import Paths
    from evalcore.relevance.explain import AlignedConcept, Explanation
    from evalcore.values.model import Study

MOST_PATHS = 1_000
"""Paths listed by --all; the number of shortest paths is always complete."""


@example("explain sample SYN_001 SYN_002")
@on_study(*NN_IOU, runs=False)
@click.argument("query")
@click.argument("candidate")
@click.option(
    "--relevance",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A relevance: its value too, such as matching:path or nn-iou[finding]; `all` for a choice of them.",
)
def explain(request: StudyRequest, query: str, candidate: str, measures: tuple[str, ...]) -> None:
    """Why CANDIDATE counts as relevant to QUERY.

    Two image ids of STUDY, concept by concept.
    """
    opened = request.study
    wanted = [measure for name in measures for measure in (available(opened) if name == "all" else [name])]
    result = explain_pair(opened, query, candidate, settings=request.settings, measures=wanted)
    request.emit(result.as_dict(), _explained(opened, result, measures))


@example("path sample lung heart")
@on_study("direction", runs=False)
@click.argument("start", metavar="FROM")
@click.argument("end", metavar="TO")
@click.option("--every", is_flag=True, help=f"Every shortest path (at most {MOST_PATHS:,}), not just one.")
@click.option("--source", "sources", multiple=True, metavar="S", help="Only links that this source states.")
@click.option(
    "--rela", "relations", multiple=True, metavar="R", help='Only links of this relation; "" = none.'
)
@click.option("--dot", type=TEXT_FILE, metavar="FILE.dot", help="Also write the paths for Graphviz.")
@as_csv("the paths link by link.")
def path(
    request: StudyRequest,
    start: str,
    end: str,
    every: bool,
    sources: tuple[str, ...],
    relations: tuple[str, ...],
    dot: str | None,
    csv_path: str | None,
) -> None:
    """Show how two concepts are connected.

    FROM and TO are concept ids (CUIs) of STUDY's graph, or names.
    """
    opened = request.study
    ends = find_concept(opened, start), find_concept(opened, end)
    if opened.graph is not None:
        links = only_links(opened.graph, sources=sources or None, relations=relations or None)
        opened = replace(opened, graph=links)
    limit = MOST_PATHS if every else 1
    paths = shortest_paths(opened.graph, *ends, direction=request.settings.direction, limit=limit)
    _write_paths(opened, paths, dot=dot, table=csv_path)
    document = {
        "from": paths.start,
        "to": paths.end,
        "distance": paths.distance,
        "n_shortest": paths.n_shortest,
        "paths": paths.paths,
    }
    request.emit(document, _shown_paths(opened, paths))


@example("dictionary sample --threshold 1")
@on_study("threshold", "direction", runs=False)
@click.option(
    "--out", type=TEXT_FILE, metavar="FILE.csv", help="Where to write: cui,neighbour,distance. Else printed."
)
def neighbours(request: StudyRequest, out: str | None) -> None:
    """Write who is near whom in STUDY's graph.

    The neighbour dictionary of its concepts.
    """
    reach = request.settings.threshold
    near = neighbours_of(request.study, threshold=reach, direction=request.settings.direction)
    header, rows = dictionary_rows(near)
    if out is not None or not request.json:
        lines = csv_text(header, rows)
        write_file(out or STDOUT, lines, f"{len(near.indices):,} neighbour pairs")
    if request.json:
        pairs = [dict(zip(header[:3], row[:3], strict=True)) for row in dictionary_rows(near)[1]]
        request.emit({"threshold": reach, "direction": near.direction, "neighbours": pairs}, [])


def _write_paths(study: Study, connection: Paths, *, dot: str | None, table: str | None) -> None:
    paths = connection.paths if study.graph is not None and connection.start != connection.end else ()
    graph = study.graph
    for target, lines in (
        (dot, [path_dot(graph, paths, study.names)] if graph else []),
        (table, csv_text(PATH_COLUMNS, path_rows(graph, paths, study.names) if graph else [])),
    ):
        if target is not None:
            write_file(target, lines, f"{len(paths):,} {'path' if len(paths) == 1 else 'paths'}")


def _shown_paths(study: Study, paths: Paths) -> Iterator[str]:
    ends = f"{concept_name(study, paths.start)} and {concept_name(study, paths.end)}"
    if paths.distance is None:
        reason = "This study has no graph." if study.graph is None else _not_in_graph(study, paths)
        yield f"No path between {ends}. {reason}".rstrip()
        return
    yield f"{ends}: {paths.distance} edges apart, shortest paths: {paths.n_shortest:,}."
    for route in paths.paths:
        yield ""
        yield concept_name(study, route[0])
        for step in steps(study.graph, route) if study.graph is not None and len(route) > 1 else ():
            word = "is a" if step.direction == "up" else "has the kind"
            label = f"   [{plain(step.label)}]" if step.label else ""
            yield f"  {word} {concept_name(study, step.end)}{label}"


def _not_in_graph(study: Study, paths: Paths) -> str:
    ends = dict.fromkeys((paths.start, paths.end))
    absent = [cui for cui in ends if study.graph is not None and not study.in_graph(cui)]
    return f"Not in the graph: {', '.join(map(plain, absent))}." if absent else ""


def _explained(study: Study, explanation: Explanation, measures: Sequence[str]) -> Iterator[str | Table]:
    yield f"{plain(explanation.query)} and {plain(explanation.candidate)}"
    for side, image in (("query", explanation.query), ("candidate", explanation.candidate)):
        caption = study.caption_of(study.concepts.index(image))
        if caption:
            yield f"{side}: {plain(caption)}"
    yield ""
    yield Table(list(_matches(study, explanation)), _MATCHES)
    yield ""
    yield Table(list(explanation.values.items()), _VALUES)
    for name, shares in explanation.weighed.items():
        yield ""
        yield Table(shares, _shares(study, name))
    for name in measures:
        if name in explanation.alignments:
            yield ""
            yield Table(explanation.alignments[name], _alignment(study, name))


def _matches(study: Study, explanation: Explanation) -> Iterator[tuple[str, ...]]:
    """Every concept of both images: what it is matched with, how far away, and what that adds."""
    for cui in explanation.exact:
        yield "exact", concept_name(study, cui), "", "", decimals(explanation.exact_adds)
    for match in explanation.neighbours:
        way = " - ".join(study.name_of(cui) for cui in match.path)
        names = concept_name(study, match.cui), f"~ {concept_name(study, match.matched)}"
        yield f"{match.side} neighbour", *names, f"{match.distance}: {way}", decimals(match.adds)
    for side, cuis in explanation.unmatched.items():
        for cui in cuis:
            yield f"{side} only", concept_name(study, cui), "", "", ""


_MATCHES = tuple(
    also(head, itemgetter(place))
    for place, head in enumerate(("match", "concept", "with", "distance: path", "adds"))
)
_VALUES = (also("measure", itemgetter(0)), also("value", itemgetter(1), decimals))


def _shares(study: Study, measure: str) -> tuple[Column, ...]:
    """What each concept adds under a measure in which concepts weigh differently."""
    kind = study.kinds.kind_of if study.kinds is not None else lambda _: ""
    return (
        also(measure, lambda share: "exact" if share.where == "both" else f"{share.where} neighbour"),
        also("concept", lambda share: concept_name(study, share.cui)),
        also("kind", lambda share: kind(share.cui)),
        also("with", lambda share: concept_name(study, share.matched) if share.matched else ""),
        also("weight", lambda share: f"{share.weight:g}"),
        also("adds", "adds", decimals),
    )


def _alignment(study: Study, measure: str) -> tuple[Column, ...]:
    """Who finds whom under a measure that compares concepts, and the common ancestor."""

    def both_are(concept: AlignedConcept) -> str:
        if concept.cui == concept.partner:
            return "the same"
        return concept_name(study, concept.ancestor) if concept.ancestor else ""

    return (
        also(measure, lambda row: row.side),
        also("concept", lambda row: concept_name(study, row.cui)),
        also("finds", lambda row: concept_name(study, row.partner)),
        also("alike", "similarity", decimals),
        also("both are", both_are),
    )


# ``ratings``: do similarities of concepts agree with people?


@example("ratings sample --ratings ratings.csv")
@on_study(runs=False)
@click.option("--ratings", "file", required=True, metavar="FILE", help="Rated pairs: CUI1,CUI2,Mean.")
@click.option(
    "--similarity",
    "names",
    multiple=True,
    metavar="C",
    help="A similarity of concepts, such as path or vectors-NAME; default: all.",
)
@click.option(
    "--level",
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Level of the intervals.",
)
@choice_option("seed")
def concept_ratings(request: StudyRequest, file: str, names: Sequence[str], level: float, seed: int) -> None:
    """Compare concept similarities with people's ratings.

    Spearman's rho over the pairs whose concepts are both known, with a bootstrap interval over pairs; an
    unconnected pair has similarity 0. Vectors measure relatedness, the graph similarity.
    """
    ratings, report = read_ratings(Path(file))
    if ratings is None or report.total("error"):
        raise InputError("The ratings cannot be used as they are.", report)
    for line in report.of_severity("warning"):
        complain(str(line))
    measures = against_ratings(request.study, ratings, names or None, level=level, seed=seed)
    text = f"{plain(ratings.file)}: {len(ratings):,} rated pairs; {N_RESAMPLES:,} resamples, seed {seed}."
    nothing = [] if measures else ["The study has neither a graph nor vectors of concepts."]
    facts = {"ratings": ratings.file, "n_pairs": len(ratings), "level": level, "resamples": N_RESAMPLES}
    items: list[Item] = [text, ("measures", ratings_table(measures)), *nothing]
    request.emit(request.facts() | facts | {"seed": seed}, items)
