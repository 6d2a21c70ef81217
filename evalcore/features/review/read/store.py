"""Judgments as they are made: added, read, taken back. What is in the database stays as it was said.

Nothing here changes or removes a row: a later judgment on the same subject counts instead, and taking back
adds one that says so. A function that adds returns after the commit, so what it returned is on the disk.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from evalcore.features.review.judgments import in_order, taken_back
from evalcore.features.review.read import database
from evalcore.features.review.read.database import JUDGMENTS, judgment_of, row_of
from evalcore.features.review.read.judgment_files import parse_csv, parse_json
from evalcore.features.review.tasks import MAX_READER, tidy, wrong
from evalcore.study.tables.files import content_of, decode, read_bytes
from evalcore.study.tables.problems import Problems, truncate
from evalcore.study.workspace.home import keeping, locked, owner_of, read_json, server_home, write_json
from evalcore.values import events
from evalcore.values.account import NotAllowed, current
from evalcore.values.errors import InputError, Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import sqlalchemy as sa

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.read.judgment_files import Read

_TICK = timedelta(microseconds=1)


def add(study: str, *judgments: Judgment, keep_times: bool = False) -> tuple[Judgment, ...]:
    """Store judgments of a study, all or none; those whose id the study has already are left as they are.

    Parameters
    ----------
    study : see `identity.study_id`.
    keep_times : take them as they are. Else one that bears a time before what its subject holds (a clock that
        was set back) gets the first moment after that, so that what is said last counts.

    Returns
    -------
    Those that are new, as they were stored.

    Raises
    ------
    InputError
        Nothing was stored: a judgment that cannot be, or a database that cannot be written.
    NotAllowed
        Nothing was stored: on a server, a judgment of another reader than `own_reader`.
    """
    check(judgments)
    own = own_reader()
    if own is not None and any(judgment.reader != own for judgment in judgments):
        raise NotAllowed("Only your own judgments can be added or taken back. Nothing was stored.")
    if not judgments:
        return ()
    with database.connected(write=True) as connection:
        if keep_times:
            new = tuple(_put(connection, study, judgments))
        else:
            new = tuple(one for given in judgments for one in _put_last(connection, study, given))
    if new:
        if new[-1].said == "undone":
            events.record("withdrew", study=study, task=new[-1].task, count=len(new))
        else:
            events.record("judged", study=study, task=new[-1].task, count=len(new))
    return new


def history(
    study: str, *, task: str | None = None, reader: str | None = None, kind: str | None = None
) -> tuple[Judgment, ...]:
    """Everything that was said in a study, by time: also what was said otherwise later, or taken back."""
    if not database.is_there():
        return ()
    with database.connected(write=False) as connection:
        return in_order(_read(connection, study, {"task": task, "reader": reader, "kind": kind}))


def undo(study: str, *judgments: Judgment) -> tuple[Judgment, ...]:
    """Take judgments back, by adding ones that say so; their subjects are open again. Raises as `add`."""
    now = datetime.now(UTC)
    return add(
        study,
        *(taken_back(judgment, id=new_id(), at=max(now, judgment.at + _TICK)) for judgment in judgments),
    )


def own_reader() -> str | None:
    """The reader of all judgments that who is at work adds on a server: their id. None where readers have
    codes, on one's own computer."""
    account = current()
    if account is None:
        return None
    return account.id if account.id == tidy(account.id, MAX_READER) else account.folder[-MAX_READER:]


def new_id() -> str:
    """An id for one answer: made when it is asked for, not when it is sent."""
    return uuid4().hex


def check(judgments: Sequence[Judgment]) -> None:
    """InputError where a judgment cannot be, with everything that is wrong."""
    problems = Problems("judgments")
    for judgment in judgments:
        for field, rule, value in wrong(judgment):
            problems.error("wrong-value", f"`{field}` must be {rule}.", "Nothing was stored.", value=value)
    report: Report = problems.report()
    if report.problems:
        first = report.problems[0]
        raise InputError(f"This cannot be stored. {first.message} It is {truncate(first.value)!r}.", report)


def _put_last(connection: sa.Connection, study: str, judgment: Judgment) -> Sequence[Judgment]:
    """One judgment, after everything that its subject holds."""
    like = {name: getattr(judgment, name) for name in ("task", "reader", "kind", "query")}
    before = [one for one in _read(connection, study, like) if one.subject == judgment.subject]
    if any(one.id == judgment.id for one in before):
        return ()
    last = max((one.at for one in before), default=None)
    if last is not None and judgment.at <= last:
        judgment = replace(judgment, at=last + _TICK)
    return _put(connection, study, (judgment,))


def _put(connection: sa.Connection, study: str, judgments: Sequence[Judgment]) -> tuple[Judgment, ...]:
    """Judgments as they are; returns those whose id the study did not have."""
    different = {judgment.id: judgment for judgment in reversed(judgments)}
    insert: Any = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(JUDGMENTS)
    once = insert.on_conflict_do_nothing(index_elements=["study", "id"]).returning(JUDGMENTS.c.id)
    rows = [row_of(study, one) for one in reversed(different.values())]
    new = set(connection.execute(once, rows).scalars())
    return tuple(one for one in reversed(different.values()) if one.id in new)


def _read(connection: sa.Connection, study: str, where: Mapping[str, str | None]) -> list[Judgment]:
    chosen = sa.select(JUDGMENTS).where(JUDGMENTS.c.study == study)
    for name, value in where.items():
        if value is not None:
            chosen = chosen.where(JUDGMENTS.c[name] == value)
    return [judgment_of(row) for row in connection.execute(chosen.order_by(JUDGMENTS.c.place)).mappings()]


# Which study a judgment belongs to: an id that stays when its files change or its folder is renamed.
#
# It is one line in ``review/id.txt``, written with the first task, so it travels with the folder and its
# zip; two copies of a study are one study. A folder without it, which may not be changed, is known to the
# workspace by its path; when a task is written there, it takes that id with it, and the path is free for
# another study. On a server the id of an uploaded study counts together with whose it is: a copy that
# somebody else uploads, with the same line in it, is another study.

FILE = "review/id.txt"
PATHS = "paths.json"
_ID = re.compile(r"[0-9a-f]{32}")


def study_id(study: Path) -> str:
    """The id of a study folder.

    Raises
    ------
    InputError
        ``review/id.txt`` holds something else, or the workspace cannot be written.
    """
    return _of_its_owner(study, _given(study))


def known_id(study: Path) -> str | None:
    """The same for reading, which writes nothing: None for a folder of which nothing was ever judged."""
    known = _known(study)
    return None if known is None else _of_its_owner(study, known)


@contextmanager
def moving_in(study: Path) -> Iterator[str]:
    """The id for ``review/id.txt``, which the block writes; then the workspace forgets the path."""
    yield _given(study)
    with _paths() as paths:
        paths.pop(os.path.realpath(study), None)


def _of_its_owner(study: Path, identity: str) -> str:
    owner = owner_of(study)
    if not owner:
        return identity
    return hashlib.blake2b(f"{owner}/{identity}".encode(), digest_size=16).hexdigest()


def _given(study: Path) -> str:
    known = _known(study)
    if known is not None:
        return known
    with _paths() as paths:
        return paths.setdefault(os.path.realpath(study), uuid4().hex)


def _known(study: Path) -> str | None:
    return _written(study) if os.path.lexists(study / FILE) else _read_paths().get(os.path.realpath(study))


def _written(study: Path) -> str:
    problems = Problems(FILE)
    text = (decode(read_bytes(study / FILE, problems) or b"", problems) or "").strip()
    if not _ID.fullmatch(text):
        message = f"{FILE} must contain one id of 32 signs, 0 to 9 and a to f."
        remedy = "Put back the file as it was, or remove it: the study then has no judgments yet."
        problems.error("bad-id", message, remedy, line=1, value=text)
        raise InputError(f"{message} {remedy}", problems.report())
    return text


@contextmanager
def _paths() -> Iterator[dict[str, str]]:
    """What the workspace knows of paths, written at the end of the block; one program at a time."""
    with keeping("The judgments"), locked("review", top=server_home()):
        paths = _read_paths()
        yield paths
        write_json(server_home() / "review" / PATHS, paths)


def _read_paths() -> dict[str, str]:
    """What was written; nothing where there is nothing, or where somebody else wrote something."""
    result = read_json(server_home() / "review" / PATHS)
    fits = isinstance(result, dict) and all(
        isinstance(one, str) and _ID.fullmatch(one) for one in result.values()
    )
    return result if fits else {}


# Judgments from a file into the database: all of a file or nothing of it, and nothing twice.


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
        problems = Problems(file)
        message = "Qrels do not name readers, so they cannot be imported as judgments."
        remedy = "Give the .csv or .json that `review export` writes."
        problems.error("wrong-format", message, remedy, value=file)
        return (), problems.report()
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
    known = {judgment.id: judgment for judgment in history(identity)} if read else {}
    report += _conflicts(read, known, file)
    n = report.total("error")
    if n:
        some = "1 error" if n == 1 else f"{n:,} errors"
        raise InputError(f"{file} has {some}, so nothing of it was stored.", report)
    different = {one.id: one for _, one in read}
    new = add(identity, *different.values(), keep_times=True)
    return Imported(new, len(different) - len(new), report)


def _conflicts(read: Read, known: dict[str, Judgment], file: str) -> Report:
    """The same id with another content: in the file, or in the study."""
    result, first = Problems(file), dict[str, tuple[int, "Judgment"]]()
    for line, one in read:
        remedy = "Keep the row that is right; an id belongs to one judgment for good."
        at, before = first.setdefault(one.id, (line, one))
        if before != one:
            message = f"The id {one.id!r} is on line {at} with other content."
            result.error("duplicate-id", message, remedy, line=line, value=one.id)
        elif at != line:
            message = f"The judgment {one.id!r} is already on line {at}; it counts once."
            result.warning("repeated-row", message, "Remove one of the rows.", line=line, value=one.id)
        elif known.get(one.id, one) != one:
            message = f"The study already contains a different judgment with the id {one.id!r}."
            result.error("changed-judgment", message, remedy, line=line, value=one.id)
    return result.report()
