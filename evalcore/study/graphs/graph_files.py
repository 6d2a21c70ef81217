"""All graph files of a study become one concept graph; the format of each is recognised from its content.

``neighbours.csv``: a neighbour dictionary computed elsewhere, for a study without the graph itself.

    cui,neighbour,distance
    C0042449,C0005847,1

One direction of a pair is enough. The dictionary covers thresholds up to its largest distance, or up to what
a column ``threshold`` says: the neighbours of a larger one are not known, so it is refused wherever somebody
asks for it. `cuiscope dictionary` writes this form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.graph import ConceptGraph, Neighbours, build_graph, neighbours_of_pairs
from evalcore.study.graphs.edges import IS_A, Chosen, Edges, no_edges, read_edges, read_mrrel
from evalcore.study.graphs.graphml import read_graphml
from evalcore.study.graphs.obo import is_obo, read_obo, report_unsupported
from evalcore.study.graphs.rrf import MRREL, Source, is_rrf
from evalcore.study.tables.files import unpack
from evalcore.study.tables.ids import KnownIds, report_concepts_without, report_other_concepts
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, reader, truncate
from evalcore.study.tables.schema import Column, Rows, Rule, Schema, no_rows
from evalcore.values.arrays import rows_of
from evalcore.values.concept_scheme import UMLS
from evalcore.values.model import ConceptSets, Part
from evalcore.values.settings import MAX_THRESHOLD

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

    A table in memory is one of edges.
    """
    if isinstance(source, pa.Table):
        return read_edges(source, problems)
    plain = unpack(source, problems) if isinstance(source, bytes) else source
    if plain is None or (isinstance(plain, bytes) and report_unsupported(plain, problems)):
        return no_edges("csv")
    if not isinstance(plain, bytes):
        return read_mrrel(plain, problems, sources=sources, rela=rela)
    if is_obo(plain):
        return read_obo(plain, problems, scheme=scheme or UMLS, sources=sources, rela=rela)
    if plain[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return read_graphml(plain, problems)
    if is_rrf(plain, MRREL):
        return read_mrrel(plain, problems, sources=sources, rela=rela)
    return read_edges(plain, problems)


def graph_of_files(
    files: Sequence[tuple[str, Edges]], problems: Problems, sources: Chosen, rela: Chosen, *, silent: bool
) -> tuple[ConceptGraph | None, list[Part]]:
    """The graph of the edges of files, (name, edges), and each file as a part of the study.

    Kept are the edges of some sources and relations ("" for edges that state none), all when None. Warnings:
    relations that are not is_a, unless asked for by name; self-loops, repeated edges and cycles, with their
    counts. None, with an error unless ``silent``, where no edge is left.
    """
    parts, links = list[Part](), list[pa.Table]()
    for file, edges in files:
        chosen = edges.kept(sources=sources, rela=rela)
        for used in pc.value_counts(chosen.links["rela"]).to_pylist() if rela is None else ():
            name, n = used["values"], used["counts"]
            if name not in IS_A:
                message = f"{n:,} edges have the relation {truncate(name)!r}; they count like is_a edges."
                remedy = 'To leave them out write rela = ["isa", ""] under [graph] in study.toml.'
                problems.of(file).warning("not-is-a", message, remedy, value=truncate(name), count=n)
        parts.append(Part("graph", file, edges.format, edges.rows, chosen.links.num_rows > 0))
        links.append(chosen.links.append_column("label", chosen.labels))
    of_graph = problems.of(parts[0].file if len(parts) == 1 else "graph")
    if not any(part.used for part in parts):
        choices = (("source", sources), ("relation", rela))
        wanted = [f"{key} {', '.join(names)}" for key, names in choices if names is not None]
        message, remedy = "There is no usable edge.", "Rows look like: C0042449,C0005847 (child, parent)."
        if wanted:
            message = f"No edge has the {' and the '.join(wanted)} selected."
            remedy = "Correct or remove [graph] in study.toml."
        if parts and not silent:
            of_graph.error("no-edges", message, remedy, value="".join(wanted[:1]))
        return None, parts
    every = pa.concat_tables(links)
    graph, facts = build_graph(every["child"], every["parent"], every["label"])
    message = "{n} edges lead from a concept to itself; they are left out."
    of_graph.add_summary("self-loop", facts.n_self_loops, message, "")
    message = "{n} rows repeat an edge; each counts once."
    of_graph.add_summary("duplicate-edge", facts.n_duplicates, message, "")
    if facts.n_cyclic:
        message = (
            f"The graph has {facts.n_cyclic:,} loops (a concept is listed under itself). "
            "Distances are not affected."
        )
        of_graph.warning("cycle", message, "", value=" ".join(facts.cyclic[0]), count=facts.n_cyclic)
    return graph, parts


def bind_graph(
    graph: ConceptGraph, problems: Problems, concepts: ConceptSets, *, of_concepts: Problems, scheme: str
) -> ConceptGraph | None:
    """The graph of a study with these concepts; None, with an error, when it knows none of them.

    Those that it does not know are counted in a warning about the concept file, with the share of their uses.
    """
    known = {concept for concept in concepts.vocabulary if graph.index(concept) >= 0}
    if known or not concepts.vocabulary:
        then = "These concepts can only match exactly."
        report_concepts_without(of_concepts, concepts, known, "not-in-graph", "are not in the graph", then)
        return graph
    report_other_concepts(problems, "not-in-graph", concepts, graph.cuis, "The graph", scheme)
    return None


_BAD_ROW = Rule(
    "bad-neighbour",
    "A row needs two concepts and the number of edges between them; it is left out.",
    "Write: C0042449,C0005847,1.",
)
_BAD_THRESHOLD = Rule(
    "bad-threshold",
    "The threshold {value} is no number; it does not count.",
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


def bind_neighbours(rows: Rows, problems: Problems, vocabulary: Sequence[str]) -> Neighbours | None:
    """The neighbours among the concepts of a study; None when there is no pair of them.

    Their ``threshold`` is what the dictionary covers, `MAX_THRESHOLD` at most: a warning says so.
    """
    if not rows.rows:
        return None
    names, codes = zip(*(rows.codes(name) for name in ("cui", "neighbour")), strict=True)
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
        problems.error("no-neighbours", message, remedy, value=names[0][codes[0][0]])
        return None
    if covered < MAX_THRESHOLD:
        message = (
            f"The dictionary lists neighbours up to {covered} {'edge' if covered == 1 else 'edges'} apart."
        )
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
