"""Judgments as they are made: added, read, taken back. What is in the database stays as it was said.

Nothing here changes or removes a row: a later judgment on the same subject counts instead, and taking back
adds one that says so. A function that adds returns after the commit, so what it returned is on the disk.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from evalcore.features.review.judgments import in_order, taken_back
from evalcore.features.review.limits import wrong
from evalcore.features.review.read import database
from evalcore.study.tables.problems import Problems, shown
from evalcore.values.errors import InputError
from evalcore.values.problems import Report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import sqlalchemy as sa

    from evalcore.features.review.judgments import Judgment

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
    """
    check(judgments)
    if not judgments:
        return ()
    with database.connected(write=True) as connection:
        if keep_times:
            return _put(connection, study, judgments)
        return tuple(one for given in judgments for one in _put_last(connection, study, given))


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
    return add(study, *(taken_back(one, id=new_id(), at=max(now, one.at + _TICK)) for one in judgments))


def new_id() -> str:
    """An id for one answer: made when it is asked for, not when it is sent."""
    return uuid4().hex


def check(judgments: Sequence[Judgment]) -> None:
    """InputError where a judgment cannot be, with everything that is wrong."""
    found = Problems("judgments")
    for one in judgments:
        for field, rule, value in wrong(one):
            found.error("wrong-value", f"`{field}` must be {rule}.", "Nothing was stored.", value=value)
    report: Report = found.report()
    if report.problems:
        first = report.problems[0]
        raise InputError(f"This cannot be stored. {first.message} It is {shown(first.value)!r}.", report)


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
    from sqlalchemy.dialects import postgresql, sqlite

    from evalcore.features.review.read.schema import JUDGMENTS, row_of

    different = {one.id: one for one in reversed(judgments)}
    insert: Any = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(JUDGMENTS)
    once = insert.on_conflict_do_nothing(index_elements=["study", "id"]).returning(JUDGMENTS.c.id)
    rows = [row_of(study, one) for one in reversed(different.values())]
    new = set(connection.execute(once, rows).scalars())
    return tuple(one for one in reversed(different.values()) if one.id in new)


def _read(connection: sa.Connection, study: str, where: Mapping[str, str | None]) -> list[Judgment]:
    import sqlalchemy as sa

    from evalcore.features.review.read.schema import JUDGMENTS, judgment_of

    chosen = sa.select(JUDGMENTS).where(JUDGMENTS.c.study == study)
    for name, value in where.items():
        if value is not None:
            chosen = chosen.where(JUDGMENTS.c[name] == value)
    return [judgment_of(row) for row in connection.execute(chosen.order_by(JUDGMENTS.c.place)).mappings()]
