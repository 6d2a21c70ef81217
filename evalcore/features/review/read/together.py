"""All judgments of a study: those of the database, and those that came with its folder."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from evalcore.features.review.judgments import merged
from evalcore.features.review.read import store
from evalcore.features.review.read.judgment_files import judgment_lines, parse_csv
from evalcore.features.review.read.store import known_id
from evalcore.features.review.read.task_files import FOLDER, files_of
from evalcore.features.review.tasks import MAX_READER
from evalcore.study.tables.files import parse_file
from evalcore.study.workspace.file_names import safe_name
from evalcore.study.workspace.home import USERS, owner_of, server_home
from evalcore.values.account import Account
from evalcore.values.errors import Report
from evalcore.values.stores import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.read.judgment_files import Read

ENDING = ".judgments.csv"
FILE = " (file)"


def judgments_of(study: Path, task: str | None = None) -> tuple[Judgment, ...]:
    """The whole history of a study folder, or of one task of it, by time; each id once.

    What of a file in the folder cannot be read is left out; `judgments_in` says what that is.

    Raises
    ------
    InputError
        The database cannot be read.
    """
    known = known_id(study)
    kept = () if known is None else store.history(known, task=task)
    of_files = (one for one in judgments_in(study)[0] if task in (None, one.task))
    return merged(kept, _in_no_users_name(study, of_files))


def _in_no_users_name(study: Path, judgments: Iterable[Judgment]) -> Iterator[Judgment]:
    """Judgments of files. On a server, where every user can upload some, these speak for no user: a reader of
    a user's id is another, such as "ada@example.org (file)"."""
    if not owner_of(study):
        yield from judgments
        return
    users = server_home() / USERS
    names: dict[str, str] = {}
    for one in judgments:
        if one.reader not in names:
            known = (users / Account(one.reader, "").folder).is_dir()
            names[one.reader] = f"{one.reader[: MAX_READER - len(FILE)]}{FILE}" if known else one.reader
        yield replace(one, reader=names[one.reader])


def judgments_in(study: Path) -> tuple[tuple[Judgment, ...], Report]:
    """The judgments in the files ``review/*.judgments.csv`` of a study folder, which are never changed."""
    judgments: list[Judgment] = []
    report = Report()
    for path in files_of(study, ENDING):
        fact = path.stat()
        read, said = _read(path, (fact.st_size, fact.st_mtime_ns, fact.st_ctime_ns, fact.st_ino))
        judgments += read
        report += said
    return merged(judgments), report


def files_for(study: Path) -> dict[str, bytes]:
    """All judgments of a study as files of its folder: {path: content}, one for each task."""
    by_task: dict[str, list[Judgment]] = {}
    for judgment in judgments_of(study):
        by_task.setdefault(safe_name(judgment.task or "judgments"), []).append(judgment)
    return {
        f"{FOLDER}/{task}{ENDING}": "".join(judgment_lines(ones)).encode()
        for task, ones in sorted(by_task.items())
    }


_files: Store[tuple[tuple[Judgment, ...], Report]] = Store(64 << 20)
"""What the files hold, as long as they do not change."""


def _read(path: Path, facts: tuple[int, ...]) -> tuple[tuple[Judgment, ...], Report]:
    return _files.get_or_compute((path, facts), partial(_parsed, path))


def _parsed(path: Path) -> tuple[tuple[Judgment, ...], Report]:
    nothing: Read = ()
    read, report = parse_file(parse_csv, path, nothing, file=f"{FOLDER}/{path.name}")
    return tuple(one for _, one in read), report
