"""Largest values per query, remembered: the next run of a study is measured against the same ideal."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from evalcore.model import frozen

if TYPE_CHECKING:
    from collections.abc import Hashable

    from evalcore.model import Floats

ROOM = 128 << 20
"""Bytes of values held ready; those asked for last stay."""

_ideals: OrderedDict[Hashable, Floats] = OrderedDict()
_lock = Lock()


def recall(key: Hashable) -> Floats | None:
    """The values kept under a key; None when there are none (any more)."""
    with _lock:
        if key in _ideals:
            _ideals.move_to_end(key)
        return _ideals.get(key)


def keep(key: Hashable, values: Floats) -> None:
    """Keep values, read-only from here on; what was asked for longest ago makes room."""
    if values.nbytes > ROOM:
        return
    with _lock:
        _ideals[key] = frozen(values)
        while sum(one.nbytes for one in _ideals.values()) > ROOM:
            _ideals.popitem(last=False)


def forget() -> None:
    """Keep nothing: for measurements of first use."""
    with _lock:
        _ideals.clear()
