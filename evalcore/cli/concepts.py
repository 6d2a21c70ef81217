"""Concepts: why a result is relevant, what connects two concepts and is around one, people's ratings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.options import NN_IOU, Whole, choice_option, example, file_option, option, options
from evalcore.cli.output import STDOUT, concept_name, csv_text, print_message, write_file
from evalcore.cli.study_request import on_study
from evalcore.engine import neighbours_of
from evalcore.evaluate.ratings import N_RESAMPLES, against_ratings
from evalcore.graph import shortest_paths, steps
from evalcore.graph.neighbourhood import neighbourhood
from evalcore.relevance.explain import explain as explain_pair
from evalcore.relevance.registry import available, check_of
from evalcore.results.rows import Column, Table, also, decimals, named, placed, plain, record
from evalcore.results.study import near_table, ratings_table
from evalcore.study.concept_ratings import parse_ratings
from evalcore.study.naming import find_concept, images_by_concept, search_concepts
from evalcore.study.parts.graph import dictionary_rows
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.output import Item
    from evalcore.cli.study_request import StudyRequest
    from evalcore.graph import Paths
    from evalcore.relevance.explain import AlignedConcept, Explanation
    from evalcore.values.model import Study

# ``explain``: concept by concept.


@example("explain sample SYN_001 SYN_027")
@on_study(*NN_IOU, runs=False)
@click.argument("query")
@click.argument("candidate")
@option(
    *("--relevance", "measures"),
    usual=(),
    metavar="NAME",
    help="A relevance: its value too, such as matching:path or nn-iou[finding]; `all` for a choice of them.",
)
def explain(request: StudyRequest, query: str, candidate: str, measures: tuple[str, ...]) -> None:
    """Why CANDIDATE counts as relevant to QUERY.

    Two image ids of STUDY, concept by concept.
    """
    study = request.study
    named = [check_of(study, name) for name in measures if name != "all"]
    names = list(map(str, named))
    if any(relevance.file is not None for relevance in named):
        raise SettingError("relevance", "by concepts or by vectors, such as iou or cosine:hog", names)
    wanted = [*(available(study) if "all" in measures else ()), *names]
    result = explain_pair(study, query, candidate, settings=request.settings, measures=wanted)
    request.emit(asdict(result), _explained(study, result, names))


def _explained(study: Study, explanation: Explanation, measures: Sequence[str]) -> Iterator[str | Table]:
    yield f"{plain(explanation.query)} and {plain(explanation.candidate)}"
    for side, image in (("query", explanation.query), ("candidate", explanation.candidate)):
        if caption := study.caption_of(study.concepts.index(image)):
            yield f"{side}: {plain(caption)}"
    tables = [
        Table(list(_matches(study, explanation)), _MATCHES),
        Table(list(explanation.values.items()), _VALUES),
        *(Table(shares, _shares(study, name)) for name, shares in explanation.weighed.items()),
        *(
            Table(explanation.alignments[name], _alignment(study, name))
            for name in measures
            if name in explanation.alignments
        ),
    ]
    for table in tables:
        yield from ("", table)
    if missing := [name for name in measures if name not in explanation.values]:
        yield f"No value for these two images: {', '.join(map(plain, missing))}."


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


_MATCHES = placed("match", "concept", "with", "distance: path", "adds", shown=True)
_VALUES = (also("measure", "0"), also("value", "1", decimals))


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
        also(measure, "side"),
        also("concept", lambda row: concept_name(study, row.cui)),
        also("finds", lambda row: concept_name(study, row.partner)),
        also("similarity", "similarity", decimals),
        also("both are", both_are),
    )


# ``path``, ``neighbours``, ``dictionary``, ``search``: the graph.

MOST_PATHS = 1_000
"""Paths listed by --every; the number of shortest paths is always complete."""


@example("path sample lung heart")
@on_study("direction", runs=False)
@click.argument("start", metavar="FROM")
@click.argument("end", metavar="TO")
@option("--every", is_flag=True, help=f"Every shortest path (at most {MOST_PATHS:,}), not just one.")
def path(request: StudyRequest, start: str, end: str, every: bool) -> None:
    """Show how two concepts are connected.

    FROM and TO are concept ids (CUIs) of STUDY's graph, or names.
    """
    study = request.study
    ends = find_concept(study, start), find_concept(study, end)
    limit = MOST_PATHS if every else 1
    paths = shortest_paths(study.graph, *ends, direction=request.settings.direction, limit=limit)
    facts = record(paths, "distance", "n_shortest", "paths", **{"from": "start", "to": "end"})
    request.emit(facts, _shown_paths(study, paths))


def _shown_paths(study: Study, paths: Paths) -> Iterator[str]:
    ends = f"{concept_name(study, paths.start)} and {concept_name(study, paths.end)}"
    if paths.distance is None:
        yield f"No path between {ends}. {_not_in_graph(study, paths.start, paths.end)}".rstrip()
        return
    yield f"{ends}: {paths.distance} edges apart, shortest paths: {paths.n_shortest:,}."
    for route in paths.paths:
        yield ""
        yield concept_name(study, route[0])
        for step in steps(study.graph, route) if study.graph is not None and len(route) > 1 else ():
            word = "is a" if step.direction == "up" else "has the kind"
            label = f"   [{plain(step.label)}]" if step.label else ""
            yield f"  {word} {concept_name(study, step.end)}{label}"


def _not_in_graph(study: Study, *cuis: str) -> str:
    """Why concepts have no neighbours and no path: no graph, or those that it lacks; "" where it has all."""
    if study.graph is None:
        return "This study has no graph. Add graph/edges.csv."
    absent = [cui for cui in dict.fromkeys(cuis) if not study.in_graph(cui)]
    return f"Not in the graph: {', '.join(map(plain, absent))}." if absent else ""


@example("neighbours sample lung")
@on_study("direction", runs=False)
@click.argument("concept")
@option("--within", kind=Whole(1, 4), usual=2, help="Steps at most.")
def neighbours(request: StudyRequest, concept: str, within: int) -> None:
    """List the concepts around CONCEPT in STUDY's graph.

    CONCEPT is an id or a name. The list includes how often each concept is used.
    """
    study = request.study
    cui, used = find_concept(study, concept), images_by_concept(study)
    direction = request.settings.direction
    result = neighbourhood(study.graph, cui, within=within, used=used, direction=direction)
    shown: Item = near_table(study, result)
    if not result.near:
        shown = _not_in_graph(study, cui) or f"Nothing is linked to {concept_name(study, cui)}."
    request.emit(asdict(result) | {"images": used.get(cui, 0)}, [shown])


@example("dictionary sample --threshold 1")
@on_study("threshold", "direction", runs=False)
@file_option("--out", metavar="FILE.csv", help="Where to write: cui,neighbour,distance. Else printed.")
def dictionary(request: StudyRequest, out: str | None) -> None:
    """Write who is near whom in STUDY's graph.

    The neighbour dictionary of its concepts.
    """
    reach = request.settings.threshold
    near = neighbours_of(request.study, threshold=reach, direction=request.settings.direction)
    header, rows = dictionary_rows(near)
    if out is not None or not request.json:
        write_file(out or STDOUT, csv_text(header, rows), f"{len(near.indices):,} neighbour pairs")
    if request.json:
        pairs = Table(list(dictionary_rows(near)[1]), placed(*header[:3]))
        request.emit({"threshold": reach, "direction": near.direction, "neighbours": pairs}, [])


@example("search sample lung")
@on_study(runs=False)
@click.argument("text")
@option("--top", kind=Whole(1), usual=12, help="Rows listed: matches.")
def search(request: StudyRequest, text: str, top: int) -> None:
    """Find concepts by id or by any of their names.

    Concepts of STUDY; typing errors are tolerated.
    """
    study = request.study
    names, images = study.names, images_by_concept(study)
    columns = (
        Column("cui", head="cui" if study.scheme == UMLS else "concept"),
        also("name", lambda match: names.get(match.cui) or "-"),
        also("found as", lambda match: match.name if match.name != names.get(match.cui) else ""),
        Column("preferred", lambda match: names.get(match.cui, "")),
        *named("name"),
        Column("images", lambda match: images.get(match.cui, 0), "images"),
        Column(
            "in_graph",
            lambda match: study.in_graph(match.cui),
            "in the graph",
            lambda known: "yes" if known else "no",
        ),
        *named("likeness"),
    )
    matches = Table(search_concepts(study, text, limit=top), columns)
    none = [] if matches.rows else [f"No concept has a name or id like {plain(repr(text))}."]
    request.emit({"text": text}, [("matches", matches), *none])


# ``ratings``: do similarities of concepts agree with people?


@example("ratings sample --ratings ratings.csv", own_files=True)
@on_study(runs=False)
@option("--ratings", "file", required=True, metavar="FILE", help="Rated pairs: CUI1,CUI2,Mean.")
@option(
    *("--similarity", "names"),
    usual=(),
    metavar="C",
    help="A similarity of concepts, such as path or vectors-NAME; default: all.",
)
@options(choice_option("level"), choice_option("seed"))
def ratings(request: StudyRequest, file: str, names: Sequence[str], level: float, seed: int) -> None:
    """Compare concept similarities with people's ratings.

    Spearman's rho over the pairs whose concepts are both known, with a bootstrap interval over pairs; an
    unconnected pair has similarity 0. Vectors measure relatedness, the graph similarity.
    """
    rated, report = parse_ratings(Path(file))
    if rated is None or report.total("error"):
        raise InputError("The ratings cannot be used as they are.", report)
    for line in report.of_severity("warning"):
        print_message(str(line))
    measures = against_ratings(request.study, rated, names or None, level=level, seed=seed)
    text = f"{plain(rated.file)}: {rated.rows:,} rated pairs; {N_RESAMPLES:,} resamples, seed {seed}."
    nothing = [] if measures else ["The study has neither a graph nor vectors of concepts."]
    facts = {"ratings": rated.file, "n_pairs": rated.rows, "level": level, "resamples": N_RESAMPLES}
    items: list[Item] = [text, ("measures", ratings_table(measures)), *nothing]
    request.emit(request.facts() | facts | {"seed": seed}, items)
