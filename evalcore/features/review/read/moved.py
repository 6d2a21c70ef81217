"""Judgments of another home, whose studies have moved into this one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from evalcore.features.review.read import database, store
from evalcore.features.review.read.database import JUDGMENTS
from evalcore.study.workspace.home import read_json
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def take_over(review: Path, studies: Path) -> tuple[int, int]:
    """Add the judgments of another home to the database here, by the ids that its studies have here.

    Parameters
    ----------
    review : what was ``review`` in that home: its database, and ``paths.json`` with the paths of now.
    studies : the folder with its studies, where they are now.

    Returns
    -------
    How many judgments were added, and how many are of studies that did not move along. Those that are here
    already are left as they are.

    Raises
    ------
    InputError
        The database of either cannot be read or written, or a newer program made it.
    """
    path = review / database.FILE
    if not path.is_file():
        return 0, 0
    ids = _ids(read_json(review / store.PATHS), studies)
    try:
        with database.begun_without_writing(path) as connection:
            rows = [dict(row) for row in connection.execute(database.rows(connection)).mappings()]
    except sa.exc.SQLAlchemyError as reason:
        raise InputError(f"The judgments in {path.name} cannot be read: {reason}.") from reason
    moved = [{**_without_place(row), "study": ids[row["study"]]} for row in rows if row["study"] in ids]
    if not moved:
        return 0, len(rows)
    with database.connected(write=True) as connection:
        insert: Any = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(JUDGMENTS)
        once = insert.on_conflict_do_nothing(index_elements=["study", "id"]).returning(JUDGMENTS.c.id)
        added = len(connection.execute(once, moved).scalars().all())
    return added, len(rows) - len(moved)


def _without_place(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "place"}


def _ids(paths: object, studies: Path) -> dict[str, str]:
    """The id here of each study that moved, by the one it had."""
    by_path = paths if isinstance(paths, dict) else {}
    folders = sorted(studies.iterdir()) if studies.is_dir() else []
    moved = (store.moved_here(study, by_path.get(os.path.realpath(study))) for study in folders)
    return dict(pair for pair in moved if pair is not None)
