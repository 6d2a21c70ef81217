"""Ontologies in OBO and OBO Graphs JSON: which one a file is, its edges, and every name of its concepts.

OWL, RDF and SKOS are refused with the way out: ROBOT converts them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from evalcore.study.graphs.edges import Edges, no_edges
from evalcore.study.graphs.obo import read_obo, read_obo_json
from evalcore.study.graphs.terms import Term, edges_of_terms, known_as, names_of_terms
from evalcore.study.tables.lines import read_plain
from evalcore.study.tables.problems import Problems, guarded, reader
from evalcore.values.concept_scheme import UMLS
from evalcore.values.concept_values import NameTable
from evalcore.values.errors import Report

OBO, OBO_JSON = "OBO", "OBO Graphs"
ENDINGS: Mapping[str, str] = {OBO: ".obo", OBO_JSON: ".json"}
_READ: Mapping[str, Callable[[bytes, Problems], list[Term] | None]] = {OBO: read_obo, OBO_JSON: read_obo_json}
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


@reader(lambda _: no_edges(OBO))
def parse_ontology(
    plain: bytes,
    *,
    file: str,
    form: str,
    scheme: str = UMLS,
    sources: Collection[str] | None = None,
    rela: Collection[str] | None = None,
) -> tuple[Edges, Report]:
    """Child -> parent edges of an ontology of that format; see `terms.edges_of_terms`."""
    problems = Problems(file)
    terms = _READ[form](plain, problems)
    if terms is None:
        return no_edges(form), problems.report()
    edges = edges_of_terms(terms, problems, format=form, scheme=scheme, sources=sources, rela=rela)
    return edges, problems.report()


def ontology_names(path: Path, *, scheme: str = UMLS) -> NameTable:
    """Every name of the concepts of an ontology file: labels, marked as preferred, and synonyms.

    Parameters
    ----------
    path : OBO or OBO Graphs JSON, gzipped or not.
    scheme : of the study (`Study.scheme`): concepts are known by the ids they have in its graph.

    Returns
    -------
    The names of concepts that are not obsolete, in file order; none when the file is no ontology or cannot
    be read, which is reported where the study is opened.
    """
    problems = Problems(path.name)

    def names() -> tuple[NameTable | None, Report]:
        plain = read_plain(path, problems)
        form = None if plain is None else form_of(plain)
        terms = None if plain is None or form is None else _READ[form](plain, problems)
        current = [term for term in terms or () if not term.obsolete]
        return names_of_terms(current, known_as(current, scheme)), problems.report()

    return guarded(path.name, names, None)[0] or names_of_terms((), {})
