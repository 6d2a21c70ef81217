"""What can be wrong with a file of a challenge: {rule: (message, way out)}.

What follows a colon tells variants of a rule apart. Whether a rule stops the official script is a matter of
the edition (``Edition.refuses``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from evalcore.study.tables.problems import Problems

SEPARATORS: Mapping[str, str] = {"\t": "a TAB", ",": "a comma", "|": "a vertical bar (|)", ";": "a semicolon"}
"""What separates ids from contents, and concepts from each other, in words."""

RULES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        # The file as a whole. What follows a colon tells variants of a rule apart.
        "file-name": ("The name must begin with {prefix}; it is {name}.", "Name it {prefix}_{plain}."),
        "encoding: gzip": ("The file is packed with gzip.", "Submit the plain file, or a zip."),
        "encoding": ("The line contains bytes that are not UTF-8.", "Save the file as UTF-8."),
        "too-many-lines": (
            "The file has {n:,} lines; no more than {most:,} are read.",
            "Check that it is the right file.",
        ),
        "byte-order-mark": (
            "The file begins with a byte order mark, which becomes part of the first cell.",
            "Save it as UTF-8 without byte order mark.",
        ),
        "byte-order-mark: header": (
            "The file begins with a byte order mark; the script skips it with the header.",
            "Save it as UTF-8 without byte order mark.",
        ),
        "wrong-separator": (
            "The file has {used} between id and content; this edition needs {wanted}.",
            "Write {wanted} after every id.",
        ),
        "swapped-columns": (
            "The columns are swapped: the image is in the second one ({n:,} rows).",
            "Write the image first.",
        ),
        "no-rows: concepts": ("The ground truth has no rows with an id.", "Check the file."),
        "no-rows: captions": ("There are no rows with an id and a caption.", "Check the file."),
        # Headers.
        "header": (
            "The first row names columns ({cell}); this edition treats it as an image.",
            "Remove the first row.",
        ),
        "header: strict": (
            "The header is {cell}; this edition takes only {wanted}.",
            "Write {wanted} in the first row.",
        ),
        "missing-header": (
            "The first row is taken for the header, so the image {image} is not counted.",
            "Put a header above it.",
        ),
        "missing-header: strict": (
            "The first row is no header but the image {image}.",
            "Write {wanted} in the first row.",
        ),
        "skipped-row": (
            "The script skips this row, because its id {image} contains the letters ID.",
            "Ids must not contain “ID”.",
        ),
        # Rows and ids.
        "long-cell": (
            "A cell has more than {most:,} characters, which no script can read.",
            "Check where it should end.",
        ),
        "blank-line": ("The line is blank.", "Remove it."),
        "blank-line: quoted": ("There is a blank line inside a quoted cell.", "Remove it."),
        "blank-line: ends": (
            "The line contains {sign!a}, which ends a line too, and a blank line follows.",
            "Remove it.",
        ),
        "broken-quotes": (
            "A quote that opens here closes {n:,} lines further down.",
            'Remove the quote, or write it twice ("") inside a quoted cell.',
        ),
        "split-line": (
            "The caption in the line {cell} has a comma and no double quotes around it.",
            "Put every caption on one line, in double quotes.",
        ),
        "unknown-id": ("The image {image} is not in the ground truth.", "Remove the row."),
        "unknown-id: meant": (
            "The image {image} is not in the ground truth.",
            "Write {meant} (id without spaces and file ending).",
        ),
        "repeated-id": ("The image {image} is already on line {first}.", "Keep one row per image."),
        "repeated-id: truth": ("The image {image} is listed twice; the last row counts.", "Keep one row."),
        "missing-id": (
            "The image {image} has no row; it counts as an empty prediction.",
            "Add a row for it.",
        ),
        "missing-id: all": (
            "None of the {n:,} images of the ground truth has a row.",
            "Check that file and ground truth belong together.",
        ),
        "wrong-order": (
            "The rows are in another order than the ground truth: {image} should be here.",
            "Sort the rows like the ground truth.",
        ),
        "row-length": ("The row has {n} cells; id and concepts make two.", "Separate concepts by {wanted}."),
        "row-length: caption": ("The row of {image} has no caption.", "Write {wanted} and a caption."),
        "row-length: truth": (
            "The row has {n} cells; a ground truth has an id and concepts.",
            "Write id, separator, concepts.",
        ),
        "row-length: true caption": (
            "The row of {image} has no caption cell.",
            "Write id, separator, caption.",
        ),
        # Concepts of a row.
        "spaces: cell": (
            "{image} has blanks before or behind its concepts, which the check refuses.",
            "Remove them.",
        ),
        "too-many-concepts": (
            "{image} has {n} concepts; at most {most} are allowed.",
            "Keep the surest ones.",
        ),
        "duplicate-concept": ("{image} has the concept {item} more than once.", "Name each concept once."),
        "case-repetition": (
            "{image} has the same concept in upper and lower case; it counts once.",
            "Name each concept once.",
        ),
        "empty-concept": (
            "{image} has an empty concept (a separator too many); it counts as a wrong one.",
            "Remove the extra separator.",
        ),
        "first-row-bare": (
            "{image} is the first row and has no second cell, which the script of 2018 stops at.",
            "Put a TAB behind the id.",
        ),
        "no-concepts": (
            "{image} has no separator behind its id; it scores 0 even where the truth is empty.",
            "Write the separator and concepts.",
        ),
        "no-concepts: refused": (
            "{image} has no separator behind its id, which the check refuses.",
            "Write the separator and concepts.",
        ),
        "not-a-cui": ("{item} is not a concept id (C and seven digits).", "Check the concept."),
        "special-character: concept": (
            "{item} is not a concept id (C and seven digits).",
            "Check the concept.",
        ),
        "lower-case": ("The concept {item} is in lower case, which the check refuses.", "Write {upper}."),
        "spaces": (
            "The concept {item} has spaces around it, which this edition keeps: it never matches.",
            "Remove the spaces.",
        ),
        "wrong-concept-separator": (
            "{item} is read as one concept and never matches.",
            "Separate concepts by {wanted}.",
        ),
        # Captions.
        "empty-caption": ("{image} has an empty caption.", "Write one."),
        "both-empty": (
            "{image} has no words in truth and run, where the script of this edition fails.",
            "There is no way out but another caption.",
        ),
        "special-character": ("{image} has control characters in its caption.", "Remove them."),
        "special-character: ascii": (
            "{image} has special characters in its caption ({some}), which the task's page excludes.",
            "Write plain letters.",
        ),
        "cut-caption": ("{image}: only the caption's part before {separator} is read.", "{remedy}"),
        "row-length: cut": ("{image}: only the caption's part before {separator} is read.", "{remedy}"),
    }
)


class Findings:
    """Problems of one file, each an error exactly when the official script stops at its rule (``stops``)."""

    def __init__(self, file: str, stops: Collection[str]) -> None:
        self.problems = Problems(file)
        self._stops = stops

    def note(
        self,
        name: str,
        /,
        *,
        line: int | None = None,
        value: object = "",
        harmless: bool = False,
        **facts: Any,
    ) -> None:
        """Add a problem of ``RULES``, its message filled with ``facts``.

        ``harmless`` where the script goes on although the rule stops it.
        """
        message, remedy = RULES[name]
        rule = name.partition(":")[0]
        add = self.problems.error if rule in self._stops and not harmless else self.problems.warning
        add(rule, message.format(**facts), remedy.format(**facts), line=line, value=value)
