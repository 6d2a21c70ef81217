"""Values worth keeping for the next who asks, bounded in bytes over the whole process.

Every cache of the program is a `Store`: a cache that counts entries holds as many bytes as its largest
values need, and more with every session.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Hashable, Mapping
from itertools import islice
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any, Generic, TypeVar

import numpy as np

Value = TypeVar("Value")

_SAMPLE = 1_000
"""Entries of a long collection that are looked at; the others are taken to be like them."""
_WHOLE = (str, bytes, bytearray, int, float, complex, type, FunctionType, ModuleType)
"""Values that refer to nothing that has to be counted."""


class Store(Generic[Value]):
    """Values by key, up to ``room`` bytes of them: what was asked for longest ago makes room.

    The value kept last stays even when it alone is larger: whoever made it needs it again. May be used by
    several threads at once. ``size`` says how many bytes a value takes.
    """

    def __init__(self, room: int, size: Callable[[Any], int] | None = None) -> None:
        self.room, self._size = room, size or size_of
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._turns: dict[Hashable, Lock] = {}
        self._lock = Lock()
        self.held = 0
        """Bytes of all values."""

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def get(self, key: Hashable) -> Value | None:
        """The value of a key; None when there is none (any more)."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key: Hashable, value: Value) -> None:
        """Keep a value, in the place of another of this key."""
        size = self._size(value)
        with self._lock:
            self.held += size - self._kept.pop(key, (None, 0))[1]
            self._kept[key] = value, size
            while self.held > self.room and len(self._kept) > 1:
                self.held -= self._kept.popitem(last=False)[1][1]

    def get_or_compute(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made and kept where there is none; who asks meanwhile waits for it.

        What ``make`` raises goes on to the caller, and the next who asks makes it.
        """
        with self._lock:
            turn = self._turns.setdefault(key, Lock())
        try:
            with turn:
                value = self.get(key)
                if value is None:
                    value = make()
                    self.keep(key, value)
                return value
        finally:
            with self._lock:
                self._turns.pop(key, None)

    def forget(self, key: Hashable | None = None) -> None:
        """Drop the value of a key; all of them without one."""
        with self._lock:
            for each in list(self._kept) if key is None else [key]:
                self.held -= self._kept.pop(each, (None, 0))[1]


def size_of(value: object) -> int:
    """About how many bytes does a value take, with all it refers to?

    Exact for arrays and short collections; of long ones a thousand entries stand for all. What is met
    twice counts once; an array that is a view counts as what it looks at.
    """
    return _size(value, set())


def _size(value: object, seen: set[int]) -> int:
    if id(value) in seen:
        return 0
    seen.add(id(value))
    own = sys.getsizeof(value, 0)
    if isinstance(value, np.ndarray):
        return own if value.base is None else own + _size(value.base, seen)
    if isinstance(value, _WHOLE):
        return own
    if isinstance(value, Mapping):
        return own + _of_all(value.keys(), seen) + _of_all(value.values(), seen)
    if isinstance(value, (tuple, list, set, frozenset, deque)):
        return own + _of_all(value, seen)
    named = (vars(kind).get("__slots__", ()) for kind in type(value).__mro__)
    slots = (name for names in named for name in ((names,) if isinstance(names, str) else names))
    inner = [getattr(value, name, None) for name in slots]
    return own + _size(vars(value) if hasattr(value, "__dict__") else None, seen) + _of_all(inner, seen)


def _of_all(values: Collection[object], seen: set[int]) -> int:
    """The sizes of all values together, of many from some of them."""
    step = max(1, len(values) // _SAMPLE)
    looked_at = list(islice(values, 0, None, step))
    total = sum(_size(value, seen) for value in looked_at)
    return total if step == 1 else total * len(values) // len(looked_at)
