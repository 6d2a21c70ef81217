"""Terms of a SKOS vocabulary in Turtle, by rdflib (extra ``ontologies``), which reads the text only.

``skos:broader`` and the inverse of ``skos:narrower`` count as is_a, as ``rdfs:subClassOf`` does. Preferred,
alternative and hidden labels are names, in their languages; exact matches and cross-references say what else
a concept is known by. owl:imports are not followed.
"""

from __future__ import annotations

import logging
from typing import Any

from evalcore.study.graphs.terms import Term, relation, short
from evalcore.study.tables.limits import fits
from evalcore.study.tables.lines import decode_whole
from evalcore.study.tables.problems import Problems, shown, why

CONVERT = "Convert it with ROBOT to .json: robot convert --input my.owl --output my.json"
_EACH = 12
"""What the statements of a text take in memory for each of its characters, at most."""
_SKOS, _RDFS = "http://www.w3.org/2004/02/skos/core#", "http://www.w3.org/2000/01/rdf-schema#"
_OIO = "http://www.geneontology.org/formats/oboInOwl#"
OWL = "http://www.w3.org/2002/07/owl#"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LABELS = (f"{_RDFS}label", f"{_SKOS}prefLabel")
SYNONYMS = (
    f"{_SKOS}altLabel",
    f"{_SKOS}hiddenLabel",
    f"{_OIO}hasExactSynonym",
    f"{_OIO}hasRelatedSynonym",
    f"{_OIO}hasBroadSynonym",
    f"{_OIO}hasNarrowSynonym",
    "http://purl.obolibrary.org/obo/IAO_0000118",
)
XREFS = (f"{_OIO}hasDbXref", f"{_SKOS}exactMatch")
CUI = "http://bioportal.bioontology.org/ontologies/umls/cui"
DEPRECATED = f"{OWL}deprecated"
_UP, _DOWN = (f"{_SKOS}broader", f"{_SKOS}broaderGeneric", f"{_RDFS}subClassOf"), f"{_SKOS}narrower"
_SIDEWAYS = (f"{_SKOS}related", f"{_SKOS}broaderPartitive")
_CLASSES = (f"{_SKOS}Concept", f"{OWL}Class")


def needs_extra(found: Problems, what: str) -> None:
    """A file for whose format the optional readers are not installed."""
    message = f"{what} is read by packages that are not installed; the file is not used."
    found.error("needs-extra", message, f'Install them: pip install "cuiscope[ontologies]". Or: {CONVERT}')


def report_import(found: Problems, iri: str) -> None:
    """An ontology that wants another one with it."""
    message = f"It imports {shown(iri)}, which is not fetched: only this file is read."
    found.warning("import-not-followed", message, f"To have it in, merge it before. {CONVERT}", value=iri)


def read_skos(data: bytes, found: Problems) -> list[Term] | None:
    """The concepts of a vocabulary in the order of their ids; None, with an error, when it cannot be read."""
    text = decode_whole(data, found)
    if text is None or not fits(found, len(text), _EACH):
        return None
    try:
        import rdflib
    except ImportError:
        needs_extra(found, "Turtle")
        return None
    # What it would say of single literals goes to nobody: they are texts here, of whatever type.
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    graph = rdflib.Graph(bind_namespaces="none")
    try:
        graph.parse(data=text, format="turtle", publicID="urn:x-file:")
    except RecursionError as reason:
        found.error("bad-turtle", f"The file cannot be read as Turtle: {why(reason)}.", CONVERT)
        return None
    except (SyntaxError, ValueError, LookupError, AttributeError) as reason:
        line = getattr(reason, "lines", None)
        first = shown(getattr(reason, "_why", None) or reason)
        found.error(
            "bad-turtle",
            f"The file cannot be read as Turtle: {first}.",
            CONVERT,
            line=None if line is None else line + 1,
        )
        return None
    for _, _, imported in graph.triples((None, rdflib.URIRef(f"{OWL}imports"), None)):
        report_import(found, str(imported))
    return _terms(graph)


def _terms(graph: Any) -> list[Term]:
    """The concepts of the statements, each with what is said about it."""
    prefixes = {str(iri): prefix for prefix, iri in graph.namespaces() if prefix}
    statements = sorted(_plain(one) for one in graph if type(one[0]).__name__ == "URIRef")
    terms = {
        subject: Term(short(subject, prefixes))
        for subject, said, value, _, _ in statements
        if (said == _TYPE and value in _CLASSES) or said in (*_UP, _DOWN, *_SIDEWAYS, LABELS[1])
    }
    below: list[tuple[str, str]] = []
    for subject, said, value, language, is_iri in statements:
        if subject not in terms:
            continue
        term = terms[subject]
        say(term, said, value, language)
        if is_iri and said in _UP:
            term.parents.append(("isa", short(value, prefixes)))
        elif is_iri and said in _SIDEWAYS:
            term.parents.append((relation(said.rpartition("#")[2]), short(value, prefixes)))
        elif is_iri and said == _DOWN:
            below.append((value, term.id))
    for child, parent in below:
        term = terms.setdefault(child, Term(short(child, prefixes)))
        if ("isa", parent) not in term.parents:
            term.parents.append(("isa", parent))
    return list(terms.values())


def _plain(statement: Any) -> tuple[str, str, str, str, bool]:
    """(subject, predicate, value, its language, whether it is an IRI) of a statement, as texts."""
    subject, predicate, value = statement
    is_iri = type(value).__name__ == "URIRef"
    return str(subject), str(predicate), str(value), str(getattr(value, "language", None) or ""), is_iri


def say(term: Term, said: str, value: str, language: str) -> None:
    """Take what one statement calls a term."""
    if said in LABELS:
        term.label(value, language)
    elif said in SYNONYMS:
        term.names.append((" ".join(value.split()), language))
    elif said in XREFS:
        term.xrefs.append(short(value))
    elif said == CUI:
        term.xrefs.append(f"UMLS:{value}")
    elif said == DEPRECATED:
        term.obsolete = value.lower() in ("true", "1")
