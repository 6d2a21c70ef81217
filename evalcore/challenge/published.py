"""Published results of 2017, as facts with their source, so that a new run can be placed among them.

Only figures that were read in the source named with them are here. The two tables of the organisers'
overview (Eickhoff et al. 2017, CEUR-WS vol. 1866: 71 runs of 11 groups, by the resources used) are not:
they could not be read while this was written. ``read_published`` takes them, or any other, from a file.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Literal

from evalcore.errors import InputError
from evalcore.sources import tables
from evalcore.sources.lines import decode
from evalcore.sources.numbers import number
from evalcore.sources.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Task = Literal["concepts", "captions"]
TEST_SET = "the original test set of 2017 (10,000 images)"
NOT_HERE = (
    "The complete tables of the overview of 2017 (71 runs of 11 groups, by resources used) are not included; "
    "bring them as a table with the columns team, run, score, resources, source."
)
_CEUR = "CEUR-WS vol. 1866, "
# The abstract was read in a citation index without the year; the group's figures of 2018 and 2019 are others.
_UA_PT = "Pinho, Silva, Silva and Costa, CLEF Working Notes 2017, abstract"
COLUMNS = ("team", "run", "score", "resources", "source")


@dataclass(frozen=True, slots=True)
class Published:
    """A published score: mean F1 (concepts) or mean BLEU (captions).

    ``resources`` what the system used beside the task's data, in the words of the source; "" when the
    source does not say. ``source`` names paper and place.
    """

    team: str
    run: str
    score: float
    resources: str
    source: str


PUBLISHED: Mapping[Task, tuple[Published, ...]] = {
    "concepts": (
        Published(
            "NLM", "retrieval with Open-i and MetaMapLite (its best, and the best of all)", 0.1718,
            "external data", _CEUR + "paper 158 (Ben Abacha et al.), abstract",
        ),
        Published(
            "University of the Aegean", "50-layer residual network", 0.1583, "",
            _CEUR + "paper 122 (Katsios and Kavallieratou), abstract",
        ),
        Published(
            "UA.PT Bioinformatics", "bags of visual words (its best)", 0.0488, "",
            _UA_PT,
        ),
        Published(
            "UA.PT Bioinformatics", "denoising autoencoder (best of this kind)", 0.0414, "",
            _UA_PT,
        ),
    ),
    "captions": (
        Published(
            "NLM", "retrieval with Open-i (its best, and the best of all)", 0.5634, "external data",
            _CEUR + "paper 158 (Ben Abacha et al.), abstract",
        ),
        Published(
            "NLM", "UMLS terms of the concepts that the networks found", 0.2247, "",
            _CEUR + "paper 158 (Ben Abacha et al.), abstract",
        ),
    ),
}  # fmt: skip
"""What was read, by task, best first. Captions were compared by BLEU as NLTK 3.2.2 computed it."""


def placed(rows: Sequence[Published], runs: Mapping[str, float]) -> list[dict[str, Any]]:
    """Published results and runs scored here in one list, best first.

    Parameters
    ----------
    rows : published results.
    runs : {run: score}; NaN is left out.

    Returns
    -------
    Dictionaries with ``team``, ``run``, ``score``, ``resources``, ``source`` and ``published`` (False for
    the runs scored here, whose team is ""). Equal scores: published ones first.
    """
    listed = [asdict(row) | {"published": True} for row in rows]
    listed += [
        {"team": "", "run": run, "score": score, "resources": "", "source": "scored here", "published": False}
        for run, score in runs.items()
        if not isnan(score)
    ]
    return sorted(listed, key=lambda row: (-row["score"], not row["published"]))


def read_published(data: bytes, *, file: str) -> tuple[Published, ...]:
    """Published results from a table with the columns team, run, score, and maybe resources and source.

    Raises
    ------
    InputError
        A column is missing, a score is no finite number, or there are no rows.
    """
    found = Problems(file)
    text = decode(data, found) or ""
    rows = tables.read_rows(text, found, delimiter=tables.guess_delimiter(text)) if text else []
    header = [cell.strip().lower() for cell in rows[0].cells] if rows else []
    if not {"team", "run", "score"} <= set(header):
        found.error("wrong-header", "Columns are missing.", f"Name them {', '.join(COLUMNS)}.", line=1)
    else:
        read = [_row(row, header, found) for row in rows[1:]]
        if not read:
            found.error("no-rows", "There are no rows below the header.", "Check the file.")
    if found.n_errors:
        raise InputError(f"The published results {file} cannot be used.", found.report())
    return tuple(read)


def _row(row: tables.Row, header: Sequence[str], found: Problems) -> Published:
    cells = dict(zip(header, row.cells, strict=False))
    score = number(cells.get("score", ""))
    if not isfinite(score):
        found.error(
            "not-a-number", f"The score {cells.get('score', '')!r} is no number.", "Write a number.",
            line=row.line,
        )  # fmt: skip
    return Published(
        cells.get("team", ""), cells.get("run", ""), score, cells.get("resources", ""),
        cells.get("source", "") or f"the file {found.file}",
    )  # fmt: skip
