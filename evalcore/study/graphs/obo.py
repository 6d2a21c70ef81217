"""Concept graphs from OBO files, which fastobo reads: terms as edges, and all names of concepts.

In a study of CUIs a term is known by the CUI its cross-references give (``UMLS:C0006104`` or
``UMLS_CUI:...``) when there is exactly one; in a study of one vocabulary's CURIEs by its own id when it is
one of these, else by its one cross-reference into that vocabulary. Any other term is known by its own id, and
so is still a step on a path, as it is in the source. Obsolete terms are left out.

fastobo holds files to OBO 1.4: a term that it refuses is an error by its line, and left out. OWL, RDF,
SKOS and OBO Graphs JSON are refused with the way out: ROBOT converts them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalcore.study.graphs.edges import LINKS, NAMES, Edges, edges_of, spelled, table_of
from evalcore.study.tables.files import check_memory, decode, is_decodable, lines_of
from evalcore.study.tables.problems import Problems, is_whole
from evalcore.values.concept_scheme import NAMED, UMLS, describe, prefix_of

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
_OF_OWL = re.compile(rb"<(?:!DOCTYPE\s+)?(?:rdf:RDF|RDF|Ontology|owl:Ontology)\b|<!ENTITY\s+owl\b")
_OF_GRAPHS = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{[^[]*"graphs"\s*:\s*\[')
_WAY_OUT = (
    "Convert it with ROBOT: robot convert --input X.owl --output X.obo. SKOS concepts that are no "
    "classes are not converted: write their pairs child,parent as edges.csv, and cui,name as names.csv."
)


def is_obo(plain: bytes) -> bool:
    """Whether a file is OBO, by its beginning."""
    head = plain[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith((b"format-version:", b"[Term]")) or b"\n[Term]" in head


def report_unsupported(plain: bytes, problems: Problems) -> bool:
    """Whether a file is OWL, RDF, SKOS or OBO Graphs JSON, by ending or content; an error says so."""
    what = UNREAD.get(Path(problems.file.lower().removesuffix(".gz")).suffix, "")
    if not what and _OF_OWL.search(plain[:_HEAD]):
        what = _XML
    if not what and _OF_GRAPHS.match(plain[:_HEAD]):
        what = "an ontology in OBO Graphs JSON"
    if what:
        problems.error("not-obo", f"The file is {what}, which is not read.", _WAY_OUT, value=problems.file)
    return bool(what)


_LINE_BYTES = 200
"""What a line and what it says take in memory."""
_CUI_XREF = re.compile(r"(?:UMLS|UMLS_CUI|UMLSCUI):(C\d{7})\b", re.IGNORECASE)
_REMEDY = (
    "Correct it as OBO 1.4 has it (a term begins with its id: line), or convert the file with ROBOT: "
    "robot convert --input old.obo --output new.obo."
)


@dataclass(frozen=True, slots=True)
class _Term:
    """A term that is not obsolete; ``parents`` are (relation, id), ``names`` begin with the label, if any."""

    id: str
    labelled: bool
    names: list[str]
    xrefs: list[str]
    parents: list[tuple[str, str]]

    @property
    def source(self) -> str:
        """The vocabulary of the term: what is before the colon of its id."""
        return self.id.partition(":")[0]

    def ids_in(self, scheme: str) -> list[str]:
        """The different ids of a scheme among its cross-references, unless it is of the scheme itself."""
        if scheme == UMLS:
            own = _CUI_XREF.fullmatch(self.id)
            matches = [own] if own else map(_CUI_XREF.match, self.xrefs)
            return list(dict.fromkeys(match[1].upper() for match in matches if match))
        if scheme in NAMED or prefix_of(self.id) == scheme:
            return []
        return list(dict.fromkeys(xref for xref in self.xrefs if prefix_of(xref) == scheme))


def _frames(text: str, problems: Problems) -> Iterator[Any]:
    """What fastobo makes of each stanza; an error, by its line, for each that it refuses."""
    import fastobo

    # A line of its own with a comment is OBO, but not to fastobo.
    lines = ["" if line.startswith("!") else line for line in lines_of(text)]
    for number in range(0 if is_whole(text) else len(lines)):
        if not is_decodable(lines[number], number + 1, problems):
            lines[number] = ""
    document, frames = io.BytesIO("\n".join([*lines, ""]).encode()), None
    while True:
        try:
            frames = frames or fastobo.iter(document, ordered=True, threads=1)
            yield next(frames)
        except StopIteration:
            return
        except SyntaxError as reason:
            reason_text, (_, line, _, value) = reason.args
            message = f"This is not OBO ({reason_text}); the term is left out."
            problems.error("bad-line", message, _REMEDY, line=line, value=value.rstrip("\r\n␊"))
            if frames is None:
                return


def _term_of(frame: Any) -> _Term | None:
    """What a frame says about its term; None for one that is obsolete, or no term."""
    clauses: dict[str, list[Any]] = {}
    for clause in frame:
        clauses.setdefault(type(clause).__name__, []).append(clause)
    if type(frame).__name__ != "TermFrame" or any(c.obsolete for c in clauses.get("IsObsoleteClause", ())):
        return None
    labels = [clause.name for clause in clauses.get("NameClause", ())]
    synonyms = [clause.synonym.desc for clause in clauses.get("SynonymClause", ())]
    names = dict.fromkeys(" ".join(text.split()) for text in (*labels, *synonyms))
    parents = [("isa", _text_of(clause.term)) for clause in clauses.get("IsAClause", ())]
    for clause in clauses.get("RelationshipClause", ()):
        parents.append((spelled(_text_of(clause.typedef)), _text_of(clause.term)))
    xrefs = [_text_of(clause.xref.id) for clause in clauses.get("XrefClause", ())]
    return _Term(_text_of(frame.id), bool(labels), list(filter(None, names)), xrefs, parents)


def _text_of(identifier: Any) -> str:
    """An identifier without the backslashes of the format."""
    if hasattr(identifier, "local"):
        return f"{identifier.prefix}:{identifier.local}"
    return str(getattr(identifier, "unescaped", identifier))


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
    nothing can be read; refused when it is no text.
    """
    text = decode(data, problems)
    check_memory(problems, text.count("\n"), _LINE_BYTES)
    terms = [term for frame in _frames(text, problems) if (term := _term_of(frame)) is not None]
    if not terms and not problems.n_errors:
        problems.error("no-terms", "The file has no term with an id.", "Give an ontology with terms in it.")
    ids = {term.id: term.ids_in(scheme) for term in terms}
    several = [term.id for term in terms if len(ids[term.id]) > 1]
    message = f"{{n}} terms have several {describe(scheme)}s; they are known by their own ids."
    lines = [text.count("\n", 0, text.find(f"\nid: {term}")) + 1 for term in several[:1]]
    problems.add_summary("several-cuis", several, message, "", lines=lines)
    known_as = {term: own[0] if len(own) == 1 else term for term, own in ids.items()}
    wanted = {spelled(name) for name in (("isa",) if rela is None else rela)}
    rows = [
        (known_as[term.id], known_as.get(parent, parent), term.source, name, parent)
        for term in terms
        for name, parent in term.parents
        if name in wanted and (sources is None or term.source in sources)
    ]
    if elsewhere := sorted({parent for *_, parent in rows} - known_as.keys()):
        message = f"{{n}} parents, such as {elsewhere[0]}, are not terms of this file; their ids are kept."
        problems.add_summary("unknown-parent", elsewhere, message, "")
    names = [
        (known_as[term.id], name, term.source, "", 0 if at == 0 and term.labelled else None)
        for term in terms
        for at, name in enumerate(term.names)
    ]
    n = sum(len(term.parents) for term in terms)
    links = table_of([row[:4] for row in rows], LINKS)
    return edges_of(links, FORMAT, rows=n, names=table_of(names, NAMES))
