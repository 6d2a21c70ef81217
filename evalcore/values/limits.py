"""How much the users of a server may keep, upload and compute at once; nothing is limited for one person."""

from __future__ import annotations

from dataclasses import dataclass

from evalcore.values.account import is_served


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one user and all together may keep, upload and compute at once; bytes and counts."""

    user_bytes: int = 5 * 10**9
    all_bytes: int = 100 * 10**9
    file_bytes: int = 500 * 10**6
    unpacked_bytes: int = 2 * 10**9
    jobs_per_user: int = 1
    jobs: int = 2
    sessions_per_user: int = 10
    sessions: int = 100


_limits = Limits()


def set_limits(limits: Limits) -> None:
    """The limits from now on, where this process is a server (see `evalcore.values.account.serve`)."""
    global _limits
    _limits = limits


def current_limits() -> Limits | None:
    """The limits of this server; None on one's own computer, where there are none.

    A server for which none were set has the defaults.
    """
    return _limits if is_served() else None
