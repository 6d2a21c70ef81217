"""Where judgments are kept: a file of the workspace, or the PostgreSQL server ``CUISCOPE_DATABASE`` names.

The file is SQLite with a write-ahead log and full synchronisation: what is committed is on the disk, and
readers and writers do not wait for each other. It is its owner's alone, as the whole workspace is.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.errors import InputError
from evalcore.sources.workspace.home import PRIVATE_FILE, cannot_keep, home, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    import sqlalchemy as sa

VARIABLE = "CUISCOPE_DATABASE"
FILE = "judgments.db"
PATIENCE = 30
"""Seconds to wait for another program that writes, or for a server that does not answer."""
_LOCK = 0x6375_6973
"""Of the lock under which one program at a time makes the tables."""


def place() -> str:
    """Where judgments go: the address of ``CUISCOPE_DATABASE``, else the path of the file."""
    return os.environ.get(VARIABLE, "").strip() or str(file())


def file() -> Path:
    """The file of the workspace that holds judgments where no server does."""
    return home() / "review" / FILE


def in_words() -> str:
    """The same for people: without a password."""
    where = place()
    return where if where == str(file()) else _address(where).render_as_string(hide_password=True)


@contextmanager
def connected(*, write: bool) -> Iterator[sa.Connection]:
    """A connection within one transaction, committed at the end of the block; nothing is kept if it fails.

    Raises
    ------
    InputError
        There is no such server or file, it cannot be read or written, or a newer program made it.
    """
    import sqlalchemy as sa

    try:
        if not (os.environ.get(VARIABLE) or file().exists()):
            _ready.cache_clear()  # the workspace is new, or somebody emptied it
        engine = _ready(place())
        with engine.execution_options(cuiscope_writes=write).begin() as connection:
            yield connection
    except sa.exc.SQLAlchemyError as reason:
        raise InputError(_why(reason, write=write)) from reason
    except OSError as reason:
        raise cannot_keep("The judgment", reason) from reason


def forget() -> None:
    """Close what is open; the next use opens it again."""
    for engine in _made:
        engine.dispose()
    _made.clear()
    _ready.cache_clear()


_made: list[Any] = []


@lru_cache(maxsize=8)
def _ready(where: str) -> sa.Engine:
    """The engine of a place, with the tables made and their version checked."""
    engine = _sqlite(Path(where)) if where == str(file()) else _postgres(where)
    _made.append(engine)
    _make_tables(engine)
    return engine


def _sqlite(path: Path) -> sa.Engine:
    import sqlalchemy as sa

    make_folder(path.parent)
    path.touch(PRIVATE_FILE)
    with suppress(OSError):  # somebody else's file system
        path.chmod(PRIVATE_FILE)
    url = sa.URL.create("sqlite", database=str(path))
    # A connection of its own for every use: none is shared between threads, pages or forked programs.
    engine = sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args={"timeout": PATIENCE})

    @sa.event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so, below
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("cuiscope_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgres(where: str) -> sa.Engine:
    import sqlalchemy as sa

    address = _address(where)
    try:
        return sa.create_engine(
            address, pool_pre_ping=True, pool_size=2, max_overflow=20,
            connect_args={"connect_timeout": PATIENCE},
        )  # fmt: skip
    except ImportError as reason:
        remedy = 'Install it: pip install "psycopg[binary]", or the extra "postgres" of this program.'
        raise InputError(f"{VARIABLE} names a PostgreSQL server, which needs psycopg. {remedy}") from reason


def _address(where: str) -> sa.URL:
    import sqlalchemy as sa

    wanted = "It must be an address such as postgresql://reader@host/cuiscope."
    try:
        address = sa.make_url(where)
    except sa.exc.ArgumentError as reason:
        raise InputError(f"{VARIABLE} is no address of a database. {wanted}") from reason
    if address.drivername not in ("postgres", "postgresql", "postgresql+psycopg"):
        kind = address.drivername[:40]
        raise InputError(f"{VARIABLE} names a database of the kind {kind!r}. {wanted}")
    return address.set(drivername="postgresql+psycopg")


def _make_tables(engine: sa.Engine) -> None:
    """Make the tables where there are none, one program at a time; refuse those of a newer program."""
    import sqlalchemy as sa

    from evalcore.sources.review.schema import METADATA, SCHEMA, VERSION

    with engine.execution_options(cuiscope_writes=True).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        SCHEMA.create(connection, checkfirst=True)
        found = connection.execute(sa.select(sa.func.max(SCHEMA.c.version))).scalar()
        if found is not None and found > VERSION:
            raise InputError(
                f"The database of judgments is of version {found}, made by a newer CUIscope; this one "
                f"knows version {VERSION}. Nothing was changed. Use the newer program, or set {VARIABLE} "
                "or CUISCOPE_HOME to another place."
            )
        METADATA.create_all(connection)
        if found is None:
            connection.execute(sa.insert(SCHEMA).values(version=VERSION))


def _why(reason: Exception, *, write: bool) -> str:
    """What a database said, in one sentence, and the way out."""
    said = str(getattr(reason, "orig", None) or reason).partition("\n")[0].strip()[:200]
    remedy = (
        f"Check that {VARIABLE} names a server that runs and lets you in."
        if os.environ.get(VARIABLE, "").strip()
        else "Check the free space, and that CUISCOPE_HOME is a folder on a disk of this machine."
    )
    what = "could not be stored, and none was" if write else "cannot be read"
    return f"Judgments {what}: {said}. {remedy}"
