"""A file that was just parsed is not parsed again: its value is known by the content, not by name or date.

An upload is parsed for its check and read again when the study opens; a study that opens anew after a change
reads again only what changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import Any, TypeVar

from evalcore.study.tables.limits import max_bytes
from evalcore.values.errors import Report
from evalcore.values.stores import Store, size_of

Value = TypeVar("Value")
ROOM = 64 << 20
"""Bytes of parsed files that are kept; a file that takes more is parsed whenever it is read."""

_KEPT: Store[tuple[str, Any, Report]] = Store(ROOM, on_server=16 << 20)


def parse_once(
    parse: Callable[..., tuple[Value, Report]], data: Any, *, file: str, **options: Any
) -> tuple[Value, Report]:
    """What ``parse(data, file=file, **options)`` gives, from the store when it was asked for before.

    ``options`` must be hashable, or lists; None counts as not given. Kept is what was read without an error
    under the same cap; with a remark only for a file of the same name, which the remark bears. The value is
    shared: nobody may change it.
    """
    if not isinstance(data, bytes):  # a table in memory
        return parse(data, file=file, **options)
    content = hashlib.blake2b(data, digest_size=32).digest()
    hashable = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    chosen = tuple(sorted((name, value) for name, value in hashable.items() if value is not None))
    key = (parse, content, max_bytes(), chosen)
    kept = _KEPT.get(key)
    if kept is not None and (kept[0] == file or not kept[2].counts):
        return _named(kept[1], file), kept[2]
    value, report = parse(data, file=file, **options)
    if not report.total("error") and size_of(value) <= ROOM:
        _KEPT.keep(key, (file, value, report))
    return value, report


def _named(value: Any, file: str) -> Any:
    """The value as that of a file of this name: bindings name it in their messages."""
    known = is_dataclass(value) and not isinstance(value, type) and hasattr(value, "file")
    return replace(value, file=file) if known else value
