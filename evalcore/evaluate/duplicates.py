"""Which images of a study are nearly the same? Pictures that look alike to a perceptual hash, and equal
captions.

The difference hash (dHash): a picture is made grey and 17 x 16 pixels small; each of 256 bits says whether a
pixel is brighter than the one to its right. Copies of a picture that were scaled or compressed anew differ in
few bits. A mirrored copy has the hash of the mirrored picture, a cropped one nearly that of a part of it:
both are compared when asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import product

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps
from scipy import sparse

from evalcore.study.pictures.image_files import image_bytes
from evalcore.study.pictures.pixels import decode
from evalcore.values.arrays import Bools, Ints
from evalcore.values.errors import InputError
from evalcore.values.grouping import groups_of_pairs
from evalcore.values.model import Groups, Study
from evalcore.values.progress import Progress
from evalcore.values.stores import Store

SIDE = 16
BITS = SIDE * SIDE
NEAR = 16
"""Bits in which two pictures may differ and still be taken for near duplicates."""
MORE_NEAR = 6
"""Bits more that may differ between a cropped picture and the nearest part: parts lie on a grid."""
CROPS = (0.0, 0.04, 0.08)
"""Shares of a side that are cut off at either end, in every combination: 81 parts of a picture."""
FEWEST_BITS = 32
"""Set bits below which a hash says too little to be looked for in parts of others."""
SAME, MIRRORED, CROPPED = "alike", "mirrored", "cropped"
_READ, _ROWS, _BLOCK = 256, 2048, 256
Words = npt.NDArray[np.uint64]
"""Hashes as four words of 64 bits, last axis."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two images that are nearly the same: positions, and ``bits`` of the hash that differ, else None.

    how: "alike", "mirrored", "cropped" or "mirrored, cropped"; "" where only the captions are equal.
    """

    first: int
    second: int
    bits: int | None
    same_caption: bool
    how: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """Pairs of near duplicates, the most alike first.

    Of several images with one caption, each is paired with the first. ``n_pictures``: pictures that could be
    read; ``n_captions``: captions compared.
    """

    pairs: tuple[Duplicate, ...]
    n_pictures: int
    n_captions: int

    @property
    def n_alike(self) -> int:
        """Pairs of pictures that look alike."""
        return sum(pair.bits is not None for pair in self.pairs)

    @property
    def n_same_caption(self) -> int:
        """Pairs of images with one caption."""
        return sum(pair.same_caption for pair in self.pairs)


def near_duplicates(
    study: Study,
    *,
    near: int = NEAR,
    mirrored: bool = False,
    cropped: bool = False,
    progress: Progress | None = None,
) -> Duplicates:
    """Which images look alike, or have the same caption?

    Parameters
    ----------
    near
        Bits of 256 in which the hashes of two pictures may differ; 0 finds equal hashes only.
    mirrored
        Whether a picture is also compared with others mirrored left to right.
    cropped
        Whether a picture is also compared with parts of others: up to 8% cut off at any side, in steps of 4%,
        and ``MORE_NEAR`` bits more may differ. Takes 1 s for 1,000 pictures, some 20 s for 10,000.

    Returns
    -------
    Duplicates
        Pictures that cannot be read, and pictures without any change of brightness from left to right, are
        compared with none; captions are compared letter by letter, white space at their ends aside, empty
        ones with none.
    """
    hashes, known = _hashes(study, progress, mirrored=mirrored, cropped=cropped)
    result = {
        (first, second): (bits, SAME) for first, second, bits in alike(unpacked(hashes[:, 0]), known, near)
    }
    for how, rows in changed(hashes, known, near, mirrored=mirrored, cropped=cropped, progress=progress):
        for first, second, bits in rows.tolist():
            pair = min(first, second), max(first, second)
            if pair not in result or (result[pair][1] == how and result[pair][0] > bits):
                result[pair] = bits, how
    texts = study.captions.texts if study.captions else ()
    by_text: dict[str, list[int]] = defaultdict(list)
    for image, text in enumerate(texts):
        if text and text.strip():
            by_text[text.strip()].append(image)
    same = {(images[0], other) for images in by_text.values() for other in images[1:]}
    captions_only: tuple[int | None, str] = None, ""
    pairs = [
        Duplicate(*pair, bits, pair in same, how)
        for pair, (bits, how) in {**dict.fromkeys(same, captions_only), **result}.items()
    ]
    ordered = sorted(
        pairs, key=lambda pair: (BITS if pair.bits is None else pair.bits, pair.first, pair.second)
    )
    return Duplicates(tuple(ordered), int(known.sum()), sum(map(len, by_text.values())))


def same_group(study: Study, pair: Duplicate) -> bool | None:
    """Whether both images are of one group of the study; None in a study without groups."""
    if study.groups is None:
        return None
    of = study.groups.of_image
    return bool(of[pair.first] == of[pair.second] >= 0)


def dhash(picture: Image.Image) -> Bools:
    """The 256 bits of a picture, row by row: is a pixel brighter than the one to its right?"""
    small = picture.convert("L").resize((SIDE + 1, SIDE), Image.Resampling.BOX)
    grey = np.asarray(small, np.int16)
    bits: Bools = (grey[:, :-1] > grey[:, 1:]).reshape(-1)
    return bits


def packed(bits: Bools) -> Words:
    """Hashes, last axis 256 bits, as four words each."""
    return np.packbits(bits, axis=-1).view(np.uint64)


def unpacked(words: Words) -> Bools:
    """The bits of hashes again."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1).astype(np.bool_)


def all_hashes(picture: Image.Image, *, mirrored: bool, cropped: bool) -> Bools:
    """The hash of a picture, then of it mirrored, then of its parts, shape (n, 256)."""
    grey = picture.convert("L")
    result = [dhash(grey)[None]]
    if mirrored:
        result.append(dhash(ImageOps.mirror(grey))[None])
    if cropped:
        result.append(_of_parts(grey))
    return np.concatenate(result)


def _of_parts(grey: Image.Image) -> Bools:
    """The hashes of all parts of a grey picture that `CROPS` names, shape (81, 256): means over cells of all
    parts at once, rounded to grey levels as Pillow does."""
    sides = ((grey.height, SIDE), (grey.width, SIDE + 1))
    down, across = (_WEIGHTS.get_or_compute(side, partial(_cells, *side)) for side in sides)
    means = np.rint((across @ (down @ np.asarray(grey, np.float32)).T).T)
    n = len(CROPS) ** 2
    cells = means.reshape(n, SIDE, n, SIDE + 1).transpose(0, 2, 1, 3)
    return np.asarray(cells[..., :-1] > cells[..., 1:]).reshape(n * n, BITS)


_WEIGHTS: Store[sparse.csr_array] = Store(16 << 20, lambda of: of.data.nbytes + 2 * of.indices.nbytes)
"""By side and number of cells: pictures of a study have few different sides."""


def _cells(length: int, cells: int) -> sparse.csr_array:
    """Weights of pixels in the means over equal cells of a side, one part after the other; sparse, since a
    dense product waits for other threads on a busy machine."""
    rows = []
    for start, end in product(CROPS, repeat=2):
        ends = np.linspace(length * start, length * (1 - end), cells + 1)
        pixels = np.arange(length)
        shared = np.minimum(ends[1:, None], pixels + 1) - np.maximum(ends[:-1, None], pixels)
        rows.append(np.maximum(shared, 0) / (ends[1] - ends[0]))
    return sparse.csr_array(np.concatenate(rows).astype(np.float32))


def changed(
    hashes: Words, known: Bools, near: int, *, mirrored: bool, cropped: bool, progress: Progress | None
) -> Iterator[tuple[str, Ints]]:
    """Pairs that are alike when one is mirrored, cropped or both: how, and rows of two images and bits."""
    at: Ints = np.flatnonzero(known).astype(np.int32)
    wholes = {SAME: hashes[at, 0]} | ({MIRRORED: hashes[at, 1]} if mirrored else {})
    jobs = [(MIRRORED, wholes[MIRRORED], hashes[at, :1], near)] if mirrored else []
    if cropped:
        parts = hashes[at, 1 + mirrored :]
        jobs.append((CROPPED, wholes[SAME], parts, near + MORE_NEAR))
        if mirrored:
            jobs.append((f"{MIRRORED}, {CROPPED}", wholes[MIRRORED], parts, near + MORE_NEAR))
    for done, (how, whole, others, most) in enumerate(jobs):
        loops = import_module("evalcore.evaluate.loops")  # numba takes a while to import
        enough = np.bitwise_count(others).sum(-1) >= (FEWEST_BITS if how != MIRRORED else 1)
        rows = np.flatnonzero(np.bitwise_count(whole).sum(-1) >= (FEWEST_BITS if how != MIRRORED else 1))
        for start in range(0, len(rows), _BLOCK):
            if progress is not None:
                share = (done + start / len(rows)) / len(jobs)
                progress(0.8 + 0.2 * share, f"comparing pictures, {how}")
            block = rows[start : start + _BLOCK]
            pairs = loops.nearest_windows(np.ascontiguousarray(whole[block]), others, enough, most)
            first, second = at[block[pairs[:, 0]]], at[pairs[:, 1]]
            apart = first != second
            yield how, np.column_stack([first, second, pairs[:, 2]])[apart]


def _hashes(
    study: Study, progress: Progress | None, *, mirrored: bool = False, cropped: bool = False
) -> tuple[Words, Bools]:
    """The hashes of every picture (`all_hashes`), shape (n_images, hashes, 4), and which images have one
    that says anything."""
    n, images = len(study.image_ids), study.images
    n_hashes = 1 + mirrored + cropped * len(CROPS) ** 4
    hashes, known = np.zeros((n, n_hashes, BITS // 64), np.uint64), np.zeros(n, np.bool_)
    for image in range(n) if images is not None else ():
        if progress is not None and image % 64 == 0:
            progress(0.8 * image / n, "reading pictures")
        assert images is not None
        if images.entries[image] is None:
            continue
        try:
            picture = decode(image_bytes(images, image), file=study.image_ids[image], about=_READ)
        except InputError:
            continue
        hashes[image] = packed(all_hashes(picture, mirrored=mirrored, cropped=cropped))
        known[image] = hashes[image, 0].any()
    return hashes, known


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
    return [(ids[i], ids[of]) for i, of in enumerate(groups.of_image) if of >= 0]
