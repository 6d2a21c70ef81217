"""The terms of an ontology, whatever format they were read from, as edges and as names.

In a study of CUIs a term is known by the CUI its cross-references give (``UMLS:C0006104`` or
``UMLS_CUI:...``) when there is exactly one; in a study of one vocabulary's CURIEs by its own id when it is
one of these, else by its one cross-reference into that vocabulary. Any other term is known by its own id, and
so is still a step on a path, as it is in the source. Obsolete terms are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evalcore.study.graphs.edges import Edges, edges_of, spelled
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import frozen
from evalcore.values.concept_scheme import NAMED, UMLS, in_words, prefix_of
from evalcore.values.concept_values import NameTable

_XREF = re.compile(r"(?:UMLS|UMLS_CUI|UMLSCUI):(C\d{7})\b", re.IGNORECASE)
TERM_BYTES, SAID_BYTES = 500, 200
"""What a term and each thing said about it take in memory."""


@dataclass(slots=True)
class Term:
    """One term: ``names``, the label first if ``labelled``; ``parents`` are (relation, id).

    ``line``: where it begins, 0 where the format has no lines of its own.
    """

    id: str = ""
    line: int = 0
    labelled: bool = False
    names: list[str] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    parents: list[tuple[str, str]] = field(default_factory=list)
    obsolete: bool = False

    def label(self, text: str) -> None:
        """Call it so before all else; a second label is a synonym."""
        self.names.insert(len(self.names) if self.labelled else 0, " ".join(text.split()))
        self.labelled = True

    def also(self, text: str) -> None:
        """Call it so too."""
        self.names.append(" ".join(text.split()))


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
    _report_several(current, scheme, problems)
    known_by = known_as(current, scheme)
    wanted = {spelled(name) for name in (("isa",) if rela is None else rela)}
    rows = [
        (known_by[term.id], known_by.get(parent, parent), _source(term.id), name, parent)
        for term in current
        for name, parent in term.parents
        if name in wanted and (sources is None or _source(term.id) in sources)
    ]
    if elsewhere := sorted({row[4] for row in rows} - known_by.keys()):
        message = f"{{n}} parents, such as {elsewhere[0]}, are not terms of this file; their ids are kept."
        problems.counted("unknown-parent", elsewhere, message, "")
    columns = {
        name: [row[at] for row in rows] for at, name in enumerate(("child", "parent", "source", "rela"))
    }
    relations = Counter(name for term in current for name, _ in term.parents)
    return edges_of(
        columns,
        format=format,
        rows=relations.total(),
        relations=relations,
        names=names_of_terms(current, known_by),
    )


def names_of_terms(terms: Sequence[Term], known_by: Mapping[str, str]) -> NameTable:
    """All names of terms, by what they are known by, in their order; the source is the prefix of its id."""
    rows = [
        (known_by[term.id], text, _source(term.id), "", term.labelled and at == 0)
        for term in terms
        if not term.obsolete
        for at, text in enumerate(dict.fromkeys(term.names))
        if text
    ]
    return name_table(rows)


def name_table(rows: Sequence[tuple[str, str, str, str, bool]]) -> NameTable:
    """Rows of concept, name, source, language and whether it is preferred, as columns."""
    concepts, texts, sources, languages, preferred = zip(*rows, strict=True) if rows else ((),) * 5
    return NameTable(concepts, texts, sources, languages, frozen(np.array(preferred, np.bool_)))


def known_as(terms: Sequence[Term], scheme: str) -> dict[str, str]:
    """{own id: the id it is known by in a study of that scheme}."""
    return {term.id: ids[0] if len(ids := _ids_in(term, scheme)) == 1 else term.id for term in terms}


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


def _report_several(terms: Sequence[Term], scheme: str, problems: Problems) -> None:
    several = [term for term in terms if len(_ids_in(term, scheme)) > 1]
    message = f"{{n}} terms have several {in_words(scheme)}s; they are known by their own ids."
    ids, lines = [term.id for term in several], [term.line or None for term in several]
    problems.counted("several-cuis", ids, message, "", lines=lines)


def _source(identifier: str) -> str:
    """The vocabulary of a term: what stands before the colon of its id."""
    return identifier.partition(":")[0]


# IRIs of ontologies in the short form of lists of concepts: ``HP:0002088`` for ``.../obo/HP_0002088``.

_OBO = re.compile(
    r"https?://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z]+)?)_([A-Za-z0-9]+)\Z"
)
_KNOWN = {
    "http://www.radlex.org/RID/": "RADLEX",
    "http://radlex.org/RID/": "RADLEX",
    "http://id.nlm.nih.gov/mesh/": "MESH",
    "http://snomed.info/id/": "SNOMEDCT",
    "http://www.ebi.ac.uk/efo/EFO_": "EFO",
    "http://www.orpha.net/ORDO/Orphanet_": "Orphanet",
    "http://linkedlifedata.com/resource/umls/id/": "UMLS",
}
_BIOPORTAL = re.compile(r"http://purl\.bioontology\.org/ontology/([A-Za-z0-9_-]+)/([^/#]+)\Z")
RELATIONS = {"BFO:0000050": "part_of", "BFO:0000051": "has_part", "RO:0002202": "develops_from"}
"""What some relations are called where a file does not name them."""


def short(iri: str) -> str:
    """An IRI as a CURIE, by the OBO rules or by what is known of some vocabularies; any other as it is.

    >>> short("http://purl.obolibrary.org/obo/HP_0002088"), short("http://radlex.org/RID/RID1301")
    ('HP:0002088', 'RADLEX:RID1301')
    >>> short("http://x.org/v/lung"), short("HP:0002088")
    ('http://x.org/v/lung', 'HP:0002088')
    """
    match = _OBO.match(iri) or _BIOPORTAL.match(iri)
    if match:
        return f"{match[1]}:{match[2]}"
    cut = max(iri.rfind("/"), iri.rfind("#"), iri.rfind("_")) + 1
    for at in (cut, max(iri.rfind("/"), iri.rfind("#")) + 1):
        prefix, local = _KNOWN.get(iri[:at]), iri[at:]
        if prefix and local:
            return f"{prefix}:{local}"
    return iri


def relation(name: str, label: str = "") -> str:
    """What a relation is called: by its label with ``_`` for spaces, else by what is known, else by its id.

    >>> relation("BFO:0000050"), relation("RO:1", "located in"), relation("ex:near")
    ('part_of', 'located_in', 'ex:near')
    """
    return "_".join(label.split()) or RELATIONS.get(name, name)
