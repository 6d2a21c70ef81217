"""TOML of the user's files: read with what is wrong by its line, and written, whatever TOML can hold."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import tomlkit

from evalcore.study.tables.lines import broken, decode, lines_of
from evalcore.study.tables.problems import Problems, attempt, shown, whole
from evalcore.values.stores import Store

MAX_SIZE = 1 << 18
"""Largest file, in characters: a ``study.toml`` with some thousands of systems."""
MAX_DOTS = 100
"""Most dots in one key: the time to read it grows with their square."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SET = re.compile(r"""[ \t]*\[?["']?([A-Za-z0-9_-]+)["']?[ \t]*[\]=]""")


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
        if broken(line):
            message = "The line contains bytes that are not UTF-8; they are read as �."
            problems.error("undecodable", message, "Save the file as UTF-8.", line=number, value=line)
    try:
        return tomllib.loads(whole(text))
    except RecursionError:
        problems.error("bad-toml", "The file is nested too deeply.", way_out)
    except ValueError as reason:  # not TOML, or a number of thousands of digits
        at = re.search(r"line (\d+)", str(reason))
        message = f"The file is not TOML: {shown(reason)}."
        problems.error("bad-toml", message, way_out, line=int(at.group(1)) if at else None)
    return None


def line_of(text: str, needle: str) -> int | None:
    """The first line that holds a text, 1-based; None when no line does."""
    at = text.find(needle)
    return None if at < 0 else text.count("\n", 0, at) + 1


def line_that_sets(text: str, key: str) -> int | None:
    """The line that sets a key or begins its table, 1-based; None where it is written in some unusual way."""
    if _BARE.fullmatch(key):
        return _LINES.get_or_compute(text, lambda: _bare_keys(text)).get(key)
    match = re.search(rf"""^[ \t]*\[?["']?{re.escape(key)}["']?[ \t]*[\]=]""", text, re.M)
    return None if match is None else text.count("\n", 0, match.start()) + 1


_LINES: Store[dict[str, int]] = Store(4 << 20)
"""Of the texts that many unknown keys are looked for in, one after the other."""


def _bare_keys(text: str) -> dict[str, int]:
    """The first line of every key or table written without anything but letters, digits, _ and -."""
    lines: dict[str, int] = {}
    for number, line in enumerate(lines_of(text), start=1):
        key = _SET.match(line)
        if key:
            lines.setdefault(key[1], number)
    return lines


def offered(key: str, known: Iterable[str]) -> str:
    """What may be meant by a key that nobody knows, else all that are known."""
    names = list(known)
    near = get_close_matches(key, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"Known names: {', '.join(names)}."


def report_unknown_key(problems: Problems, text: str, key: str, known: Iterable[str], message: str) -> None:
    """The error of a key that nobody knows, by its line."""
    if not problems.shows("error", "unknown-key"):  # neither line nor remedy is seen: they are not looked for
        problems.error("unknown-key", message, "", value=key)
        return
    remedy = f"{offered(key, known)} Correct or remove the line."
    problems.error("unknown-key", message, remedy, line=line_that_sets(text, key), value=key)


def toml_text(content: Mapping[str, Any]) -> str:
    """The TOML that reads back as this content.

    Examples
    --------
    >>> print(toml_text({"name": "a", "systems": {"h og": {"order": 1}}}), end="")
    name = "a"
    <BLANKLINE>
    [systems]
    <BLANKLINE>
    [systems."h og"]
    order = 1
    """
    return "\n".join(_lines(content, ())).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """What is no table comes first: below the header of another table it would belong to that."""
    if path:
        yield from ("", header(path))
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    for key, value in table.items():
        if key not in tables:
            yield f"{key_text(key)} = {value_text(value)}"
    for key, value in tables.items():
        yield from _lines(value, (*path, key))


def header(path: Sequence[str]) -> str:
    """The line that begins a table."""
    return f"[{'.'.join(map(key_text, path))}]"


def key_text(key: str) -> str:
    """A key, in quotes where it needs them."""
    return key if _BARE.fullmatch(key) else _text(key)


def value_text(value: Any) -> str:
    """One value on one line; tables within lists are inline tables."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key_text(key)} = {value_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(value_text, value))}]"
    return repr(value) if isinstance(value, (int, float)) else value.isoformat()


def _text(value: str) -> str:
    # A JSON string is a TOML basic string, but for the one control character JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


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
    written, _ = attempt(lambda: _kept(text, content))
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
