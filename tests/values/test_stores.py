"""A store keeps to its size in bytes, and computes each value once."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pytest

from evalcore.values.stores import Store, size_of


def block(n: int) -> np.ndarray:
    return np.zeros(n, np.uint8)


def test_the_least_recently_used_value_makes_room():
    store = Store[np.ndarray](room=1000, size=len)
    for name in "abc":
        store.keep(name, block(300))
    assert store.get("a") is not None  # asked for: b is the oldest now
    store.keep("d", block(300))
    assert "b" not in store and all(name in store for name in "acd") and store.held == 900
    store.keep("e", block(800))
    assert store.held == 800 and "d" not in store


def test_concurrent_requests_compute_a_value_once():
    store, made, go = Store[int](room=1000), [], threading.Event()

    def make() -> int:
        made.append(1)
        go.wait(10)
        return 42

    with ThreadPoolExecutor(4) as threads:
        values = [threads.submit(store.get_or_compute, "k", make) for _ in range(4)]
        go.set()
    assert [value.result() for value in values] == [42] * 4 and len(made) == 1


@dataclass(frozen=True, slots=True)
class Slotted:
    array: np.ndarray
    names: tuple[str, ...]


class Open:
    def __init__(self, inner: object) -> None:
        self.inner = inner


MEGABYTE = 1 << 20
LONG = [f"image_{k:06d}" for k in range(100_000)]
LISTED = len(LONG) * (sys.getsizeof(LONG[0]) + 8)
"""Each text and its place of 8 bytes in the list."""


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        (np.zeros(MEGABYTE, np.uint8), MEGABYTE, MEGABYTE + 200),
        (np.zeros(MEGABYTE, np.uint8)[:10], MEGABYTE, MEGABYTE + 400),
        (Slotted(np.zeros(MEGABYTE, np.uint8), ("a" * 1000,)), MEGABYTE + 1000, MEGABYTE + 1600),
        (Open({"x": [bytes(MEGABYTE)]}), MEGABYTE, MEGABYTE + 2000),
        (MappingProxyType({"x": bytes(MEGABYTE)}), MEGABYTE, MEGABYTE + 2000),
        (LONG, LISTED, LISTED + 200_000),
        (dict.fromkeys(LONG), LISTED, 2 * LISTED),
        ([LONG, LONG], LISTED, LISTED + 200_000),
        (None, 0, 100),
    ],
    ids=["array", "view", "slots", "dict", "mapping", "long list", "long mapping", "met twice", "nothing"],
)
def test_sizes(value, least, most):
    assert least <= size_of(value) <= most
