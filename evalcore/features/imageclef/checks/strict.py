"""What the submission check of 2026 asks beyond the script: header, line ends, quotes, concepts as written.

The check compares the header with one spelling, takes every character that ends a line for Python's
``splitlines`` as a line end, and holds captions against lines one by one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from evalcore.features.imageclef.checks.records import Checked, Record, is_header
from evalcore.study.tables.tables import quoted

CONCEPTS, CAPTION = ("ID", "CUIs"), ("ID", "Caption")
"""The only headers the check takes."""
WRITTEN = re.compile(r"C\d+")
"""How the check wants a concept; fewer or more digits than seven pass, and never match."""
_ENDS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")


def header(rows: Sequence[Record], wanted: tuple[str, str], known: Set[str], checked: Checked) -> bool:
    """Whether the first row is a header, wrong or right; anything but the one spelling is reported."""
    if not rows or rows[0].cells == wanted:
        return bool(rows)
    row, spelled = rows[0], ",".join(wanted)
    image, remedy = row.cells[0], f"Write {spelled} in the first row."
    if is_header(row) or ("ID" in image and image not in known):
        message = f"The header is {quoted(','.join(row.cells))}; this edition takes only {spelled}."
        checked.note("header", message, remedy, line=row.line, value=image)
        return True
    message = f"The first row is no header but the image {quoted(image)}."
    checked.note("missing-header", message, remedy, line=row.line, value=image)
    return False


def blank_lines(text: str, rows: Sequence[Record], checked: Checked) -> None:
    """Blank lines inside quoted cells, and those that VT, FF and their like make at the end of a line."""
    if not _ENDS.search(text) and not any(row.last > row.line for row in rows):
        return
    lines = text.split("\n")
    for row in rows:
        for at in range(row.line, row.last + 1):
            pieces = _ENDS.split(lines[at - 1])
            if at == len(lines) and not pieces[-1]:
                pieces.pop()
            if all(piece.strip() for piece in pieces):
                continue
            hit = _ENDS.search(lines[at - 1])
            message = (
                f"The line holds {hit.group()!a}, which ends a line too, and a blank line follows."
                if hit
                else "A blank line stands inside a quoted cell."
            )
            checked.note("blank-line", message, "Remove it.", line=at)


def split_lines(text: str, rows: Sequence[Record], checked: Checked) -> None:
    """Lines with a comma in the caption that do not begin and end it with a double quote.

    The check pairs rows with lines in their order, so that a caption with a line break shifts those below.
    """
    for line, row in zip(text.splitlines()[1:], rows[1:], strict=False):
        _, comma, caption = line.partition(",")
        in_quotes = caption.startswith('"') and caption.endswith('"')
        if comma and "," in caption and len(row.cells) == 2 and not in_quotes:
            message = f"The caption in the line {quoted(line)} has a comma and no double quotes around it."
            remedy = "Put every caption on one line, in double quotes."
            checked.note("split-line", message, remedy, line=row.line, value=line)


def on_one_line(text: str) -> str:
    """A caption without the characters that end a line; each becomes a space.

    >>> on_one_line("left lung\\x0b\\nopaque")
    'left lung opaque'
    """
    return " ".join(part for part in text.splitlines() if part.strip())
