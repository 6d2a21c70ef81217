"""What can be wrong with a file of a challenge: {rule: (message, way out)}.

What follows a slash tells variants of a rule apart. Whether a rule stops the official script is a matter of
the edition (``Edition.refuses``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from evalcore.study.tables.problems import Problems

SEPARATORS: Mapping[str, str] = {"\t": "a TAB", ",": "a comma", "|": "a vertical bar (|)", ";": "a semicolon"}
"""What separates ids from contents, and concepts from each other, in words."""
_ONE_ROW = "Keep one row per image."
_NO_MARK = "Save it as UTF-8 without byte order mark."

RULES: Mapping[str, tuple[str, str]] = {
    # The file as a whole. In messages {value} is what is wrong, {image} the id of the row.
    "file-name": ("The name must begin with {prefix}; it is '{value}'.", "Name it {prefix}_{value}."),
    "encoding/gzip": ("The file is packed with gzip.", "Submit the plain file, or a zip."),
    "encoding": ("The line contains bytes that are not UTF-8.", "Save the file as UTF-8."),
    "too-large": ("Unpacked it has more than {most} MB.", "Check the file."),
    "too-many-lines": (
        "The file has {value} lines; no more than {most} are read.",
        "Check that it is the right file.",
    ),
    "zip": (
        "The zip contains {value} files; the platform takes exactly one.",
        "Put only submission.csv into it.",
    ),
    "zip-name": (
        "The file in the zip is called '{value}'; the platform expects submission.csv.",
        "Rename it and zip it again.",
    ),
    "byte-order-mark": (
        "The file begins with a byte order mark, which becomes part of the first cell.",
        _NO_MARK,
    ),
    "byte-order-mark/header": (
        "The file begins with a byte order mark; the script skips it with the header.",
        _NO_MARK,
    ),
    "wrong-separator": (
        "The file has {used} between id and content; this edition needs {wanted}.",
        "Write {wanted} after every id.",
    ),
    "no-rows": ("There are no rows with an id and {what}.", "Check the file."),
    # Headers.
    "header": (
        "The first row names columns ('{value}'); this edition treats it as an image.",
        "Remove the first row.",
    ),
    "header/strict": (
        "The header is '{value}'; this edition takes only {wanted}.",
        "Write {wanted} in the first row.",
    ),
    "missing-header": (
        "The first row is taken for the header, so the image '{image}' is not counted.",
        "Put a header above it.",
    ),
    "missing-header/strict": (
        "The first row is no header but the image '{image}'.",
        "Write {wanted} in the first row.",
    ),
    "skipped-row": (
        "The script skips this row, because its id '{image}' contains the letters ID.",
        "Ids must not contain “ID”.",
    ),
    # Rows and ids.
    "long-cell": (
        "A cell has more than {most} characters, which no script can read.",
        "Check where it should end.",
    ),
    "blank-line": ("The line is blank.", "Remove it."),
    "blank-line/within": (
        "There is a blank line inside a quoted cell, or behind a character that ends a line too.",
        "Remove it, or the character.",
    ),
    "broken-quotes": (
        "A quote that opens here closes {n} lines further down.",
        'Remove the quote, or write it twice ("") inside a quoted cell.',
    ),
    "split-line": (
        "The caption in the line '{value}' has a comma and no double quotes around it.",
        "Put every caption on one line, in double quotes.",
    ),
    "unknown-id": ("The image '{image}' is not in the ground truth.", "Remove the row."),
    "unknown-id/meant": (
        "The image '{image}' is not in the ground truth.",
        "Write {meant} (id without spaces and file ending).",
    ),
    "repeated-id": ("The image '{image}' is already on line {first}.", _ONE_ROW),
    "repeated-id/truth": ("The image '{image}' is listed twice; the last row counts.", _ONE_ROW),
    "missing-id": ("The image '{value}' has no row; it counts as an empty prediction.", "Add a row for it."),
    "missing-id/all": (
        "None of the {n} images of the ground truth has a row.",
        "Check that file and ground truth belong together.",
    ),
    "wrong-order": (
        "The rows are in another order than the ground truth: '{other}' should be here.",
        "Sort the rows like the ground truth.",
    ),
    "row-length": ("The row has {n} cells; id and concepts make two.", "Separate concepts by {wanted}."),
    "row-length/short": ("The row of '{image}' has no caption.", "Write {wanted} and a caption."),
    # Concepts of a row.
    "spaces/cell": (
        "'{image}' has blanks before or behind its concepts, which the check refuses.",
        "Remove them.",
    ),
    "too-many-concepts": (
        "'{image}' has {value} concepts; at most {most} are allowed.",
        "Keep the surest ones.",
    ),
    "duplicate-concept": ("'{image}' has the concept '{value}' more than once.", "Name each concept once."),
    "case-repetition": (
        "'{image}' has the same concept in upper and lower case; it counts once.",
        "Name each concept once.",
    ),
    "empty-concept": (
        "'{image}' has an empty concept (a separator too many); it counts as a wrong one.",
        "Remove the extra separator.",
    ),
    "first-row-bare": (
        "'{image}' is the first row and has no second cell, which the script of 2018 stops at.",
        "Put a TAB behind the id.",
    ),
    "no-concepts": (
        "'{image}' has no separator behind its id; it scores 0 even where the truth is empty.",
        "Write the separator and concepts.",
    ),
    "not-a-cui": ("'{value}' is not a concept id (C and seven digits).", "Check the concept."),
    "lower-case": ("The concept '{value}' is in lower case, which the check refuses.", "Write {upper}."),
    "spaces": (
        "The concept '{value}' has spaces around it, which this edition keeps: it never matches.",
        "Remove the spaces.",
    ),
    "wrong-concept-separator": (
        "'{value}' is read as one concept and never matches.",
        "Separate concepts by {wanted}.",
    ),
    # Captions.
    "empty-caption": ("'{image}' has an empty caption.", "Write one."),
    "both-empty": (
        "'{image}' has no words in truth and run, where the script of this edition fails.",
        "There is no way out but another caption.",
    ),
    "special-character": ("'{image}' has control characters in its caption.", "Remove them."),
    "special-character/ascii": (
        "'{image}' has special characters in its caption ({some}), which the task's page excludes.",
        "Write plain letters.",
    ),
    "cut-caption": (
        "'{image}': only the caption's part before {separator} is read.",
        "Remove it, or put the caption in double quotes where the separator is a comma.",
    ),
}


class Findings:
    """Problems of one file, each an error exactly when the official script stops at its rule (``stops``)."""

    def __init__(self, file: str, stops: Collection[str]) -> None:
        self.problems = Problems(file)
        self.stops = stops

    def note(
        self, name: str, value: object = "", *, line: int | None = None, harmless: bool = False, **words: Any
    ) -> None:
        """Add a problem of ``RULES``; ``harmless`` where the script goes on although the rule stops it."""
        stops = name.partition("/")[0] in self.stops and not harmless
        self.problems.by_rule(RULES, name, value, "error" if stops else "warning", line=line, **words)
