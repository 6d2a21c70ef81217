"""Ontologies in OBO and OBO Graphs JSON: which one a file is, its terms as edges, and all names of concepts.

In a study of CUIs a term is known by the CUI its cross-references give (``UMLS:C0006104`` or
``UMLS_CUI:...``) when there is exactly one; in a study of one vocabulary's CURIEs by its own id when it is
one of these, else by its one cross-reference into that vocabulary. Any other term is known by its own id, and
so is still a step on a path, as it is in the source. Obsolete terms are left out. OWL, RDF and SKOS are
refused with the way out: ROBOT converts them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from evalcore.study.graphs.edges import NAMES, Edges, edges_of, spelled
from evalcore.study.tables.problems import Problems
from evalcore.values.concept_scheme import NAMED, UMLS, in_words, prefix_of

OBO, OBO_JSON = "OBO", "OBO Graphs"
ENDINGS: Mapping[str, str] = {OBO: ".obo", OBO_JSON: ".json"}
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
}
_WAY_OUT = (
    "Convert it with ROBOT: robot convert --input X.owl --output X.obo. SKOS concepts that are no "
    "classes are not converted: write their pairs child,parent as edges.csv, and cui,name as names.csv."
)


def form_of(plain: bytes) -> str | None:
    """Which format of ontologies a file has, by its beginning; None for a table or another file."""
    head = plain[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"{"):
        return OBO_JSON
    if head.startswith((b"format-version:", b"[Term]")) or b"\n[Term]" in head:
        return OBO
    return None


def report_unread(plain: bytes, problems: Problems) -> bool:
    """Whether a file is OWL, RDF or SKOS, by its ending or its beginning; an error then says the way out."""
    what = UNREAD.get(Path(problems.file.lower().removesuffix(".gz")).suffix, "")
    if not what and form_of(plain) is None:
        what = next((name for name, begins in _BEGINS.items() if begins.search(plain[:_HEAD])), "")
    if what:
        problems.error("not-obo", f"The file is {what}, which is not read.", _WAY_OUT, value=problems.file)
    return bool(what)


# Terms, whatever format they were read from, as edges and as names.

_XREF = re.compile(r"(?:UMLS|UMLS_CUI|UMLSCUI):(C\d{7})\b", re.IGNORECASE)


@dataclass(slots=True)
class Term:
    """One term: its label comes first of its ``names``; ``parents`` are (relation, id).

    ``line``: where it begins, 0 where the format has no lines of its own.
    """

    id: str = ""
    line: int = 0
    label: str = ""
    synonyms: list[str] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    parents: list[tuple[str, str]] = field(default_factory=list)
    obsolete: bool = False

    def add_label(self, text: str) -> None:
        """Call it so before all else; a second label is a synonym."""
        if self.label:
            self.synonyms.append(text)
        else:
            self.label = text

    @property
    def source(self) -> str:
        """The vocabulary of the term: what is before the colon of its id."""
        return self.id.partition(":")[0]

    @property
    def names(self) -> list[str]:
        """Its label and synonyms, spaces collapsed, each once."""
        texts = (" ".join(text.split()) for text in (self.label, *self.synonyms))
        return list(dict.fromkeys(filter(None, texts)))


def edges_of_terms(
    terms: Sequence[Term],
    problems: Problems,
    *,
    format: str,
    scheme: str = UMLS,
    sources: Collection[str] | None = None,
    rela: Collection[str] | None = None,
) -> Edges:
    """Child -> parent edges of the terms that are not obsolete, with their names and relation types.

    ``sources`` keeps the terms of these id prefixes ("UBERON"), ``rela`` these relations ("isa", "part_of",
    ...; default isa only). A parent that the file does not define is kept by its id and counted as a warning;
    terms with several ids of the scheme are kept by their own and counted too.
    """
    current = [term for term in terms if not term.obsolete]
    if not current:
        problems.error("no-terms", "The file has no term with an id.", "Give an ontology with terms in it.")
    ids = {term.id: _ids_in(term, scheme) for term in current}
    several = [term for term in current if len(ids[term.id]) > 1]
    message = f"{{n}} terms have several {in_words(scheme)}s; they are known by their own ids."
    lines = [term.line or None for term in several]
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
        for is_label in (at == 0 and bool(term.label),)
    ]
    return edges_of(
        {"child": child, "parent": parent, "source": source, "rela": relation},
        format=format,
        rows=relations.total(),
        relations=relations,
        names=pa.table([*map(list, zip(*names, strict=True))] or [[]] * len(NAMES), schema=NAMES),
    )


def _ids_in(term: Term, scheme: str) -> list[str]:
    """The different ids of a scheme among the cross-references of a term that is not of it itself."""
    if scheme == UMLS:
        if own := _XREF.fullmatch(term.id):
            return [own[1].upper()]
        hits = (match for xref in term.xrefs if (match := _XREF.match(xref)))
        return list(dict.fromkeys(match.group(1).upper() for match in hits))
    if scheme in NAMED or prefix_of(term.id) == scheme:
        return []
    return list(dict.fromkeys(xref for xref in term.xrefs if prefix_of(xref) == scheme))
