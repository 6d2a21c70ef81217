"""Who is at work, and what they may do: only a server for several people limits anything."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_address

from evalcore.values.errors import CuiscopeError, InputError
from evalcore.values.writing import file_size


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody a server knows.

    ``id``: what the proxy calls them, unique on this server. ``name``: what pages call them.
    """

    id: str
    name: str
    administrator: bool = False

    @property
    def folder(self) -> str:
        """The name of their folder: a part that people can read, and a digest that tells all ids apart.

        >>> Account("ada@example.org", "Ada").folder
        'ada_example.org-94c98cf6f23eed72'
        """
        readable = re.sub(r"[^a-z0-9.]+", "_", self.id.casefold()).strip("._")[:40] or "user"
        return f"{readable}-{hashlib.blake2b(self.id.encode(), digest_size=8).hexdigest()}"


class NotSignedIn(CuiscopeError):
    """Something that belongs to a user was asked for where nobody is signed in."""

    def __init__(self) -> None:
        super().__init__("You are not signed in. Open the page again and sign in.")


class NotAllowed(CuiscopeError):
    """Something was asked for that is for administrators of this server only."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one user and all together may upload and compute at once; bytes and counts."""

    file_bytes: int = 500 * 10**6
    unpacked_bytes: int = 2 * 10**9
    jobs_per_user: int = 1
    jobs: int = 2
    sessions_per_user: int = 10
    sessions: int = 100


_acting: ContextVar[Account | None] = ContextVar("account", default=None)
_server: tuple[Callable[[], Account | None], Limits] | None = None


def serve(lookup: Callable[[], Account | None] | None, limits: Limits | None = None) -> None:
    """Make this process a server for several people; None makes it a program for one again.

    ``lookup``: whose page, callback or job the calling thread works for; None where it is nobody's.
    """
    global _server
    _server = None if lookup is None else (lookup, limits or Limits())


def is_served() -> bool:
    """Whether this process is a server for several people."""
    return _server is not None


def current() -> Account | None:
    """Whose work this thread does; None on one's own computer, where there are no accounts.

    Raises
    ------
    NotSignedIn
        This is a server, and the work is nobody's.
    """
    if _server is None:
        return None
    account = _acting.get() or _server[0]()
    if account is None:
        raise NotSignedIn
    return account


@contextmanager
def acting_as(account: Account | None) -> Iterator[None]:
    """Do the work of the block for this account, in a thread that belongs to no page."""
    token = _acting.set(account)
    try:
        yield
    finally:
        _acting.reset(token)


def is_restricted() -> bool:
    """Whether what reaches beyond a user's own workspace is closed to who is at work: opening folders by
    their path, clusters, folders of model weights. Never on one's own computer, nor for administrators."""
    account = current()
    return account is not None and not account.administrator


def current_limits() -> Limits | None:
    """The limits of this server; None on one's own computer, where there are none."""
    return None if _server is None else _server[1]


def check_file(name: str, size: int) -> None:
    """InputError for an uploaded file of so many bytes that is larger than this server takes."""
    limits = current_limits()
    if limits is not None and size > limits.file_bytes:
        most = f"this server takes files of up to {file_size(limits.file_bytes)}"
        raise InputError(f"{name} has {file_size(size)}; {most}. Split it, or ask an administrator.")


def most_unpacked(usual: int) -> int:
    """Bytes that a packed file may unpack to: as many as usual, or what a server allows if that is less."""
    return usual if _server is None else min(usual, _server[1].unpacked_bytes)


def why_not_open(address: str | None) -> str:
    """What to say of a dashboard without sign-in that would listen at an address; "" where it may, as only
    this machine reaches it. None is every address.

    >>> [why_not_open(address)[:13] for address in ("127.0.0.1", "::1", "LOCALHOST", "unix:/s", "lab", None)]
    ['', '', '', '', 'The dashboard', 'The dashboard']
    """
    host = (address or "").strip().casefold()
    try:
        own = host == "localhost" or host.startswith("unix:") or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        own = False
    if own:
        return ""
    return (
        "The dashboard has no users and no passwords, so it is not opened to other computers "
        f"({address or 'every address of this machine'}). For several people, start it behind a proxy that "
        "signs them in: cuiscope serve. For yourself, keep --server.address 127.0.0.1 and use an SSH tunnel."
    )
