"""Caption prediction as a whole: submissions in, official numbers, problems and what is missing out."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from evalcore.features.imageclef.captions.metrics import WORD_METRICS, Nltk, text_metrics, umls_f1
from evalcore.features.imageclef.captions.vectors import NEEDS, PARTS, SIX, aggregates
from evalcore.features.imageclef.checks import records
from evalcore.features.imageclef.checks import rows as row_checks
from evalcore.features.imageclef.checks.records import SEPARATORS, Checked, Record, is_header
from evalcore.features.imageclef.checks.rows import Reading, begin, truth_of, truth_rows
from evalcore.features.imageclef.editions import Dialect, Edition
from evalcore.features.imageclef.result import Opened, Result, Submission, Truth, as_opened, mean_of
from evalcore.study.tables.tables import quoted
from evalcore.values.arrays import Floats

# A caption prediction submission: every problem at once.


def read_caption_truth(data: bytes, *, file: str) -> Truth[str]:
    """Read true captions: TAB, vertical bar or comma between id and caption, header or not.

    Raises
    ------
    InputError
        There are no rows, or rows without a caption cell, which every script stops at.
    """
    checked, rows = truth_rows(data, file)
    texts: dict[str, str] = {}
    for at, row in enumerate(rows):
        if at == 0 and is_header(row):
            continue
        if len(row.cells) < 2:
            message = f"The row of {quoted(row.cells[0])} has no caption cell."
            checked.note("row-length", message, "Write id, separator, caption.", line=row.line)
            continue
        texts[row.cells[0]] = row.cells[1]
    needed = "There are no rows with an id and a caption."
    return truth_of(texts, list(texts), checked, title="true captions", needed=needed)


def read_caption_run(
    data: bytes, *, name: str, truth: Mapping[str, str], edition: Edition
) -> Submission[str]:
    """Check a submission against the images of the true captions; nothing is raised."""
    takes_first = edition.run.header == "first"
    reading = begin(
        data,
        name,
        frozenset(truth),
        edition,
        unread=lambda row: is_header(row) and takes_first and not edition.id_only,
    )
    rows, checked, texts = reading.rows, reading.checked, dict[str, str]()
    header = bool(rows) and is_header(rows[0])
    if edition.strict:
        header = records.header(rows, records.CAPTION, reading.known, checked)
        records.blank_lines(reading.text, rows, checked)
        records.split_lines(reading.text, rows, checked)
    elif header and (edition.run.header == "none" or (edition.id_only and rows[0].cells[0].lower() != "id")):
        row_checks.header(rows[0], checked)
    for at, row in enumerate(rows[int(header) :]):
        skipped = at == 0 and not header and takes_first
        if skipped and not edition.strict:
            row_checks.missing_header(row, checked)
        image = _read_row(row, truth, reading)
        if image == row.cells[0] and not skipped:
            texts[image] = row.cells[1]
    reading.end(tuple(truth))
    return reading.submission(name, texts)


def _read_row(row: Record, truth: Mapping[str, str], reading: Reading) -> str | None:
    """One row; the image it is the first one of, None when it adds nothing."""
    written, *rest = row.cells
    image, edition, cell = reading.image_of(row), reading.edition, reading.dialect.cell
    if not rest:
        remedy = f"Write {SEPARATORS[edition.run.cell]} and a caption."
        message = f"The row of {quoted(written)} has no caption."
        reading.checked.note("row-length", message, remedy, line=row.line)
        return None
    caption = cell.join(rest)
    if image is None or reading.repeats(row, image):
        return None
    _check_caption(row, caption, truth[image], edition, reading.dialect, reading.checked)
    return image


def _check_caption(
    row: Record, caption: str, true: str, edition: Edition, dialect: Dialect, checked: Checked
) -> None:
    """The caption of one row."""
    image = quoted(row.cells[0])
    if not caption.strip():
        checked.note("empty-caption", f"{image} has an empty caption.", "Write one.", line=row.line)
        if not true.strip():
            message = f"{image} has no words in truth and run, where the script of this edition fails."
            checked.note("both-empty", message, "There is no way out but another caption.", line=row.line)
    if not caption.isprintable() and any(_invisible(c) for c in caption.replace("\n", "")):
        message = f"{image} has control characters in its caption."
        checked.note("special-character", message, "Remove them.", line=row.line, value=caption)
    elif edition.ascii_only and not caption.isascii():
        some = "".join(dict.fromkeys(sign for sign in caption if not sign.isascii()))[:10]
        message = f"{image} has special characters in its caption ({some}), which the task's page excludes."
        checked.note("special-character", message, "Write plain letters.", line=row.line, value=caption)
    if len(row.cells) > 2:
        message = f"{image}: only the caption's part before {SEPARATORS[dialect.cell]} is read."
        remedy = "Put the caption in double quotes." if dialect.quoted else "Remove it from the caption."
        checked.note(edition.extra_cells, message, remedy, line=row.line, value=caption)


def _invisible(character: str) -> bool:
    """Whether a character is neither printed nor a space; a no-break space is one.

    >>> [_invisible(c) for c in ("\\N{NO-BREAK SPACE}", "\\t", "\\x00", "\\N{ZERO WIDTH SPACE}")]
    [False, True, True, True]
    """
    return not character.isprintable() and unicodedata.category(character) != "Zs"


Component = Literal["f1", "recall"]


def evaluate_captions(
    runs: Opened,
    truth: Truth[str],
    *,
    edition: Edition,
    nltk: Nltk = "nltk322",
    component: Component = "f1",
    given: Mapping[str, Mapping[str, Floats]] | None = None,
    true_concepts: Mapping[str, Sequence[str]] | None = None,
    concepts: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    progress: Callable[[float, str], None] = lambda _done, _doing: None,
) -> tuple[Result[str], ...]:
    """Check and score submissions of one edition.

    Parameters
    ----------
    runs : {name: (content, what was found while opening it)}.
    nltk : BLEU of 2017 as NLTK 3.2.2 computed it, or as it does today.
    component : which part of BERTScore enters the aggregates: F1 (the code) or recall (the page).
    given : {run: {metric: value per image of the truth}}, from models or from a file.
    true_concepts, concepts : concepts of the true captions, and {run: those of its captions}, for UMLS F1.

    An image without a caption counts as an empty caption.
    """
    images = tuple(truth.content)
    official = [name for name in (edition.primary, edition.secondary) if name in WORD_METRICS]
    results = []
    for name, (data, opened) in runs.items():
        run = read_caption_run(data, name=name, truth=truth.content, edition=edition)
        pairs = [(truth.content[image], run.read.get(image, "")) for image in images]
        values, corpus = text_metrics(pairs, official=official, nltk=nltk, progress=progress)
        values |= (given or {}).get(name, {})
        if true_concepts is not None and name in (concepts or {}):
            values["UMLS F1"] = umls_f1(pairs, images, true_concepts, (concepts or {})[name])
        missing = _incomplete(values)
        values |= _aggregated(values, component)
        metrics = {metric: corpus.get(metric, mean_of(column)) for metric, column in values.items()}
        results.append(
            Result(
                name,
                edition,
                truth.content,
                run,
                run.accepted and not opened.total("error"),
                as_opened(opened, run),
                images,
                values,
                metrics.get(edition.primary, float("nan")),
                _secondary(metrics, edition),
                len(images),
                metrics,
                missing,
                _lacking(values),
            )
        )
    return tuple(results)


def scored_captions(runs: Opened, truth: Truth[str], *, edition: Edition) -> dict[str, Mapping[str, str]]:
    """{run: captions by image} as they are scored, for metrics that models compute."""
    return {
        name: read_caption_run(data, name=name, truth=truth.content, edition=edition).read
        for name, (data, _) in runs.items()
    }


def _secondary(metrics: Mapping[str, float], edition: Edition) -> float | None:
    if edition.secondary is None:
        return None
    return 0.0 if edition.secondary == "zero" else metrics.get(edition.secondary, float("nan"))


def _incomplete(values: dict[str, Floats]) -> dict[str, str]:
    """What each of the six metrics lacks; columns with gaps are taken out, because their mean misleads."""
    missing = {}
    for metric in (*SIX, "BERTScore recall"):
        if metric not in values:
            if metric in NEEDS:
                missing[metric] = NEEDS[metric]
        elif gaps := int(np.isnan(values[metric]).sum()):
            del values[metric]
            missing[metric] = f"{gaps:,} images have no value in these scores."
    return missing


def _lacking(values: Mapping[str, Floats]) -> dict[str, tuple[str, ...]]:
    """Which of its parts each overall number lacks."""
    absent = {name: tuple(part for part in PARTS[name] if part not in values) for name in PARTS}
    return {name: parts for name, parts in absent.items() if parts and name not in values}


def _aggregated(values: Mapping[str, Floats], component: Component) -> dict[str, Floats]:
    """Aggregates per image: as they are means, their mean over images is the official number."""
    bert = "BERTScore" if component == "f1" else "BERTScore recall"
    nothing = np.array(np.nan)
    columns = {name: values.get(bert if name == "BERTScore" else name, nothing) for name in SIX}
    result = aggregates(columns)
    return {name: np.asarray(column) for name, column in result.items() if not np.isnan(column).any()}
