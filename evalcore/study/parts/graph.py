"""All graph files of a study become one concept graph; the format of each is recognised from its content.

``neighbours.csv``: a neighbour dictionary computed elsewhere, for a study without the graph itself.

    cui,neighbour,distance
    C0042449,C0005847,1

One direction of a pair is enough. The dictionary covers thresholds up to its largest distance, or up to what
a column ``threshold`` says: the neighbours of a larger one are not known, so it is refused wherever somebody
asks for it. `cuiscope dictionary` writes this form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.graph import ConceptGraph, Neighbours, build_graph, neighbours_of_pairs
from evalcore.study.graphs.edges import (
    EDGES,
    IS_A,
    Chosen,
    Edges,
    kept,
    no_edges,
    read_edges,
    read_mrrel,
    spelled,
)
from evalcore.study.graphs.graphml import read_graphml
from evalcore.study.graphs.obo import UNREAD, is_obo, read_obo, report_unsupported
from evalcore.study.graphs.rrf import MRREL, Source, is_rrf
from evalcore.study.parts.kind import Files, Opening, PartKind, Table, stem_of, tables_named
from evalcore.study.tables.files import packed, reader, unpack
from evalcore.study.tables.ids import KnownIds, report_concepts_without, report_other_concepts
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, Rule, truncate
from evalcore.study.tables.schema import Column, Rows, Schema, no_rows
from evalcore.study.workspace.file_names import safe_name
from evalcore.values.arrays import rows_of
from evalcore.values.concept_scheme import UMLS
from evalcore.values.model import Study
from evalcore.values.settings import MAX_THRESHOLD, as_list
from evalcore.values.writing import pluralize

_HEAD = 4096


@reader(lambda _: no_edges("csv"))
def parse_graph(
    source: Source | pa.Table,
    problems: Problems,
    *,
    sources: Chosen = None,
    rela: Chosen = None,
    scheme: str | None = None,
) -> Edges:
    """The edges of one graph file of any of the formats, recognised from its content; a stream is MRREL.

    A table in memory is one of edges. Kept are those of some sources and relations ("" for edges that state
    none); with None all, but of MRREL and OBO those of `IS_A`.
    """
    plain = unpack(source, problems)
    if isinstance(plain, bytes) and report_unsupported(plain, problems):
        return no_edges("csv")
    if is_rrf(plain, MRREL):
        return read_mrrel(plain, problems, sources=sources, rela=rela)
    if isinstance(plain, bytes) and is_obo(plain):
        return read_obo(plain, problems, scheme=scheme or UMLS, sources=sources, rela=rela)
    if isinstance(plain, bytes) and plain[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        edges = read_graphml(plain, problems)
    else:
        edges = read_edges(plain, problems)
    return replace(edges, links=kept(edges.links, sources, rela))


_BAD_ROW = Rule(
    "bad-neighbour",
    "A row needs two concepts and the number of edges between them; it is left out.",
    "Write: C0042449,C0005847,1.",
)
_BAD_THRESHOLD = Rule(
    "bad-threshold",
    "The threshold '{value}' is no number; it does not count.",
    "Write how far the pairs reach.",
)
NEIGHBOURS = Schema(
    (
        Column(("cui", "cui1", "concept", "concept1"), empty=_BAD_ROW, coded=True),
        Column(("neighbour", "neighbor", "cui2", "concept2"), empty=_BAD_ROW, coded=True),
        Column(("distance", "edges", "hops", "steps"), empty=_BAD_ROW, number=_BAD_ROW, limit=999),
        Column(("threshold",), required=False, empty=None, number=_BAD_THRESHOLD, limit=255, lenient=True),
    ),
    remedy="Let the first row be: cui,neighbour,distance.",
)


@reader(lambda file: no_rows(file, NEIGHBOURS))
def parse_neighbours(data: bytes, problems: Problems) -> Rows:
    """Read a neighbour dictionary; rows without two concepts and a whole distance are errors, left out."""
    rows = read(data, NEIGHBOURS, problems)
    steps = rows.numbers("distance")
    whole = (steps >= 0) & (steps == np.floor(steps))
    values = [f"{step:g}" for step in steps[~whole].tolist()]
    problems.each("error", *_BAD_ROW, lines=rows.lines[~whole].tolist(), values=values)
    return rows.where(whole)


def bind_neighbours(rows: Rows, problems: Problems, opening: Opening) -> Neighbours | None:
    """The neighbours among the concepts of a study; refused when there is no pair of them.

    Their ``threshold`` is what the dictionary covers, `MAX_THRESHOLD` at most: a warning says so.
    """
    if not rows.rows:
        return None
    names, codes = zip(*(rows.codes(name) for name in ("cui", "neighbour")), strict=True)
    vocabulary = opening.concepts.vocabulary
    known_ids = KnownIds(vocabulary)
    left, right = (known_ids.positions(texts)[code] for texts, code in zip(names, codes, strict=True))
    known = (left >= 0) & (right >= 0)
    steps = rows.numbers("distance").astype(np.int64)
    stated = rows.numbers("threshold") if rows.has("threshold") else np.zeros(1)
    covered = min(max(int(steps.max()), int(np.nan_to_num(stated).max())), MAX_THRESHOLD)
    near = neighbours_of_pairs(vocabulary, left[known], right[known], steps[known], threshold=covered)
    if not len(near.indices):
        message = "No pair of this dictionary consists of two concepts of the study."
        remedy = "Compute it for the concepts of this study."
        problems.refuse("no-neighbours", message, remedy, value=names[0][codes[0][0]])
    if covered < MAX_THRESHOLD:
        message = f"The dictionary lists neighbours up to {pluralize(covered, 'edge')} apart."
        remedy = "A larger threshold is refused: write the dictionary for it, or add the concept graph."
        problems.warning("reach", message, remedy, value=covered)
    return near


def dictionary_rows(near: Neighbours) -> tuple[tuple[str, ...], Iterator[tuple[str | int, ...]]]:
    """A dictionary as a table, header and rows, with a column ``threshold`` where the distances say less."""
    left = rows_of(near.indptr).tolist()
    pairs = zip(left, near.indices.tolist(), near.distances.tolist(), strict=True)
    stated = (near.threshold,) if near.distances.max(initial=0) < near.threshold else ()
    header = ("cui", "neighbour", "distance", *(["threshold"] if stated else []))
    return header, ((near.vocabulary[i], near.vocabulary[j], steps, *stated) for i, j, steps in pairs)


# As parts of a study.


def _read(opening: Opening) -> ConceptGraph | None:
    """The graph of all graph files together: their edges of the sources and relations that ``study.toml``
    names ("" for edges that state none), all where it names none.

    Warnings: relations that are not is_a, unless selected by name; self-loops, repeated edges and cycles,
    with their counts; concepts of the study that the graph does not know, with the share of their uses. None,
    with an error unless it is known why, where no edge is left, or the graph knows none of the concepts.
    """
    toml, paths, problems = opening.layout.toml, opening.layout.files["graph"], opening.problems
    scheme = None if opening.scheme == UMLS else opening.scheme  # as an upload was parsed
    sources, rela = toml.graph_sources, toml.graph_rela
    links: list[pa.Table] = []
    for path in paths:
        parsed = opening.read("graph", path, scheme=scheme, sources=sources, rela=rela)
        edges: Edges = parsed or no_edges("csv")
        opening.graph_names += [] if edges.names is None else [edges.names]
        for used in pc.value_counts(edges.links["rela"]).to_pylist() if rela is None else ():
            name, n = used["values"], used["counts"]
            if name not in IS_A:
                message = f"{n:,} edges have the relation {truncate(name)!r}; they count like is_a edges."
                remedy = 'To leave them out write rela = ["isa", ""] under [graph] in study.toml.'
                of_file = problems.of(opening.layout.name_of(path))
                of_file.warning("not-is-a", message, remedy, value=truncate(name), count=n)
        part = opening.parts["graph", path]
        opening.parts["graph", path] = replace(part, used=edges.links.num_rows > 0)
        links.append(edges.links.append_column("label", edges.labels))
    of_graph = problems.of(opening.layout.name_of(paths[0]) if len(paths) == 1 else "graph")
    if not any(table.num_rows for table in links):
        choices = (("source", sources), ("relation", rela))
        wanted = [f"{key} {', '.join(names)}" for key, names in choices if names is not None]
        message, remedy = "There is no usable edge.", "Rows look like: C0042449,C0005847 (child, parent)."
        if wanted:
            message = f"No edge has the {' and the '.join(wanted)} selected."
            remedy = "Correct or remove [graph] in study.toml."
        if links and not any(problems.of(opening.layout.name_of(path)).n_errors for path in paths):
            of_graph.error("no-edges", message, remedy, value="".join(wanted[:1]))
        return None
    every = pa.concat_tables(links)
    graph, facts = build_graph(every["child"], every["parent"], every["label"])
    message = "{n} edges lead from a concept to itself; they are left out."
    of_graph.add_summary("self-loop", facts.n_self_loops, message, "")
    message = "{n} rows repeat an edge; each counts once."
    of_graph.add_summary("duplicate-edge", facts.n_duplicates, message, "")
    message = "The graph has {n} loops (a concept is listed under itself). Distances are not affected."
    of_graph.add_summary("cycle", [" ".join(group) for group in facts.cyclic], message, "")
    concepts = opening.concepts
    known = {concept for concept in concepts.vocabulary if graph.index(concept) >= 0}
    if concepts.vocabulary and not known:
        report_other_concepts(of_graph, "not-in-graph", concepts, graph.cuis, "The graph", opening.scheme)
        return None
    of_concepts = problems.of(next(iter(opening.parts.values())).file)
    then = "These concepts can only match exactly."
    report_concepts_without(of_concepts, concepts, known, "not-in-graph", "are not in the graph", then)
    return graph


# Out of memory, and into a file.


def _of_object(value: Any, _problems: Problems) -> Table:
    """A DataFrame (child, parent, source, rela), pairs, {child: parents}, a networkx DiGraph, or a graph."""
    names = tuple(column.name for column in EDGES.columns)
    rows: list[Sequence[Any]]
    if isinstance(value, ConceptGraph):
        rows = [*_links_of(value)]
    elif hasattr(value, "edges") and hasattr(value, "nodes"):
        rows = [(u, v, link.get("source"), link.get("rela")) for u, v, link in value.edges(data=True)]
    elif isinstance(value, Mapping):
        rows = [(child, parent) for child, parents in value.items() for parent in as_list(parents)]
    else:
        rows = [tuple(row) for row in value]
    if any(not 2 <= len(row) <= 4 for row in rows):
        raise ValueError("an edge is a pair (child, parent)")
    return names, rows


def _source_and_relation(part: str) -> tuple[str, str]:
    """Of one part of a link's label: its last word is the relation when it is in lower case.

    >>> _source_and_relation("UBERON isa"), _source_and_relation("MESH"), _source_and_relation("part_of")
    (('UBERON', 'isa'), ('MESH', ''), ('', 'part_of'))
    """
    source, _, last = part.rpartition(" ")
    return (source, last) if last.islower() else (part, "")


def _links_of(graph: ConceptGraph) -> list[tuple[str, ...]]:
    """The links of a graph, one row per link and source, and a loop for each concept without any link."""
    child, parent = rows_of(graph.up[0]), graph.up[1]
    rows = []
    for i, j, label in zip(child.tolist(), parent.tolist(), graph.labels.tolist(), strict=True):
        for part in graph.edge_labels[label].split("; "):
            source, relation = _source_and_relation(part)
            if spelled(relation) != relation:  # so that reading them gives the same label
                source, relation = part, ""
            rows.append((graph.cuis[i], graph.cuis[j], source, relation))
    alone = np.flatnonzero(np.diff(graph.both[0]) == 0).tolist()
    return [*rows, *((graph.cuis[i], graph.cuis[i], "", "") for i in alone)]


def _write(study: Study) -> Files:
    if study.graph is not None:
        yield "graph/edges.csv", ([column.name for column in EDGES.columns], _links_of(study.graph))


def _write_neighbours(study: Study) -> Files:
    if study.neighbours is not None:
        yield "neighbours.csv", dictionary_rows(study.neighbours)


_OF_FORMATS = {"OBO": ".obo", "GraphML": ".graphml"}
PARTS = (
    PartKind(
        "graph",
        "Concept graph",
        (
            (
                *(f"graph/*{e}" for e in packed(".csv", ".tsv", ".obo", ".json", *UNREAD)),
                *("graph/*.graphml", "graph/*.xml", *packed("graph/mrrel.rrf")),
                *("graph/mrrel_[2-9].rrf", "graph/mrrel_[1-9][0-9].rrf"),
            ),
            (
                *("edges.csv", "edges.tsv", "edges.csv.gz", *packed("mrrel.rrf"), "*.obo", "*.graphml"),
                *(f"*{ending}" for ending in UNREAD),
            ),
        ),
        many=True,
        parse=parse_graph,
        used=lambda edges: edges.links.num_rows > 0,
        study_field="graph",
        read=_read,
        of_object=_of_object,
        accepted="Give a DataFrame with the columns child and parent, or pairs (child, parent).",
        write=_write,
        kept_as=lambda name, _data, edges: (
            "graph/MRREL.RRF"
            if edges.format == "MRREL"
            else f"graph/{safe_name(stem_of(name))}{_OF_FORMATS.get(edges.format, '.csv')}"
        ),
        expected="Rows child,parent (CSV), or MRREL.RRF, OBO, GraphML; ROBOT converts "
        "OWL. An ontology names its concepts too.",
        adds="credit for related concepts",
        schemas=(EDGES,),
        has_shape=lambda sample: sample.has_concepts(0) and sample.has_concepts(1) and not sample.has_ids,
        contents=lambda edges: pluralize(edges.rows, "link"),
    ),
    PartKind(
        "neighbours",
        "Neighbours",
        (sum(tables_named("neighbours", "neighbors"), ()),),
        schemas=(NEIGHBOURS,),
        parse=parse_neighbours,
        bind=bind_neighbours,
        study_field="neighbours",
        read=lambda opening: (  # in place of a graph
            opening.bind("neighbours", opening.read("neighbours"))
            if opening.values["graph"] is None
            else None
        ),
        write=_write_neighbours,
    ),
)
