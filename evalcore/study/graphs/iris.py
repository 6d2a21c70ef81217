"""IRIs of ontologies in the short form of lists of concepts: ``HP:0002088`` for ``.../obo/HP_0002088``."""

from __future__ import annotations

import re
from collections.abc import Mapping

_OBO = re.compile(
    r"https?://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z]+)?)_([A-Za-z0-9]+)\Z"
)
_KNOWN = {
    "http://www.radlex.org/RID/": "RADLEX", "http://radlex.org/RID/": "RADLEX",
    "http://id.nlm.nih.gov/mesh/": "MESH", "http://snomed.info/id/": "SNOMEDCT",
    "http://www.ebi.ac.uk/efo/EFO_": "EFO", "http://www.orpha.net/ORDO/Orphanet_": "Orphanet",
    "http://linkedlifedata.com/resource/umls/id/": "UMLS",
}  # fmt: skip
_BIOPORTAL = re.compile(r"http://purl\.bioontology\.org/ontology/([A-Za-z0-9_-]+)/([^/#]+)\Z")
RELATIONS = {"BFO:0000050": "part_of", "BFO:0000051": "has_part", "RO:0002202": "develops_from"}
"""What some relations are called where a file does not name them."""


def short(iri: str, prefixes: Mapping[str, str] | None = None) -> str:
    """An IRI as a CURIE: by the OBO rules, by what is known of some vocabularies, by the file's own prefixes.

    ``prefixes`` {beginning of an IRI: prefix}. An IRI that none of them covers stays as it is.

    >>> short("http://purl.obolibrary.org/obo/HP_0002088"), short("http://radlex.org/RID/RID1301")
    ('HP:0002088', 'RADLEX:RID1301')
    >>> short("http://x.org/v/lung", {"http://x.org/v/": "ex"}), short("HP:0002088")
    ('ex:lung', 'HP:0002088')
    """
    match = _OBO.match(iri) or _BIOPORTAL.match(iri)
    if match:
        return f"{match[1]}:{match[2]}"
    cut = max(iri.rfind("/"), iri.rfind("#"), iri.rfind("_")) + 1
    for at in (cut, max(iri.rfind("/"), iri.rfind("#")) + 1):
        head, local = iri[:at], iri[at:]
        prefix = _KNOWN.get(head) or (prefixes or {}).get(head)
        if prefix and local:
            return f"{prefix}:{local}"
    return iri


def relation(name: str, label: str = "") -> str:
    """What a relation is called: by its label with ``_`` for spaces, else by what is known, else by its id.

    >>> relation("BFO:0000050"), relation("RO:1", "located in"), relation("ex:near")
    ('part_of', 'located_in', 'ex:near')
    """
    return "_".join(label.split()) or RELATIONS.get(name, name)
