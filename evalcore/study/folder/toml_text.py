"""TOML of the user's files: read with what is wrong by its line, and written, whatever TOML can hold."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import tomlkit

from evalcore.study.tables.lines import decode, has_invalid_utf8, lines_of
from evalcore.study.tables.problems import Problems, truncate, try_call, whole
from evalcore.values.errors import Severity
from evalcore.values.stores import Store

MAX_SIZE = 1 << 18
"""Largest file, in characters: a ``study.toml`` with some thousands of systems."""
MAX_DOTS = 100
"""Most dots in one key: the time to read it grows with their square."""
_NAME = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def read_toml(
    data: bytes, problems: Problems, *, way_out: str, may_be_empty: bool = False
) -> tuple[dict[str, Any] | None, str]:
    """The content of any TOML file of the user's, and its text; None with an error when it cannot be read."""
    text = "" if may_be_empty and not data.strip() else decode(data, problems)
    return (None, "") if text is None else (_loaded(text, problems, way_out), text)


def _loaded(text: str, problems: Problems, way_out: str) -> dict[str, Any] | None:
    if len(text) > MAX_SIZE:
        message = f"The file contains {len(text):,} characters; at most {MAX_SIZE:,} are read."
        problems.error("too-large", message, way_out)
        return None
    for number, line in enumerate(lines_of(text), start=1):
        if line.partition("=")[0].count(".") > MAX_DOTS:
            message = f"The key has more than {MAX_DOTS} dots."
            problems.error("bad-toml", message, way_out, line=number, value=line)
            return None
        if has_invalid_utf8(line):
            message = "The line contains bytes that are not UTF-8; they are read as �."
            problems.error("undecodable", message, "Save the file as UTF-8.", line=number, value=line)
    try:
        return tomllib.loads(whole(text))
    except RecursionError:
        problems.error("bad-toml", "The file is nested too deeply.", way_out)
    except ValueError as reason:  # not TOML, or a number of thousands of digits
        at = re.search(r"line (\d+)", str(reason))
        message = f"The file is not TOML: {truncate(reason)}."
        problems.error("bad-toml", message, way_out, line=int(at.group(1)) if at else None)
    return None


def line_of(text: str, needle: str) -> int | None:
    """The first line that holds a text, 1-based; None when no line does."""
    at = text.find(needle)
    return None if at < 0 else text.count("\n", 0, at) + 1


def line_that_sets(text: str, *path: str) -> int | None:
    """The line that sets a key or begins its table, 1-based; None where it is written in some unusual way.

    ``path``: the names of the tables it is in, and its own; its own alone for the first key of that name.
    """
    lines = _LINES.get_or_compute(text, lambda: _lines_of_keys(text))
    return lines.get(path) or lines.get(path[-1:])


_LINES: Store[dict[tuple[str, ...], int]] = Store(4 << 20)
"""Of the texts that many unknown keys are looked for in, one after the other."""


def _lines_of_keys(text: str) -> dict[tuple[str, ...], int]:
    """The first line of every key and table, by its path and by its own name."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(lines_of(text), start=1):
        begins = line.lstrip().startswith("[")
        head, sign, _ = line.partition("]" if begins else "=")
        path = tuple(name.strip("\"'") for name in _NAME.findall(head))
        if not (sign and path) or line.lstrip().startswith("#"):
            continue
        if begins:
            table = path
        else:
            path = (*table, *path)
        lines.setdefault(path, number)
        lines.setdefault(path[-1:], number)
    return lines


def offered(key: str, known: Iterable[str]) -> str:
    """What may be meant by a key that nobody knows, else all that are known."""
    names = list(known)
    near = get_close_matches(key, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"Known names: {', '.join(names)}."


def report_unknown_key(
    problems: Problems,
    text: str,
    key: str,
    known: Iterable[str],
    message: str,
    *,
    table: tuple[str, ...] = (),
    severity: Severity = "error",
) -> None:
    """A key that nobody knows, by its line; ``table``: the names of the tables it is in."""
    report = problems.error if severity == "error" else problems.warning
    if not problems.shows(
        severity, "unknown-key"
    ):  # neither line nor remedy is seen: they are not looked for
        report("unknown-key", message, "", value=key)
        return
    remedy = f"{offered(key, known)} Correct or remove the line."
    report("unknown-key", message, remedy, line=line_that_sets(text, *table, key), value=key)


def toml_text(content: Mapping[str, Any]) -> str:
    """The TOML that reads back as this content.

    Examples
    --------
    >>> print(toml_text({"name": "a", "systems": {"h og": {"order": 1}}}), end="")
    name = "a"
    <BLANKLINE>
    [systems."h og"]
    order = 1
    """
    return tomlkit.dumps(content)


# A ``study.toml`` that says something else from now on, with everything the user wrote kept, by tomlkit.
#
# What comes out is read again: where it would not say exactly what it should, the whole file is written
# anew, and only then are comments lost.


def edited(text: str, content: Mapping[str, Any]) -> str:
    """The text that says ``content``, with as much of ``text`` as can be kept.

    Parameters
    ----------
    text
        Valid TOML.
    content
        What the new text says, as ``tomllib.loads`` gives it.

    Examples
    --------
    >>> print(edited("# mine\\nname = 'a'  # short\\n", {"name": "a", "description": "b"}), end="")
    # mine
    name = 'a'  # short
    description = "b"
    """
    written, _ = try_call(lambda: _kept(text, content))
    return written or toml_text(content)


def _kept(text: str, content: Mapping[str, Any]) -> str:
    """The text with other values, "" where it then would not say ``content``; raises what tomlkit does."""
    document = tomlkit.parse(text)
    _take(document, tomllib.loads(text), content)
    written = tomlkit.dumps(document)
    return written if _same(tomllib.loads(written), content) else ""


def _take(table: Any, before: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    """Let a table of a document say ``content`` where it said ``before``."""
    for key in before.keys() - content.keys():
        del table[key]
    for key, value in content.items():
        old = before.get(key)
        if isinstance(value, Mapping) and isinstance(old, Mapping) and value:
            _take(table[key], old, value)
        elif key not in before or not _same(old, value):
            table[key] = tomllib.loads(toml_text({key: value}))[key]


def keeps_comments(text: str, new: str) -> bool:
    """Whether every comment line of the older text is in the newer one.

    >>> keeps_comments("# a\\nx = 1\\n", "x = 2\\n")
    False
    """
    comments = [line.strip() for line in text.splitlines() if line.lstrip().startswith("#")]
    return set(comments) <= {line.strip() for line in new.splitlines()}


def _same(value: Any, other: Any) -> bool:
    """Whether two values are written alike; the order of keys says nothing in TOML."""
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(_same(value[key], other[key]) for key in value)
    return repr(value) == repr(other)
