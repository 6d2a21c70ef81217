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

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from evalcore.values.errors import InputError

Header = Literal["none", "first", "marked"]
"""none: every row is data. first: the first row is never data. marked: rows whose id holds "ID" are not."""
Task = Literal["concepts", "captions"]

CURATED = frozenset(
    (
        "C0002978",
        "C0040405",
        "C0024485",
        "C0032743",
        "C0041618",
        "C1306645",
        "C0920367",
        "C1140618",
        "C0037949",
        "C0030797",
        "C0023216",
        "C0037303",
        "C0817096",
        "C0006141",
        "C0000726",
    )
)
"""The 15 concepts (modality, body region) that the secondary score of 2025 looks at."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How rows are written: ``cell`` between id and content, quotes read or not, header."""

    cell: str
    quoted: bool
    header: Header


@dataclass(frozen=True, slots=True)
class Edition:
    """What the script of one task in one year reads, rejects and counts.

    Attributes
    ----------
    run : how submissions are written.
    rejects : rules that stop the script, or the submission check before it.
    primary, secondary : metrics of the two scores; for ``secondary`` also "zero" (the script writes 0),
        "manual" (F1 of the curated concepts against the manually checked truth) and None (there is none).
    prefix : how names of files must begin.
    ranking : the metric the task ranks by, where it is another one than the script's score.
    strict : whether a submission check comes before the script.
    published : the table of published results that comes with the program, "" for none.
    separator : between concepts.
    strips : whether spaces around a concept are removed.
    max_concepts : most concepts of one image.
    ignores_empty_truth : whether images without true concepts are left out of the mean.
    last_row_counts : whether the last of several rows of an image counts, not the first.
    id_only : whether only "id", in any case, is taken for a header of captions.
    extra_cells : the row of ``checks.RULES`` for a caption with the separator in it.
    zero_when_empty : whether the image-caption similarity of an empty candidate is 0; else that of two
        empty captions is 1.
    ascii_only : whether the task's page asks for captions without special characters.
    """

    task: Task
    key: str
    title: str
    run: Dialect
    rejects: frozenset[str]
    primary: str
    secondary: str | None = None
    prefix: str = ""
    ranking: str = ""
    strict: bool = False
    published: str = ""
    separator: str = ";"
    strips: bool = True
    max_concepts: int = 100
    ignores_empty_truth: bool = False
    last_row_counts: bool = False
    id_only: bool = False
    extra_cells: str = "cut-caption"
    zero_when_empty: bool = False
    ascii_only: bool = False

    @property
    def headline(self) -> str:
        """The metric runs are ranked by: ``ranking``, else the script's main score."""
        return self.ranking or self.primary


_TAB = Dialect("\t", quoted=False, header="none")
_COUNTED = frozenset(
    (
        "blank-line",
        "row-length",
        "long-cell",
        "too-many-lines",
        "unknown-id",
        "missing-id",
        "header",
        "wrong-separator",
        "swapped-columns",
    )
)
_ENCODED = frozenset(("encoding", "byte-order-mark", "empty-file", "zip"))
_ONCE = frozenset(("repeated-id", "duplicate-concept", "too-many-concepts"))
_BASE = _COUNTED | _ENCODED
_CHECKED = frozenset(("missing-header", "wrong-order"))
_WRITTEN = frozenset(("lower-case", "not-a-cui", "special-character", "wrong-concept-separator", "spaces"))

_CONCEPTS = (
    Edition(
        "concepts",
        "2017",
        "ImageCLEFcaption 2017",
        _TAB,
        _BASE,
        "F1",
        prefix="DET",
        published="published_2017.csv",
        separator=",",
        strips=False,
        max_concepts=50,
        ignores_empty_truth=True,
        last_row_counts=True,
    ),
    Edition(
        "concepts",
        "2018",
        "ImageCLEFcaption 2018 and 2019",
        _TAB,
        _BASE | _ONCE | {"first-row-bare"},
        "F1",
        "zero",
        strips=False,
        max_concepts=1286,
        ignores_empty_truth=True,
    ),
    Edition(
        "concepts",
        "2022",
        "ImageCLEFmedical Caption 2022",
        Dialect("|", False, "none"),
        _BASE | _ONCE,
        "F1",
        "zero",
    ),
    Edition(
        "concepts",
        "2023",
        "ImageCLEFmedical Caption 2023",
        Dialect("|", False, "first"),
        (_BASE | _ONCE | {"missing-header"}) - {"header"},
        "F1",
        "zero",
    ),
    Edition(
        "concepts",
        "2025",
        "ImageCLEFmedical Caption 2025",
        Dialect(",", True, "marked"),
        _BASE | _ONCE,
        "F1",
        "manual",
    ),
    Edition(
        "concepts",
        "2026",
        "ImageCLEFmedical Caption 2026",
        Dialect(",", True, "marked"),
        _BASE | _ONCE | _CHECKED | _WRITTEN | {"empty-concept", "no-concepts"},
        "F1",
        "manual",
        strict=True,
    ),
)

_CAPTIONS = (
    Edition(
        "captions",
        "2017",
        "ImageCLEFcaption 2017",
        _TAB,
        _BASE,
        "BLEU (2017)",
        prefix="PRED",
        published="published_2017.csv",
        extra_cells="row-length: cut",
        ascii_only=True,
    ),
    Edition(
        "captions",
        "2018",
        "ImageCLEFcaption 2018 and 2019",
        _TAB,
        _BASE | {"repeated-id"},
        "BLEU (2017)",
        "zero",
    ),
    Edition(
        "captions",
        "2022",
        "ImageCLEFmedical Caption 2022",
        Dialect("|", False, "none"),
        _BASE | {"repeated-id"},
        "BLEU (2022)",
        "ROUGE-1 (2022)",
    ),
    Edition(
        "captions",
        "2023",
        "ImageCLEFmedical Caption 2023",
        Dialect("|", False, "first"),
        (_BASE | {"repeated-id", "missing-header", "both-empty"}) - {"header"},
        "BERTScore",
        "ROUGE-1",
    ),
    Edition(
        "captions",
        "2025",
        "ImageCLEFmedical Caption 2025",
        Dialect(",", True, "first"),
        _BASE | {"repeated-id", "missing-header"},
        "relevance_2025",
        "factuality",
        ranking="overall",
        id_only=True,
    ),
    Edition(
        "captions",
        "2026",
        "ImageCLEFmedical Caption 2026",
        Dialect(",", True, "first"),
        _BASE | _CHECKED | {"repeated-id", "cut-caption", "split-line"},
        "relevance_2026",
        "factuality",
        strict=True,
        zero_when_empty=True,
    ),
)

CONCEPT_EDITIONS: Mapping[str, Edition] = MappingProxyType({edition.key: edition for edition in _CONCEPTS})
CAPTION_EDITIONS: Mapping[str, Edition] = MappingProxyType({edition.key: edition for edition in _CAPTIONS})
EDITIONS: tuple[str, ...] = tuple(CONCEPT_EDITIONS)


def edition_of(task: Task, year: str) -> Edition:
    """The rules of a task in one year, the nearest of which is named in the error for any other year.

    Raises
    ------
    InputError
        There are no rules for that year; it names the nearest edition.
    """
    known = CONCEPT_EDITIONS if task == "concepts" else CAPTION_EDITIONS
    if year in known:
        return known[year]
    nearest = f" The nearest is {nearest_edition(year)}." if year.isdecimal() and len(year) == 4 else ""
    raise InputError(f"There are no rules for the edition {year!r}, only for {', '.join(known)}.{nearest}")


def nearest_edition(year: str) -> str:
    """The edition whose rules are nearest to those of a year without its own; 2018 also serves 2019.

    >>> [nearest_edition(year) for year in ("2016", "2019", "2020", "2021", "2024", "2030")]
    ['2017', '2018', '2018', '2022', '2025', '2026']
    """

    def years_apart(edition: str) -> tuple[int, int]:
        served = (int(edition), int(edition) + (edition == "2018"))
        return min(abs(int(year) - one) for one in served), -int(edition)

    return min(EDITIONS, key=years_apart)
