"""What the official script of each ImageCLEF caption edition reads, refuses and counts, a row for each.

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
from typing import Literal

from evalcore.values.errors import InputError
from evalcore.values.writing import words

Task = Literal["concepts", "captions"]
Header = Literal["none", "first", "marked"]
"""none: every row is data. first: the first row is not. marked: rows whose id contains "ID" are not."""

CURATED = frozenset(
    words(
        """
        C0002978, C0040405, C0024485, C0032743, C0041618, C1306645, C0920367, C1140618, C0037949, C0030797,
        C0023216, C0037303, C0817096, C0006141, C0000726
        """
    )
)
"""The 15 concepts (modality, body region) of the secondary score of 2025."""


@dataclass(frozen=True, slots=True)
class Edition:
    """What the script of one task in one year reads, refuses and counts.

    Attributes
    ----------
    cell : separator between id and content; cells are quoted where it is a comma.
    header : which rows are not data.
    refuses : rules of ``rules`` that stop the script, or the submission check before it; all others
        pass, although the task's page may forbid them or the score suffers.
    primary, secondary : metrics of the two scores; for ``secondary`` also "zero" (the script writes 0),
        "manual" (F1 of the curated concepts against the manually checked truth) and None (there is none).
    ranking : the metric the task ranks by, where it is not the script's score.
    strict : whether a submission check precedes the script.
    prefix : how names of files must begin.
    separator : between concepts.
    max_concepts : most concepts of one image.
    early : whether the script is one of 2017 to 2019, which keeps spaces around a concept, reads none of a
        blank cell, and leaves images without true concepts out of the mean.
    last_row_counts : whether the last of several rows of an image counts, not the first.
    id_only : whether only "id", in any case, is taken for a header of captions.
    zero_when_empty : whether the image-caption similarity of an empty candidate is 0; else that of two
        empty captions is 1.
    ascii_only : whether the task's page asks for captions without special characters.
    """

    task: Task
    key: str
    cell: str
    header: Header
    refuses: frozenset[str]
    primary: str
    secondary: str | None = None
    ranking: str = ""
    strict: bool = False
    prefix: str = ""
    separator: str = ";"
    max_concepts: int = 100
    early: bool = False
    last_row_counts: bool = False
    id_only: bool = False
    zero_when_empty: bool = False
    ascii_only: bool = False

    def skips(self, image: str) -> bool:
        """Whether the script takes every row with this id for a header."""
        return self.header == "marked" and "ID" in image

    @property
    def headline(self) -> str:
        """The metric that runs are ranked by: ``ranking``, else the script's main score."""
        return self.ranking or self.primary


_COUNTED = frozenset(
    words(
        """
        blank-line, row-length, long-cell, too-many-lines, unknown-id, missing-id, header, wrong-separator,
        encoding, byte-order-mark
        """
    )
)
_CONCEPTS = _COUNTED | {*words("repeated-id, duplicate-concept, too-many-concepts")}
_CAPTIONS = _COUNTED | {"repeated-id"}
_NO_HEADER = {"missing-header"}
_CHECKED = frozenset(
    words(
        """
        missing-header, wrong-order, lower-case, not-a-cui, wrong-concept-separator,
        spaces, empty-concept, no-concepts
        """
    )
)

_EDITIONS = (
    Edition(
        "concepts",
        "2017",
        "\t",
        "none",
        _COUNTED,
        primary="F1",
        prefix="DET",
        separator=",",
        max_concepts=50,
        early=True,
        last_row_counts=True,
    ),
    Edition(
        "concepts",
        "2018",
        "\t",
        "none",
        _CONCEPTS | {"first-row-bare"},
        primary="F1",
        secondary="zero",
        max_concepts=1286,
        early=True,
    ),
    Edition("concepts", "2022", "|", "none", _CONCEPTS, primary="F1", secondary="zero"),
    Edition(
        "concepts",
        "2023",
        "|",
        "first",
        (_CONCEPTS | _NO_HEADER) - {"header"},
        primary="F1",
        secondary="zero",
    ),
    Edition("concepts", "2025", ",", "marked", _CONCEPTS, primary="F1", secondary="manual"),
    Edition(
        "concepts", "2026", ",", "marked", _CONCEPTS | _CHECKED, primary="F1", secondary="manual", strict=True
    ),
    Edition(
        "captions",
        "2017",
        "\t",
        "none",
        _COUNTED | {"cut-caption"},
        primary="BLEU (2017)",
        prefix="PRED",
        ascii_only=True,
    ),
    Edition("captions", "2018", "\t", "none", _CAPTIONS, primary="BLEU (2017)", secondary="zero"),
    Edition("captions", "2022", "|", "none", _CAPTIONS, primary="BLEU (2022)", secondary="ROUGE-1 (2022)"),
    Edition(
        "captions",
        "2023",
        "|",
        "first",
        (_CAPTIONS | _NO_HEADER | {"both-empty"}) - {"header"},
        primary="BERTScore",
        secondary="ROUGE-1",
    ),
    Edition(
        "captions",
        "2025",
        ",",
        "first",
        _CAPTIONS | _NO_HEADER,
        primary="Relevance (script of 2025)",
        secondary="Factuality",
        ranking="Overall",
        id_only=True,
    ),
    Edition(
        "captions",
        "2026",
        ",",
        "first",
        _CAPTIONS | _NO_HEADER | {"wrong-order", "cut-caption", "split-line"},
        primary="Relevance (script of 2026)",
        secondary="Factuality",
        strict=True,
        zero_when_empty=True,
    ),
)
CONCEPT_EDITIONS, CAPTION_EDITIONS = (
    {edition.key: edition for edition in _EDITIONS if edition.task == task}
    for task in ("concepts", "captions")
)
EDITIONS: Mapping[str, str] = {
    "2017": "ImageCLEFcaption 2017",
    "2018": "ImageCLEFcaption 2018 and 2019",
    **{year: f"ImageCLEFmedical Caption {year}" for year in ("2022", "2023", "2025", "2026")},
}
"""The titles of the years of both tasks."""


def edition_of(task: Task, year: str) -> Edition:
    """The rules of a task in one year.

    Raises
    ------
    InputError
        There are no rules for that year; it names the nearest edition.
    """
    editions = CONCEPT_EDITIONS if task == "concepts" else CAPTION_EDITIONS
    if year in editions:
        return editions[year]
    nearest = f" The nearest is {nearest_edition(year)}." if year.isdecimal() and len(year) == 4 else ""
    raise InputError(f"There are no rules for the edition {year!r}, only for {', '.join(editions)}.{nearest}")


def nearest_edition(year: str) -> str:
    """The edition whose rules are nearest to those of a year without its own; 2018 also serves 2019.

    >>> [nearest_edition(year) for year in ("2016", "2019", "2020", "2021", "2024", "2030")]
    ['2017', '2018', '2018', '2022', '2025', '2026']
    """

    serving = {edition: edition for edition in EDITIONS} | {"2019": "2018"}
    return serving[min(serving, key=lambda other: (abs(int(year) - int(other)), -int(other)))]
