"""Edges from a GraphML file: every ``<edge>`` is read as source (child) -> target (parent).

A node is known by its attribute called cui, else by its id. Edge attributes called source, sab or
vocabulary name the source; rela, relation, relationship, predicate or label the relation. The XML is
read by defusedxml: a document type with entities, and any reference to the outside, is refused.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from evalcore.model import Report
from evalcore.sources.edges import Edges, edges_of, no_edges
from evalcore.sources.lines import unpack
from evalcore.sources.problems import Problems

_SOURCE = ("sab", "source", "vocabulary", "ontology")
_RELA = ("rela", "relation", "relationship", "predicate", "label")


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


def _read(plain: bytes, found: Problems) -> tuple[dict[str, str], list[tuple[str, str, str, str]]]:
    """CUIs of the nodes that have one, and the edges as (source id, target id, source, relation)."""
    cuis: dict[str, str] = {}
    rows: list[tuple[str, str, str, str]] = []
    names: dict[str, str] = {}
    open_elements: list[Element] = []
    for event, element in iterparse(io.BytesIO(plain), events=("start", "end"), forbid_dtd=False):
        tag = element.tag.rpartition("}")[2]
        if event == "start":
            open_elements.append(element)
            if tag == "graph" and element.get("edgedefault") == "undirected":
                message = "The graph is undirected; the source of each edge is taken for the child."
                found.warning("undirected-graph", message, "Export it as a directed graph, child to parent.")
            continue
        open_elements.pop()
        if tag == "key":
            names[element.get("id", "")] = element.get("attr.name", element.get("id", "")).lower()
        elif tag == "node":
            cui = _attributes(element, names).get("cui", "")
            if cui:
                cuis[element.get("id", "").strip()] = cui
        elif tag == "edge":
            _take_edge(element, names, rows, found)
        if tag in ("node", "edge", "key") and open_elements:
            open_elements[-1].remove(element)
    return cuis, rows


def _take_edge(
    element: Element, names: Mapping[str, str], rows: list[tuple[str, str, str, str]], found: Problems
) -> None:
    child, parent = (element.get(end, "").strip() for end in ("source", "target"))
    if not (child and parent):
        message = f"Edge {len(rows) + 1:,} has no {'target' if child else 'source'}; it is left out."
        found.error("empty-cell", message, "Export the graph again.", value=child or parent)
        return
    said = _attributes(element, names)
    source = next((said[name] for name in _SOURCE if said.get(name)), "")
    rows.append((child, parent, source, next((said[name] for name in _RELA if said.get(name)), "")))


def _attributes(element: Element, names: Mapping[str, str]) -> dict[str, Any]:
    """{attribute name, lower case: text} of the data elements of a node or edge."""
    data = (child for child in element if child.tag.rpartition("}")[2] == "data")
    return {names.get(item.get("key", ""), item.get("key", "")): (item.text or "").strip() for item in data}
