"""The tables of judgments, for SQLite and PostgreSQL alike. Rows are added, and never changed or removed."""

from __future__ import annotations

from datetime import UTC, datetime
from json import dumps, loads
from typing import Any

import sqlalchemy as sa

from evalcore.features.review.judgments import Judgment
from evalcore.features.review.read.judgment_files import FIELDS, LISTS

VERSION = 1
"""Of the tables; a program that knows an older one only must not write to them."""
METADATA = sa.MetaData()
JUDGMENTS = sa.Table(
    "cuiscope_judgments",
    METADATA,
    sa.Column("place", sa.BigInteger().with_variant(sa.Integer, "sqlite"), sa.Identity(), primary_key=True),
    sa.Column("study", sa.Text, nullable=False),
    sa.Column("id", sa.Text, nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("reader", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("result", sa.Text, nullable=False),
    sa.Column("systems", sa.Text, nullable=False),
    sa.Column("criterion", sa.Text, nullable=False),
    sa.Column("said", sa.Text, nullable=False),
    sa.Column("value", sa.Double, nullable=True),
    sa.Column("reasons", sa.Text, nullable=False),
    sa.Column("comment", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("simulated", sa.Boolean, nullable=False),
    sa.Column("adjudicated", sa.Boolean, nullable=False),
    sa.Column("shown", sa.Text, nullable=False),
    sa.UniqueConstraint("study", "id", name="cuiscope_judgments_once"),
    sa.Index("cuiscope_judgments_of", "study", "task", "reader"),
)
"""``systems`` and ``reasons`` as JSON lists; ``at`` in UTC, always with microseconds, so that it sorts."""
SCHEMA = sa.Table("cuiscope_schema", METADATA, sa.Column("version", sa.Integer, primary_key=True))


def row_of(study: str, judgment: Judgment) -> dict[str, Any]:
    """A judgment as a row of its study."""
    row = {name: getattr(judgment, name) for name in FIELDS}
    lists = {name: dumps(list(row[name]), ensure_ascii=False) for name in LISTS}
    return {**row, **lists, "at": time_text(judgment.at), "study": study}


def judgment_of(row: Any) -> Judgment:
    """A row as the judgment it was."""
    values = {name: row[name] for name in FIELDS}
    lists = {name: tuple(loads(values[name])) for name in LISTS}
    return Judgment(**{**values, **lists, "at": datetime.fromisoformat(values["at"])})


def time_text(at: datetime) -> str:
    """A time in UTC, always with microseconds.

    >>> time_text(datetime(2026, 5, 1, 9, 30, tzinfo=UTC))
    '2026-05-01T09:30:00.000000+00:00'
    """
    return at.astimezone(UTC).isoformat(timespec="microseconds")
