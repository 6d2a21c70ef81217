"""Addresses a web server listens at, and whether other computers reach them."""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(address: str | None) -> bool:
    """Whether a server that listens here can be reached from this machine only; None is every address.

    >>> [is_loopback(address) for address in ("127.0.0.1", "::1", "LOCALHOST", "0.0.0.0", "lab", None)]
    [True, True, True, False, False, False]
    """
    address = (address or "").strip().casefold()
    if address == "localhost" or address.startswith("unix:"):
        return True
    try:
        return ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


def why_not_open(address: str | None) -> str:
    """What to say of a dashboard without sign-in that would listen here; "" where it may."""
    if is_loopback(address):
        return ""
    return (
        "The dashboard has no users and no passwords, so it is not opened to other computers "
        f"({address or 'every address of this machine'}). For several people, start it behind a proxy that "
        "signs them in: cuiscope serve. For yourself, keep --server.address 127.0.0.1 and use an SSH tunnel."
    )
