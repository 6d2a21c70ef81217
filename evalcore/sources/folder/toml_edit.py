"""A ``study.toml`` that says something else from now on, with everything the user wrote by hand kept.

The text is taken apart into statements; those whose value stays are kept as they stand, with comments,
order and blank lines. What comes out is read again: where it would not say exactly what it should (inline
tables, dotted keys and the like), the whole file is written anew, and only then are comments lost.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.sources.folder.toml_text import header, key_text, toml_text, value_text

MAX_LINES = 200
"""Lines of one statement; a longer one is not looked for, and the file is written anew where it changes."""
Path = tuple[str, ...]
_MISSING = object()


@dataclass(frozen=True, slots=True)
class _Statement:
    """Some lines: the header of a table, a key with its value, or neither (comments and blank lines).

    ``path``: of the table, or of the key; None for neither.
    """

    lines: tuple[str, ...]
    path: Path | None
    is_header: bool = False


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
    statements = _statements(text)
    if statements is not None:
        written = _written(statements, content)
        if _says(written, content):
            return written
    return toml_text(content)


def keeps_comments(text: str, new: str) -> bool:
    """Whether every comment line of the older text is in the newer one.

    >>> keeps_comments("# a\\nx = 1\\n", "x = 2\\n")
    False
    """
    comments = [line.strip() for line in text.splitlines() if line.lstrip().startswith("#")]
    return set(comments) <= {line.strip() for line in new.splitlines()}


def _says(text: str, content: Mapping[str, Any]) -> bool:
    try:
        return _same(tomllib.loads(text), content)
    except ValueError:
        return False


def _same(one: Any, other: Any) -> bool:
    """Whether two values are written alike; the order of keys says nothing in TOML."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return repr(one) == repr(other)


def _statements(text: str) -> list[_Statement] | None:
    """The text in pieces; None when it cannot be taken apart."""
    lines = text.splitlines(keepends=True)
    found: list[_Statement] = []
    table: Path = ()
    at = 0
    while at < len(lines):
        bare = lines[at].strip()
        if not bare or bare.startswith("#"):
            found.append(_Statement((lines[at],), None))
            at += 1
        elif bare.startswith("["):
            path = None if bare.startswith("[[") else _path_of(lines[at])
            if path is None:
                return None
            table = path
            found.append(_Statement((lines[at],), path, is_header=True))
            at += 1
        else:
            end = next((n for n in range(at + 1, min(at + MAX_LINES, len(lines)) + 1)
                        if _path_of("".join(lines[at:n])) is not None), None)  # fmt: skip
            if end is None:
                return None
            chunk = "".join(lines[at:end])
            key = _path_of(chunk)
            found.append(_Statement(tuple(lines[at:end]), (*table, *(key or ()))))
            at = end
    return found


def _path_of(text: str) -> Path | None:
    """The one path that a header or a key with its value leads down; None for several or none."""
    try:
        level: Any = tomllib.loads(text)
    except ValueError:
        return None
    path: list[str] = []
    depth = len(_dots(text))
    while isinstance(level, dict) and len(level) == 1 and len(path) <= depth:
        ((key, level),) = level.items()
        path.append(key)
    return tuple(path) or None


def _dots(text: str) -> list[str]:
    """The dots outside quotes in the key of a statement: how deep it leads beyond its first part."""
    key = re.match(r"""\s*\[?((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'=\]])*)""", text)
    bare = re.sub(r""""(?:[^"\\]|\\.)*"|'[^']*'""", "q", key.group(1) if key else "")
    return re.findall(r"\.", bare)


def _at(content: Mapping[str, Any], path: Path) -> Any:
    level: Any = content
    for key in path:
        if not isinstance(level, Mapping) or key not in level:
            return _MISSING
        level = level[key]
    return level


def _written(statements: Sequence[_Statement], content: Mapping[str, Any]) -> str:
    """The statements with the values of the content; what is new stands at the end of its table."""
    kept: list[_Statement] = []
    gone = False
    for one in statements:
        if one.is_header:
            gone = not isinstance(_at(content, one.path or ()), Mapping)
        if not gone and (one.path is None or one.is_header):
            kept.append(one)
        elif not gone and (value := _at(content, one.path or ())) is not _MISSING:
            kept.append(_with_value(one, value))
    for path, table in _tables(content, ()):
        known = {one.path for one in kept if one.path is not None}
        new = [
            _Statement((f"{key_text(key)} = {value_text(value)}\n",), (*path, key))
            for key, value in table.items()
            if not isinstance(value, Mapping) and (*path, key) not in known
        ]
        place = _end_of(kept, path)
        if place is None and (new or not table):
            kept = _closed(kept)
            kept += [_Statement(("\n",), None)] if kept else []
            kept += [_Statement((f"{header(path)}\n",), path, is_header=True), *new]
        elif place is not None and new:
            kept = [*_closed(kept[:place]), *new, *kept[place:]]
    return "".join(line for one in kept for line in one.lines)


def _closed(kept: Sequence[_Statement]) -> list[_Statement]:
    """The same with an end to the last line."""
    if not kept or kept[-1].lines[-1].endswith("\n"):
        return list(kept)
    last = kept[-1]
    lines = (*last.lines[:-1], last.lines[-1] + "\n")
    return [*kept[:-1], _Statement(lines, last.path, last.is_header)]


def _with_value(one: _Statement, value: Any) -> _Statement:
    """A statement whose value is this from now on; as it stands where it says so already."""
    text = "".join(one.lines)
    said: Any = tomllib.loads(text)
    for _ in range(len(_dots(text)) + 1):
        ((_, said),) = said.items()
    if repr(said) == repr(value):
        return one
    key = re.match(r"""\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'=])*=""", text)
    if key is None:
        return one
    comment = re.search(r"\s+#[^\"'\n]*$", one.lines[-1].rstrip("\r\n"))
    tail = comment.group() if comment and not text.rstrip().endswith(('"', "'", "]", "}")) else ""
    return _Statement((f"{key.group()} {value_text(value)}{tail}\n",), one.path)


def _tables(content: Mapping[str, Any], path: Path) -> list[tuple[Path, Mapping[str, Any]]]:
    """Every table of the content with its path, the outer ones first."""
    found = [(path, content)]
    for key, value in content.items():
        if isinstance(value, Mapping):
            found += _tables(value, (*path, key))
    return found


def _end_of(kept: Sequence[_Statement], path: Path) -> int | None:
    """Where another key of a table can stand: after its last one; None when the table has no place yet."""
    place: int | None = 0 if not path else None
    inside = not path
    for number, one in enumerate(kept, start=1):
        if one.is_header:
            inside = one.path == path
            place = number if inside else place
        elif inside and one.path is not None:
            place = number
    if not path and place == 0 and kept and kept[0].path is None:
        heads = [n for n, one in enumerate(kept) if one.is_header]
        place = next((n for n, one in enumerate(kept) if one.path is None and not one.lines[0].strip()), None)
        place = min([len(kept), *heads, *([] if place is None else [place])])
    return place
