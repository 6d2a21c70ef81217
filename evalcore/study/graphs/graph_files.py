"""All graph files of a study become one concept graph; the format of each is recognised from its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.graph import ConceptGraph, GraphFacts, build_graph
from evalcore.study.graphs.edges import IS_A, Edges, no_edges, read_edges, read_mrrel
from evalcore.study.graphs.graphml import read_graphml
from evalcore.study.graphs.obo import is_obo, read_obo, report_unread
from evalcore.study.graphs.rrf import MRREL, Source, is_rrf, parse_path
from evalcore.study.tables.frames import Frame
from evalcore.study.tables.ids import report_concepts_without, report_other_concepts
from evalcore.study.tables.lines import unpack
from evalcore.study.tables.problems import Problems, reader, truncate
from evalcore.study.workspace.file_names import named_below
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import Report
from evalcore.values.model import ConceptSets, Part

_HEAD = 4096
MAX_RELATIONS = 200
"""Most relation types of a file that are told apart on the pages."""
Names = Collection[str] | None


@dataclass(frozen=True, slots=True, eq=False)
class GraphFiles:
    """What is in the graph files of a study: the graph, None without a usable edge, and rows of `NAMES`."""

    graph: ConceptGraph | None
    report: Report
    parts: list[Part]
    names: list[pa.Table]

    @property
    def file(self) -> str:
        """How messages call them all: by the name of the one file, else "graph"."""
        return self.parts[0].file if len(self.parts) == 1 else "graph"


def read_graph_files(
    paths: Sequence[Path], *, root: Path, sources: Names = None, rela: Names = None, scheme: str = UMLS
) -> GraphFiles:
    """The concept graph of all files together.

    Parameters
    ----------
    paths : edge tables, MRREL.RRF, ontologies and GraphML files in any mixture.
    root : the study folder, for the names in messages.
    sources, rela : keep only edges of these sources and relations ("" for edges that state none).
        Without ``rela`` MRREL and ontologies give is_a edges, tables and GraphML all their edges.
    scheme : of the study.

    Returns
    -------
    Its graph is None when no file has a usable edge. Self-loops, repeated edges and cycles are warnings
    with their counts; a filter that matches nothing is an error.
    """
    report, parts, kept, names = Report(), list[Part](), list[Edges](), list[pa.Table]()
    for path in paths:
        file = named_below(path, root)
        edges, of_file = parse_path(
            parse_graph,
            path,
            file,
            sources=sources,
            rela=rela,
            scheme=None if scheme == UMLS else scheme,  # as an upload was parsed before it joined the study
        )
        chosen, of_relations = _chosen(edges, sources, rela, file=file)
        report += of_file + of_relations
        parts.append(_part(file, edges, chosen))
        kept.append(chosen)
        names += [] if edges.names is None else [edges.names]
    read = GraphFiles(None, report, parts, names)
    graph, of_all = _joined(kept, sources, rela, file=read.file, silent=report.total("error") > 0)
    return replace(read, graph=graph, report=report + of_all)


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
    if plain is None or (isinstance(plain, bytes) and report_unread(plain, problems)):
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


@reader(lambda _: no_edges("csv"))
def _chosen(edges: Edges, problems: Problems, sources: Names, rela: Names) -> Edges:
    """The edges asked for; a warning about relations that are not is_a, unless asked for by name."""
    chosen = edges.kept(sources=sources, rela=rela)
    for counted in () if rela is not None else pc.value_counts(chosen.links["rela"]).to_pylist():
        if counted["values"] not in IS_A:
            name, n = truncate(counted["values"]), counted["counts"]
            message = f"{n:,} edges have the relation {name!r}; they count like is_a edges."
            remedy = 'To leave them out write rela = ["isa", ""] under [graph] in study.toml.'
            problems.warning("not-is-a", message, remedy, value=name, count=n)
    return chosen


def _part(file: str, edges: Edges, chosen: Edges) -> Part:
    """A graph file as it was read, with its relation types and which of them are links now."""
    kinds = dict(Counter(edges.relations).most_common(MAX_RELATIONS))
    used = set(pc.unique(chosen.links["rela"]).to_pylist())
    followed = tuple(name for name in kinds if name in used)
    return Part("graph", file, edges.format, edges.rows, chosen.links.num_rows > 0, kinds, followed)


@reader(lambda _: None)
def _joined(
    kept: Sequence[Edges], problems: Problems, sources: Names, rela: Names, *, silent: bool
) -> ConceptGraph | None:
    """The graph of these edges, and what was odd about them; ``silent``: it is known why there is none."""
    if any(edges.links.num_rows for edges in kept):
        links = pa.concat_tables(edges.links.append_column("label", edges.labels) for edges in kept)
        graph, facts = build_graph(links["child"], links["parent"], links["label"])
        _report_facts(problems, facts)
        return graph
    wanted = [
        f"{key} {', '.join(names)}"
        for key, names in (("source", sources), ("relation", rela))
        if names is not None
    ]
    if silent or not kept:
        pass
    elif wanted:
        message = f"No edge has the {' and the '.join(wanted)} selected."
        problems.error("no-edges", message, "Correct or remove [graph] in study.toml.", value=wanted[0])
    else:
        message = "There is no usable edge."
        problems.error("no-edges", message, "Rows look like: C0042449,C0005847 (child, parent).")
    return None


def _report_facts(problems: Problems, facts: GraphFacts) -> None:
    """What was odd about the edges, each kind once with its count."""
    message = "{n} edges lead from a concept to itself; they are left out."
    problems.add_summary("self-loop", facts.n_self_loops, message, "")
    problems.add_summary(
        "duplicate-edge", facts.n_duplicates, "{n} rows repeat an edge; each counts once.", ""
    )
    if facts.n_cyclic:
        message = (
            f"The graph has {facts.n_cyclic:,} loops (a concept is listed under itself). "
            "Distances are not affected."
        )
        problems.warning("cycle", message, "", value=" ".join(facts.cyclic[0]), count=facts.n_cyclic)


@reader(lambda _: None)
def bind_graph(
    graph: ConceptGraph, problems: Problems, concepts: ConceptSets, *, of_concepts: str, scheme: str
) -> ConceptGraph | None:
    """The graph of a study with these concepts; None, with an error, when it knows none of them.

    Those that it does not know are counted in a warning, with the share of their uses. ``file`` and
    ``of_concepts``: how messages call the graph and the concepts.
    """
    known = {concept for concept in concepts.vocabulary if graph.index(concept) >= 0}
    if known or not concepts.vocabulary:
        then = "These concepts can only match exactly."
        report_concepts_without(
            problems.of(of_concepts), concepts, known, "not-in-graph", "are not in the graph", then
        )
        return graph
    report_other_concepts(problems, "not-in-graph", concepts, graph.cuis, "The graph", scheme)
    return None
