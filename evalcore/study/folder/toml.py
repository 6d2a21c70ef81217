"""TOML of the user's files: read, checked against a model with what is wrong by its line, and written.

A model is ``{key: Value, or the model of a table}``; the key `ANY` stands for every other.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from typing import Any, Union

import tomlkit

from evalcore.study.tables.files import decode, lines_of
from evalcore.study.tables.problems import Problems, is_whole, truncate, try_call, whole
from evalcore.values.errors import SettingError, Severity

MAX_SIZE = 1 << 18
"""Largest file, in characters: a ``study.toml`` with some thousands of systems."""
MAX_DOTS = 100
"""Most dots in one key: the time to read it grows with their square."""
_NAME = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def read_toml(
    data: bytes, problems: Problems, *, way_out: str, may_be_empty: bool = False
) -> tuple[dict[str, Any], str]:
    """The content of any TOML file of the user's, and its text; refused when it cannot be read."""
    text = "" if may_be_empty and not data.strip() else decode(data, problems)
    if len(text) > MAX_SIZE:
        message = f"The file contains {len(text):,} characters; at most {MAX_SIZE:,} are read."
        problems.refuse("too-large", message, way_out)
    wrong, at = "", None
    for number, line in enumerate(lines_of(text), start=1):
        if line.partition("=")[0].count(".") > MAX_DOTS:
            wrong, at = f"The key has more than {MAX_DOTS} dots.", number
            break
        if not is_whole(line):
            message = "The line contains bytes that are not UTF-8; they are read as �."
            problems.error("undecodable", message, "Save the file as UTF-8.", line=number, value=line)
    try:
        top = {} if wrong else tomllib.loads(whole(text))
    except RecursionError:
        wrong = "The file is nested too deeply."
    except ValueError as reason:  # not TOML, or a number of thousands of digits
        named = re.search(r"line (\d+)", str(reason))
        wrong, at = f"The file is not TOML: {truncate(reason)}.", int(named[1]) if named else None
    if wrong:
        problems.refuse("bad-toml", wrong, way_out, line=at)
    return top, text


def line_that_sets(text: str, *path: str, value: str = "") -> int | None:
    """The line that sets a key or begins its table, 1-based; None where it is written in some unusual way.

    ``path``: the names of the tables it is in, and its own; its own alone for the first key of that name.
    ``value``: of a list over several lines, the first line from there on that has this text, if any.
    """
    lines = _lines_of_keys(text)
    line = lines.get(path) or lines.get(path[-1:])
    below = islice(lines_of(text), (line or 1) - 1, None) if value else ()
    return next((n for n, content in enumerate(below, start=line or 1) if value in content), line)


@lru_cache(maxsize=1)  # many unknown keys of one text are looked for, one after the other
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
    return written or tomlkit.dumps(content)


def _kept(text: str, content: Mapping[str, Any]) -> str:
    """The text with other values, "" where it then would not say ``content``; raises what tomlkit does."""
    document = tomlkit.parse(text)
    _take(document, tomllib.loads(text), content)
    written = tomlkit.dumps(document)
    # The order of keys says nothing in TOML; dates, which JSON has not, are compared as Python writes them.
    both = (tomllib.loads(written), content)
    reread, wanted = (json.dumps(values, sort_keys=True, default=repr) for values in both)
    return written if reread == wanted else ""


def _take(table: Any, before: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    """Let a table of a document say ``content`` where it said ``before``."""
    for key in before.keys() - content.keys():
        del table[key]
    for key, value in content.items():
        old = before.get(key)
        if isinstance(value, Mapping) and isinstance(old, Mapping) and value:
            _take(table[key], old, value)
        elif key not in before or repr(old) != repr(value):
            table[key] = value


# What a TOML file may say, as a table of its keys, and the values of a file that are so.


@dataclass(frozen=True, slots=True)
class Value:
    """A value: the rule in words ("a text in quotes"), and what the program makes of it.

    ``read`` gives None, or raises ValueError, for what cannot be; the message of a `SettingError` is shown.
    ``of_texts``: it takes a list of texts, as which a single text counts too.
    """

    rule: str
    read: Callable[[Any], Any]
    of_texts: bool = False


ANY = "*"
Model = Mapping[str, Union[Value, "Model"]]
LINE = Value("a text in quotes", lambda value: value.strip() if isinstance(value, str) else None)
"""A text without the spaces around it."""


def one_of(options: Sequence[str]) -> Value:
    """One of these texts."""
    return Value(f"one of {', '.join(options)}", lambda value: value if value in options else None)


def read_values(
    table: Mapping[str, Any],
    model: Model,
    content: str,
    problems: Problems,
    *,
    remedy: str,
    unknown: Severity = "error",
    path: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The values of a table that are as its model says; every other is a problem at its line.

    Parameters
    ----------
    table, content : what was read, and the text it was read from.
    remedy : what to do about a value that cannot be, which is an error ("wrong-value") and left out.
    unknown : what a key is that the model does not have: an error, or a warning.
    path : the names of the tables that this one is in.
    """
    values: dict[str, Any] = {}
    for key, value in table.items():
        kind, place, result = model.get(key, model.get(ANY)), (*path, key), None
        if kind is None:
            _report_unknown(place, model, content, problems, unknown)
            continue
        rule = kind.rule if isinstance(kind, Value) else "a table"
        written = truncate(repr(value) if isinstance(value, str) else value)
        message = f"`{truncate(key)}` must be {rule}. Got {written}."
        texts = [value] if isinstance(value, str) else value
        are_texts = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        try:
            if isinstance(kind, Value):
                if are_texts or not kind.of_texts:
                    result = kind.read(texts if kind.of_texts else value)
            elif isinstance(value, dict):
                result = read_values(
                    value, kind, content, problems, remedy=remedy, unknown=unknown, path=place
                )
        except SettingError as wrong:
            message = str(wrong)
        except (ValueError, OverflowError):
            pass
        if result is None:
            problems.error("wrong-value", message, remedy, line=line_that_sets(content, *place), value=value)
        else:
            values[key] = result
    return values


def _report_unknown(
    place: tuple[str, ...], known: Iterable[str], content: str, problems: Problems, severity: Severity
) -> None:
    """A key that nobody knows, in these tables, by its line, with the nearest one that is known."""
    line, remedy = None, ""
    if problems.shows(severity, "unknown-key"):  # else neither is seen: they are not looked for
        names = list(known)
        near = get_close_matches(place[-1], names, n=1)
        offered = f"Did you mean {near[0]!r}?" if near else f"Known names: {', '.join(names)}."
        line, remedy = line_that_sets(content, *place), f"{offered} Correct or remove the line."
    ignored = "" if severity == "error" else "; it is ignored"
    message = f"Nothing is called {truncate('.'.join(place))!r} here{ignored}."
    problems.add(severity, "unknown-key", message, remedy, line=line, value=place[-1])
