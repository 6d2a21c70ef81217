"""Edges from a GraphML file: every ``<edge>`` is read as source (child) -> target (parent).

A node is known by its attribute called cui, else by its id. Edge attributes called source, sab or
vocabulary name the source; rela, relation, relationship, predicate or label the relation. The XML is
read by defusedxml: a document type with entities, and any reference to the outside, is refused.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from evalcore.study.graphs.edges import Edges, edges_of, no_edges
from evalcore.study.tables.guard import reader
from evalcore.study.tables.limits import Room
from evalcore.study.tables.lines import unpack
from evalcore.study.tables.problems import Problems
from evalcore.values.problems import Report

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
    found = Problems(file)
    plain = unpack(data, found)
    if plain is None:
        return no_edges("GraphML"), found.report()
    try:
        cuis, rows = _read(plain, found)
    except DefusedXmlException as reason:
        message = f"The file declares XML entities ({type(reason).__name__}), which are refused."
        found.error("unsafe-xml", message, "Remove the document type from the file.")
        return no_edges("GraphML"), found.report()
    except (ParseError, LookupError, ValueError) as reason:
        line = getattr(reason, "position", (None,))[0]
        found.error(
            "broken-xml", f"The file is not well-formed XML: {reason}.", "Export the graph again.", line=line
        )
        return no_edges("GraphML"), found.report()
    columns = {
        "child": [cuis.get(row[0], row[0]) for row in rows],
        "parent": [cuis.get(row[1], row[1]) for row in rows],
        "source": [row[2] for row in rows],
        "rela": [row[3] for row in rows],
    }
    return edges_of(columns, format="GraphML"), found.report()


def _read(plain: bytes, found: Problems) -> tuple[Mapping[str, str], list[Row]]:
    """CUIs of the nodes that have one, and the edges; nothing, with an error, when they are too many."""
    graph, words = _Graph(Room(found)), set[str]()
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
                found.warning("undirected-graph", message, "Export it as a directed graph, child to parent.")
            continue
        open_elements.pop()
        kept.pop()
        if not graph.takes(tag, element, found):
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

    def takes(self, tag: str, element: Element, found: Problems) -> bool:
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
                found.error("empty-cell", message, "Export the graph again.", value=row[0] or row[1])
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
    said = _attributes(element, names)
    child, parent = (element.get(end, "").strip() for end in ("source", "target"))
    source, rela = (next((said[name] for name in tried if said.get(name)), "") for tried in (_SOURCE, _RELA))
    return child, parent, source, rela


def _attributes(element: Element, names: Mapping[str, str]) -> dict[str, Any]:
    """{attribute name, lower case: text} of the data elements of a node or edge."""
    data = (child for child in element if child.tag.rpartition("}")[2] == "data")
    return {names.get(item.get("key", ""), item.get("key", "")): (item.text or "").strip() for item in data}
