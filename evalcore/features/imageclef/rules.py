"""What can be wrong with a file of a challenge: rules, some in several variants.

Whether a rule stops the official script is a matter of the edition (``Edition.refuses``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from evalcore.study.tables.problems import Problems, Rule
from evalcore.values.errors import Report, Severity

SEPARATORS: Mapping[str, str] = {"\t": "a TAB", ",": "a comma", "|": "a vertical bar (|)", ";": "a semicolon"}
"""What separates ids from contents, and concepts from each other, in words."""
_ONE_ROW = "Keep one row per image."
_NO_MARK = "Save it as UTF-8 without byte order mark."


# The file as a whole. In messages {value} is what is wrong, {image} the id of the row.
FILE_NAME = Rule(
    "file-name", "The name must begin with {prefix}; it is '{value}'.", "Name it {prefix}_{value}."
)
ENCODING_GZIP = Rule("encoding", "The file is packed with gzip.", "Submit the plain file, or a zip.")
ENCODING = Rule("encoding", "The line contains bytes that are not UTF-8.", "Save the file as UTF-8.")
TOO_LARGE = Rule("too-large", "Unpacked it has more than {most} MB.", "Check the file.")
TOO_MANY_LINES = Rule(
    "too-many-lines",
    "The file has {value} lines; no more than {most} are read.",
    "Check that it is the right file.",
)
ZIP = Rule(
    "zip",
    "The zip contains {value} files; the platform takes exactly one.",
    "Put only submission.csv into it.",
)
ZIP_NAME = Rule(
    "zip-name",
    "The file in the zip is called '{value}'; the platform expects submission.csv.",
    "Rename it and zip it again.",
)
BYTE_ORDER_MARK = Rule(
    "byte-order-mark",
    "The file begins with a byte order mark, which becomes part of the first cell.",
    _NO_MARK,
)
BYTE_ORDER_MARK_HEADER = Rule(
    "byte-order-mark",
    "The file begins with a byte order mark; the script skips it with the header.",
    _NO_MARK,
)
WRONG_SEPARATOR = Rule(
    "wrong-separator",
    "The file has {used} between id and content; this edition needs {wanted}.",
    "Write {wanted} after every id.",
)
NO_ROWS = Rule("no-rows", "There are no rows with an id and {what}.", "Check the file.")

# Headers.
HEADER = Rule(
    "header",
    "The first row names columns ('{value}'); this edition treats it as an image.",
    "Remove the first row.",
)
HEADER_STRICT = Rule(
    "header", "The header is '{value}'; this edition takes only {wanted}.", "Write {wanted} in the first row."
)
MISSING_HEADER = Rule(
    "missing-header",
    "The first row is taken for the header, so the image '{image}' is not counted.",
    "Put a header above it.",
)
MISSING_HEADER_STRICT = Rule(
    "missing-header",
    "The first row is no header but the image '{image}'.",
    "Write {wanted} in the first row.",
)
SKIPPED_ROW = Rule(
    "skipped-row",
    "The script skips this row, because its id '{image}' contains the letters ID.",
    "Ids must not contain “ID”.",
)

# Rows and ids.
LONG_CELL = Rule(
    "long-cell",
    "A cell has more than {most} characters, which no script can read.",
    "Check where it should end.",
)
BLANK_LINE = Rule("blank-line", "The line is blank.", "Remove it.")
BLANK_LINE_WITHIN = Rule(
    "blank-line",
    "There is a blank line inside a quoted cell, or behind a character that ends a line too.",
    "Remove it, or the character.",
)
BROKEN_QUOTES = Rule(
    "broken-quotes",
    "A quote that opens here closes {n} lines further down.",
    'Remove the quote, or write it twice ("") inside a quoted cell.',
)
SPLIT_LINE = Rule(
    "split-line",
    "The caption in the line '{value}' has a comma and no double quotes around it.",
    "Put every caption on one line, in double quotes.",
)
UNKNOWN_ID = Rule("unknown-id", "The image '{image}' is not in the ground truth.", "Remove the row.")
UNKNOWN_ID_MEANT = Rule(
    "unknown-id",
    "The image '{image}' is not in the ground truth.",
    "Write {meant} (id without spaces and file ending).",
)
REPEATED_ID = Rule("repeated-id", "The image '{image}' is already on line {first}.", _ONE_ROW)
REPEATED_ID_TRUTH = Rule("repeated-id", "The image '{image}' is listed twice; the last row counts.", _ONE_ROW)
MISSING_ID = Rule(
    "missing-id", "The image '{value}' has no row; it counts as an empty prediction.", "Add a row for it."
)
MISSING_ID_ALL = Rule(
    "missing-id",
    "None of the {n} images of the ground truth has a row.",
    "Check that file and ground truth belong together.",
)
WRONG_ORDER = Rule(
    "wrong-order",
    "The rows are in another order than the ground truth: '{other}' should be here.",
    "Sort the rows like the ground truth.",
)
ROW_LENGTH = Rule(
    "row-length", "The row has {n} cells; id and concepts make two.", "Separate concepts by {wanted}."
)
ROW_LENGTH_SHORT = Rule("row-length", "The row of '{image}' has no caption.", "Write {wanted} and a caption.")

# Concepts of a row.
SPACES_CELL = Rule(
    "spaces", "'{image}' has blanks before or behind its concepts, which the check refuses.", "Remove them."
)
TOO_MANY_CONCEPTS = Rule(
    "too-many-concepts",
    "'{image}' has {value} concepts; at most {most} are allowed.",
    "Keep the most certain ones.",
)
DUPLICATE_CONCEPT = Rule(
    "duplicate-concept", "'{image}' has the concept '{value}' more than once.", "Name each concept once."
)
CASE_REPETITION = Rule(
    "case-repetition",
    "'{image}' has the same concept in upper and lower case; it counts once.",
    "Name each concept once.",
)
EMPTY_CONCEPT = Rule(
    "empty-concept",
    "'{image}' has an empty concept (a separator too many); it counts as a wrong one.",
    "Remove the extra separator.",
)
FIRST_ROW_BARE = Rule(
    "first-row-bare",
    "'{image}' is the first row and has no second cell, which the script of 2018 stops at.",
    "Put a TAB behind the id.",
)
NO_CONCEPTS = Rule(
    "no-concepts",
    "'{image}' has no separator behind its id; it scores 0 even where the truth is empty.",
    "Write the separator and concepts.",
)
NOT_A_CUI = Rule("not-a-cui", "'{value}' is not a concept id (C and seven digits).", "Check the concept.")
LOWER_CASE = Rule(
    "lower-case", "The concept '{value}' is in lower case, which the check refuses.", "Write {upper}."
)
SPACES = Rule(
    "spaces",
    "The concept '{value}' has spaces around it, which this edition keeps: it never matches.",
    "Remove the spaces.",
)
WRONG_CONCEPT_SEPARATOR = Rule(
    "wrong-concept-separator",
    "'{value}' is read as one concept and never matches.",
    "Separate concepts by {wanted}.",
)

# Captions.
EMPTY_CAPTION = Rule("empty-caption", "'{image}' has an empty caption.", "Write one.")
BOTH_EMPTY = Rule(
    "both-empty",
    "'{image}' has no words in truth and run, where the script of this edition fails.",
    "Write a caption.",
)
SPECIAL_CHARACTER = Rule(
    "special-character", "'{image}' has control characters in its caption.", "Remove them."
)
SPECIAL_CHARACTER_ASCII = Rule(
    "special-character",
    "'{image}' has special characters in its caption ({some}), which the task's page excludes.",
    "Write plain letters.",
)
CUT_CAPTION = Rule(
    "cut-caption",
    "'{image}': only the caption's part before {separator} is read.",
    "Remove it, or put the caption in double quotes where the separator is a comma.",
)


class Findings:
    """Problems of one file, each an error exactly when the official script stops at its rule (``stops``)."""

    def __init__(self, file: str, stops: Collection[str]) -> None:
        self.problems = Problems(file)
        self.stops = stops

    def note(
        self, rule: Rule, value: object = "", *, line: int | None = None, harmless: bool = False, **words: Any
    ) -> None:
        """Add a problem by a rule; ``harmless`` where the script goes on although the rule stops it."""
        severity: Severity = "error" if rule.rule in self.stops and not harmless else "warning"
        self.problems.add(severity, *rule, value=value, line=line, **words)

    def report(self) -> Report:
        """All of them in the order of the lines, then those of the file as a whole."""
        report = self.problems.report()
        ordered = sorted(report.problems, key=lambda problem: (problem.line is None, problem.line or 0))
        return replace(report, problems=tuple(ordered))
