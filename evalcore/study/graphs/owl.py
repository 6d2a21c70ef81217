"""Terms of an OWL ontology in XML, by py-horned-owl (extra ``ontologies``).

The XML is looked through before: a document type (and so every entity), deep nesting and very long lists
are refused, because the parser would take them as they come. Superclasses that are classes count as is_a,
those of the form "related to some class" by their relation. owl:imports are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from xml.parsers import expat

from evalcore.study.graphs.skos import CONVERT, LABELS, needs_extra, report_import, say
from evalcore.study.graphs.terms import SAID_BYTES, Term, relation, short
from evalcore.study.tables.limits import Room, fits
from evalcore.study.tables.lines import decode_whole
from evalcore.study.tables.problems import Problems, shown

_EACH = 12
"""What the axioms of a text take in memory for each of its characters, at most."""
MAX_DEPTH, MAX_CHILDREN, MAX_SHARED = 100, 5_000, 1_000
"""Deepest nesting, most elements in one (the top two levels apart), and most anonymous nodes with a name."""
_PREFIX = re.compile(r'xmlns:([A-Za-z][\w.-]*)="([^"<&]+)"')
_DECLARED = re.compile("<!(?:DOCTYPE|ENTITY)")
Value = TypeVar("Value")


def read_owl(data: bytes, found: Problems) -> list[Term] | None:
    """The classes of an ontology in order of their ids; None, with an error, when it cannot be read."""
    text = decode_whole(data, found)
    if text is None or not fits(found, len(text), _EACH) or not _is_safe(text, found):
        return None
    try:
        import pyhornedowl
    except ImportError:
        needs_extra(found, "OWL")
        return None
    form: Any = "owx" if re.search(r"<Ontology\b", text[:10_000]) else "rdf"
    try:
        ontology = _calm(lambda: pyhornedowl.open_ontology_from_string(text, form))
        axioms = _calm(ontology.get_axioms)
    except (ValueError, TypeError, RuntimeError) as reason:
        said = str(reason).removeprefix("Failed to open ontology: ")
        found.error("bad-owl", f"The file cannot be read as OWL: {shown(said)}.", CONVERT)
        return None
    prefixes = {iri: prefix for prefix, iri in _PREFIX.findall(text[:100_000])}
    return _terms([axiom.component for axiom in axioms], prefixes, found)


def _calm(call: Callable[[], Value]) -> Value:
    """The result of a call into the parser, whose panics are no ordinary exceptions."""
    try:
        return call()
    except BaseException as reason:
        if type(reason).__name__ != "PanicException":
            raise
        raise ValueError(str(reason)) from reason


def _is_safe(text: str, found: Problems) -> bool:
    """Whether the XML is well-formed, without a document type, and neither too deep nor too long."""
    if declared := _DECLARED.search(text):
        at = declared.start()
        message = "The file declares a document type, and may declare XML entities; these are refused."
        found.error(
            "unsafe-xml", message, CONVERT, line=text.count("\n", 0, at) + 1, value=text[at : at + 60]
        )
        return False
    looked = _Look()
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = looked.start, looked.end
    try:
        parser.Parse(re.sub(r"\A\s*<\?xml[^>]*\?>", "", text).encode("utf-8"), True)
    except expat.ExpatError as reason:
        message = f"The file is not well-formed XML: {expat.errors.messages[reason.code]}."
        found.error("broken-xml", message, "Save or download it again.", line=reason.lineno)
        return False
    except _TooMuch as reason:
        found.error("too-deep", f"{reason}.", CONVERT, line=parser.CurrentLineNumber)
        return False
    return True


class _TooMuch(Exception):
    """XML that is nested deeper, or has longer lists, than any ontology."""


class _Look:
    """How deep and how long the XML is, so far."""

    def __init__(self) -> None:
        self.children, self.shared = [0], 0

    def start(self, _name: str, attributes: Mapping[str, str]) -> None:
        self.children[-1] += 1
        if len(self.children) > 3 and self.children[-1] > MAX_CHILDREN:
            raise _TooMuch(f"An element holds more than {MAX_CHILDREN:,} others")
        self.children.append(0)
        if len(self.children) > MAX_DEPTH:
            raise _TooMuch(f"Its elements are nested deeper than {MAX_DEPTH}")
        self.shared += any(name.endswith("nodeID") for name in attributes)
        if self.shared > MAX_SHARED:
            raise _TooMuch(f"It has more than {MAX_SHARED:,} anonymous nodes with a name")

    def end(self, _name: str) -> None:
        self.children.pop()


def _terms(axioms: list[Any], prefixes: Mapping[str, str], found: Problems) -> list[Term] | None:
    """The classes the axioms are about; None when they take too much room."""
    terms: dict[str, Term] = {}
    links: list[tuple[str, str, str]] = []
    statements: list[tuple[str, str, str, str]] = []
    room = Room(found)
    for axiom in axioms:
        kind = type(axiom).__name__
        if not room.takes(SAID_BYTES):
            return None
        if kind == "DeclareClass":
            name = _iri(axiom.first)
            terms[name] = Term(short(name, prefixes))
        elif kind == "SubClassOf" and type(axiom.sub).__name__ == "Class":
            link = _link(axiom.sup)
            if link is not None:
                links.append((_iri(axiom.sub), *link))
        elif kind == "AnnotationAssertion":
            statements.append(_statement(axiom.subject, axiom.ann.ap, axiom.ann.av))
        elif kind == "DataPropertyAssertion":  # an annotation property that nobody declared
            statements.append(_statement(axiom.source, axiom.dp, axiom.target))
        elif kind == "Import":
            report_import(found, str(axiom.first))
    relations = {
        subject: value for subject, said, value, _ in sorted(statements, reverse=True) if said in LABELS
    }
    for child, kind, parent in sorted(links):
        term = terms.setdefault(child, Term(short(child, prefixes)))
        label = "" if kind == "isa" else relations.get(kind, "")
        term.parents.append((relation(short(kind, prefixes), label), short(parent, prefixes)))
    for subject, said, value, language in sorted(statements):
        if subject in terms:
            say(terms[subject], said, value, language)
    return [terms[name] for name in sorted(terms)]


def _link(above: Any) -> tuple[str, str] | None:
    """(relation, IRI) of a superclass: a class, or "related to some class"; None for any other expression."""
    if type(above).__name__ == "Class":
        return "isa", _iri(above)
    if type(above).__name__ != "ObjectSomeValuesFrom":
        return None
    kind, other = above.ope, above.bce
    plain = type(kind).__name__ == "ObjectProperty" and type(other).__name__ == "Class"
    return (_iri(kind), _iri(other)) if plain else None


def _statement(subject: Any, said: Any, value: Any) -> tuple[str, str, str, str]:
    """(IRI, IRI of what is said, text, language) of an annotation."""
    text, language = getattr(value, "literal", value), getattr(value, "lang", None)
    return _iri(subject), _iri(said), str(text), str(language or "")


def _iri(one: Any) -> str:
    """The IRI of a class, a property or an individual, or one by itself."""
    return str(getattr(one, "first", one))
