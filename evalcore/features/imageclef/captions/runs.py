"""A caption prediction submission: every problem at once, and the repaired file where there is one."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping

from evalcore.features.imageclef.checks import rows as row_checks
from evalcore.features.imageclef.checks import strict
from evalcore.features.imageclef.checks.reading import Reading, begin, truth_of, truth_rows
from evalcore.features.imageclef.checks.records import SEPARATORS, Checked, Record, is_header, whole
from evalcore.features.imageclef.editions import Dialect, Edition
from evalcore.features.imageclef.result import Submission, Truth
from evalcore.study.tables.tables import quoted


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
    reading, texts = _reading(data, name, truth, edition)
    meant: Mapping[str, str] = reading.written
    left, repaired = reading, None
    if meant and (reading.repairs or reading.untidy):
        repaired, left = _repaired(meant, truth, reading)
        if edition.strict and left.untidy:
            meant = {image: strict.on_one_line(text) for image, text in meant.items()}
            repaired, left = _repaired(meant, truth, reading)
    return reading.submission(name, texts, meant, repaired, left)


def _repaired(
    meant: Mapping[str, str], truth: Mapping[str, str], reading: Reading
) -> tuple[str | None, Reading]:
    """The mended file and its own reading; None and the reading there was when characters are lost."""
    text = whole(_render(meant, truth, reading.edition))
    if text is None:
        return None, reading
    return text, _reading(text.encode(), reading.checked.found.file, truth, reading.edition)[0]


def _reading(
    data: bytes, name: str, truth: Mapping[str, str], edition: Edition
) -> tuple[Reading, dict[str, str]]:
    """One pass over a file, every problem noted: captions as written, and as the script reads them."""
    takes_first = edition.run.header == "first"
    reading = begin(
        data, name, frozenset(truth), edition,
        unread=lambda row: is_header(row) and takes_first and not edition.id_only,
    )  # fmt: skip
    rows, checked, texts = reading.rows, reading.checked, dict[str, str]()
    header = bool(rows) and is_header(rows[0])
    if edition.strict:
        reading.repairs += bool(rows) and rows[0].cells != strict.CAPTION
        header = strict.header(rows, strict.CAPTION, reading.known, checked)
        strict.blank_lines(reading.text, rows, checked)
        strict.split_lines(reading.text, rows, checked)
    elif header and (edition.run.header == "none" or (edition.id_only and rows[0].cells[0].lower() != "id")):
        row_checks.header(rows[0], checked)
        reading.repairs += 1
    for at, row in enumerate(rows[int(header) :]):
        skipped = at == 0 and not header and takes_first
        if skipped and not edition.strict:
            row_checks.missing_header(row, checked)
            reading.repairs += 1
        image = _read_row(row, truth, reading)
        if image == row.cells[0] and not skipped:
            texts[image] = row.cells[1]
    reading.end(tuple(truth))
    return reading, texts


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
    if image is None or reading.repeats(row, image, caption):
        return None
    reading.repairs += image != written
    reading.repairs += _check_caption(row, caption, truth[image], edition, reading.dialect, reading.checked)
    return image


def _check_caption(
    row: Record, caption: str, true: str, edition: Edition, dialect: Dialect, checked: Checked
) -> int:
    """The caption of one row; 1 when the part behind a separator in it would be lost."""
    image = quoted(row.cells[0])
    if not caption.strip():
        checked.note("empty-caption", f"{image} has an empty caption.", "Write one.", line=row.line)
        if not true.strip():
            message = f"{image} has no words in truth and run, where the script of this edition fails."
            checked.note("both-empty", message, "There is no way out but another caption.", line=row.line)
    if any(_invisible(c) for c in caption.replace("\n", "")):
        message = f"{image} has control characters in its caption."
        checked.note("special-character", message, "Remove them.", line=row.line, value=caption)
    if len(row.cells) <= 2:
        return 0
    message = f"{image}: only the caption's part before {SEPARATORS[dialect.cell]} is read."
    remedy = "Put the caption in double quotes." if dialect.quoted else "Take it out of the caption."
    checked.note(edition.extra_cells, message, remedy, line=row.line, value=caption)
    return 1


def _invisible(character: str) -> bool:
    """Whether a character is neither printed nor a space; a no-break space is one.

    >>> [_invisible(c) for c in ("\\N{NO-BREAK SPACE}", "\\t", "\\x00", "\\N{ZERO WIDTH SPACE}")]
    [False, True, True, True]
    """
    return not character.isprintable() and unicodedata.category(character) != "Zs"


def _render(meant: Mapping[str, str], truth: Mapping[str, str], edition: Edition) -> str:
    """The mended file; what separates cells is quoted inside captions, or becomes a space."""
    order = truth if "wrong-order" in edition.rejects else meant
    rows = [(image, meant[image]) for image in order if image in meant]
    if edition.run.header == "first":
        rows.insert(0, ("ID", "Caption"))
    if edition.run.quoted:
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(rows)
        return buffer.getvalue()
    mark = edition.run.cell
    return "".join(f"{image}{mark}{' '.join(text.replace(mark, ' ').split())}\n" for image, text in rows)
