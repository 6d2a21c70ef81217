"""Arrays as all rooms name them, the digest of a content, and the parts of a CSR."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Array = TypeVar("Array", bound=npt.NDArray[Any])


def digest_of(*parts: object) -> str:
    """Content digest (blake2b, 16 hex digits) of arrays, strings, numbers and sequences of strings."""
    state = hashlib.blake2b(digest_size=8)
    for part in parts:
        if isinstance(part, np.ndarray):
            data = np.ascontiguousarray(part)
            state.update(f"{data.dtype.str}{data.shape}".encode())
            state.update(data.view(np.uint8).reshape(-1).data if data.size else b"")
        elif isinstance(part, (list, tuple)):
            texts = list(map(str, part))  # each with its length before it, whatever characters it holds
            state.update(f"[{len(texts)}]".encode())
            state.update(np.fromiter(map(len, texts), "<i8", len(texts)).tobytes())
            state.update("".join(texts).encode("utf-8", "surrogatepass"))
        else:
            state.update(repr(part).encode("utf-8", "surrogatepass"))
        state.update(b"\x1e")
    return state.hexdigest()


def readonly(array: Array) -> Array:
    """The same array, read-only from here on."""
    array.setflags(write=False)
    return array


def position(items: Sequence[str] | Ints, item: str | int) -> int:
    """Index of an item in a sorted sequence, -1 when it is not there."""
    i = bisect_left(items, item)  # type: ignore[type-var]
    return i if i < len(items) and items[i] == item else -1


def indptr_of(lengths: npt.ArrayLike) -> Offsets:
    """Where each row of so many entries begins, and where the last one ends: the ``indptr`` of a CSR.

    >>> indptr_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def rows_of(indptr: Offsets) -> Offsets:
    """The row of a CSR that each of its entries is in.

    >>> rows_of(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def ranks_of(indptr: Offsets) -> Offsets:
    """The place of each entry of a CSR in its row, from 1.

    >>> ranks_of(np.array([0, 2, 2, 5])).tolist()
    [1, 2, 1, 2, 3]
    """
    ranks: Offsets = np.arange(1, indptr[-1] + 1) - np.repeat(indptr[:-1], np.diff(indptr))
    return ranks


def expand_ranges(starts: Offsets, lengths: Ints | Offsets) -> Offsets:
    """The positions of so many entries from each start on, one run after the other.

    >>> expand_ranges(np.array([7, 0, 3]), np.array([2, 0, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    runs: Offsets = np.arange(total) + np.repeat(starts - ends + lengths, lengths)
    return runs


def places_of_pairs(indptr: Offsets, entries: Ints, rows: Ints, wanted: Ints) -> Offsets:
    """Where each of m aligned pairs of a row and an entry stands in a CSR, -1 where it does not.

    The entries of each row are ascending; both are at least 0 and below the number of rows, but a wanted -1,
    which stands nowhere.

    >>> indptr, entries = np.array([0, 2, 3]), np.array([0, 1, 1], np.int32)
    >>> places_of_pairs(indptr, entries, np.array([0, 1, 1], np.int32), np.array([1, 0, -1])).tolist()
    [1, -1, -1]
    """
    n = len(indptr)
    known = np.append(rows_of(indptr) * n + entries, np.iinfo(np.int64).max)
    pairs = np.where(wanted >= 0, rows.astype(np.int64) * n + wanted, -1)
    places = np.searchsorted(known, pairs)
    return np.where(known[places] == pairs, places, -1)
