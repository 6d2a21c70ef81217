"""Concept graphs from OBO files, which fastobo reads: terms as edges, and all names of concepts.

In a study of CUIs a term is known by the CUI its cross-references give (``UMLS:C0006104`` or
``UMLS_CUI:...``) when there is exactly one; in a study of one vocabulary's CURIEs by its own id when it is
one of these, else by its one cross-reference into that vocabulary. Any other term is known by its own id, and
so is still a step on a path, as it is in the source. Obsolete terms are left out.

fastobo holds files to OBO 1.4. Only the lines that are needed here are given to it; of a term that it refuses
each line is given to it alone, and a line that it refuses is reported and left out. OWL, RDF, SKOS and OBO
Graphs JSON are refused with the way out: ROBOT converts them.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from evalcore.study.graphs.edges import NAMES, Edges, edges_of, no_edges, spelled
from evalcore.study.tables.files import MemoryBudget, decode, has_invalid_utf8, lines_of, report_undecodable
from evalcore.study.tables.problems import Problems
from evalcore.values.concept_scheme import NAMED, UMLS, in_words, prefix_of

FORMAT = "OBO"
_HEAD = 4096
_OWL, _XML, _TURTLE = "an ontology in OWL", "RDF or OWL in XML", "RDF in Turtle (SKOS or OWL)"
UNREAD: Mapping[str, str] = {
    ".owl": _OWL,
    ".owx": _OWL,
    ".ofn": _OWL,
    ".omn": _OWL,
    ".rdf": _XML,
    ".ttl": _TURTLE,
    ".nt": _TURTLE,
    ".skos": "a SKOS vocabulary",
}
"""What is not read, by the ending of its files."""
_BEGINS: Mapping[str, re.Pattern[bytes]] = {
    _XML: re.compile(rb"<(?:!DOCTYPE\s+)?(?:rdf:RDF|RDF|Ontology|owl:Ontology)\b|<!ENTITY\s+owl\b"),
    _OWL: re.compile(rb"^(?:Prefix|Ontology)\s*[(:]", re.MULTILINE),
    _TURTLE: re.compile(rb"^\s*(?:@prefix|@base|prefix\s+\S*:\s*<|base\s+<)", re.IGNORECASE | re.MULTILINE),
    "an ontology in JSON (OBO Graphs)": re.compile(rb"\A(?:\xef\xbb\xbf)?\s*\{\s*\"(?:graphs|@context)\""),
}
_WAY_OUT = (
    "Convert it with ROBOT: robot convert --input X.owl --output X.obo. SKOS concepts that are no "
    "classes are not converted: write their pairs child,parent as edges.csv, and cui,name as names.csv."
)


def is_obo(plain: bytes) -> bool:
    """Whether a file is OBO, by its beginning."""
    head = plain[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith((b"format-version:", b"[Term]")) or b"\n[Term]" in head


def report_unsupported(plain: bytes, problems: Problems) -> bool:
    """Whether a file is OWL, RDF, SKOS or JSON, by its ending or beginning; an error says the way out."""
    what = UNREAD.get(Path(problems.file.lower().removesuffix(".gz")).suffix, "")
    if not what and not is_obo(plain):
        what = next((name for name, begins in _BEGINS.items() if begins.search(plain[:_HEAD])), "")
    if what:
        problems.error("not-obo", f"The file is {what}, which is not read.", _WAY_OUT, value=problems.file)
    return bool(what)


# Terms, from lines.

_TERM_BYTES, _CLAUSE_BYTES = 500, 200
"""What a term and each thing said about it take in memory."""
_OBO_HEAD = "format-version: 1.4\n\n"
_LINKS = ("id", "is_a", "relationship")
_NEEDED = frozenset((*_LINKS, "name", "xref", "is_obsolete", "synonym"))
Lines = list[tuple[int, str]]
"""Lines with their numbers."""
_XREF = re.compile(r"(?:UMLS|UMLS_CUI|UMLSCUI):(C\d{7})\b", re.IGNORECASE)


@dataclass(slots=True)
class _Term:
    """One term: the line where it begins, its lines that are needed, and what they say.

    ``parents`` are (relation, id).
    """

    line: int
    lines: Lines = field(default_factory=list)
    id: str = ""
    labels: list[str] = field(default_factory=list)
    synonyms: list[str] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    parents: list[tuple[str, str]] = field(default_factory=list)
    obsolete: bool = False

    def add(self, clause: Any) -> None:
        """Take what a clause of fastobo says about the term."""
        kind = type(clause).__name__
        if kind == "IsAClause":
            self.parents.append(("isa", _text_of(clause.term)))
        elif kind == "RelationshipClause":
            self.parents.append((spelled(_text_of(clause.typedef)), _text_of(clause.term)))
        elif kind == "XrefClause":
            self.xrefs.append(_text_of(clause.xref.id))
        elif kind == "NameClause":
            self.labels.append(clause.name)
        elif kind == "SynonymClause":
            self.synonyms.append(clause.synonym.desc)
        elif kind == "IsObsoleteClause":
            self.obsolete = clause.obsolete

    @property
    def source(self) -> str:
        """The vocabulary of the term: what is before the colon of its id."""
        return self.id.partition(":")[0]

    @property
    def names(self) -> list[str]:
        """Its label and synonyms, spaces collapsed, each once."""
        texts = (" ".join(text.split()) for text in (*self.labels, *self.synonyms))
        return list(dict.fromkeys(filter(None, texts)))

    def ids_in(self, scheme: str) -> list[str]:
        """The different ids of a scheme among its cross-references, unless it is of the scheme itself."""
        if scheme == UMLS:
            if own := _XREF.fullmatch(self.id):
                return [own[1].upper()]
            hits = (match for xref in self.xrefs if (match := _XREF.match(xref)))
            return list(dict.fromkeys(match[1].upper() for match in hits))
        if scheme in NAMED or prefix_of(self.id) == scheme:
            return []
        return list(dict.fromkeys(xref for xref in self.xrefs if prefix_of(xref) == scheme))


def _terms(data: bytes, problems: Problems) -> list[_Term] | None:
    """The terms that have an id, in file order; None, with an error, when nothing can be read."""
    text = decode(data, problems)
    terms = None if text is None else _lines_by_term(text, problems)
    if terms is None:
        return None
    refused: list[tuple[_Term, tuple[int, str]]] = []
    for term, frame in zip(terms, _frames([term.lines for term in terms]), strict=True):
        if frame is None:
            refused += [(term, line) for line in term.lines]
            continue
        term.id = _text_of(frame.id)
        for clause in frame:
            term.add(clause)
    for (term, (number, line)), frame in zip(refused, _frames([[line] for _, line in refused]), strict=True):
        tag = line.partition(":")[0]
        if frame is None:
            report = problems.error if tag in _LINKS else problems.warning
            message = f"The {tag} line cannot be read as OBO; it is left out."
            remedy = "Write it as OBO 1.4 has it, such as is_a: HP:0000118 ! its name."
            report("bad-line", message, remedy if tag in _LINKS else "", line=number, value=line)
            continue
        term.id = _text_of(frame.id) if tag == "id" else term.id
        for clause in frame:
            term.add(clause)
    return [term for term in terms if term.id]


def _lines_by_term(text: str, problems: Problems) -> list[_Term] | None:
    """Each [Term] that has an id, and its needed lines; None, with an error, when they take too much room."""
    terms: list[_Term] = []
    term: _Term | None = None
    check, room = has_invalid_utf8(text), MemoryBudget(problems)
    for number, line in enumerate(lines_of(text), start=1):
        if line.startswith("["):
            term = _Term(number) if line.startswith("[Term]") else None
            terms += [] if term is None else [term]
        elif term is None or line.partition(":")[0] not in _NEEDED:
            continue
        elif check and has_invalid_utf8(line):
            report_undecodable(problems, number, line)
        elif room.consume(_CLAUSE_BYTES + 2 * len(line)):
            term.lines.append((number, line))
        else:
            return None
    if not room.consume(_TERM_BYTES * len(terms)):
        return None
    nameless = [term.line for term in terms if not _with_id(term.lines)]
    message, remedy = "The term has no id; it is left out.", "Add an id: line."
    problems.each("error", "missing-id", message, remedy, lines=nameless, values=[""] * len(nameless))
    return [term for term in terms if _with_id(term.lines)]


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


def _text_of(identifier: Any) -> str:
    """An identifier without the backslashes of the format."""
    if hasattr(identifier, "local"):
        return f"{identifier.prefix}:{identifier.local}"
    return str(getattr(identifier, "unescaped", identifier))


# Edges and names, from terms.


def read_obo(
    data: bytes,
    problems: Problems,
    *,
    scheme: str = UMLS,
    sources: Collection[str] | None = None,
    rela: Collection[str] | None = None,
) -> Edges:
    """Child -> parent edges of the terms that are not obsolete, with their names and relation types.

    ``sources`` keeps the terms of these id prefixes ("UBERON"), ``rela`` these relations ("isa", "part_of",
    ...; default isa only). A parent that the file does not define is kept by its id and counted as a warning;
    terms with several ids of the scheme are kept by their own and counted too. No edges, with an error, when
    nothing can be read.
    """
    terms = _terms(data, problems)
    if terms is None:
        return no_edges(FORMAT)
    current = [term for term in terms if not term.obsolete]
    if not current:
        problems.error("no-terms", "The file has no term with an id.", "Give an ontology with terms in it.")
    ids = {term.id: term.ids_in(scheme) for term in current}
    several = [term for term in current if len(ids[term.id]) > 1]
    message = f"{{n}} terms have several {in_words(scheme)}s; they are known by their own ids."
    lines = [term.line for term in several]
    problems.add_summary("several-cuis", [term.id for term in several], message, "", lines=lines)
    known_as = {term: own[0] if len(own) == 1 else term for term, own in ids.items()}
    wanted = {spelled(name) for name in (("isa",) if rela is None else rela)}
    rows = [
        (known_as[term.id], known_as.get(parent, parent), term.source, name, parent)
        for term in current
        for name, parent in term.parents
        if name in wanted and (sources is None or term.source in sources)
    ]
    child, parent, source, relation, written = map(list, zip(*rows, strict=True)) if rows else ([],) * 5
    if elsewhere := sorted({*written} - known_as.keys()):
        message = f"{{n}} parents, such as {elsewhere[0]}, are not terms of this file; their ids are kept."
        problems.add_summary("unknown-parent", elsewhere, message, "")
    relations = Counter(name for term in current for name, _ in term.parents)
    names = [
        (known_as[term.id], name, term.source, "", is_label, 0 if is_label else None)
        for term in current
        for at, name in enumerate(term.names)
        for is_label in (at == 0 and bool(term.labels),)
    ]
    return edges_of(
        {"child": child, "parent": parent, "source": source, "rela": relation},
        format=FORMAT,
        rows=relations.total(),
        relations=relations,
        names=pa.table([*map(list, zip(*names, strict=True))] or [[]] * len(NAMES), schema=NAMES),
    )
