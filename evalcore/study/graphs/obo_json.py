"""Terms of an ontology in OBO Graphs JSON, the form that ROBOT converts every other one to.

{"graphs": [{"nodes": [{"id": "http://purl.obolibrary.org/obo/HP_1", "lbl": "...", "type": "CLASS",
                        "meta": {"synonyms": [{"val": "..."}], "xrefs": [{"val": "UMLS:C0000001"}]}}],
             "edges": [{"sub": "...", "pred": "is_a", "obj": "..."}]}]}
"""

from __future__ import annotations

import json
from typing import Any

from evalcore.study.graphs.edges import spelled
from evalcore.study.graphs.iris import relation, short
from evalcore.study.graphs.terms import SAID_BYTES, TERM_BYTES, Term
from evalcore.study.tables.limits import Room, fits
from evalcore.study.tables.lines import decode_whole
from evalcore.study.tables.problems import Problems, is_whole

_PARSED = 8
"""What the parsed text takes in memory for each of its bytes, at most."""
_WAY_OUT = "Export the ontology again: robot convert --input my.owl --output my.json"


def read_obo_json(data: bytes, found: Problems) -> list[Term] | None:
    """The classes of all graphs of a file; None, with an error, when it is none.

    Nodes without id and edges without both ends are errors by their place and left out.
    """
    text = decode_whole(data, found)
    if text is None or not fits(found, len(text), _PARSED):
        return None
    try:
        document = json.loads(text)
    except RecursionError:
        found.error("bad-json", "The file is nested too deeply.", _WAY_OUT)
        return None
    except ValueError as reason:
        line = getattr(reason, "lineno", None)
        message = f"The file is not JSON: {getattr(reason, 'msg', 'a number is too long')}."
        found.error("bad-json", message, _WAY_OUT, line=line)
        return None
    graphs = document.get("graphs") if isinstance(document, dict) else None
    if not isinstance(graphs, list) or not all(isinstance(graph, dict) for graph in graphs):
        message = "The file is JSON but no ontology: it has no list of graphs."
        found.error("not-an-ontology", message, _WAY_OUT, value=text[:60])
        return None
    read = _Nodes(found)
    whole = all(read.takes(graph, f"graphs[{at}]") for at, graph in enumerate(graphs))
    return list(read.terms.values()) if whole else None


class _Nodes:
    """Terms by id, and what the relations are called, while the graphs of a file are read."""

    def __init__(self, found: Problems) -> None:
        self.terms: dict[str, Term] = {}
        self.found, self.room, self.relations = found, Room(found), dict[str, str]()

    def takes(self, graph: dict[str, Any], where: str) -> bool:
        """Take the nodes and edges of one graph; False when there is no more room."""
        for at, node in enumerate(_items(graph, "nodes")):
            name = _text(node, "id")
            if not name:
                self._broken(f"{where}.nodes[{at}]", "a node without id", node)
            elif node.get("type") == "PROPERTY":
                self.relations[short(name)] = _text(node, "lbl")
            elif not self._term(short(name), node):
                return False
        for at, edge in enumerate(_items(graph, "edges")):
            child, parent, kind = (_text(edge, key) for key in ("sub", "obj", "pred"))
            if not (child and parent and kind):
                self._broken(f"{where}.edges[{at}]", "an edge without sub, pred or obj", edge)
                continue
            name = short(kind)
            link = spelled(name) if spelled(name) == "isa" else relation(name, self.relations.get(name, ""))
            term = self.terms.setdefault(short(child), Term(short(child)))
            term.parents.append((link, short(parent)))
            if not self.room.takes(SAID_BYTES):
                return False
        return True

    def _term(self, name: str, node: dict[str, Any]) -> bool:
        term = self.terms.setdefault(name, Term(name))
        meta = node.get("meta")
        meta = meta if isinstance(meta, dict) else {}
        if label := _text(node, "lbl"):
            term.label(label)
        said = [text for one in _items(meta, "synonyms") if (text := _text(one, "val"))]
        term.names += [(" ".join(text.split()), "") for text in said]
        term.xrefs += [short(text) for one in _items(meta, "xrefs") if (text := _text(one, "val"))]
        term.obsolete = meta.get("deprecated") is True
        return self.room.takes(TERM_BYTES + SAID_BYTES * (len(said) + len(term.xrefs)))

    def _broken(self, where: str, what: str, value: Any) -> None:
        message = f"{where} is {what}; it is left out."
        self.found.error("broken-node", message, _WAY_OUT, value=json.dumps(value)[:100])


def _items(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    values = table.get(key)
    return [one if isinstance(one, dict) else {} for one in values] if isinstance(values, list) else []


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    return value.strip() if isinstance(value, str) and is_whole(value) else ""
