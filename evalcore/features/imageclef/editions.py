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

from evalcore.values.errors import UnknownName

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
class CampaignRule:
    """A rule that the organisers of a campaign published, whether or not their script checks it.

    ``broken_by`` the rules of the checks that break it; ``most_runs`` most runs of a group, 0 where it is
    not about that; ``source`` and ``url`` where it can be read, ``year`` of the source.
    """

    text: str
    source: str
    url: str
    year: int
    broken_by: frozenset[str] = frozenset()
    most_runs: int = 0


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
    ranking : the metric the task ranks by, where its page names another one than the script's score.
    strict : whether a submission check comes before the script.
    published : the table of published results that comes with the program, "" for none.
    separator : between concepts.
    strips : whether spaces around a concept are removed.
    max_concepts : most concepts of one image.
    ignores_empty_truth : whether images without true concepts are left out of the mean.
    last_row_counts : whether the last of several rows of an image counts, not the first.
    id_only : whether only "id", in any case, is taken for a header of captions.
    extra_cells : the rule that a caption with the separator in it breaks.
    zero_when_empty : whether the image-caption similarity of an empty candidate is 0; else that of two
        empty captions is 1.
    choice : which option of caption metrics has two official readings here.
    ascii_only : whether the task's page asks for captions without special characters.
    campaign : the published rules of the campaign; () where no source was read.
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
    choice: Literal["", "nltk", "component"] = ""
    ascii_only: bool = False
    campaign: tuple[CampaignRule, ...] = ()

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

_PAGE_2017 = ("task page of ImageCLEFcaption 2017", "https://www.imageclef.org/2017/caption", 2017)
_CODE_2025 = ("README of the evaluation of 2025", "https://github.com/taubsity/clef-caption-evaluation", 2025)
_CODE_2026 = (
    "README of the evaluation of 2026",
    "https://github.com/taubsity/clef-caption-evaluation-2026",
    2026,
)


def _rule(where: tuple[str, str, int], text: str, *broken_by: str, most_runs: int = 0) -> CampaignRule:
    return CampaignRule(text, *where, frozenset(broken_by), most_runs)


_BOTH_2017 = (
    _rule(_PAGE_2017, "At most 10 runs of a group.", most_runs=10),
    _rule(_PAGE_2017, "Every image once.", "repeated-id", "missing-id"),
    _rule(_PAGE_2017, "No special characters.", "special-character"),
)
_BOTH_2025 = (
    _rule(_CODE_2025, "A zip with one file, submission.csv.", "zip", "zip-name"),
    _rule(_CODE_2025, "No blank lines.", "blank-line"),
    _rule(_CODE_2025, "Images of the test set, each once.", "repeated-id", "unknown-id"),
    _rule(_CODE_2025, "UTF-8.", "encoding"),
)
_BOTH_2026 = (
    _rule(_CODE_2026, "A zip with one file, submission.csv.", "zip", "zip-name"),
    _rule(_CODE_2026, "Exactly the two columns of the task.", "row-length", "header", "missing-header"),
    _rule(_CODE_2026, "No blank lines.", "blank-line"),
    _rule(
        _CODE_2026, "Every image of the test set once, no other.", "repeated-id", "missing-id", "unknown-id"
    ),
    _rule(_CODE_2026, "The order of the ground truth.", "wrong-order"),
    _rule(_CODE_2026, "UTF-8 without byte order mark.", "encoding", "byte-order-mark"),
)

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
        campaign=(
            *_BOTH_2017,
            _rule(_PAGE_2017, "At most 50 concepts an image.", "too-many-concepts"),
            _rule(_PAGE_2017, "File names begin with DET.", "file-name"),
        ),
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
        campaign=(
            *_BOTH_2025,
            _rule(_CODE_2025, "Two columns, ID and CUIs.", "row-length", "swapped-columns"),
            _rule(_CODE_2025, "Each concept of an image once.", "duplicate-concept", "case-repetition"),
            _rule(_CODE_2025, "Semicolons between concepts.", "wrong-concept-separator"),
        ),
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
        campaign=(
            *_BOTH_2026,
            _rule(_CODE_2026, "Each concept of an image once.", "duplicate-concept", "case-repetition"),
            _rule(_CODE_2026, "Semicolons between concepts.", "wrong-concept-separator", "empty-concept"),
            _rule(_CODE_2026, "Concepts are C and digits.", "not-a-cui", "lower-case", "special-character"),
            _rule(_CODE_2026, "No spaces around concepts.", "spaces"),
        ),
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
        extra_cells="row-length",
        choice="nltk",
        ascii_only=True,
        campaign=(*_BOTH_2017, _rule(_PAGE_2017, "File names begin with PRED.", "file-name")),
    ),
    Edition(
        "captions",
        "2018",
        "ImageCLEFcaption 2018 and 2019",
        _TAB,
        _BASE | {"repeated-id"},
        "BLEU (2017)",
        "zero",
        choice="nltk",
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
        choice="component",
    ),
    Edition(
        "captions",
        "2025",
        "ImageCLEFmedical Caption 2025",
        Dialect(",", True, "first"),
        _BASE | {"repeated-id", "missing-header"},
        "head2025",
        "factuality",
        ranking="mean6",
        id_only=True,
        choice="component",
        campaign=(
            *_BOTH_2025,
            _rule(_CODE_2025, "Two columns, ID and Caption.", "row-length", "swapped-columns"),
            _rule(_CODE_2025, "Captions with a comma in double quotes.", "cut-caption"),
        ),
    ),
    Edition(
        "captions",
        "2026",
        "ImageCLEFmedical Caption 2026",
        Dialect(",", True, "first"),
        _BASE | _CHECKED | {"repeated-id", "cut-caption", "split-line"},
        "head2026",
        "factuality",
        strict=True,
        zero_when_empty=True,
        choice="component",
        campaign=(
            *_BOTH_2026,
            _rule(_CODE_2026, "Captions with a comma in double quotes.", "cut-caption", "split-line"),
        ),
    ),
)

CONCEPT_EDITIONS: Mapping[str, Edition] = MappingProxyType({concept.key: concept for concept in _CONCEPTS})
CAPTION_EDITIONS: Mapping[str, Edition] = MappingProxyType({caption.key: caption for caption in _CAPTIONS})
EDITIONS: tuple[str, ...] = tuple(CONCEPT_EDITIONS)


def edition_of(task: Task, key: str) -> Edition:
    """The rules of a task in one year; UnknownName for a year that is not known."""
    known = CONCEPT_EDITIONS if task == "concepts" else CAPTION_EDITIONS
    if key not in known:
        raise UnknownName("edition", key, known)
    return known[key]
