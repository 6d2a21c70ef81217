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


def chosen_edges(edges: Edges, problems: Problems, sources: Names, rela: Names) -> Edges:
    """The edges of some sources and relations ("" for edges that state none).

    A warning about relations that are not is_a, unless asked for by name.
    """
    chosen = edges.kept(sources=sources, rela=rela)
    for counted in () if rela is not None else pc.value_counts(chosen.links["rela"]).to_pylist():
        if counted["values"] not in IS_A:
            name, n = truncate(counted["values"]), counted["counts"]
            message = f"{n:,} edges have the relation {name!r}; they count like is_a edges."
            remedy = 'To leave them out write rela = ["isa", ""] under [graph] in study.toml.'
            problems.warning("not-is-a", message, remedy, value=name, count=n)
    return chosen


def part_of_graph(file: str, edges: Edges, chosen: Edges) -> Part:
    """A graph file as it was read, with its relation types and which of them are links now."""
    kinds = dict(Counter(edges.relations).most_common(MAX_RELATIONS))
    used = set(pc.unique(chosen.links["rela"]).to_pylist())
    followed = tuple(name for name in kinds if name in used)
    return Part("graph", file, edges.format, edges.rows, chosen.links.num_rows > 0, kinds, followed)


def graph_of_edges(
    chosen: Sequence[Edges], problems: Problems, sources: Names, rela: Names
) -> ConceptGraph | None:
    """The graph of the edges of all files, None where there are none: an error, unless a file has one.

    Self-loops, repeated edges and cycles are warnings with their counts; a filter that matches nothing is an
    error.
    """
    if any(edges.links.num_rows for edges in chosen):
        links = pa.concat_tables(edges.links.append_column("label", edges.labels) for edges in chosen)
        graph, facts = build_graph(links["child"], links["parent"], links["label"])
        message = "{n} edges lead from a concept to itself; they are left out."
        problems.add_summary("self-loop", facts.n_self_loops, message, "")
        message = "{n} rows repeat an edge; each counts once."
        problems.add_summary("duplicate-edge", facts.n_duplicates, message, "")
        if facts.n_cyclic:
            message = (
                f"The graph has {facts.n_cyclic:,} loops (a concept is listed under itself). "
                "Distances are not affected."
            )
            problems.warning("cycle", message, "", value=" ".join(facts.cyclic[0]), count=facts.n_cyclic)
        return graph
    choices = (("source", sources), ("relation", rela))
    wanted = [f"{key} {', '.join(names)}" for key, names in choices if names is not None]
    if wanted:
        message = f"No edge has the {' and the '.join(wanted)} selected."
        problems.error("no-edges", message, "Correct or remove [graph] in study.toml.", value=wanted[0])
    else:
        remedy = "Rows look like: C0042449,C0005847 (child, parent)."
        problems.error("no-edges", "There is no usable edge.", remedy)
    return None


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
