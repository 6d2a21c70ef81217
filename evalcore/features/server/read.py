"""``server.toml``: who may enter a server, who administers it, what all may read, and its limits.

administrators = ["ada@example.org"]
allowed = ["*@example.org"]        # who may enter; without it everybody whom the proxy names

[proxy]
header = "X-Forwarded-User"        # who is signed in, as the proxy says
name_header = "X-Forwarded-Name"   # what pages call them; without it the same
trusted = ["127.0.0.1"]            # addresses or networks whose header is believed

[shared]                           # studies that all users read and none changes
"ROCOv2 test" = "/srv/studies/rocov2"

[limits]
file_bytes = "500 MB"              # one uploaded file; unpacked_bytes: what a zip may unpack to
unpacked_bytes = "2 GB"
jobs_per_user = 1                  # computing at the same time; jobs: of all users
jobs = 2
sessions_per_user = 10             # open pages; sessions: of all users
sessions = 100
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from evalcore.study.folder.toml import ANY, Model, Value, read_toml, read_values
from evalcore.study.tables.files import reader, size_of
from evalcore.study.tables.problems import Problems
from evalcore.values.account import Limits
from evalcore.values.errors import InputError
from evalcore.values.writing import pluralize

VARIABLE = "CUISCOPE_SERVER"
"""The environment variable with the path of ``server.toml``: where it is set, this process is a server."""
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_REMEDY = "Correct the line; the server does not start with it."
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_LOOPBACK = (ipaddress.ip_network("127.0.0.1"), ipaddress.ip_network("::1"))


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of ``server.toml``, with their defaults."""

    administrators: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ("*",)
    header: str = "X-Forwarded-User"
    name_header: str = ""
    trusted: tuple[Network, ...] = _LOOPBACK
    shared: Mapping[str, Path] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)

    def admits(self, user: str) -> bool:
        """Whether a user may enter: ``allowed`` has a pattern that fits, or they administer."""
        fits = any(fnmatchcase(user.casefold(), pattern.casefold()) for pattern in self.allowed)
        return fits or self.administers(user)

    def administers(self, user: str) -> bool:
        """Whether a user is named as an administrator."""
        return user.casefold() in {name.casefold() for name in self.administrators}

    def trusts(self, address: str) -> bool:
        """Whether the header of a proxy at this address is believed."""
        try:
            of_caller = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(of_caller in network for network in self.trusted)


def read_settings(path: Path) -> ServerSettings:
    """The settings in a file; what it does not say is as by default.

    Raises
    ------
    InputError
        The file cannot be read, or anything in it is wrong, with everything that is. A server does not start
        with half of its rules.
    """
    try:
        data = path.read_bytes()
    except OSError as reason:
        raise InputError(f"{path} cannot be read: {reason.strerror or reason}.") from reason
    settings, report = parse_settings(data, file=path.name)
    if report.problems:
        raise InputError(f"{path} has {pluralize(len(report.problems), 'problem')}.", report)
    return settings


@reader(lambda _: ServerSettings())
def parse_settings(data: bytes, problems: Problems) -> ServerSettings:
    """Read a ``server.toml``; what is wrong or unknown is an error and left out."""
    top, text = read_toml(data, problems, way_out=_REMEDY, may_be_empty=True)
    values = read_values(top, _MODEL, text, problems, remedy=_REMEDY)
    limits = Limits(**values.pop("limits", {}))
    named = values | {key: value for key, value in values.pop("proxy", {}).items() if value != ""}
    return ServerSettings(**named, limits=limits)


def _names(value: Any) -> tuple[str, ...] | None:
    good = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
    return tuple(item.strip() for item in value) if good else None


def _users(value: Any) -> tuple[str, ...] | None:
    names = _names(value)
    return None if names is None or any("*" in name for name in names) else names


def _networks(value: Any) -> tuple[Network, ...] | None:
    names = _names(value)
    return None if names is None else tuple(map(ipaddress.ip_network, names))


def _header(value: Any) -> str | None:
    return value if isinstance(value, str) and (not value or _HEADER.fullmatch(value)) else None


def _folder(value: Any) -> Path | None:
    folder = Path(value) if isinstance(value, str) else None
    return folder if folder is not None and folder.is_absolute() and folder.is_dir() else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None


def _size(value: Any) -> int | None:
    return size_of(value) if isinstance(value, str) else None


_MODEL: Model = {
    "administrators": Value("a list of names, each in full, without *", _users),
    "allowed": Value('a list of names or patterns such as "*@example.org"', _names),
    "proxy": {
        **dict.fromkeys(("header", "name_header"), Value("the name of an HTTP header", _header)),
        "trusted": Value("addresses such as 127.0.0.1 or networks such as 10.0.0.0/24", _networks),
    },
    "shared": {ANY: Value("the absolute path of a folder that is there", _folder)},
    "limits": {
        limit.name: Value('a size such as "500 MB"', _size)
        if limit.name.endswith("_bytes")
        else Value("a whole number above 0", _count)
        for limit in fields(Limits)
    },
}
"""How each key is checked."""
