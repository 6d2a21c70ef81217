"""Where judgments are kept: a file of the workspace, or the PostgreSQL server ``CUISCOPE_DATABASE`` names."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from evalcore.features.review.read.engines import (
    VARIABLE,
    begun,
    begun_without_writing,
    open_file,
    open_server,
)
from evalcore.study.workspace.home import cannot_keep, home
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import sqlalchemy as sa

FILE = "judgments.db"
_WANTED = "It must be an address such as postgresql://reader@host/cuiscope."


def file() -> Path:
    """The file of the workspace that holds judgments where no server does."""
    return home() / "review" / FILE


def is_there() -> bool:
    """Whether anything can have been stored: a server is named, or the file was made."""
    return bool(_server()) or file().exists()


def in_words() -> str:
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
    import sqlalchemy as sa

    try:
        if not is_there():
            forget()  # the workspace is new, or somebody emptied it
        with ExitStack() as stack:
            yield _begun(stack, write=write)
    except sa.exc.SQLAlchemyError as reason:
        raise InputError(_why(reason, write=write)) from reason
    except OSError as reason:
        raise cannot_keep("The judgment", reason) from reason


def _begun(stack: ExitStack, *, write: bool) -> sa.Connection:
    """A connection within a transaction, until the stack is left; a full disk is read without writing."""
    import sqlalchemy as sa

    try:
        return stack.enter_context(begun(_opened(_server(), file()), write=write))
    except (sa.exc.OperationalError, OSError):
        if write or _server() or not file().is_file():
            raise
        return stack.enter_context(begun_without_writing(file()))


def forget() -> None:
    """Close what is open; the next use opens it again."""
    with _lock:
        for engine in _made.values():
            engine.dispose()
        _made.clear()


_made: dict[tuple[str, Path], sa.Engine] = {}
"""By place: a program has one, and a test a few."""
_lock = Lock()


def _opened(server: str, path: Path) -> sa.Engine:
    with _lock:
        if (server, path) not in _made:
            _made[server, path] = open_server(_address(server)) if server else open_file(path)
        return _made[server, path]


def _server() -> str:
    return os.environ.get(VARIABLE, "").strip()


def _address(server: str) -> sa.URL:
    import sqlalchemy as sa

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
    said = str(getattr(reason, "orig", None) or reason).partition("\n")[0].strip()[:200]
    remedy = (
        f"Check that {VARIABLE} names a server that runs and lets you in."
        if _server()
        else "Check the free space, and that CUISCOPE_HOME is a folder on a disk of this machine."
    )
    what = "could not be stored, and none was" if write else "cannot be read"
    return f"Judgments {what}: {said}. {remedy}"
