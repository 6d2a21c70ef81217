"""Concept detection as a whole: submissions in, official numbers, problems and details out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalcore.features.imageclef.checks import records
from evalcore.features.imageclef.checks import rows as row_checks
from evalcore.features.imageclef.checks.records import Record, is_header
from evalcore.features.imageclef.checks.rows import Reading, begin, truth_of, truth_rows
from evalcore.features.imageclef.concepts.scores import (
    ConceptDetail,
    concept_detail,
    primary_score,
    secondary_score,
)
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.result import Opened, Result, Submission, Truth, as_opened, mean_of
from evalcore.graph import ConceptGraph
from evalcore.values.settings import Settings

# The true concepts of an edition's images, read as that edition's script reads them.


def official_items(cell: str | None, edition: Edition) -> tuple[str, ...]:
    """The concepts that the script of an edition sees in a cell; None is a row without that cell.

    2017 to 2019: a blank cell holds nothing, otherwise items keep their spaces. From 2022 on a blank
    cell holds one concept, the empty string.

    >>> from evalcore.features.imageclef.editions import CONCEPT_EDITIONS
    >>> official_items("c5, C9", CONCEPT_EDITIONS["2017"]), official_items("c5; ", CONCEPT_EDITIONS["2025"])
    (('C5', ' C9'), ('C5', ''))
    >>> official_items("", CONCEPT_EDITIONS["2017"]), official_items("", CONCEPT_EDITIONS["2025"])
    ((), ('',))
    """
    if cell is None:
        return ()
    upper = cell.upper()
    if edition.ignores_empty_truth and not upper.strip():
        return ()
    items = upper.split(edition.separator)
    return tuple(item.strip() for item in items) if edition.strips else tuple(items)


def read_concept_truth(data: bytes, *, file: str, edition: Edition) -> Truth[tuple[str, ...]]:
    """Read a ground truth: TAB, vertical bar or comma between id and concepts, whatever fits.

    A first row that names columns is skipped, and from 2025 on every row whose id holds "ID", as the
    script does. A repeated id: the last row counts.

    Raises
    ------
    InputError
        There are no rows, or rows the script itself would stop at; it carries the report.
    """
    checked, rows = truth_rows(data, file, any_separator=True)
    items: dict[str, tuple[str, ...]] = {}
    images: dict[str, None] = {}
    for at, row in enumerate(rows):
        image = row.cells[0]
        if (at == 0 and is_header(row)) or (edition.run.header == "marked" and "ID" in image):
            if at:
                images[image] = None
                message = f"The script skips this row, because its id {image!r} contains the letters ID."
                checked.note("skipped-row", message, "Use another id.", line=row.line, value=image)
            continue
        if len(row.cells) > 2 or (len(row.cells) < 2 and not edition.ignores_empty_truth):
            message = f"The row has {len(row.cells)} cells; a ground truth has an id and concepts."
            checked.note("row-length", message, "Write id, separator, concepts.", line=row.line, value=image)
            continue
        if image in items:
            checked.note(
                "repeated-id",
                f"The image {image!r} is listed twice; the last row counts.",
                "Keep one row.",
                line=row.line,
                value=image,
            )
        images[image] = None
        items[image] = official_items(row.cells[1] if len(row.cells) > 1 else None, edition)
    needed = "The ground truth has no rows with an id."
    return truth_of(items, list(images), checked, title="ground truth", needed=needed)


# A concept detection submission: every problem at once.

Concepts = tuple[str, ...]


def read_concept_run(
    data: bytes, *, name: str, images: Sequence[str], edition: Edition
) -> Submission[Concepts]:
    """Check a submission against the images of the ground truth.

    Parameters
    ----------
    data : content of the file.
    name : its name, used in messages and held against the edition's rule for names.
    images : ids of the ground truth, in its order; those that the script skips may be among them.
    edition : whose rules apply.

    Returns
    -------
    Submission, whatever the file holds; nothing is raised.
    """
    marked = edition.run.header == "marked"
    wanted = [image for image in images if edition.strict or not (marked and "ID" in image)]
    reading = begin(data, name, frozenset(wanted), edition, unread=lambda row: _unread(row, edition))
    rows = reading.rows
    if edition.strict:
        records.blank_lines(reading.text, rows, reading.checked)
    items: dict[str, Concepts] = {}
    first = True
    for row in _data_rows(reading):
        first &= not _read_row(row, reading, items, first=first)
    if edition.run.header == "first" and rows and not _unread(rows[0], edition):
        items.pop(rows[0].cells[0], None)  # taken for the header
    reading.end(wanted)
    if marked:  # such ids were checked, and are not scored
        items = {image: cuis for image, cuis in items.items() if "ID" not in image}
    return reading.submission(name, items)


def _unread(first: Record, edition: Edition) -> bool:
    """Whether the script passes over the first row."""
    marked = edition.run.header == "marked" and "ID" in first.cells[0]
    return marked or (edition.run.header == "first" and is_header(first))


def _data_rows(reading: Reading) -> Iterable[Record]:
    """The rows the script takes for data; a misplaced or missing header is reported."""
    checked, edition, rows, known = reading.checked, reading.edition, reading.rows, reading.known
    if edition.strict:
        for row in rows[int(records.header(rows, records.CONCEPTS, known, checked)) :]:
            if "ID" in row.cells[0] and row.cells[0] in known:
                row_checks.skipped(row, checked)
            yield row
        return
    for at, row in enumerate(rows):
        image = row.cells[0]
        header = at == 0 and is_header(row)
        if edition.run.header == "marked":
            if "ID" not in image and not header:
                yield row
            elif not header:
                row_checks.skipped(row, checked)
            elif "ID" not in image:
                row_checks.header(row, checked)
        elif edition.run.header == "first" and at == 0:
            if not header:
                row_checks.missing_header(row, checked)
                yield row
        elif header:
            row_checks.header(row, checked)
        else:
            yield row


def _read_row(row: Record, reading: Reading, items: dict[str, Concepts], *, first: bool) -> bool:
    """One row: its id, its number of cells, its concepts; whether these were checked."""
    edition, checked = reading.edition, reading.checked
    written, *rest = row.cells
    image = reading.image_of(row)
    cell = rest[0] if rest else None
    if len(rest) > 1:
        cell = row_checks.too_many_cells(row, edition, checked)
    if image is None:
        return False
    if reading.repeats(row, image):
        if edition.last_row_counts and image == written:
            items[image] = official_items(cell, edition)
        return False
    if cell is None and rest:
        return False
    result = official_items(cell, edition)
    if image == written:
        items[image] = result
    row_checks.concepts(row, image, cell, result, edition, checked, first=first)
    return True


def evaluate_concepts(
    runs: Opened,
    truth: Truth[Concepts],
    *,
    edition: Edition,
    manual: Truth[Concepts] | None = None,
    graph: ConceptGraph | None = None,
    settings: Settings = Settings(),
) -> tuple[Result[Concepts], ...]:
    """Check and score submissions of one edition.

    Parameters
    ----------
    runs : {name: (content, what was found while opening it)}, as ``sources.submissions`` gives them.
    truth : the ground truth, read for the same edition.
    manual : the manually checked truth of the secondary score (2025, 2026); without one the ground
        truth itself is used, as the organisers' script did before it had that file.
    graph : for nn-F1 and near confusions.

    Returns
    -------
    Results in the order of the runs, with F1 per image, and over all images F1, precision, recall, micro
    F1, macro F1 and, with a graph, nn-F1.

    Raises
    ------
    InputError
        The manual file lacks images of the ground truth.
    """
    results = []
    for name, (data, opened) in runs.items():
        run = read_concept_run(data, name=name, images=truth.images, edition=edition)
        values, score = primary_score(truth.content, run.read)
        detail = concept_detail(truth.content, run.read, graph=graph, settings=settings)
        results.append(
            Result(
                name,
                edition,
                truth.content,
                run,
                run.accepted and not opened.total("error"),
                as_opened(opened, run),
                tuple(truth.content),
                {edition.primary: values},
                score,
                _secondary(run, truth, manual or truth, edition),
                sum(bool(concepts) for concepts in truth.content.values()),
                {"F1": score} | _metrics_of(detail),
                {},
                {},
                detail,
            )
        )
    return tuple(results)


def _metrics_of(detail: ConceptDetail) -> dict[str, float]:
    """What lies behind the score, over all images."""
    metrics = {
        "precision": mean_of(detail.precision),
        "recall": mean_of(detail.recall),
        "micro F1": detail.micro_f1,
        "macro F1": detail.macro_f1,
    }
    return metrics if detail.nn_f1 is None else metrics | {"nn-F1": mean_of(detail.nn_f1)}


def _secondary(
    run: Submission[Concepts], truth: Truth[Concepts], manual: Truth[Concepts], edition: Edition
) -> float | None:
    if edition.secondary is None:
        return None
    if edition.secondary == "zero":
        return 0.0
    return secondary_score(truth.content, manual.content, run.read, file=manual.file)
