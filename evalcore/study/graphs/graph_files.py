"""All graph files of a study become one concept graph; the format of each is recognised from its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.graph import ConceptGraph, build_graph
from evalcore.study.graphs.edges import IS_A, Edges, no_edges, read_edges, read_mrrel
from evalcore.study.graphs.graphml import read_graphml
from evalcore.study.graphs.obo import is_obo, read_obo, report_unsupported
from evalcore.study.graphs.rrf import MRREL, Source, is_rrf
from evalcore.study.tables.files import unpack
from evalcore.study.tables.frames import Frame
from evalcore.study.tables.ids import report_concepts_without, report_other_concepts
from evalcore.study.tables.problems import Problems, reader, truncate
from evalcore.values.concept_scheme import UMLS
from evalcore.values.model import ConceptSets, Part

_HEAD = 4096
MAX_RELATIONS = 200
"""Most relation types of a file that are told apart on the pages."""
Names = Collection[str] | None


@reader(lambda _: no_edges("csv"))
def parse_graph(
    source: Source | Frame,
    problems: Problems,
    *,
    sources: Names = None,
    rela: Names = None,
    scheme: str | None = None,
) -> Edges:
    """The edges of one graph file of any of the formats, recognised from its content; a stream is MRREL.

    A table in memory is one of edges.
    """
    if isinstance(source, Frame):
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
    files: Sequence[tuple[str, Edges]], problems: Problems, sources: Names, rela: Names, *, silent: bool
) -> tuple[ConceptGraph | None, list[Part]]:
    """The graph of the edges of files, (name, edges), and each file as a part of the study.

    Kept are the edges of some sources and relations ("" for edges that state none), all when None. Warnings:
    relations that are not is_a, unless asked for by name; self-loops, repeated edges and cycles, with their
    counts. None, with an error unless ``silent``, where no edge is left.
    """
    parts, links = list[Part](), list[pa.Table]()
    for file, edges in files:
        chosen = edges.kept(sources=sources, rela=rela)
        used = {
            count["values"]: count["counts"] for count in pc.value_counts(chosen.links["rela"]).to_pylist()
        }
        for name, n in used.items() if rela is None else ():
            if name not in IS_A:
                message = f"{n:,} edges have the relation {truncate(name)!r}; they count like is_a edges."
                remedy = 'To leave them out write rela = ["isa", ""] under [graph] in study.toml.'
                problems.of(file).warning("not-is-a", message, remedy, value=truncate(name), count=n)
        kinds = dict(Counter(edges.relations).most_common(MAX_RELATIONS))
        followed = tuple(name for name in kinds if name in used)
        parts.append(Part("graph", file, edges.format, edges.rows, bool(used), kinds, followed))
        links.append(chosen.links.append_column("label", chosen.labels))
    of_graph = problems.of(parts[0].file if len(parts) == 1 else "graph")
    if not any(part.used for part in parts):
        if parts and not silent:
            _report_no_edges(of_graph, sources, rela)
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


def _report_no_edges(problems: Problems, sources: Names, rela: Names) -> None:
    choices = (("source", sources), ("relation", rela))
    wanted = [f"{key} {', '.join(names)}" for key, names in choices if names is not None]
    if wanted:
        message = f"No edge has the {' and the '.join(wanted)} selected."
        problems.error("no-edges", message, "Correct or remove [graph] in study.toml.", value=wanted[0])
    else:
        remedy = "Rows look like: C0042449,C0005847 (child, parent)."
        problems.error("no-edges", "There is no usable edge.", remedy)


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
