"""Largest values per query, remembered: the next run of a study is measured against the same ideal."""

from __future__ import annotations

from collections.abc import Hashable

from evalcore.values.arrays import Floats, frozen
from evalcore.values.stores import Store

ROOM = 128 << 20
"""Bytes of values held ready; those asked for last stay."""

_ideals: Store[Floats] = Store(ROOM)
recall, forget = _ideals.get, _ideals.forget


def keep(key: Hashable, values: Floats) -> None:
    """Keep values, read-only from here on; those larger than the room are not kept."""
    if values.nbytes <= ROOM:
        _ideals.keep(key, frozen(values))
