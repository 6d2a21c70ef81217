"""Which generated pictures look like copies? Perceptual hashes across generated and training pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from evalcore.evaluate.duplicates import BITS, NEAR, alike, dhash
from evalcore.values.arrays import Bools
from evalcore.values.errors import InputError
from evalcore.values.progress import Progress, silent

Picture = Callable[[], Image.Image]


@dataclass(frozen=True, slots=True)
class Copy:
    """Two pictures nearly the same: places among all pictures, the first generated, and bits that differ.

    of_training: the second is a training picture, else another generated one.
    """

    first: int
    second: int
    bits: int
    of_training: bool


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Pairs that hold a generated picture, the most alike first; ``n_read``: pictures with a hash."""

    pairs: tuple[Copy, ...]
    n_read: int
    n: int


def near_copies(
    pictures: Sequence[Picture], generated: Bools, *, near: int = NEAR, progress: Progress = silent
) -> Copies:  # fmt: skip
    """Pairs of pictures whose hashes differ in ``near`` of 256 bits at most, one or both of them generated.

    A picture that cannot be read, or without any change of brightness from left to right, is like none.
    """
    hashes = np.zeros((len(pictures), BITS), np.bool_)
    for i, picture in enumerate(pictures):
        progress(0.9 * i / len(pictures), "looking for near copies")
        try:
            hashes[i] = dhash(picture())
        except InputError:
            continue
    known: Bools = np.asarray(hashes.any(axis=1))
    pairs = []
    for a, b, bits in alike(hashes, known, near):
        if generated[a] or generated[b]:
            first, second = (a, b) if generated[a] else (b, a)
            pairs.append(Copy(first, second, bits, not generated[second]))
    ordered = sorted(pairs, key=lambda one: (one.bits, not one.of_training, one.first, one.second))
    return Copies(tuple(ordered), int(known.sum()), len(pictures))
