"""All graph files of a study become one concept graph; the format of each is recognised from its content.

Ontologies name their concepts too: `GraphFiles.names` are what they call them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.graph import ConceptGraph, GraphFacts, build_graph
from evalcore.study.graphs.edges import Edges, kept_edges, no_edges, parse_edges, with_ids
from evalcore.study.graphs.graphml import parse_graphml
from evalcore.study.graphs.ontology import form_of, parse_ontology
from evalcore.study.graphs.rrf import IS_A, MRREL, is_rrf, parse_mrrel, read_rrf_or
from evalcore.study.tables.guard import reader
from evalcore.study.tables.lines import unpack
from evalcore.study.tables.problems import Problems, shown
from evalcore.study.workspace.home import readable
from evalcore.values.concept_scheme import UMLS, belongs, in_words
from evalcore.values.concept_values import NameTable
from evalcore.values.model import Part
from evalcore.values.problems import Report

_HEAD = 4096
MAX_RELATIONS = 200
"""Most relation types of a file that are told apart on the pages."""
Names = Sequence[str] | None
Translate = Callable[[Sequence[str], str], tuple[Mapping[str, str], Report]]
"""What other ids of a file (its name) are in the scheme of the study, and what is to be said about it."""


@dataclass(frozen=True, slots=True, eq=False)
class GraphFiles:
    """What the graph files of a study hold: the graph, None without a usable edge, and names of concepts."""

    graph: ConceptGraph | None
    report: Report
    parts: list[Part]
    names: list[NameTable]


def read_graph_files(
    paths: Sequence[Path], *, root: Path, sources: Names = None, rela: Names = None, scheme: str = UMLS,
    translate: Translate | None = None,
) -> GraphFiles:  # fmt: skip
    """The concept graph of all files together.

    Parameters
    ----------
    paths : edge tables, MRREL.RRF, ontologies and GraphML files in any mixture.
    root : the study folder, for the names in messages.
    sources, rela : keep only edges of these sources and relations ("" for edges that state none).
        Without ``rela`` MRREL and ontologies give is_a edges, tables and GraphML all their edges.
    scheme, translate : of the study, and what its mapping makes of ids of other schemes.

    Returns
    -------
    Its graph is None when no file has a usable edge. Self-loops, repeated edges and cycles are warnings
    with their counts; a filter that matches nothing is an error.
    """
    report, parts, kept, names = Report(), list[Part](), list[Edges](), list[NameTable]()
    for path in paths:
        file = readable(path.relative_to(root).as_posix())
        edges, found = read_rrf_or(
            path, file, "MRREL", rrf=partial(parse_mrrel, sources=sources, rela=rela), other=parse_graph,
            nothing=no_edges, sources=sources, rela=rela, scheme=None if scheme == UMLS else scheme,
        )  # fmt: skip
        if translate is not None:
            edges, said = _translated(edges, translate, file=file)
            found += said
        chosen, odd = _chosen(edges, sources, rela, file=file)
        report += found + odd
        parts.append(_part(file, edges, chosen))
        kept.append(chosen)
        names += [] if edges.names is None else [edges.names]
    file = parts[0].file if len(parts) == 1 else "graph"
    n = sum(len(edges.child) for edges in kept)
    if not n:
        silent = not parts or report.total("error") > 0
        nothing = Report() if silent else _nothing_left(sources, rela, file)
        return GraphFiles(None, report + nothing, parts, names)
    graph, odd = join_edges(kept, file=file, scheme=scheme)
    return GraphFiles(graph, report + odd, parts, names)


@reader(lambda _: no_edges("csv"))
def parse_graph(
    data: bytes, *, file: str, sources: Names = None, rela: Names = None, scheme: str | None = None
) -> tuple[Edges, Report]:
    """The edges of one graph file of any of the formats, recognised from its content."""
    found = Problems(file)
    plain = unpack(data, found)
    if plain is None:
        return no_edges("csv"), found.report()
    if form := form_of(plain):
        return parse_ontology(
            plain, file=file, form=form, scheme=scheme or UMLS, sources=sources, rela=rela
        )  # fmt: skip
    head = plain[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"<"):
        return parse_graphml(plain, file=file)
    if is_rrf(head, MRREL):
        return parse_mrrel(plain, file=file, sources=sources, rela=rela)
    return parse_edges(plain, file=file)


@reader(lambda _: no_edges("csv"))
def _chosen(edges: Edges, sources: Names, rela: Names, *, file: str) -> tuple[Edges, Report]:
    """The edges asked for; a warning about relations that are not is_a, unless asked for by name."""
    found = Problems(file)
    chosen = kept_edges(edges, sources=sources, rela=rela)
    for counted in () if rela is not None else pc.value_counts(chosen.rela).to_pylist():
        if counted["values"] not in IS_A:
            name, n = shown(counted["values"]), counted["counts"]
            found.warning(
                "not-is-a", f"{n:,} edges have the relation {name!r}; they count like is_a edges.",
                'To leave them out write rela = ["isa", ""] under [graph] in study.toml.',
                value=name, count=n,
            )  # fmt: skip
    return chosen, found.report()


@reader(lambda _: no_edges("csv"))
def _translated(edges: Edges, translate: Translate, *, file: str) -> tuple[Edges, Report]:
    """The edges and their names with the ids that the mapping of the study gives."""
    named = () if edges.names is None else edges.names.concepts
    ends = pc.unique(pa.chunked_array([edges.child, edges.parent])).to_pylist()
    of, report = translate([*ends, *named], file)
    return (with_ids(edges, of) if of else edges), report


@reader(lambda _: None)
def join_edges(kept: Sequence[Edges], *, file: str, scheme: str = UMLS) -> tuple[ConceptGraph | None, Report]:
    """The graph of these edges, and what was odd about them."""
    graph, facts = build_graph(
        pa.chunked_array([edges.child for edges in kept]),
        pa.chunked_array([edges.parent for edges in kept]),
        pa.chunked_array([edges.labels for edges in kept]),
    )
    return graph, _facts(graph, facts, file, scheme)


def _part(file: str, edges: Edges, chosen: Edges) -> Part:
    """A graph file as it was read, with its relation types and which of them are links now."""
    kinds = dict(Counter(edges.relations).most_common(MAX_RELATIONS))
    used = set(pc.unique(chosen.rela).to_pylist())
    followed = tuple(name for name in kinds if name in used)
    return Part("graph", file, edges.format, edges.rows, bool(len(chosen.child)), kinds, followed)


def _nothing_left(sources: Names, rela: Names, file: str) -> Report:
    found = Problems(file)
    if sources is None and rela is None:
        found.error(
            "no-edges", "There is no usable edge.", "Rows look like: C0042449,C0005847 (child, parent)."
        )
    else:
        wanted = [
            f"{key} {', '.join(names)}"
            for key, names in (("source", sources), ("relation", rela))
            if names is not None
        ]
        message = f"No edge has the {' and the '.join(wanted)} asked for."
        found.error("no-edges", message, "Correct or remove [graph] in study.toml.", value=wanted[0])
    return found.report()


def _facts(graph: ConceptGraph, facts: GraphFacts, file: str, scheme: str) -> Report:
    """What was odd about the edges, each kind once with its count."""
    found = Problems(file)
    message = "{n} edges lead from a concept to itself; they are left out."
    found.counted("self-loop", facts.n_self_loops, message, "")
    found.counted("duplicate-edge", facts.n_duplicates, "{n} rows repeat an edge; each counts once.", "")
    if facts.n_cyclic:
        message = f"In {facts.n_cyclic:,} places concepts are their own ancestors; distances still hold."
        found.warning("cycle", message, "", value=" ".join(facts.cyclic[0]), count=facts.n_cyclic)
    others = () if any(belongs(cui, scheme) for cui in graph.cuis) else graph.cuis
    message = (
        f"None of the {{n}} concepts of the graph is a {in_words(scheme)}, so no concept of an image can be "
        "found in it."
    )
    found.counted("no-cui", others, message, "")
    return found.report()
