"""What the official script of each ImageCLEF caption edition reads, rejects and counts.

A rule in ``rejects`` stops the script, its platform or the submission check before it, at the first
case; every other rule is one that nobody checks, although the task's page may forbid it or the score
suffers.

| edition | known from                                                                            |
|---------|---------------------------------------------------------------------------------------|
| 2017    | participants' copies of evaluate-f1.py and evaluate-bleu.py; the task's page           |
| 2018    | crowdAI/CLEF_evaluators_2018; also 2019                                                |
| 2022    | participants' copies of the AIcrowd evaluators                                         |
| 2023    | copies that participants had changed: separator and header are less sure               |
| 2025    | taubsity/clef-caption-evaluation                                                       |
| 2026    | taubsity/clef-caption-evaluation-2026: the same scoring behind a submission check,     |
|         | which asks for more (``strict``)                                                       |
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from evalcore.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Mapping

Header = Literal["none", "first", "marked"]
"""none: every row is data. first: the first row is never data. marked: rows whose id holds "ID" are not."""
Secondary = Literal["none", "zero", "manual"]

CURATED = frozenset((
    "C0002978", "C0040405", "C0024485", "C0032743", "C0041618", "C1306645", "C0920367",
    "C1140618", "C0037949", "C0030797", "C0023216", "C0037303", "C0817096", "C0006141", "C0000726",
))  # fmt: skip
"""The 15 concepts (modality, body region) that the secondary score of 2025 looks at."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How rows are written: ``cell`` between id and content, quotes read or not, header."""

    cell: str
    quoted: bool
    header: Header


@dataclass(frozen=True, slots=True)
class ConceptEdition:
    """Concept detection of one year.

    ``separator`` between concepts, ``strips`` whether spaces around a concept are removed,
    ``ignores_empty_truth`` whether images without true concepts are left out of the mean, ``strict``
    whether a submission check comes before the script.
    """

    key: str
    title: str
    run: Dialect
    separator: str
    strips: bool
    max_concepts: int
    ignores_empty_truth: bool
    secondary: Secondary
    rejects: frozenset[str]
    prefix: str = ""
    strict: bool = False


@dataclass(frozen=True, slots=True)
class CaptionEdition:
    """Caption prediction of one year: ``primary`` and ``secondary`` name the metrics of its two scores.

    ``id_only``: only "id", in any case, is taken for a header. ``strict``: see ``ConceptEdition``.
    """

    key: str
    title: str
    run: Dialect
    primary: str
    secondary: str | None
    rejects: frozenset[str]
    prefix: str = ""
    id_only: bool = False
    strict: bool = False


_TAB = Dialect("\t", quoted=False, header="none")
_COUNTED = frozenset((
    "blank-line", "row-length", "long-cell", "too-many-lines", "unknown-id", "missing-id", "header",
    "wrong-separator",
))  # fmt: skip
_ENCODED = frozenset(("encoding", "byte-order-mark", "empty-file", "zip"))
_ONCE = frozenset(("repeated-id", "duplicate-concept", "too-many-concepts"))
_BASE = _COUNTED | _ENCODED
_CHECKED = frozenset(("missing-header", "wrong-order"))
_WRITTEN = frozenset(("lower-case", "not-a-cui", "special-character", "wrong-concept-separator", "spaces"))

_CONCEPTS = (
    ConceptEdition(
        "2017", "ImageCLEFcaption 2017", _TAB, ",", False, 50, True, "none", _BASE, prefix="DET"
    ),
    ConceptEdition(
        "2018", "ImageCLEFcaption 2018 and 2019", _TAB, ";", False, 1286, True, "zero",
        _BASE | _ONCE | {"first-row-bare"},
    ),
    ConceptEdition(
        "2022", "ImageCLEFmedical Caption 2022", Dialect("|", False, "none"), ";", True, 100, False, "zero",
        _BASE | _ONCE,
    ),
    ConceptEdition(
        "2023", "ImageCLEFmedical Caption 2023", Dialect("|", False, "first"), ";", True, 100, False, "zero",
        (_BASE | _ONCE | {"missing-header"}) - {"header"},
    ),
    ConceptEdition(
        "2025", "ImageCLEFmedical Caption 2025", Dialect(",", True, "marked"), ";", True, 100, False,
        "manual", _BASE | _ONCE,
    ),
    ConceptEdition(
        "2026", "ImageCLEFmedical Caption 2026", Dialect(",", True, "marked"), ";", True, 100, False,
        "manual", _BASE | _ONCE | _CHECKED | _WRITTEN | {"empty-concept", "no-concepts"}, strict=True,
    ),
)  # fmt: skip

_CAPTIONS = (
    CaptionEdition(
        "2017", "ImageCLEFcaption 2017", _TAB, "BLEU (2017)", None, _BASE, prefix="PRED"
    ),
    CaptionEdition(
        "2018", "ImageCLEFcaption 2018 and 2019", _TAB, "BLEU (2017)", None, _BASE | {"repeated-id"}
    ),
    CaptionEdition(
        "2022", "ImageCLEFmedical Caption 2022", Dialect("|", False, "none"), "BLEU (2022)",
        "ROUGE-1 (2022)", _BASE | {"repeated-id"},
    ),
    CaptionEdition(
        "2023", "ImageCLEFmedical Caption 2023", Dialect("|", False, "first"), "BERTScore", "ROUGE-1",
        (_BASE | {"repeated-id", "missing-header", "both-empty"}) - {"header"},
    ),
    CaptionEdition(
        "2025", "ImageCLEFmedical Caption 2025", Dialect(",", True, "first"), "head2025", "factuality",
        _BASE | {"repeated-id", "missing-header"}, id_only=True,
    ),
    CaptionEdition(
        "2026", "ImageCLEFmedical Caption 2026", Dialect(",", True, "first"), "head2026", "factuality",
        _BASE | _CHECKED | {"repeated-id", "cut-caption", "split-line"}, strict=True,
    ),
)  # fmt: skip

CONCEPT_EDITIONS: Mapping[str, ConceptEdition] = MappingProxyType({e.key: e for e in _CONCEPTS})
CAPTION_EDITIONS: Mapping[str, CaptionEdition] = MappingProxyType({e.key: e for e in _CAPTIONS})
EDITIONS: tuple[str, ...] = tuple(CONCEPT_EDITIONS)


def concept_edition(key: str) -> ConceptEdition:
    """The concept detection rules of a year; UnknownName for a year that is not known."""
    if key not in CONCEPT_EDITIONS:
        raise UnknownName("edition", key, EDITIONS)
    return CONCEPT_EDITIONS[key]


def caption_edition(key: str) -> CaptionEdition:
    """The caption prediction rules of a year; UnknownName for a year that is not known."""
    if key not in CAPTION_EDITIONS:
        raise UnknownName("edition", key, EDITIONS)
    return CAPTION_EDITIONS[key]
