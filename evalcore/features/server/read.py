"""``server.toml``: who may enter a server, who administers it, what all may read, and its limits.

administrators = ["ada@example.org"]
allowed = ["*@example.org"]        # who may enter; without it everybody whom the proxy names

[proxy]
header = "X-Forwarded-User"        # who is signed in, as the proxy says
name_header = "X-Forwarded-Name"   # what pages call them; without it the same
trusted = ["127.0.0.1"]            # addresses or networks whose header is believed

[shared]                           # studies that everybody reads and nobody changes
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

from evalcore.study.folder.toml import line_that_sets, read_toml, report_unknown_key
from evalcore.study.tables.problems import Problems
from evalcore.values.account import Limits
from evalcore.values.errors import InputError, Report
from evalcore.values.writing import pluralize

VARIABLE = "CUISCOPE_SERVER"
"""The environment variable with the path of ``server.toml``: where it is set, this process is a server."""
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_REMEDY = "Correct the line; the server does not start with it."
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kMGT]?)B", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


_LOOPBACK = (ipaddress.ip_network("127.0.0.1"), ipaddress.ip_network("::1"))


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What ``server.toml`` says, and the defaults."""

    administrators: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ("*",)
    header: str = "X-Forwarded-User"
    name_header: str = ""
    trusted: tuple[Network, ...] = _LOOPBACK
    shared: Mapping[str, Path] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)

    def admits(self, user: str) -> bool:
        """Whether somebody may enter: ``allowed`` has a pattern that fits, or they administer."""
        fits = any(fnmatchcase(user.casefold(), pattern.casefold()) for pattern in self.allowed)
        return fits or self.administers(user)

    def administers(self, user: str) -> bool:
        """Whether somebody is named as an administrator; patterns are not understood here."""
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


def parse_settings(data: bytes, *, file: str) -> tuple[ServerSettings, Report]:
    """Read a ``server.toml``; what is wrong or unknown is an error and left out."""
    problems = Problems(file)
    top, text = read_toml(data, problems, way_out=_REMEDY, may_be_empty=True)
    if top is None:
        return ServerSettings(), problems.report()
    read = _Read(problems, text)
    tables = ("proxy", "shared", "limits")
    read.keys(top, ("administrators", "allowed", *tables), "")
    proxy, shared, limits = (read.table(top, name) for name in tables)
    read.keys(proxy, ("header", "name_header", "trusted"), "proxy.")
    default = ServerSettings()
    named = {"header": read.header(proxy, "header"), "name_header": read.header(proxy, "name_header")}
    trusted = read.networks(proxy, "trusted")
    return ServerSettings(
        administrators=read.texts(top, "administrators", ()),
        allowed=read.texts(top, "allowed", default.allowed),
        header=named["header"] or default.header,
        name_header=named["name_header"],
        trusted=default.trusted if trusted is None else trusted,
        shared=read.folders(shared),
        limits=read.limits(limits),
    ), problems.report()


@dataclass(frozen=True, slots=True)
class _Read:
    """Typed access to the tables; everything that is wrong is an error at its line."""

    problems: Problems
    text: str

    def keys(self, table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
        for key in table:
            if key not in known:
                message = f"Nothing is called {where + key!r} here."
                report_unknown_key(self.problems, self.text, key, known, message)

    def table(self, top: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = top.get(key, {})
        if not isinstance(value, Mapping):
            self.wrong(key, "a table", value)
            return {}
        return value

    def texts(self, table: Mapping[str, Any], key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = table.get(key)
        if value is None:
            return default
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            self.wrong(key, "a list of texts", value)
            return default
        return tuple(item.strip() for item in value)

    def header(self, table: Mapping[str, Any], key: str) -> str:
        value = table.get(key, "")
        if value and not (isinstance(value, str) and _HEADER.fullmatch(value)):
            self.wrong(key, "the name of an HTTP header", value)
            return ""
        return str(value)

    def networks(self, table: Mapping[str, Any], key: str) -> tuple[Network, ...] | None:
        if key not in table:
            return None
        networks = []
        for text in self.texts(table, key, ()):
            try:
                networks.append(ipaddress.ip_network(text))
            except ValueError:
                self.wrong(key, "addresses such as 127.0.0.1 or networks such as 10.0.0.0/24", text)
        return tuple(networks)

    def folders(self, table: Mapping[str, Any]) -> dict[str, Path]:
        folders = {}
        for name, value in table.items():
            if isinstance(value, str) and Path(value).is_absolute() and Path(value).is_dir():
                folders[name] = Path(value)
            else:
                self.wrong(name, "the absolute path of a folder that is there", value)
        return folders

    def limits(self, table: Mapping[str, Any]) -> Limits:
        names = tuple(one.name for one in fields(Limits))
        self.keys(table, names, "limits.")
        given = {}
        for name in (key for key in table if key in names):
            value = self._size(table[name]) if name.endswith("_bytes") else table[name]
            if type(value) is int and value > 0:
                given[name] = value
            else:
                words = 'a size such as "500 MB"' if name.endswith("_bytes") else "a whole number above 0"
                self.wrong(name, words, table[name])
        return Limits(**given)

    def _size(self, value: object) -> int | None:
        match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
        return None if match is None else int(float(match[1]) * _UNITS[match[2].casefold()])

    def wrong(self, key: str, words: str, value: object) -> None:
        line = line_that_sets(self.text, key)
        self.problems.error("wrong-value", f"`{key}` must be {words}.", _REMEDY, line=line, value=value)
