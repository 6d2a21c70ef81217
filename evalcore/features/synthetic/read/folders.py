"""The images of a folder or a zip, and features kept on disk by content: an image is measured once."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evalcore.features.synthetic.images.measured import NAMES, measured
from evalcore.features.synthetic.images.settings import ImageSettings, Planes
from evalcore.features.synthetic.read.intensities import Intensities, intensities
from evalcore.study.pictures.image_files import pictures_in
from evalcore.study.pictures.images import image_bytes
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.shelves import keep, kept, place
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.model import ImageFiles

KEPT = 128 << 20
"""Size of the disk cache in bytes."""
VERSION = 2
"""To be raised when a feature is measured otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredImages:
    """Features of images by id, one row a channel (see `images.measured`).

    sides: the longer sides there are, in pixels. Broken images are not in it. channels: the names of declared
    channels, of all images alike; () for images in grey or colour.
    """

    features: dict[str, Floats]
    sides: frozenset[int]
    file: str
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Features of one image, one row a channel; its longer side, declared channels, planes of its stack."""

    rows: Floats
    side: int
    channels: tuple[str, ...]
    n_planes: int


def images_in(place: Path, found: Problems) -> ImageFiles | None:
    """The pictures of a folder or a zip; None, with an error, where it cannot be read."""
    listed = pictures_in(place, found)
    if listed is None:
        return None
    inside, archive = (place, None) if place.is_dir() else (place.parent, place)
    digest = digest_of([f"{name}:{size}:{mark}" for name, size, mark in listed])
    return ImageFiles(tuple(name for name, _, _ in listed), inside, archive, digest)


def ids_of(images: ImageFiles) -> list[str]:
    """Their paths without ending, with it where two would have one name."""
    entries = [str(entry) for entry in images.entries]
    stems = [entry.rpartition(".")[0] for entry in entries]
    times = Counter(stems)
    return [stem if times[stem] == 1 else entry for stem, entry in zip(stems, entries, strict=True)]


def measure_one(images: ImageFiles, image: int, how: ImageSettings, plane: int | None = None) -> Measured:
    """Features of one image; ``plane``: of this one of a stack."""
    data, file = image_bytes(images, image), str(images.entries[image]).rpartition("/")[2]
    where = place("features", data, f"-{digest_of(VERSION, list(NAMES), how, plane)}.bin")
    cached = kept(where)
    if cached and (before := _unpacked(cached)) is not None:
        return before
    found = measured_pixels(
        intensities(data, file=file, side=how.side, planes=_projection(how) if plane is None else plane), how
    )
    keep(where, _packed(found), room=KEPT)
    return found


def measured_pixels(pixels: Intensities, how: ImageSettings) -> Measured:
    """Features of a picture."""
    values = pixels.values
    rows = measured(values, settings=how, declared=bool(pixels.channels))
    return Measured(rows, max(values.shape[:2]), pixels.channels, pixels.n_planes)


def _projection(how: ImageSettings) -> Planes:
    """How the planes of a stack become one; each plane is asked for by its number."""
    return "max" if how.planes == "each" else how.planes


def _packed(found: Measured) -> bytes:
    head = json.dumps({"side": found.side, "channels": found.channels, "planes": found.n_planes})
    return head.encode() + b"\n" + found.rows.astype("<f8").tobytes()


def _unpacked(data: bytes) -> Measured | None:
    """What was kept; None where it is not whole."""
    head, _, body = data.partition(b"\n")
    try:
        facts = json.loads(head)
        rows = np.frombuffer(body, "<f8").reshape(-1, len(NAMES))
        return Measured(rows, int(facts["side"]), tuple(facts["channels"]), int(facts["planes"]))
    except (ValueError, KeyError, TypeError):
        return None
