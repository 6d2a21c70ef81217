"""Edges from a GraphML file: every ``<edge>`` is read as source (child) -> target (parent).

A node is known by its attribute called cui, else by its id. Edge attributes called source, sab or vocabulary
name the source; rela, relation, relationship, predicate or label the relation. The XML is read by defusedxml,
element by element: a document type with entities, and any reference to the outside, is refused.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax import ContentHandler, SAXException, SAXParseException
from xml.sax.xmlreader import AttributesImpl

from defusedxml import DefusedXmlException, sax

from evalcore.study.graphs.edges import LINKS, Edges, edges_of, no_edges, table_of
from evalcore.study.tables.files import check_memory, max_bytes
from evalcore.study.tables.problems import Problems, Refused

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
    elements, nothing = _Elements(problems), no_edges(FORMAT)
    try:
        # A document type may name a file outside, which is not loaded; entities of it are refused.
        sax.parse(io.BytesIO(data), elements, forbid_external=False)
    except DefusedXmlException as reason:
        message = f"The file declares XML entities ({type(reason).__name__}), which are refused."
        problems.error("unsafe-xml", message, "Remove the document type from the file.")
        return nothing
    except Refused:
        return nothing
    except (SAXException, LookupError, ValueError) as reason:
        line = reason.getLineNumber() if isinstance(reason, SAXParseException) else None
        what = reason.getMessage() if isinstance(reason, SAXException) else str(reason)
        message = f"The file is not well-formed XML: {what}."
        problems.error("broken-xml", message, "Export the graph again.", line=line)
        return nothing
    cuis = elements.cuis
    links = [(cuis.get(child, child), cuis.get(parent, parent), *of) for child, parent, *of in elements.rows]
    return edges_of(table_of(links, LINKS), FORMAT)


def _first(data: Mapping[str, str], names: Sequence[str]) -> str:
    """What the first of these names says that says anything, else ""."""
    return next((data[name] for name in names if data.get(name)), "")


class _Elements(ContentHandler):
    """What is kept while the elements go by: CUIs of the nodes that have one, and edges, each text once."""

    _locator: Any
    """Of the library: where the parser is."""

    def __init__(self, problems: Problems) -> None:
        super().__init__()
        self.cuis, self.rows = dict[str, str](), list[tuple[str, ...]]()
        self._problems, self._bytes, self._most = problems, 0, max_bytes()
        self._names, self._texts, self._words = dict[str, str](), dict[str, str](), set[str]()
        self._open, self._text = list[tuple[AttributesImpl, dict[str, str]]](), list[str]()

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 (of the library)
        self._words.update((name, *attrs.getNames()))
        if len(self._open) > MAX_DEPTH or len(self._words) > MAX_WORDS:
            raise SAXException("its elements are nested too deeply, or have too many different names")
        self._text.clear()
        self._open.append((attrs, {}))
        if name.rpartition(":")[2] == "graph" and attrs.get("edgedefault") == "undirected":
            message = "The graph is undirected; the source of each edge is taken for the child."
            remedy = "Export it as a directed graph, child to parent."
            self._problems.warning("undirected-graph", message, remedy)

    def characters(self, content: str) -> None:
        self._text.append(content)

    def endElement(self, name: str) -> None:  # noqa: N802 (of the library)
        attributes, data = self._open.pop()
        tag = name.rpartition(":")[2]
        if tag == "data" and self._open and len(self._open[-1][1]) < MAX_DATA:
            key = attributes.get("key", "")
            self._open[-1][1][self._names.get(key, key)] = "".join(self._text).strip()
        elif tag == "key":
            key = attributes.get("id", "")
            self._names[self._kept(key)] = self._kept(attributes.get("attr.name", key).lower())
        elif tag == "node" and data.get("cui"):
            self.cuis[self._kept(attributes.get("id", "").strip())] = self._kept(data["cui"])
        elif tag == "edge":
            child, parent = (attributes.get(end, "").strip() for end in ("source", "target"))
            if child and parent:
                self.rows.append(
                    tuple(map(self._kept, (child, parent, _first(data, _SOURCE), _first(data, _RELA))))
                )
            else:
                message = f"The edge has no {'target' if child else 'source'}; it is left out."
                at = {"line": self._locator.getLineNumber(), "value": child or parent}
                self._problems.error("empty-cell", message, "Export the graph again.", **at)
        self._text.clear()

    def _kept(self, text: str) -> str:
        """The same text, once in memory; refused when that is full."""
        self._bytes += _ROW_BYTES // 4 + (text not in self._texts and _TEXT_BYTES + len(text))
        if self._bytes > self._most:
            check_memory(self._problems, self._bytes, 1)
        return self._texts.setdefault(text, text)
