"""The two kinds of database that judgments can be in, each opened in the way that loses nothing.

SQLite has a write-ahead log and full synchronisation: what is committed is on the disk, and readers and
writers do not wait for each other.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from evalcore.errors import InputError
from evalcore.sources.workspace.home import PRIVATE_FILE, make_folder
from evalcore.sources.workspace.locks import locked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import sqlalchemy as sa

Result = TypeVar("Result")
VARIABLE = "CUISCOPE_DATABASE"
PATIENCE = 30
"""Seconds to wait for another program that writes, or for a server that does not answer."""
_PAUSE = 0.02
_WRITES = "cuiscope_writes"
_LOCK = 0x6375_6973
"""Of the lock on a server under which one program at a time makes the tables."""


@contextmanager
def begun(engine: sa.Engine, *, write: bool) -> Iterator[sa.Connection]:
    """A transaction, committed at the end of the block, and rolled back when that fails.

    SQLite refuses at once, whatever its patience, while another program opens the file or leaves it; nothing
    was asked of it by then, so it is asked again.
    """

    def begin(connection: sa.Connection) -> sa.RootTransaction:
        return connection.execution_options(**{_WRITES: write}).begin()

    connection, transaction = _patiently(engine, begin)
    with connection, transaction:
        yield connection


def _patiently(engine: sa.Engine, first: Callable[[sa.Connection], Result]) -> tuple[sa.Connection, Result]:
    """A connection, and the result of the first thing asked of it."""
    import sqlalchemy as sa

    deadline = time.monotonic() + PATIENCE
    while True:
        connection = engine.connect()
        try:
            return connection, first(connection)
        except BaseException as reason:
            connection.close()
            busy = isinstance(reason, sa.exc.OperationalError) and "locked" in str(reason.orig)
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)


def open_file(path: Path) -> sa.Engine:
    """A file, made when it is not there, for its owner only."""
    import sqlalchemy as sa

    make_folder(path.parent)
    path.touch(PRIVATE_FILE)
    with suppress(OSError):  # on somebody else's file system
        path.chmod(PRIVATE_FILE)
    # A connection of its own for every use: none is shared between threads, pages or forked programs.
    url = sa.URL.create("sqlite", database=str(path))
    engine = sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args={"timeout": PATIENCE})

    @sa.event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so, below
        connection.execute("PRAGMA synchronous=FULL")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        if writes is not None:
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
        if writes is False:
            connection.exec_driver_sql("PRAGMA schema_version")  # what is read is read from here on

    with locked(path.parent):
        # Outside a transaction; the file then keeps it.
        connection, _ = _patiently(engine, lambda it: it.exec_driver_sql("PRAGMA journal_mode=WAL").scalar())
        connection.close()
        _make_tables(engine)
    return engine


def open_server(address: sa.URL) -> sa.Engine:
    """A PostgreSQL server; InputError where what speaks with it is not installed."""
    import sqlalchemy as sa

    try:
        engine = sa.create_engine(
            address, pool_pre_ping=True, pool_size=2, max_overflow=20,
            connect_args={"connect_timeout": PATIENCE},
        )  # fmt: skip
    except ImportError as reason:
        remedy = 'Install it: pip install "psycopg[binary]", or the extra "postgres" of this program.'
        raise InputError(f"{VARIABLE} names a PostgreSQL server, which needs psycopg. {remedy}") from reason
    try:
        _make_tables(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _make_tables(engine: sa.Engine) -> None:
    """Make the tables where there are none, one program at a time; refuse those of a newer program."""
    import sqlalchemy as sa

    from evalcore.sources.review.schema import METADATA, SCHEMA, VERSION

    with begun(engine, write=True) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        SCHEMA.create(connection, checkfirst=True)
        found = connection.execute(sa.select(sa.func.max(SCHEMA.c.version))).scalar()
        if found is not None and found > VERSION:
            raise InputError(
                f"The database of judgments is of version {found}, made by a newer CUIscope; this one knows "
                f"version {VERSION}. Nothing was changed. Use the newer program, or set {VARIABLE} or "
                "CUISCOPE_HOME to another place."
            )
        METADATA.create_all(connection)
        if found is None:
            connection.execute(sa.insert(SCHEMA).values(version=VERSION))
