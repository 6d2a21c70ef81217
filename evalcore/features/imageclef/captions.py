"""Caption prediction: ground truth and submissions to official scores, and what is missing for the others."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from evalcore.features.imageclef.caption_metrics import (
    OVERALL,
    WORD_METRICS,
    Nltk,
    overall_values,
    text_metrics,
    umls_f1,
)
from evalcore.features.imageclef.checks import (
    SEPARATORS,
    Reading,
    Record,
    Submission,
    Truth,
    read_run,
    read_truth,
    strict_blank_lines,
    strict_header,
    strict_split_lines,
    truth_of,
)
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.results import Result
from evalcore.study.tables.tables import quoted
from evalcore.values.arrays import Floats
from evalcore.values.errors import Report

_HEADER = ("ID", "Caption")
"""The only header that the check of 2026 takes."""

_ELSEWHERE = "or its values per image (column {} of a table of values)."
NEEDS: Mapping[str, str] = {
    "BERTScore": f"Needs the model microsoft/deberta-xlarge-mnli, {_ELSEWHERE.format('BERTScore')}",
    "BERTScore recall": "Needs the model microsoft/deberta-xlarge-mnli, "
    + _ELSEWHERE.format("BERTScore recall"),
    "BLEURT": f"Needs the model BLEURT-20 (or BLEURT-20-D12, as the script), {_ELSEWHERE.format('BLEURT')}",
    "AlignScore": f"Needs AlignScore-base.ckpt (yzha/AlignScore), {_ELSEWHERE.format('AlignScore')}",
    "similarity": "Needs MedImageInsight and the images, or image and caption embeddings, "
    + _ELSEWHERE.format("similarity"),
    "UMLS F1": "Needs a concept file of the true captions and one of the run's captions (imageclef "
    "extract makes them of the JSON of MedCAT or QuickUMLS), " + _ELSEWHERE.format("UMLS F1"),
}
"""What to bring for a metric that cannot be computed from the captions alone."""
EXTRA = ("MedBERTScore", "MedBLEURT")
"""Metrics that the task of 2025 names beside those that it ranks by."""
FROM_ELSEWHERE = (*NEEDS, *EXTRA)
"""The metrics that come from models or from a table of values."""


# Reading.


def read_caption_truth(data: bytes, *, file: str) -> Truth[str]:
    """Read true captions: TAB, vertical bar or comma between id and caption, header or not.

    Raises
    ------
    InputError
        There are no rows, or rows without a caption cell, which every script stops at.
    """
    findings, rows = read_truth(data, file, any_separator=False)
    texts: dict[str, str] = {}
    for at, row in enumerate(rows):
        if at == 0 and row.is_header:
            continue
        if len(row.cells) < 2:
            findings.note("row-length: true caption", line=row.line, image=quoted(row.cells[0]))
            continue
        texts[row.cells[0]] = row.cells[1]
    return truth_of(texts, list(texts), findings, title="true captions", task="captions")


def read_caption_run(
    data: bytes, *, name: str, truth: Mapping[str, str], edition: Edition
) -> Submission[str]:
    """Check a submission against the images of the true captions; nothing is raised."""
    takes_first = edition.run.header == "first"

    def unread(first: Record) -> bool:
        """Whether the script passes over the first row."""
        return first.is_header and takes_first and not edition.id_only

    reading = read_run(data, name, frozenset(truth), edition, unread=unread)
    rows, note, texts = reading.rows, reading.findings.note, dict[str, str]()
    header = bool(rows) and rows[0].is_header
    if edition.strict:
        header = strict_header(rows, _HEADER, reading)
        strict_blank_lines(reading)
        strict_split_lines(reading)
    elif header and (edition.run.header == "none" or (edition.id_only and rows[0].cells[0].lower() != "id")):
        note("header", line=rows[0].line, value=rows[0].cells[0], cell=quoted(rows[0].cells[0]))
    for at, row in enumerate(rows[int(header) :]):
        skipped = at == 0 and not header and takes_first
        if skipped and not edition.strict:
            note("missing-header", line=row.line, value=row.cells[0], image=quoted(row.cells[0]))
        image = _read_row(row, truth, reading)
        if image == row.cells[0] and not skipped:
            texts[image] = row.cells[1]
    reading.end(tuple(truth))
    return Submission.of(name, texts, reading.findings)


def _read_row(row: Record, truth: Mapping[str, str], reading: Reading) -> str | None:
    """One row; the image it is the first one of, None when it adds nothing."""
    written, *rest = row.cells
    image = reading.image_of(row)
    if not rest:
        wanted = SEPARATORS[reading.edition.run.cell]
        reading.findings.note("row-length: caption", line=row.line, image=quoted(written), wanted=wanted)
        return None
    if image is None or reading.repeats(row, image):
        return None
    _check_caption(row, reading.dialect.cell.join(rest), truth[image], reading)
    return image


def _check_caption(row: Record, caption: str, true: str, reading: Reading) -> None:
    """The caption of one row."""
    edition, note = reading.edition, reading.findings.note
    image = quoted(row.cells[0])
    where: dict[str, Any] = {"line": row.line, "value": caption}
    if not caption.strip():
        note("empty-caption", line=row.line, image=image)
        if not true.strip():
            note("both-empty", line=row.line, image=image)
    if not caption.isprintable() and any(_invisible(c) for c in caption.replace("\n", "")):
        note("special-character", **where, image=image)
    elif edition.ascii_only and not caption.isascii():
        some = "".join(dict.fromkeys(sign for sign in caption if not sign.isascii()))[:10]
        note("special-character: ascii", **where, image=image, some=some)
    if len(row.cells) > 2:
        separator = SEPARATORS[reading.dialect.cell]
        quotes = "Put the caption in double quotes."
        remedy = quotes if reading.dialect.quoted else "Remove it from the caption."
        note(edition.extra_cells, **where, image=image, separator=separator, remedy=remedy)


def _invisible(character: str) -> bool:
    """Whether a character is neither printed nor a space; a no-break space is one.

    >>> [_invisible(c) for c in ("\\N{NO-BREAK SPACE}", "\\t", "\\x00", "\\N{ZERO WIDTH SPACE}")]
    [False, True, True, True]
    """
    return not character.isprintable() and unicodedata.category(character) != "Zs"


# Scoring.


def score_caption_run(
    run: Submission[str],
    truth: Truth[str],
    opened: Report,
    *,
    edition: Edition,
    nltk: Nltk = "nltk322",
    given: Mapping[str, Floats] | None = None,
    concepts: tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]] | None = None,
    progress: Callable[[float, str], None] = lambda _done, _doing: None,
) -> Result[str]:
    """Every metric of one run that can be computed from what is there.

    Parameters
    ----------
    run, opened : the submission, and the problems of opening its file.
    nltk : BLEU of 2017 as NLTK 3.2.2 computed it, or as it does today.
    given : {metric: value per image of the truth}, from models or from a file.
    concepts : concepts of the true captions and of the run's, for UMLS F1.

    An image without a caption counts as an empty caption.
    """
    images = tuple(truth.content)
    pairs = [(truth.content[image], run.read.get(image, "")) for image in images]
    official = [name for name in (edition.primary, edition.secondary) if name in WORD_METRICS]
    values, corpus = text_metrics(pairs, official=official, nltk=nltk, progress=progress)
    values |= given or {}
    if concepts is not None:
        values["UMLS F1"] = umls_f1(pairs, images, *concepts)
    missing = {name: need for name, need in NEEDS.items() if name not in values}
    for name in FROM_ELSEWHERE:
        if name in values and (gaps := int(np.isnan(values[name]).sum())):
            del values[name]  # the mean over the others would mislead
            missing[name] = f"{gaps:,} images have no value in these scores."
    overall = OVERALL if edition.primary in OVERALL else {}
    lacking = {name: tuple(part for part in parts if part not in values) for name, parts in overall.items()}
    values |= overall_values(values) if overall else {}
    metrics = {name: corpus.get(name, float(np.mean(column))) for name, column in values.items()}
    secondary = 0.0 if edition.secondary == "zero" else metrics.get(edition.secondary or "", float("nan"))
    return Result(
        run.name,
        edition,
        truth.content,
        run,
        opened,
        values,
        metrics,
        metrics.get(edition.primary, float("nan")),
        None if edition.secondary is None else secondary,
        len(images),
        missing,
        {name: parts for name, parts in lacking.items() if parts},
    )
