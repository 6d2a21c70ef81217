"""What is kept stays within its bytes, whoever asks for it, and is made once."""

from __future__ import annotations

import sys
import threading
import zipfile
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pytest

from evalcore.values.stores import Store, size_of


def block(n: int) -> np.ndarray:
    return np.zeros(n, np.uint8)


def test_what_was_asked_for_longest_ago_makes_room():
    store = Store[np.ndarray](room=1000, size=len)
    for name in "abc":
        store.keep(name, block(300))
    assert store.get("a") is not None  # asked for: b is the oldest now
    store.keep("d", block(300))
    assert "b" not in store and all(name in store for name in "acd") and store.held == 900
    store.keep("e", block(800))
    assert len(store) == 1 and store.held == 800


def test_a_key_has_one_value_and_its_room_is_free_again():
    store = Store[np.ndarray](room=1000, size=len)
    store.keep("a", block(900))
    store.keep("a", block(100))
    store.keep("b", block(900))
    assert store.held == 1000 and len(store.get("a")) == 100
    store.forget("a")
    assert store.get("a") is None and store.held == 900
    store.forget()
    assert len(store) == 0 and store.held == 0


def test_the_last_value_stays_even_when_it_is_larger_than_the_room():
    store = Store[np.ndarray](room=1000, size=len)
    store.keep("small", block(10))
    store.keep("large", block(5000))
    assert "small" not in store and len(store.get("large")) == 5000
    store.keep("small", block(10))
    assert "large" not in store and store.held == 10


def test_forty_who_ask_for_different_things_hold_no_more_than_the_room():
    store = Store[np.ndarray](room=1 << 20)
    for session in range(40):
        for page in range(5):
            store.get_or_compute((session, page), lambda: block(100_000))
    assert 900_000 < store.held <= 1 << 20


def test_what_is_asked_for_at_once_is_made_once():
    store, made, go = Store[int](room=1000), [], threading.Event()

    def make() -> int:
        made.append(1)
        go.wait(10)
        return 42

    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(store.get_or_compute("k", make))) for _ in range(4)
    ]
    for one in threads:
        one.start()
    go.set()
    for one in threads:
        one.join()
    assert found == [42] * 4 and len(made) == 1


def test_who_fails_leaves_the_making_to_the_next():
    store = Store[int](room=1000)

    def fail() -> int:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        store.get_or_compute("k", fail)
    assert store.get("k") is None and store.get_or_compute("k", lambda: 7) == 7 and store.get("k") == 7


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


def test_what_refers_to_itself_has_a_size():
    ring: list[object] = [bytes(1000)]
    ring.append(ring)
    assert 1000 < size_of(ring) < 1500


def test_an_open_zip_is_as_large_as_its_list(tmp_path):
    def with_members(n: int) -> int:
        with zipfile.ZipFile(tmp_path / f"{n}.zip", "w") as archive:
            for k in range(n):
                archive.writestr(f"image_{k:05d}.jpg", b"")
        with zipfile.ZipFile(tmp_path / f"{n}.zip") as archive:
            return size_of(archive)

    assert with_members(3000) - with_members(1000) > 2000 * 200
