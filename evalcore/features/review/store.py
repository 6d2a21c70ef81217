"""Judgments as they are made: added, read, taken back. What is in the database stays as it was given.

Nothing here changes or removes a row: a later judgment on the same subject counts instead, and taking back
adds one that says so. A function that adds returns after the commit, so what it returned is on the disk.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from evalcore.features.review import database
from evalcore.features.review.database import JUDGMENTS, judgment_of, row_of
from evalcore.features.review.records import MAX_READER, Judgment, checked, sort_by_time, tidy
from evalcore.study.tables.files import content_of, decode
from evalcore.study.tables.problems import Problems, Refused
from evalcore.study.workspace.home import keeping, locked, owner_of, read_json, server_home, write_json
from evalcore.values import events
from evalcore.values.account import NotAllowed, current
from evalcore.values.errors import InputError

_TICK = timedelta(microseconds=1)


def add(study: str, *judgments: Judgment, keep_times: bool = False) -> tuple[Judgment, ...]:
    """Store judgments of a study, all or none; those whose id the study has already are left as they are.

    Parameters
    ----------
    study : see `study_id`.
    keep_times : keep their times. Else a judgment with a time before an earlier one on its subject (a clock
        that was set back) gets the first moment after that, so that the last answer counts.

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
    judgments = checked("judgments", judgments, "Nothing was stored.")
    own = own_reader()
    if own is not None and any(judgment.reader != own for judgment in judgments):
        raise NotAllowed("Only your own judgments can be added or taken back. Nothing was stored.")
    if not judgments:
        return ()
    with database.connected(write=True) as connection:
        if keep_times:
            new = tuple(_put(connection, study, judgments))
        else:
            new = tuple(stored for each in judgments for stored in _put_last(connection, study, each))
    if new:
        event = "withdrew" if new[-1].status == "undone" else "judged"
        events.record(event, study=study, task=new[-1].task, count=len(new))
    return new


def history(study: str | None, **where: str) -> tuple[Judgment, ...]:
    """Every answer in a study, by time: also those that were changed later, or taken back.

    ``study``: None for a study in which nothing was ever judged. ``where``: fields and their values, such as
    the task or the reader.
    """
    if study is None or not database.is_there():
        return ()
    with database.connected(write=False) as connection:
        return sort_by_time(_read(connection, study, where))


def judgments_of(study: Path, **where: str) -> tuple[Judgment, ...]:
    """`history` of a study folder; InputError where the database cannot be read."""
    return history(known_id(study), **where)


def own_reader() -> str | None:
    """On a server, the reader of all judgments that the person who is signed in adds: their id. None on one's
    own computer, where readers have codes."""
    account = current()
    if account is None:
        return None
    return account.id if account.id == tidy(account.id, MAX_READER) else account.folder[-MAX_READER:]


def _put_last(connection: sa.Connection, study: str, judgment: Judgment) -> Sequence[Judgment]:
    """Store a judgment after all others on its subject; returns it, nothing where the study has its id."""
    like = {name: getattr(judgment, name) for name in ("task", "reader", "kind", "query")}
    before = [each for each in _read(connection, study, like) if each.subject == judgment.subject]
    if any(each.id == judgment.id for each in before):
        return ()
    last = max((each.at for each in before), default=None)
    if last is not None and judgment.at <= last:
        judgment = replace(judgment, at=last + _TICK)
    return _put(connection, study, (judgment,))


def _put(connection: sa.Connection, study: str, judgments: Sequence[Judgment]) -> tuple[Judgment, ...]:
    """Judgments as they are; returns those whose id the study did not have."""
    by_id: dict[str, Judgment] = {}
    for judgment in judgments:
        by_id.setdefault(judgment.id, judgment)
    insert: Any = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(JUDGMENTS)
    once = insert.on_conflict_do_nothing(index_elements=["study", "id"]).returning(JUDGMENTS.c.id)
    new = set(connection.execute(once, [row_of(study, each) for each in by_id.values()]).scalars())
    return tuple(each for each in by_id.values() if each.id in new)


def _read(connection: sa.Connection, study: str, where: Mapping[str, str]) -> list[Judgment]:
    conditions = (JUDGMENTS.c[name] == value for name, value in where.items())
    chosen = sa.select(JUDGMENTS).where(JUDGMENTS.c.study == study, *conditions)
    rows = connection.execute(chosen.order_by(JUDGMENTS.c.place)).mappings().all()
    return [judgment_of(row) for row in rows]


# Which study a judgment belongs to: an id that stays when its files change or its folder is renamed.
#
# It is one line in ``review/id.txt``, written with the first task, so it travels with the folder and its
# zip; two copies of a study are one study. A folder without it, which may not be changed, is known to the
# workspace by its path; when a task is written there, it takes that id with it, and the path is free for
# another study. On a server the id of an uploaded study counts together with whose it is: a copy that
# somebody else uploads, with the same line in it, is another study.

ID_FILE = "review/id.txt"
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
    """The same without writing anything: None for a folder in which nothing was ever judged."""
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
    return _written(study) if os.path.lexists(study / ID_FILE) else _read_paths().get(os.path.realpath(study))


def _written(study: Path) -> str:
    problems, text = Problems(ID_FILE), ""
    with suppress(Refused):
        text = decode(content_of(study / ID_FILE, ID_FILE), problems).strip()
    if not _ID.fullmatch(text):
        message = f"{ID_FILE} must contain one id of 32 signs, 0 to 9 and a to f."
        remedy = "Put back the file as it was, or remove it: the study then has no judgments yet."
        problems.error("bad-id", message, remedy, line=1, value=text)
        raise InputError(f"{message} {remedy}", problems.report())
    return text


@contextmanager
def _paths() -> Iterator[dict[str, str]]:
    """The ids of studies by path, written at the end of the block; one program at a time."""
    with keeping("The judgments"), locked(server_home() / "review"):
        paths = _read_paths()
        yield paths
        write_json(server_home() / "review" / PATHS, paths)


def _read_paths() -> dict[str, str]:
    """The ids of studies by path; none where there is no such file, or where it contains something else."""
    result = read_json(server_home() / "review" / PATHS)
    if not isinstance(result, dict):
        return {}
    return {path: each for path, each in result.items() if isinstance(each, str) and _ID.fullmatch(each)}
