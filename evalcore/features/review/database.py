"""The database of judgments: a file of the workspace, or the PostgreSQL server ``CUISCOPE_DATABASE`` names.

Rows are added, and never changed or removed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from json import dumps, loads
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy as sa

from evalcore.features.review.records import FIELDS, Judgment, record_of, validate
from evalcore.study.workspace.home import PRIVATE_FILE, keeping, make_folder, server_home
from evalcore.values.errors import InputError
from evalcore.values.extras import needs

VERSION = 2
"""Of the tables; a program of another version must not write to them."""
METADATA = sa.MetaData()
_LISTS = ("systems", "reasons")
JUDGMENTS = sa.Table(
    "cuiscope_judgments",
    METADATA,
    sa.Column("place", sa.BigInteger().with_variant(sa.Integer, "sqlite"), sa.Identity(), primary_key=True),
    sa.Column("study", sa.Text, nullable=False),
    *(sa.Column(name, sa.Text, nullable=False) for name in FIELDS if name != "value"),
    sa.Column("value", sa.Double),
    sa.UniqueConstraint("study", "id", name="cuiscope_judgments_once"),
    sa.Index("cuiscope_judgments_of", "study", "task", "reader"),
)
"""``systems`` and ``reasons`` as JSON lists; ``at`` in UTC, always with microseconds, so that it sorts."""
SCHEMA = sa.Table("cuiscope_schema", METADATA, sa.Column("version", sa.Integer, primary_key=True))


def row_of(study: str, judgment: Judgment) -> dict[str, Any]:
    """A judgment as a row of its study."""
    record = record_of(judgment)
    lists = {name: dumps(record[name], ensure_ascii=False) for name in _LISTS}
    return {**record, **lists, "at": judgment.at.isoformat(timespec="microseconds"), "study": study}


def judgment_of(row: sa.RowMapping) -> Judgment:
    """The judgment of a row; InputError where another program wrote what none can be."""
    cells = {name: row[name] for name in FIELDS}
    judgment, wrong = validate(Judgment, cells | {name: loads(row[name]) for name in _LISTS})
    if judgment is None:
        raise InputError(f"The database of judgments contains a row whose `{wrong[0].field}` is wrong.")
    return judgment


# SQLite has a rollback journal and synchronises fully: what is committed is on the disk, and a disk that is
# full, or read-only, can still be read from. One program writes at a time; the others wait.

VARIABLE = "CUISCOPE_DATABASE"
PATIENCE = 30
"""Seconds to wait for another program that writes, or for a server that does not answer."""
_WRITES = "cuiscope_writes"
_LOCK = 0x6375_6973
"""Of the lock on a server under which one program at a time makes the tables."""


def open_file(path: Path) -> sa.Engine:
    """A file, made when it is not there, for its owner only."""
    if not path.exists():
        make_folder(path.parent)
        path.touch(PRIVATE_FILE)
    # A connection of its own for every use: none is shared between threads, pages or forked programs.
    url = sa.URL.create("sqlite", database=str(path))
    engine = sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args={"timeout": PATIENCE})

    @sa.event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        connection.execute("PRAGMA synchronous=EXTRA")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        if connection.get_execution_options().get(_WRITES):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    _make_tables(engine)
    return engine


def open_server(address: sa.URL) -> sa.Engine:
    """A PostgreSQL server; InputError where what speaks with it is not installed."""
    with needs("postgres", f"The PostgreSQL server that {VARIABLE} names"):
        engine = sa.create_engine(
            address,
            pool_pre_ping=True,
            pool_size=2,
            max_overflow=20,
            connect_args={"connect_timeout": PATIENCE},
        )
    try:
        _make_tables(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _make_tables(engine: sa.Engine) -> None:
    """Make the tables where there are none, one program at a time; refuse those of another version."""
    with engine.connect() as connection:
        is_new = not sa.inspect(connection).has_table(SCHEMA.name)
    if is_new:
        with engine.execution_options(**{_WRITES: True}).begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            METADATA.create_all(connection)
            if connection.execute(sa.select(SCHEMA.c.version)).first() is None:
                connection.execute(sa.insert(SCHEMA).values(version=VERSION))
    with engine.connect() as connection:
        version = connection.execute(sa.select(sa.func.max(SCHEMA.c.version))).scalar_one()
    if version != VERSION:
        raise InputError(
            f"The database of judgments is of version {version}, made by another CUIscope; this one supports "
            f"version {VERSION}. Nothing was changed. Use the program that made it, or set {VARIABLE} or "
            "CUISCOPE_HOME to another place."
        )


FILE = "judgments.db"
_WANTED = "It must be an address such as postgresql://reader@host/cuiscope."


def file() -> Path:
    """The file that holds judgments where no database server does: one for all users of the program."""
    return server_home() / "review" / FILE


def is_there() -> bool:
    """Whether anything can have been stored: a server is named, or there is more than an empty file."""
    return bool(_server()) or (file().exists() and file().stat().st_size > 0)


def describe() -> str:
    """Where judgments go, for people: a path, or the address of a server without its password."""
    server = _server()
    return _address(server).render_as_string(hide_password=True) if server else str(file())


@contextmanager
def connected(*, write: bool) -> Iterator[sa.Connection]:
    """A connection within one transaction, committed at the end of the block; nothing is kept if it fails.

    Raises
    ------
    InputError
        There is no such server or file, it cannot be read or written, or it is of another version.
    """
    with keeping("The judgment"):
        try:
            if not is_there():
                forget()  # the workspace is new, or somebody emptied it
            engine = _engine(_server(), file())
            with engine.execution_options(**{_WRITES: write}).begin() as connection:
                yield connection
        except sa.exc.SQLAlchemyError as reason:
            raise InputError(_why(reason, write=write)) from reason


def forget() -> None:
    """Close what is open; the next use opens it again."""
    with _lock:
        for engine in _made.values():
            engine.dispose()
        _made.clear()


_made: dict[tuple[str, Path], sa.Engine] = {}
"""By place: a program has a single one, and a test a few."""
_lock = Lock()


def _engine(server: str, path: Path) -> sa.Engine:
    with _lock:
        if (server, path) not in _made:
            _made[server, path] = open_server(_address(server)) if server else open_file(path)
        return _made[server, path]


def _server() -> str:
    return os.environ.get(VARIABLE, "").strip()


def _address(server: str) -> sa.URL:
    try:
        address = sa.make_url(server)
    except sa.exc.ArgumentError as reason:
        raise InputError(f"{VARIABLE} is no address of a database. {_WANTED}") from reason
    if address.drivername not in ("postgres", "postgresql", "postgresql+psycopg"):
        kind = address.drivername[:40]
        raise InputError(f"{VARIABLE} names a database of the kind {kind!r}. {_WANTED}")
    return address.set(drivername="postgresql+psycopg")


def _why(reason: Exception, *, write: bool) -> str:
    """The reason a database gave, in one sentence, and the way out."""
    reason_text = str(getattr(reason, "orig", None) or reason).partition("\n")[0].strip()[:200]
    remedy = (
        f"Check that {VARIABLE} names a server that runs and lets you in."
        if _server()
        else f"Check the free space, and that review/{FILE} in CUISCOPE_HOME is on a disk of this machine."
    )
    what = "could not be stored, and none was" if write else "cannot be read"
    return f"Judgments {what}: {reason_text}. {remedy}"
