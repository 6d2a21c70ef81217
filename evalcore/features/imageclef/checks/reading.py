"""One reading of a submission or ground truth: what both tasks do with its rows and ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from evalcore.features.imageclef.checks import rows as row_checks
from evalcore.features.imageclef.checks.records import (
    Checked,
    Record,
    byte_order_mark,
    choose_separator,
    mended_id,
    records,
    text_of,
)
from evalcore.features.imageclef.editions import Dialect, Edition
from evalcore.features.imageclef.result import Content, Submission, Truth
from evalcore.values.errors import InputError

MENDED = ("blank-line", "unknown-id", "wrong-order", "split-line")
"""Rules whose problems are gone from any file that is written anew from the rows of known images."""
_STOPS = frozenset(("encoding", "empty-file", "row-length", "long-cell", "too-many-lines", "no-rows"))


@dataclass(slots=True)
class Reading:
    """A submission while it is read: ``rows`` as written, ``known`` images of the ground truth.

    ``lines`` and ``written`` line and content of the first row of each image; ``repairs`` counts what
    leaves no choice, ``conflicts`` images with two rows that differ.
    """

    edition: Edition
    checked: Checked
    text: str
    dialect: Dialect
    rows: Sequence[Record]
    known: frozenset[str]
    lines: dict[str, int] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    repairs: int = 0
    conflicts: int = 0

    @property
    def untidy(self) -> bool:
        """Whether there are problems that go when the file is written anew."""
        return any(self.checked.has(rule) for rule in MENDED)

    def image_of(self, row: Record) -> str | None:
        """The image a row stands for; None, with a problem, for one that the ground truth does not have."""
        written = row.cells[0]
        image = written if written in self.known else mended_id(written, self.known)
        if image != written:
            row_checks.unknown_id(row, image, self.checked)
        return image

    def repeats(self, row: Record, image: str, content: str) -> bool:
        """Whether there was a row for the image already; the content of the first one counts."""
        if image not in self.lines:
            self.lines[image], self.written[image] = row.line, content
            return False
        same = content == self.written[image]
        row_checks.repeated_id(row, image, self.lines[image], self.checked)
        self.repairs += same
        self.conflicts += not same
        return True

    def end(self, wanted: Sequence[str]) -> None:
        """After the last row: images without one, and the order of the rows where that matters."""
        row_checks.missing_ids(wanted, self.lines, self.checked)
        if "wrong-order" in self.edition.rejects:
            row_checks.order(wanted, self.lines, self.checked)

    def submission(
        self, name: str, read: Mapping[str, Content], meant: Mapping[str, Content], repaired: str | None,
        left: Reading,
    ) -> Submission[Content]:  # fmt: skip
        """The value of a reading; ``left`` the reading of the repaired file, or this one."""
        unrepaired = {
            rule: n for (severity, _, rule), n in left.checked.found.report().counts.items()
            if severity == "error"
        }  # fmt: skip
        if self.conflicts and "repeated-id" in self.edition.rejects:
            unrepaired["repeated-id"] = self.conflicts  # its author has to choose
        return Submission(
            name, MappingProxyType(read), MappingProxyType(meant), not self.checked.rejected,
            self.checked.found.report(), None if unrepaired or self.conflicts else repaired,
            MappingProxyType(unrepaired),
        )  # fmt: skip


def begin(
    data: bytes, name: str, known: frozenset[str], edition: Edition, *, unread: Callable[[Record], bool]
) -> Reading:
    """A file to rows, with what concerns the file as a whole; ``unread`` rows the script passes over."""
    checked = Checked(name, edition.rejects)
    row_checks.file_name(name, edition.prefix, checked)
    text = text_of(data, checked)
    dialect = choose_separator(text, edition.run, known, checked) if text else edition.run
    rows = records(text, dialect, checked)
    swapped = row_checks.swapped_columns(rows, known, checked)
    rows = rows if swapped is None else swapped
    harmless = bool(rows) and not edition.strict and unread(rows[0])
    repairs = int(dialect != edition.run) + int(swapped is not None)
    repairs += byte_order_mark(data, checked, unread=harmless)
    return Reading(edition, checked, text, dialect, rows, known, repairs=repairs)


def truth_rows(data: bytes, file: str, *, any_separator: bool = False) -> tuple[Checked, list[Record]]:
    """Rows of a ground truth: TAB, vertical bar or comma behind the id, whatever fits."""
    checked = Checked(file, _STOPS)
    text = text_of(data, checked)
    byte_order_mark(data, checked)
    cell = max("\t|,", key=lambda mark: sum(mark in line for line in text.split("\n", 50)[:50]))
    dialect = Dialect(cell, cell == ",", "none")
    if any_separator:
        dialect = choose_separator(text, dialect, frozenset(), checked)
    return checked, records(text, dialect, checked)


def truth_of(
    content: Mapping[str, Content], images: Sequence[str], checked: Checked, *, title: str, needed: str
) -> Truth[Content]:
    """The value of a reading; InputError without rows (``needed``), or when the script would stop at one."""
    if not content:
        checked.note("no-rows", needed, "Check the file.")
    report, file = checked.found.report(), checked.found.file
    if checked.rejected:
        raise InputError(f"The {title} {file} cannot be used.", report)
    return Truth(MappingProxyType(content), file, report, tuple(images))
