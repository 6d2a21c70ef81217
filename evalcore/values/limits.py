"""How much the users of a server may upload and compute at once; nothing is limited for one person."""

from __future__ import annotations

from dataclasses import dataclass

from evalcore.values.account import is_served
from evalcore.values.errors import InputError
from evalcore.values.writing import file_size


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one user and all together may upload and compute at once; bytes and counts."""

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


def check_file(name: str, size: int) -> None:
    """InputError for an uploaded file of so many bytes that is larger than this server takes."""
    limits = current_limits()
    if limits is not None and size > limits.file_bytes:
        most = f"this server takes files of up to {file_size(limits.file_bytes)}"
        raise InputError(f"{name} has {file_size(size)}; {most}. Split it, or ask an administrator.")


def upload_megabytes(usual: int) -> int:
    """Megabytes (of 1,048,576 bytes) of the largest file that the way of bringing in studies takes."""
    limits = current_limits()
    return usual if limits is None else max(1, limits.file_bytes >> 20)


def most_unpacked(usual: int) -> int:
    """Bytes that a packed file may unpack to: as many as usual, or what a server allows if that is less."""
    limits = current_limits()
    return usual if limits is None else min(usual, limits.unpacked_bytes)
