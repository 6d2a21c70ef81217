"""Edges from a GraphML file: every ``<edge>`` is read as source (child) -> target (parent).

A node is known by its attribute called cui, else by its id. Edge attributes called source, sab or vocabulary
name the source; rela, relation, relationship, predicate or label the relation. The XML is read by defusedxml,
element by element: a document type with entities, and any reference to the outside, is refused.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax import ContentHandler, SAXException, SAXParseException
from xml.sax.xmlreader import AttributesImpl

from defusedxml import DefusedXmlException, sax

from evalcore.study.graphs.edges import Edges, edges_of, no_edges
from evalcore.study.tables.files import MemoryBudget, unpack
from evalcore.study.tables.problems import Problems

FORMAT = "GraphML"
_SOURCE = ("sab", "source", "vocabulary", "ontology")
_RELA = ("rela", "relation", "relationship", "predicate", "label")
_ROW_BYTES, _TEXT_BYTES = 100, 160
"""What a node or an edge, and each different text, take in memory."""
MAX_DEPTH = 100_000
"""Deepest nesting of elements."""
MAX_WORDS = 10_000
"""Most names of elements and attributes: the parser never forgets one."""
MAX_DATA = 1_000
"""Most data elements of a node or edge that are looked at."""


def read_graphml(data: bytes, problems: Problems) -> Edges:
    """Read the edges of a GraphML file.

    Edges without source or target are errors and left out; an undirected graph is a warning, because
    nothing says which end is the parent. Unsafe or broken XML is an error, and nothing of it is used.
    """
    plain = unpack(data, problems)
    if plain is None:
        return no_edges(FORMAT)
    elements = _Elements(problems)
    try:
        # A document type may name a file outside, which is not loaded; entities of it are refused.
        sax.parse(io.BytesIO(plain), elements, forbid_external=False)
    except DefusedXmlException as reason:
        message = f"The file declares XML entities ({type(reason).__name__}), which are refused."
        problems.error("unsafe-xml", message, "Remove the document type from the file.")
        return no_edges(FORMAT)
    except _Full:
        return no_edges(FORMAT)
    except (SAXException, LookupError, ValueError) as reason:
        line = reason.getLineNumber() if isinstance(reason, SAXParseException) else None
        what = reason.getMessage() if isinstance(reason, SAXException) else str(reason)
        message = f"The file is not well-formed XML: {what}."
        problems.error("broken-xml", message, "Export the graph again.", line=line)
        return no_edges(FORMAT)
    cuis, rows = elements.cuis, elements.rows
    child, parent, source, rela = map(list, zip(*rows, strict=True)) if rows else ([],) * 4
    ends = {"child": [cuis.get(i, i) for i in child], "parent": [cuis.get(i, i) for i in parent]}
    return edges_of({**ends, "source": source, "rela": rela}, format=FORMAT)


class _Full(Exception):
    """The nodes and edges take more memory than a file may."""


@dataclass(slots=True)
class _Element:
    """An element that is open: its XML attributes, and what its data elements say, by name."""

    tag: str
    attributes: AttributesImpl
    data: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, attribute: str) -> str:
        return str(self.attributes.get(attribute, ""))

    def first(self, names: Sequence[str]) -> str:
        """What the first of these names says that says anything, else ""."""
        return next((self.data[name] for name in names if self.data.get(name)), "")


class _Elements(ContentHandler):
    """What is kept while the elements go by: CUIs of the nodes that have one, and edges, each text once."""

    _locator: Any
    """Of the library: where the parser is."""

    def __init__(self, problems: Problems) -> None:
        super().__init__()
        self.cuis, self.rows = dict[str, str](), list[tuple[str, str, str, str]]()
        self._problems, self._room = problems, MemoryBudget(problems)
        self._names, self._texts, self._words = dict[str, str](), dict[str, str](), set[str]()
        self._open, self._text = list[_Element](), list[str]()

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 (of the library)
        self._words.update((name, *attrs.getNames()))
        if len(self._open) > MAX_DEPTH or len(self._words) > MAX_WORDS:
            raise SAXException("its elements are nested too deeply, or have too many different names")
        self._text.clear()
        element = _Element(name.rpartition(":")[2], attrs)
        self._open.append(element)
        if element.tag == "graph" and attrs.get("edgedefault") == "undirected":
            message = "The graph is undirected; the source of each edge is taken for the child."
            self._problems.warning(
                "undirected-graph", message, "Export it as a directed graph, child to parent."
            )

    def characters(self, content: str) -> None:
        self._text.append(content)

    def endElement(self, name: str) -> None:  # noqa: N802, ARG002
        element = self._open.pop()
        if element.tag == "data" and self._open and len(self._open[-1].data) < MAX_DATA:
            key = element["key"]
            self._open[-1].data[self._names.get(key, key)] = "".join(self._text).strip()
        elif element.tag == "key":
            self._names[self._kept(element["id"])] = self._kept(
                element.attributes.get("attr.name", element["id"]).lower()
            )
        elif element.tag == "node" and (cui := element.first(("cui",))):
            self.cuis[self._kept(element["id"].strip())] = self._kept(cui)
        elif element.tag == "edge":
            self._end_edge(element)
        self._text.clear()

    def _end_edge(self, edge: _Element) -> None:
        child, parent = edge["source"].strip(), edge["target"].strip()
        if child and parent:
            source, rela = edge.first(_SOURCE), edge.first(_RELA)
            self.rows.append((self._kept(child), self._kept(parent), self._kept(source), self._kept(rela)))
        else:
            message = f"The edge has no {'target' if child else 'source'}; it is left out."
            line = self._locator.getLineNumber()
            self._problems.error(
                "empty-cell", message, "Export the graph again.", line=line, value=child or parent
            )

    def _kept(self, text: str) -> str:
        """The same text, once in memory; _Full when that is full."""
        new = text not in self._texts
        if not self._room.consume(_ROW_BYTES // 4 + (_TEXT_BYTES + len(text)) * new):
            raise _Full
        return self._texts.setdefault(text, text)
