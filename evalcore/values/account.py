"""Who is at work: nobody in particular on one's own computer, an account on a server for several people."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from evalcore.values.errors import CuiscopeError


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


_acting: ContextVar[Account | None] = ContextVar("account", default=None)
_lookup: Callable[[], Account | None] | None = None


def serve(lookup: Callable[[], Account | None] | None) -> None:
    """Make this process a server for several people; None makes it a program for one again.

    ``lookup``: whose page, callback or job the calling thread works for; None where it is nobody's.
    """
    global _lookup
    _lookup = lookup


def is_served() -> bool:
    """Whether this process is a server for several people."""
    return _lookup is not None


def current() -> Account | None:
    """Whose work this thread does; None on one's own computer, where there are no accounts.

    Raises
    ------
    NotSignedIn
        This is a server, and the work is nobody's.
    """
    if _lookup is None:
        return None
    account = _acting.get() or _lookup()
    if account is None:
        raise NotSignedIn
    return account


@contextmanager
def acting(account: Account | None) -> Iterator[None]:
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


def check_unrestricted(what: str) -> None:
    """NotAllowed for ``what``, the beginning of a sentence, where `is_restricted`."""
    if is_restricted():
        raise NotAllowed(f"{what} is for administrators of this server only. Ask one of them.")
