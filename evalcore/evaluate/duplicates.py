"""Which images of a study are nearly the same? Pictures that look alike to a perceptual hash.

The difference hash (dHash): a picture is made grey and 17 x 16 pixels small; each of 256 bits says whether a
pixel is brighter than the one to its right. Copies of a picture that were scaled or compressed anew differ in
few bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from evalcore.study.parts.images import image_bytes
from evalcore.study.pixels import decode
from evalcore.values.arrays import Bools, Ints
from evalcore.values.errors import InputError
from evalcore.values.grouping import groups_of_pairs
from evalcore.values.model import Groups, Study
from evalcore.values.progress import Progress, silent

SIDE = 16
BITS = SIDE * SIDE
NEAR = 16
"""Bits in which two pictures may differ and still be taken for near duplicates."""
_READ, _ROWS = 256, 2048


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two images that are nearly the same: positions, and ``bits`` of the hash that differ."""

    first: int
    second: int
    bits: int


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """Pairs of near duplicates, the most alike first, among ``n_pictures`` that could be read."""

    pairs: tuple[Duplicate, ...]
    n_pictures: int


def near_duplicates(study: Study, *, near: int = NEAR, progress: Progress = silent) -> Duplicates:
    """Which images look alike?

    ``near``: bits of 256 in which the hashes of two pictures may differ; 0 finds equal hashes only. Pictures
    that cannot be read, and those without any change of brightness from left to right, are compared with
    none.
    """
    hashes, known = _hashes(study, progress)
    pairs = sorted(
        (Duplicate(*pair) for pair in alike(hashes, known, near)),
        key=lambda pair: (pair.bits, pair.first, pair.second),
    )
    return Duplicates(tuple(pairs), int(known.sum()))


def same_group(study: Study, pair: Duplicate) -> bool | None:
    """Whether both images are of one group of the study; None in a study without groups."""
    if study.groups is None:
        return None
    group_of = study.groups.of_image
    return bool(group_of[pair.first] == group_of[pair.second] >= 0)


def dhash(picture: Image.Image) -> Bools:
    """The 256 bits of a picture, row by row: is a pixel brighter than the one to its right?"""
    small = picture.convert("L").resize((SIDE + 1, SIDE), Image.Resampling.BOX)
    grey = np.asarray(small, np.int16)
    bits: Bools = (grey[:, :-1] > grey[:, 1:]).reshape(-1)
    return bits


def _hashes(study: Study, progress: Progress) -> tuple[Bools, Bools]:
    """The hash of every picture, shape (n_images, 256), and which images have one that says anything."""
    n, images = len(study.image_ids), study.images
    hashes = np.zeros((n, BITS), np.bool_)
    for image in range(n) if images is not None else ():
        if image % 64 == 0:
            progress(image / n, "reading pictures")
        assert images is not None
        if images.entries[image] is None:
            continue
        try:
            picture = decode(image_bytes(images, image), file=study.image_ids[image], about=_READ)
        except InputError:
            continue
        hashes[image] = dhash(picture)
    return hashes, np.asarray(hashes.any(axis=1))


def alike(hashes: Bools, known: Bools, near: int) -> Iterator[tuple[int, int, int]]:
    """Pairs of images whose hashes differ in ``near`` bits at most: first, second, bits."""
    images: Ints = np.flatnonzero(known).astype(np.int32)
    signs: npt.NDArray[np.float32] = np.where(hashes[images], 1, -1).astype(np.float32)
    for start in range(0, len(images), _ROWS):
        rows = signs[start : start + _ROWS]
        # Of +1 and -1, the product is the number of equal bits less that of different ones: exact in float32.
        differ = (BITS - rows @ signs[start:].T) / 2
        first, second = np.nonzero(differ <= near)
        later = second > first
        for a, b in zip(first[later], second[later], strict=True):
            yield int(images[start + a]), int(images[start + b]), int(differ[a, b])


def proposed(study: Study, duplicates: Duplicates) -> Groups:
    """Groups that tie near duplicates together, and with them the groups the study names already."""
    ends = [image for pair in duplicates.pairs for image in (pair.first, pair.second)]
    numbers = np.repeat(np.arange(len(duplicates.pairs)), 2)
    images, name = np.array(ends, np.int64), "near_duplicate"
    if study.groups is not None:
        name, own = study.groups.name, study.groups.of_image
        named = np.flatnonzero(own >= 0)
        images = np.concatenate([images, named])
        numbers = np.concatenate([numbers, len(duplicates.pairs) + own[named]])
    return groups_of_pairs(name, len(study.image_ids), images, numbers, int(numbers.max(initial=-1)) + 1)


def group_rows(study: Study, groups: Groups) -> list[tuple[str, str]]:
    """Rows of a ``groups.csv``: image id, and as name of its group the id of the first image in it."""
    ids = study.image_ids
    return [(ids[i], ids[group]) for i, group in enumerate(groups.of_image) if group >= 0]
