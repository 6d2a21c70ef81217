"""Neighbours found once are kept: in the cache of the workspace, never in the study, by content.

A graph of millions of concepts takes seconds to search; what is kept opens in milliseconds.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np

from evalcore.graph import ConceptGraph, Neighbours, neighbours
from evalcore.study.tables.guard import attempt
from evalcore.study.workspace.home import home, write_whole
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.settings import Direction

KEPT = 64
"""Dictionaries kept; what was used longest ago makes room."""


def stored_neighbours(
    graph: ConceptGraph, vocabulary: Sequence[str], *, threshold: int, direction: Direction
) -> Neighbours:
    """`graph.neighbours`, from the cache where it was found before.

    A file that is damaged, or not what its name says, is computed and written anew; where nothing can be
    written, nothing is kept.
    """
    words = tuple(vocabulary)
    key = digest_of(words, graph.digest, threshold, direction)
    path = home() / "cache" / "neighbours" / f"{key}.npz"
    kept, _ = attempt(partial(_read, path, words, threshold, direction))
    if kept is not None:
        with suppress(OSError):
            os.utime(path)  # used now: the last to go
        return kept
    near = neighbours(graph, words, threshold=threshold, direction=direction)
    _write(path, near)
    return near


def _read(path: Path, words: tuple[str, ...], threshold: int, direction: Direction) -> Neighbours:
    """The neighbours of a file; raises whatever a damaged one raises, or one that is not what it says."""
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as held:
        arrays = held["indptr"], held["indices"], held["distances"]
        digest = str(held["digest"])
    near = Neighbours.of_arrays(words, *arrays, threshold, direction)
    if near.digest != digest:
        raise ValueError("its digest is not that of its content")
    return near


def _write(path: Path, near: Neighbours) -> None:
    held = io.BytesIO()
    np.savez(
        held, indptr=near.indptr, indices=near.indices, distances=near.distances, digest=np.array(near.digest)
    )
    # Only a cache: where it cannot be written, the next opening takes longer.
    with suppress(InputError, OSError):
        write_whole(path, held.getvalue())
        oldest = sorted(path.parent.glob("*.npz"), key=lambda one: one.stat().st_mtime_ns)[:-KEPT]
        for one in oldest:
            one.unlink(missing_ok=True)
