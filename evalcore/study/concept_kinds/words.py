"""What files call the kinds of concepts, and which of ours each word means."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalcore.study.concept_kinds.semantic_types import SEMANTIC_TYPES
from evalcore.values.concept_values import KINDS, UNKNOWN

_WORDS = {
    "modality": (
        "modalities", "imaging modality", "imaging", "technique", "imaging technique", "procedure",
        "diagnostic procedure", "examination", "exam",
    ),
    "plane": (
        "planes", "view", "views", "projection", "direction", "orientation", "imaging plane", "position",
        "laterality", "side", "spatial", "spatial concept",
    ),
    "anatomy": (
        "anatomic", "anatomical", "anatomical structure", "anatomical site", "anat", "organ", "organs",
        "body part", "body region", "body regions", "region", "body site", "structure", "location",
    ),
    "finding": (
        "findings", "disease", "diseases", "disorder", "disorders", "diso", "diagnosis", "diagnoses",
        "symptom", "symptoms", "sign", "signs", "sign or symptom", "observation", "pathology", "lesion",
        "abnormality", "abnormalities", "injury", "disease or finding", "finding or disease",
    ),
    "device": ("devices", "devi", "medical device", "implant", "implants", "foreign body", "instrument"),
    "other": ("others", "misc", "miscellaneous", "qualifier", "modifier", "substance", "chemical"),
}  # fmt: skip
_OF_WORD: Mapping[str, str] = MappingProxyType(
    {
        **{kind: kind for kind in (*KINDS, UNKNOWN)},
        **{word: kind for kind, words in _WORDS.items() for word in words},
        **{name.lower(): kind for name, kind in SEMANTIC_TYPES.values()},
        **{tui.lower(): kind for tui, (_, kind) in SEMANTIC_TYPES.items()},
    }
)
COLUMN_NAMES = (
    "kind", "concept_kind", "group", "semantic_group", "semantic group", "category", "semantic_type",
    "semantic type", "sty", "tui",
)  # fmt: skip
"""Header names of a column of kinds, lower case, the clearest first."""


def kind_of_word(word: str) -> str | None:
    """One of our kinds, or `UNKNOWN`; None for a word that means none of them.

    The names and numbers of UMLS semantic types are words too.

    >>> kind_of_word("Disease"), kind_of_word("body_region"), kind_of_word("T060"), kind_of_word("colour")
    ('finding', 'anatomy', 'modality', None)
    """
    plain = " ".join(word.lower().replace("_", " ").split())
    return _OF_WORD.get(plain)
