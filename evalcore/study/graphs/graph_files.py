"""All graph files of a study become one concept graph; the format of each is recognised from its content.

Ontologies name their concepts too: `GraphFiles.names` are what they call them.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

import pyarrow as pa
import pyarrow.compute as pc
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from evalcore.graph import ConceptGraph, GraphFacts, build_graph
from evalcore.study.graphs.edges import Edges, edges_of, kept_edges, no_edges, parse_edges, with_ids
from evalcore.study.graphs.ontology import form_of, parse_ontology, report_unread
from evalcore.study.graphs.rrf import IS_A, MRREL, is_rrf, parse_mrrel, read_rrf_or
from evalcore.study.tables.limits import Room
from evalcore.study.tables.lines import unpack
from evalcore.study.tables.problems import Problems, reader, shown
from evalcore.study.workspace.file_names import named_below
from evalcore.values.concept_scheme import UMLS, belongs, in_words
from evalcore.values.concept_values import NameTable
from evalcore.values.errors import Report
from evalcore.values.model import Part

# Edges from a GraphML file: every ``<edge>`` is read as source (child) -> target (parent).
#
# A node is known by its attribute called cui, else by its id. Edge attributes called source, sab or
# vocabulary name the source; rela, relation, relationship, predicate or label the relation. The XML is read
# by defusedxml: a document type with entities, and any reference to the outside, is refused.

_SOURCE = ("sab", "source", "vocabulary", "ontology")
_RELA = ("rela", "relation", "relationship", "predicate", "label")
Row = tuple[str, str, str, str]
_ROW_BYTES, _TEXT_BYTES = 100, 160
"""What a node or an edge, and each different text, take in memory."""
MAX_DEPTH = 100_000
"""Deepest nesting of elements."""
MAX_WORDS, MAX_SPACES = 10_000, 1_000_000
"""Most names of elements and attributes, and most namespaces: the parser never forgets one."""
MAX_DATA = 1_000
"""Most data elements of a node or edge that are looked at."""


@reader(lambda _: no_edges("GraphML"))
def parse_graphml(data: bytes, *, file: str) -> tuple[Edges, Report]:
    """Read the edges of a GraphML file.

    Edges without source or target are errors and left out; an undirected graph is a warning, because
    nothing says which end is the parent. Unsafe or broken XML is an error, and nothing of it is used.
    """
    problems = Problems(file)
    plain = unpack(data, problems)
    if plain is None:
        return no_edges("GraphML"), problems.report()
    try:
        cuis, rows = _read(plain, problems)
    except DefusedXmlException as reason:
        message = f"The file declares XML entities ({type(reason).__name__}), which are refused."
        problems.error("unsafe-xml", message, "Remove the document type from the file.")
        return no_edges("GraphML"), problems.report()
    except (ParseError, LookupError, ValueError) as reason:
        line = getattr(reason, "position", (None,))[0]
        message = f"The file is not well-formed XML: {reason}."
        problems.error("broken-xml", message, "Export the graph again.", line=line)
        return no_edges("GraphML"), problems.report()
    columns = {
        "child": [cuis.get(row[0], row[0]) for row in rows],
        "parent": [cuis.get(row[1], row[1]) for row in rows],
        "source": [row[2] for row in rows],
        "rela": [row[3] for row in rows],
    }
    return edges_of(columns, format="GraphML"), problems.report()


def _read(plain: bytes, problems: Problems) -> tuple[Mapping[str, str], list[Row]]:
    """CUIs of the nodes that have one, and the edges; nothing, with an error, when they are too many."""
    graph, words = _Graph(Room(problems)), set[str]()
    open_elements: list[Element] = []
    kept: list[int] = []  # of the children of each open element, those that are not let go
    if plain.count(b"xmlns") > MAX_SPACES:
        raise ValueError(f"it declares more than {MAX_SPACES:,} namespaces")
    for event, element in iterparse(io.BytesIO(plain), events=("start", "end"), forbid_dtd=False):
        tag = element.tag.rpartition("}")[2]
        if event == "start":
            open_elements.append(element)
            kept.append(0)
            words.add(element.tag)
            words.update(element.attrib)
            if len(open_elements) > MAX_DEPTH or len(words) > MAX_WORDS:
                raise ValueError("its elements are nested too deeply, or have too many different names")
            if tag == "graph" and element.get("edgedefault") == "undirected":
                message = "The graph is undirected; the source of each edge is taken for the child."
                problems.warning(
                    "undirected-graph", message, "Export it as a directed graph, child to parent."
                )
            continue
        open_elements.pop()
        kept.pop()
        if not graph.takes(tag, element, problems):
            return {}, []
        if not open_elements:
            continue
        if tag == "data" and kept[-1] < MAX_DATA:
            kept[-1] += 1  # it says something about the element around it
        else:
            del open_elements[-1][kept[-1]]  # the parser may be ahead: not always the last one
    return graph.cuis, graph.rows


@dataclass(slots=True)
class _Graph:
    """What is kept of the file while it is read; each text once."""

    room: Room
    cuis: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def takes(self, tag: str, element: Element, problems: Problems) -> bool:
        """Keep what an element says; False when there is no more room."""
        if tag == "key":
            name = element.get("attr.name", element.get("id", "")).lower()
            self.names[self._kept(element.get("id", ""))] = self._kept(name)
        elif tag == "node":
            if cui := _attributes(element, self.names).get("cui", ""):
                self.cuis[self._kept(element.get("id", "").strip())] = self._kept(cui)
        elif tag == "edge":
            row = _edge(element, self.names)
            if row[0] and row[1]:
                child, parent, source, rela = map(self._kept, row)
                self.rows.append((child, parent, source, rela))
            else:
                end = "target" if row[0] else "source"
                message = f"Edge {len(self.rows) + 1:,} has no {end}; it is left out."
                problems.error("empty-cell", message, "Export the graph again.", value=row[0] or row[1])
        else:
            return True
        return self.room.takes(_ROW_BYTES)

    def _kept(self, text: str) -> str:
        if text not in self.texts:
            self.room.takes(_TEXT_BYTES + len(text))
            self.texts[text] = text
        return self.texts[text]


def _edge(element: Element, names: Mapping[str, str]) -> Row:
    """Child, parent, source and relation of an edge, "" for what it does not say."""
    attributes = _attributes(element, names)
    child, parent = (element.get(end, "").strip() for end in ("source", "target"))
    source, rela = (
        next((attributes[name] for name in tried if attributes.get(name)), "") for tried in (_SOURCE, _RELA)
    )
    return child, parent, source, rela


def _attributes(element: Element, names: Mapping[str, str]) -> dict[str, Any]:
    """{attribute name, lower case: text} of the data elements of a node or edge."""
    data = (child for child in element if child.tag.rpartition("}")[2] == "data")
    return {names.get(item.get("key", ""), item.get("key", "")): (item.text or "").strip() for item in data}


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
    paths: Sequence[Path],
    *,
    root: Path,
    sources: Names = None,
    rela: Names = None,
    scheme: str = UMLS,
    translate: Translate | None = None,
) -> GraphFiles:
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
        file = named_below(path, root)
        edges, of_file = read_rrf_or(
            path,
            file,
            "MRREL",
            rrf=partial(parse_mrrel, sources=sources, rela=rela),
            other=parse_graph,
            nothing=no_edges,
            sources=sources,
            rela=rela,
            scheme=None if scheme == UMLS else scheme,
        )
        if translate is not None:
            edges, problems = _translated(edges, translate, file=file)
            of_file += problems
        chosen, odd = _chosen(edges, sources, rela, file=file)
        report += of_file + odd
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
    problems = Problems(file)
    plain = unpack(data, problems)
    if plain is None or report_unread(plain, problems):
        return no_edges("csv"), problems.report()
    if form := form_of(plain):
        return parse_ontology(plain, file=file, form=form, scheme=scheme or UMLS, sources=sources, rela=rela)
    head = plain[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"<"):
        return parse_graphml(plain, file=file)
    if is_rrf(head, MRREL):
        return parse_mrrel(plain, file=file, sources=sources, rela=rela)
    return parse_edges(plain, file=file)


@reader(lambda _: no_edges("csv"))
def _chosen(edges: Edges, sources: Names, rela: Names, *, file: str) -> tuple[Edges, Report]:
    """The edges asked for; a warning about relations that are not is_a, unless asked for by name."""
    problems = Problems(file)
    chosen = kept_edges(edges, sources=sources, rela=rela)
    for counted in () if rela is not None else pc.value_counts(chosen.rela).to_pylist():
        if counted["values"] not in IS_A:
            name, n = shown(counted["values"]), counted["counts"]
            message = f"{n:,} edges have the relation {name!r}; they count like is_a edges."
            remedy = 'To leave them out write rela = ["isa", ""] under [graph] in study.toml.'
            problems.warning("not-is-a", message, remedy, value=name, count=n)
    return chosen, problems.report()


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
    problems = Problems(file)
    if sources is None and rela is None:
        message = "There is no usable edge."
        problems.error("no-edges", message, "Rows look like: C0042449,C0005847 (child, parent).")
    else:
        wanted = [
            f"{key} {', '.join(names)}"
            for key, names in (("source", sources), ("relation", rela))
            if names is not None
        ]
        message = f"No edge has the {' and the '.join(wanted)} selected."
        problems.error("no-edges", message, "Correct or remove [graph] in study.toml.", value=wanted[0])
    return problems.report()


def _facts(graph: ConceptGraph, facts: GraphFacts, file: str, scheme: str) -> Report:
    """What was odd about the edges, each kind once with its count."""
    problems = Problems(file)
    message = "{n} edges lead from a concept to itself; they are left out."
    problems.counted("self-loop", facts.n_self_loops, message, "")
    problems.counted("duplicate-edge", facts.n_duplicates, "{n} rows repeat an edge; each counts once.", "")
    if facts.n_cyclic:
        message = (
            f"The graph has {facts.n_cyclic:,} loops (a concept is listed under itself). "
            "Distances are not affected."
        )
        problems.warning("cycle", message, "", value=" ".join(facts.cyclic[0]), count=facts.n_cyclic)
    others = () if any(belongs(cui, scheme) for cui in graph.cuis) else graph.cuis
    message = (
        f"None of the {{n}} concepts of the graph is a {in_words(scheme)}, so no concept of an image can be "
        "found in it."
    )
    problems.counted("no-cui", others, message, "")
    return problems.report()
