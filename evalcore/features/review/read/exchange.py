"""Judgments from a file into the database: all of a file or nothing of it, and nothing twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.features.review.read import store
from evalcore.features.review.read.identity import study_id
from evalcore.features.review.read.judgment_csv import parse_csv
from evalcore.features.review.read.judgment_json import parse_json
from evalcore.study.tables.lines import content_of
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import InputError
from evalcore.values.problems import Report

if TYPE_CHECKING:
    from pathlib import Path

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.read.judgment_csv import Read


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file: judgments that are new, and those that the study had already."""

    new: tuple[Judgment, ...]
    known: int
    report: Report


def parse_judgments(data: bytes, *, file: str) -> tuple[Read, Report]:
    """Read judgments from a file: JSON when it is called so, else a table; .gz packs either."""
    ending = file.lower().removesuffix(".gz")
    if ending.endswith((".qrels", ".trec", ".txt")):
        found = Problems(file)
        message = "Qrels do not say who judged, so they are no judgments of readers."
        remedy = "Give the .csv or .json that `review export` writes."
        found.error("wrong-format", message, remedy, value=file)
        return (), found.report()
    return (parse_json if ending.endswith(".json") else parse_csv)(data, file=file)


def import_file(study: Path, path: Path) -> Imported:
    """The same as `import_judgments` for a file on this machine."""
    return import_judgments(study, content_of(path, path.name), file=path.name)


def import_judgments(study: Path, data: bytes, *, file: str) -> Imported:
    """Add the judgments of a file to those of a study, with their ids and times.

    Raises
    ------
    InputError
        Something in the file cannot be, with everything that is wrong by its line; or the database cannot be
        written. Nothing is stored then.
    """
    read, report = parse_judgments(data, file=file)
    identity = study_id(study)
    known = {one.id: one for one in store.history(identity)} if read else {}
    report += _conflicts(read, known, file)
    n = report.total("error")
    if n:
        some = "1 error" if n == 1 else f"{n:,} errors"
        raise InputError(f"{file} has {some}, so nothing of it was stored.", report)
    different = {one.id: one for _, one in read}
    new = store.add(identity, *different.values(), keep_times=True)
    return Imported(new, len(different) - len(new), report)


def _conflicts(read: Read, known: dict[str, Judgment], file: str) -> Report:
    """The same id with another content: in the file, or in the study."""
    found, first = Problems(file), dict[str, tuple[int, "Judgment"]]()
    for line, one in read:
        remedy = "Keep the row that is right; an id belongs to one judgment for good."
        at, before = first.setdefault(one.id, (line, one))
        if before != one:
            message = f"The id {one.id!r} stands on line {at} with another content."
            found.error("duplicate-id", message, remedy, line=line, value=one.id)
        elif at != line:
            message = f"The judgment {one.id!r} stands on line {at} already; it counts once."
            found.warning("repeated-row", message, "Remove one of the rows.", line=line, value=one.id)
        elif known.get(one.id, one) != one:
            message = f"The study holds a judgment {one.id!r} with another content."
            found.error("changed-judgment", message, remedy, line=line, value=one.id)
    return found.report()
