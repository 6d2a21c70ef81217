"""Content of a ``study.toml`` as text: any tables, texts, lists, numbers and dates that TOML can hold."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


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
        return "{" + ", ".join(f"{key_text(key)} = {value_text(one)}" for key, one in value.items()) + "}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(value_text, value))}]"
    return repr(value) if isinstance(value, (int, float)) else value.isoformat()


def _text(value: str) -> str:
    # A JSON string is a TOML basic string, but for the one control character JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
