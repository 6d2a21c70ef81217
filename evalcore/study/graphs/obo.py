"""The terms of ontologies: of OBO files, which fastobo reads, and of OBO Graphs JSON.

fastobo holds files to OBO 1.4. Only the lines that are needed here are given to it; of a term that it refuses
each line is given to it alone, and a line that it refuses is reported and left out.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from evalcore.study.graphs.edges import spelled
from evalcore.study.graphs.ontology import Term
from evalcore.study.tables.limits import MemoryBudget, within_memory_limit
from evalcore.study.tables.lines import decode, decode_whole, has_invalid_utf8, lines_of, report_undecodable
from evalcore.study.tables.problems import Problems, is_whole, why

_TERM_BYTES, _CLAUSE_BYTES = 500, 200
"""What a term and each thing said about it take in memory."""
_OBO_HEAD = "format-version: 1.4\n\n"
_LINKS = ("id", "is_a", "relationship")
_NEEDED = frozenset((*_LINKS, "name", "xref", "is_obsolete", "synonym"))
Lines = list[tuple[int, str]]
"""Lines with their numbers."""


def read_obo(data: bytes, problems: Problems) -> list[Term] | None:
    """The terms that have an id, in file order; None, with an error, when nothing can be read."""
    text = decode(data, problems)
    terms = None if text is None else _lines_by_term(text, problems)
    if terms is None:
        return None
    refused: list[tuple[Term, Lines]] = []
    for (term, lines), frame in zip(terms, _frames([lines for _, lines in terms]), strict=True):
        if frame is None:
            refused += [(term, [line]) for line in lines]
        else:
            _take(term, frame, lines)
    for (term, line), frame in zip(refused, _frames([line for _, line in refused]), strict=True):
        if frame is None:
            _report_line(problems, *line[0])
        else:
            _take(term, frame, line)
    return [term for term, _ in terms if term.id]


def _lines_by_term(text: str, problems: Problems) -> list[tuple[Term, Lines]] | None:
    """Each [Term] that has an id, and its needed lines; None, with an error, when they take too much room."""
    terms: list[tuple[Term, Lines]] = []
    lines: Lines | None = None
    check, room = has_invalid_utf8(text), MemoryBudget(problems)
    for number, line in enumerate(lines_of(text), start=1):
        if line.startswith("["):
            lines = [] if line.startswith("[Term]") else None
            terms += [] if lines is None else [(Term(line=number), lines)]
        elif lines is None or line.partition(":")[0] not in _NEEDED:
            continue
        elif check and has_invalid_utf8(line):
            report_undecodable(problems, number, line)
        elif room.consume(_CLAUSE_BYTES + 2 * len(line)):
            lines.append((number, line))
        else:
            return None
    if not room.consume(_TERM_BYTES * len(terms)):
        return None
    for term, _ in (nameless := [term for term in terms if not _with_id(term[1])]):
        problems.error(
            "missing-id", "The term has no id; it is left out.", "Add an id: line.", line=term.line
        )
    return [term for term in terms if _with_id(term[1])] if nameless else terms


def _with_id(lines: Lines) -> bool:
    return any(line.startswith("id:") for _, line in lines)


def _frames(stanzas: Sequence[Lines]) -> Iterator[Any]:
    """What fastobo makes of each of these groups of lines of a term, None where it refuses them."""
    import fastobo

    document = io.BytesIO(_OBO_HEAD.encode("utf-8"))
    document.seek(0, io.SEEK_END)
    for lines in stanzas:
        texts = ("[Term]", *([] if _with_id(lines) else ["id: x"]), *(line for _, line in lines), "\n")
        document.write("\n".join(texts).encode("utf-8"))
    document.seek(0)
    frames = fastobo.iter(document, ordered=True, threads=1)
    for _ in stanzas:
        try:
            yield next(frames)
        except (SyntaxError, StopIteration):
            yield None


def _take(term: Term, frame: Any, lines: Lines) -> None:
    """Take the id of a frame, unless it is not of these lines, and what its clauses say about the term."""
    if _with_id(lines):
        term.id = _text_of(frame.id)
    for clause in frame:
        kind = type(clause).__name__
        if kind == "IsAClause":
            term.parents.append(("isa", _text_of(clause.term)))
        elif kind == "RelationshipClause":
            term.parents.append((spelled(_text_of(clause.typedef)), _text_of(clause.term)))
        elif kind == "XrefClause":
            term.xrefs.append(_text_of(clause.xref.id))
        elif kind == "NameClause":
            term.add_label(clause.name)
        elif kind == "SynonymClause":
            term.synonyms.append(clause.synonym.desc)
        elif kind == "IsObsoleteClause":
            term.obsolete = clause.obsolete


def _text_of(identifier: Any) -> str:
    """An identifier without the backslashes of the format."""
    if hasattr(identifier, "local"):
        return f"{identifier.prefix}:{identifier.local}"
    return str(getattr(identifier, "unescaped", identifier))


def _report_line(problems: Problems, number: int, line: str) -> None:
    tag = line.partition(":")[0]
    report = problems.error if tag in _LINKS else problems.warning
    remedy = "Write it as OBO 1.4 has it, such as is_a: HP:0000118 ! its name." if tag in _LINKS else ""
    report(
        "bad-line", f"The {tag} line cannot be read as OBO; it is left out.", remedy, line=number, value=line
    )


# OBO Graphs JSON, the form that ROBOT converts every other one to.
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
    if text is None or not within_memory_limit(problems, len(text), _PARSED):
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as reason:
        what, line = getattr(reason, "msg", why(reason)), getattr(reason, "lineno", None)
        problems.error("bad-json", f"The file cannot be read as JSON: {what}.", _WAY_OUT, line=line)
        return None
    graphs = document.get("graphs") if isinstance(document, dict) else None
    if not isinstance(graphs, list) or not all(isinstance(graph, dict) for graph in graphs):
        message = "The file is JSON but no ontology: it has no list of graphs."
        problems.error("not-an-ontology", message, _WAY_OUT, value=text[:60])
        return None
    terms, relations, room = dict[str, Term](), dict[str, str](), MemoryBudget(problems)
    for at, graph in enumerate(graphs):
        for place, node in _items(graph, "nodes"):
            name = short(_text(node, "id"))
            if not name:
                _report_broken(problems, f"graphs[{at}].nodes[{place}]", "a node without id", node)
            elif node.get("type") == "PROPERTY":
                relations[name] = _text(node, "lbl")
            elif not room.consume(_take_node(terms.setdefault(name, Term(name)), node)):
                return None
        for place, edge in _items(graph, "edges"):
            child, parent, kind = (short(_text(edge, key)) for key in ("sub", "obj", "pred"))
            if not (child and parent and kind):
                what = "an edge without sub, pred or obj"
                _report_broken(problems, f"graphs[{at}].edges[{place}]", what, edge)
                continue
            link = spelled(kind) if spelled(kind) == "isa" else relation(kind, relations.get(kind, ""))
            terms.setdefault(child, Term(child)).parents.append((link, parent))
            if not room.consume(_CLAUSE_BYTES):
                return None
    return list(terms.values())


def _take_node(term: Term, node: dict[str, Any]) -> int:
    """Take what a node says about a term; the memory it takes, in bytes."""
    meta = node.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    if label := _text(node, "lbl"):
        term.add_label(label)
    synonyms, xrefs = (
        [text for _, item in _items(meta, key) if (text := _text(item, "val"))]
        for key in ("synonyms", "xrefs")
    )
    term.synonyms += synonyms
    term.xrefs += map(short, xrefs)
    term.obsolete = meta.get("deprecated") is True
    return _TERM_BYTES + _CLAUSE_BYTES * (len(synonyms) + len(term.xrefs))


def _report_broken(problems: Problems, where: str, what: str, value: Any) -> None:
    message = f"{where} is {what}; it is left out."
    problems.error("broken-node", message, _WAY_OUT, value=json.dumps(value)[:100])


def _items(table: dict[str, Any], key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    values = table.get(key)
    return enumerate(
        value if isinstance(value, dict) else {} for value in (values if isinstance(values, list) else ())
    )


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    return value.strip() if isinstance(value, str) and is_whole(value) else ""


# IRIs of ontologies in the short form of lists of concepts: ``HP:0002088`` for ``.../obo/HP_0002088``.

_IRIS = (
    re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z]+)?)_([A-Za-z0-9]+)\Z"),
    re.compile(r"http://purl\.bioontology\.org/ontology/([A-Za-z0-9_-]+)/([^/#]+)\Z"),
)
_PREFIXES = {
    "http://www.radlex.org/RID/": "RADLEX",
    "http://radlex.org/RID/": "RADLEX",
    "http://id.nlm.nih.gov/mesh/": "MESH",
    "http://snomed.info/id/": "SNOMEDCT",
    "http://www.ebi.ac.uk/efo/EFO_": "EFO",
    "http://www.orpha.net/ORDO/Orphanet_": "Orphanet",
    "http://linkedlifedata.com/resource/umls/id/": "UMLS",
}
RELATIONS = {"BFO:0000050": "part_of", "BFO:0000051": "has_part", "RO:0002202": "develops_from"}
"""What some relations are called where a file does not name them."""


def short(iri: str) -> str:
    """An IRI as a CURIE, by the OBO rules or by what is known of some vocabularies; any other as it is.

    >>> short("http://purl.obolibrary.org/obo/HP_0002088"), short("http://radlex.org/RID/RID1301")
    ('HP:0002088', 'RADLEX:RID1301')
    >>> short("http://x.org/v/lung"), short("HP:0002088")
    ('http://x.org/v/lung', 'HP:0002088')
    """
    if not iri.startswith("http"):
        return iri
    match = next((match for pattern in _IRIS if (match := pattern.match(iri))), None)
    if match:
        return f"{match[1]}:{match[2]}"
    start = next((start for start in _PREFIXES if iri.startswith(start)), "")
    local = iri[len(start) :]
    return f"{_PREFIXES[start]}:{local}" if start and local and not {*"/#"} & {*local} else iri


def relation(name: str, label: str = "") -> str:
    """What a relation is called: by its label with ``_`` for spaces, else by what is known, else by its id.

    >>> relation("BFO:0000050"), relation("RO:1", "located in"), relation("ex:near")
    ('part_of', 'located_in', 'ex:near')
    """
    return "_".join(label.split()) or RELATIONS.get(name, name)
