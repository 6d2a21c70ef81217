"""Who sends a request, by the headers of a trusted proxy."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from evalcore.features.server.read import ServerSettings
from evalcore.values.account import Account

_MOST = 200
Headers = list[tuple[bytes, bytes]]


def values_of(headers: Headers, name: str) -> list[str]:
    """All values of a header, as UTF-8 where they are, else as Latin-1."""
    values = [value for key, value in headers if key.decode("latin-1").casefold() == name.casefold()]
    return [_text(value) for value in values]


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def from_trusted(scope: Mapping[str, Any], settings: ServerSettings) -> bool:
    """Whether a request comes from an address that is named as that of a proxy."""
    client = scope.get("client")
    try:
        address = ipaddress.ip_address(client[0]) if client else None
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)  # ::ffff:127.0.0.1, where a socket takes both
    return address is not None and settings.trusts(str(mapped or address))


def of_proxy(scope: Mapping[str, Any], settings: ServerSettings) -> Account | None:
    """The account that the header of a trusted proxy names.

    None where the request comes from elsewhere, where the header is missing, and where it has several values,
    also joined by commas: then not the proxy alone has written it. Email addresses are the same in upper and
    lower case.
    """
    values = values_of(scope["headers"], settings.header)
    if len(values) != 1 or "," in values[0] or not from_trusted(scope, settings):
        return None
    names = values_of(scope["headers"], settings.name_header) if settings.name_header else []
    user, name = values[0].strip(), " ".join(names[0].split()) if len(names) == 1 else ""
    user = user.casefold() if "@" in user else user
    if not user or len(user) > _MOST or not user.isprintable():
        return None
    shown = name if name and name.isprintable() and len(name) <= _MOST else user
    return Account(user, shown, administrator=settings.administers(user))
