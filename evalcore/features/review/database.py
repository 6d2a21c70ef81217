"""The database of judgments: a file of the workspace, or the PostgreSQL server ``CUISCOPE_DATABASE`` names.

Rows are added, and never changed or removed.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import ExitStack, contextmanager, suppress
from json import dumps, loads
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import sqlalchemy as sa

from evalcore.features.review.records import Judgment, record_of, validate
from evalcore.study.workspace.home import PRIVATE_FILE, cannot_keep, locked, make_folder, server_home
from evalcore.values.errors import InputError
from evalcore.values.extras import needs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 1
"""Of the tables; a program that knows an older one only must not write to them."""
METADATA = sa.MetaData()
_TYPES: Mapping[str, Any] = {"value": sa.Double, "simulated": sa.Boolean}
_FIELDS = tuple(Judgment.__dataclass_fields__)
_LISTS = ("systems", "reasons")
JUDGMENTS = sa.Table(
    "cuiscope_judgments",
    METADATA,
    sa.Column("place", sa.BigInteger().with_variant(sa.Integer, "sqlite"), sa.Identity(), primary_key=True),
    sa.Column("study", sa.Text, nullable=False),
    *(sa.Column(name, _TYPES.get(name, sa.Text), nullable=name == "value") for name in _FIELDS),
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
    cells = {name: row[name] for name in _FIELDS}
    judgment, wrong = validate(Judgment, cells | {name: loads(row[name]) for name in _LISTS})
    if judgment is None:
        raise InputError(f"The database of judgments contains a row whose `{wrong[0].field}` is wrong.")
    return judgment


# SQLite has a write-ahead log and full synchronisation: what is committed is on the disk, and readers and
# writers do not wait for each other. A disk that is full or read-only can still be read from.

VARIABLE = "CUISCOPE_DATABASE"
PATIENCE = 30
"""Seconds to wait for another program that writes, or for a server that does not answer."""
_PAUSE = 0.02
_WRITES = "cuiscope_writes"
_LOCK = 0x6375_6973
"""Of the lock on a server under which one program at a time makes the tables."""


@contextmanager
def transaction(engine: sa.Engine, *, write: bool) -> Iterator[sa.Connection]:
    """A connection within a transaction, committed at the end of the block, rolled back when that fails."""
    connection = _connect(engine, begin=True, write=write)
    with connection, connection.get_transaction() or connection.begin():
        yield connection


def _connect(engine: sa.Engine, *, begin: bool, write: bool = False) -> sa.Connection:
    """A connection, in a transaction or with the write-ahead log switched on.

    SQLite refuses at once, whatever its patience, while another program opens the file or leaves it; nothing
    was done by then, so it is tried again.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        connection = engine.connect()
        try:
            if begin:
                connection.execution_options(**{_WRITES: write}).begin()
            else:  # outside a transaction; the file then keeps it
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            return connection
        except BaseException as reason:
            connection.close()
            if not _is_busy(reason) or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)


def _is_busy(reason: BaseException) -> bool:
    """Whether a database refused because another program has it now."""
    return "locked" in str(getattr(reason, "orig", ""))


def _has_log(path: Path) -> bool:
    """Whether SQLite has something that it has not yet put into the file."""
    logs = [path.with_name(f"{path.name}-{kind}") for kind in ("wal", "journal")]
    return any(log.exists() and log.stat().st_size for log in logs)


def open_file(path: Path) -> sa.Engine:
    """A file, made when it is not there, for its owner only."""
    make_folder(path.parent)
    path.touch(PRIVATE_FILE)
    with suppress(OSError):  # on somebody else's file system
        path.chmod(PRIVATE_FILE)
    # A connection of its own for every use: none is shared between threads, pages or forked programs.
    url = sa.URL.create("sqlite", database=str(path))
    engine = sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args={"timeout": PATIENCE})

    _listen(engine, "synchronous=FULL")
    with locked("review", top=server_home()):
        _connect(engine, begin=False).close()
        _make_tables(engine)
    return engine


@contextmanager
def read_only(path: Path) -> Iterator[sa.Connection]:
    """A transaction that reads a file on a disk that takes nothing more, not even an index of its log.

    The index is kept in memory. Where the file cannot be held for that, it is read as it is, if its log is
    empty: then nothing that was said can be missing. An empty file, begun as the disk became full, holds no
    judgments.
    """
    with ExitStack() as stack:
        if not path.stat().st_size:
            nothing = sa.create_engine("sqlite://")
            METADATA.create_all(nothing)
            yield stack.enter_context(nothing.connect())
            return
        try:
            connection = stack.enter_context(transaction(_opened_to_read(path, "mode=rw"), write=False))
        except sa.exc.OperationalError as reason:
            if _is_busy(reason) or _has_log(path):
                raise
            connection = stack.enter_context(transaction(_opened_to_read(path, "immutable=1"), write=False))
        _version(connection)
        yield connection


def _opened_to_read(path: Path, how: str) -> sa.Engine:
    def connect() -> sqlite3.Connection:
        return sqlite3.connect(f"file:{quote(str(path.absolute()))}?{how}", uri=True, timeout=PATIENCE)

    engine = sa.create_engine("sqlite://", creator=connect, poolclass=sa.pool.NullPool)
    _listen(engine, "locking_mode=EXCLUSIVE", "query_only=ON")
    return engine


def _listen(engine: sa.Engine, *pragmas: str) -> None:
    """Have every connection to a file begin with these, and its transactions as `transaction` says."""

    @sa.event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        if writes is not None:
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
        if writes is False:
            connection.exec_driver_sql("PRAGMA schema_version")  # what is read is read from here on


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
    """Make the tables where there are none, one program at a time; refuse those of a newer program."""
    with transaction(engine, write=True) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        SCHEMA.create(connection, checkfirst=True)
        result = _version(connection)
        METADATA.create_all(connection)
        if result is None:
            connection.execute(sa.insert(SCHEMA).values(version=VERSION))


def _version(connection: sa.Connection) -> int | None:
    """The version of the tables; InputError where a newer program made them."""
    result: int | None = connection.execute(sa.select(sa.func.max(SCHEMA.c.version))).scalar()
    if result is not None and result > VERSION:
        raise InputError(
            f"The database of judgments is of version {result}, made by a newer CUIscope; this one supports "
            f"version {VERSION}. Nothing was changed. Use the newer program, or set {VARIABLE} or "
            "CUISCOPE_HOME to another place."
        )
    return result


FILE = "judgments.db"
_WANTED = "It must be an address such as postgresql://reader@host/cuiscope."


def file() -> Path:
    """The file that holds judgments where no database server does: one for all users of the program."""
    return server_home() / "review" / FILE


def is_there() -> bool:
    """Whether anything can have been stored: a server is named, or the file was made."""
    return bool(_server()) or file().exists()


def describe() -> str:
    """Where judgments go, for people: a path, or the address of a server less its password."""
    server = _server()
    return _address(server).render_as_string(hide_password=True) if server else str(file())


@contextmanager
def connected(*, write: bool) -> Iterator[sa.Connection]:
    """A connection within one transaction, committed at the end of the block; nothing is kept if it fails.

    Raises
    ------
    InputError
        There is no such server or file, it cannot be read or written, or a newer program made it.
    """
    try:
        if not is_there():
            forget()  # the workspace is new, or somebody emptied it
        with ExitStack() as stack:
            yield _transaction(stack, write=write)
    except sa.exc.SQLAlchemyError as reason:
        raise InputError(_why(reason, write=write)) from reason
    except OSError as reason:
        raise cannot_keep("The judgment", reason) from reason


def _transaction(stack: ExitStack, *, write: bool) -> sa.Connection:
    """A connection within a transaction, until the stack is left; a full disk is read without writing."""
    try:
        return stack.enter_context(transaction(_engine(_server(), file()), write=write))
    except (sa.exc.OperationalError, OSError):
        if write or _server() or not file().is_file():
            raise
        return stack.enter_context(read_only(file()))


def forget() -> None:
    """Close what is open; the next use opens it again."""
    with _lock:
        for engine in _made.values():
            engine.dispose()
        _made.clear()


_made: dict[tuple[str, Path], sa.Engine] = {}
"""By place: a program has one, and a test a few."""
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
    """What a database said, in one sentence, and the way out."""
    reason_text = str(getattr(reason, "orig", None) or reason).partition("\n")[0].strip()[:200]
    remedy = (
        f"Check that {VARIABLE} names a server that runs and lets you in."
        if _server()
        else "Check the free space, and that CUISCOPE_HOME is a folder on a disk of this machine."
    )
    what = "could not be stored, and none was" if write else "cannot be read"
    return f"Judgments {what}: {reason_text}. {remedy}"
