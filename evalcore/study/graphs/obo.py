"""Terms of an OBO file, read by fastobo: their ids, names, synonyms, cross-references and relations.

fastobo holds files to OBO 1.4. Only the lines that are needed here are given to it; in a term that it refuses
each line is tried for itself, and a line that it refuses is reported and left out.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evalcore.study.graphs.edges import spelled
from evalcore.study.graphs.terms import SAID_BYTES, TERM_BYTES, Term, relation, short
from evalcore.study.tables.limits import Room, fits
from evalcore.study.tables.lines import broken, decode, decode_whole, lines_of, report_undecodable
from evalcore.study.tables.problems import Problems, is_whole

_HEAD = "format-version: 1.4\n\n"
_LINKS = ("id", "is_a", "relationship")
_NEEDED = frozenset((*_LINKS, "name", "xref", "is_obsolete", "synonym"))
MAX_TRIES = 300_000
"""Most lines of refused terms that are tried for themselves: a file that takes more is no OBO file."""


def read_obo(data: bytes, problems: Problems) -> list[Term] | None:
    """The terms that have an id, in file order; None, with an error, when nothing can be read."""
    import fastobo

    text = decode(data, problems)
    stanzas = None if text is None else _stanzas(text, problems)
    if stanzas is None:
        return None
    content = "".join((_HEAD, *(stanza for _, stanza in stanzas))).encode("utf-8")
    frames = fastobo.iter(io.BytesIO(content), ordered=True, threads=1)
    refused, terms = _Refused(problems), []
    for line, stanza in stanzas:
        term = Term(line=line)
        try:
            frame = next(frames)
            term.id = _obo_text(frame.id)
            for clause in frame:
                _take(term, clause)
        except (SyntaxError, StopIteration):
            if not refused.reads(term, stanza):
                return None
        if term.id:
            terms.append(term)
    return terms


def _stanzas(text: str, problems: Problems) -> list[tuple[int, str]] | None:
    """(first line, the needed lines, all others empty) of each [Term]; None when they take too much room."""
    stanzas: list[tuple[int, str]] = []
    room = Room(problems)
    for start, lines in _cut(text, problems):
        if not any(line.startswith("id:") for line in lines):
            problems.error(
                "missing-id", "The term has no id; it is left out.", "Add an id: line.", line=start
            )
            continue
        stanza = "\n".join(("[Term]", *lines, ""))
        size = TERM_BYTES + 2 * len(stanza) + SAID_BYTES * sum(map(bool, lines))
        if not room.takes(size):
            return None
        stanzas.append((start, stanza))
    return stanzas


def _cut(text: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """(line of its head, the lines below it) of each [Term]; lines that are not needed are empty."""
    check, start = broken(text), 0
    lines: list[str] = []
    for number, line in enumerate(lines_of(text), start=1):
        if line.startswith("["):
            if start:
                yield start, lines
            start, lines = (number if line.startswith("[Term]") else 0), []
        elif start:
            needed = line.partition(":")[0] in _NEEDED
            if needed and check and broken(line):
                report_undecodable(problems, number, line)
                needed = False
            lines.append(line if needed else "")
    if start:
        yield start, lines


def _take(term: Term, clause: Any) -> None:
    """Take what one clause says about a term."""
    kind = type(clause).__name__
    if kind == "IsAClause":
        term.parents.append(("isa", _obo_text(clause.term)))
    elif kind == "RelationshipClause":
        term.parents.append((spelled(_obo_text(clause.typedef)), _obo_text(clause.term)))
    elif kind == "XrefClause":
        term.xrefs.append(_obo_text(clause.xref.id))
    elif kind == "NameClause":
        term.label(clause.name)
    elif kind == "SynonymClause":
        term.also(clause.synonym.desc)
    elif kind == "IsObsoleteClause":
        term.obsolete = clause.obsolete


def _frame(stanza: str) -> Any:
    """The frame of one [Term]; SyntaxError where it is none."""
    import fastobo

    return fastobo.loads(_HEAD + stanza, threads=1)[0]


def _obo_text(identifier: Any) -> str:
    """An identifier without the backslashes of the format."""
    if hasattr(identifier, "local"):
        return f"{identifier.prefix}:{identifier.local}"
    return str(getattr(identifier, "unescaped", identifier))


@dataclass(slots=True)
class _Refused:
    """Terms that fastobo refuses, read line by line; what is left out is reported by line."""

    problems: Problems
    tried: int = 0

    def reads(self, term: Term, stanza: str) -> bool:
        """Read a term that was refused; False, with an error, when there were too many such lines."""
        for number, line in enumerate(stanza.split("\n")[1:], start=term.line + 1):
            if not line:
                continue
            self.tried += 1
            if self.tried > MAX_TRIES:
                message = f"Too many lines are not OBO ({MAX_TRIES:,} were tried); nothing of it is used."
                self.problems.error("not-obo", message, "Export the ontology as OBO 1.4.", line=number)
                return False
            if not self._said(term, line):
                self._left_out(number, line)
        return True

    def _said(self, term: Term, line: str) -> bool:
        is_id = line.startswith("id:")
        try:
            frame = _frame(f"[Term]\n{'' if is_id else 'id: x'}\n{line}\n")
        except SyntaxError:
            return False
        if is_id:
            term.id = _obo_text(frame.id)
        for clause in frame:
            _take(term, clause)
        return True

    def _left_out(self, number: int, line: str) -> None:
        tag = line.partition(":")[0]
        message = f"The {tag} line cannot be read as OBO; it is left out."
        if tag in _LINKS:
            remedy = "Write it as OBO 1.4 has it, such as is_a: HP:0000118 ! its name."
            self.problems.error("bad-line", message, remedy, line=number, value=line)
        else:
            self.problems.warning("bad-line", message, "", line=number, value=line)


# Terms of an ontology in OBO Graphs JSON, the form that ROBOT converts every other one to.
#
# {"graphs": [{"nodes": [{"id": "http://purl.obolibrary.org/obo/HP_1", "lbl": "...", "type": "CLASS",
#                         "meta": {"synonyms": [{"val": "..."}], "xrefs": [{"val": "UMLS:C0000001"}]}}],
#              "edges": [{"sub": "...", "pred": "is_a", "obj": "..."}]}]}

_PARSED = 8
"""What the parsed text takes in memory for each of its bytes, at most."""
_WAY_OUT = "Export the ontology again: robot convert --input my.owl --output my.json"


def read_obo_json(data: bytes, problems: Problems) -> list[Term] | None:
    """The classes of all graphs of a file; None, with an error, when it is none.

    Nodes without id and edges without both ends are errors by their place and left out.
    """
    text = decode_whole(data, problems)
    if text is None or not fits(problems, len(text), _PARSED):
        return None
    try:
        document = json.loads(text)
    except RecursionError:
        problems.error("bad-json", "The file is nested too deeply.", _WAY_OUT)
        return None
    except ValueError as reason:
        line = getattr(reason, "lineno", None)
        message = f"The file is not JSON: {getattr(reason, 'msg', 'a number is too long')}."
        problems.error("bad-json", message, _WAY_OUT, line=line)
        return None
    graphs = document.get("graphs") if isinstance(document, dict) else None
    if not isinstance(graphs, list) or not all(isinstance(graph, dict) for graph in graphs):
        message = "The file is JSON but no ontology: it has no list of graphs."
        problems.error("not-an-ontology", message, _WAY_OUT, value=text[:60])
        return None
    read = _Nodes(problems)
    whole = all(read.takes(graph, f"graphs[{at}]") for at, graph in enumerate(graphs))
    return list(read.terms.values()) if whole else None


class _Nodes:
    """Terms by id, and what the relations are called, while the graphs of a file are read."""

    def __init__(self, problems: Problems) -> None:
        self.terms: dict[str, Term] = {}
        self.problems, self.room, self.relations = problems, Room(problems), dict[str, str]()

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
        lines = [text for item in _items(meta, "synonyms") if (text := _text(item, "val"))]
        for text in lines:
            term.also(text)
        term.xrefs += [short(text) for item in _items(meta, "xrefs") if (text := _text(item, "val"))]
        term.obsolete = meta.get("deprecated") is True
        return self.room.takes(TERM_BYTES + SAID_BYTES * (len(lines) + len(term.xrefs)))

    def _broken(self, where: str, what: str, value: Any) -> None:
        message = f"{where} is {what}; it is left out."
        self.problems.error("broken-node", message, _WAY_OUT, value=json.dumps(value)[:100])


def _items(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    values = table.get(key)
    return [value if isinstance(value, dict) else {} for value in values] if isinstance(values, list) else []


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    return value.strip() if isinstance(value, str) and is_whole(value) else ""
