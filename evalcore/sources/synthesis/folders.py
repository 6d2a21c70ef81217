"""The images of a folder or a zip, and features kept on disk by content: an image is measured once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evalcore.arrays import Floats, digest_of
from evalcore.model import ImageFiles
from evalcore.sources.pictures.image_files import pictures_in
from evalcore.sources.pictures.images import image_bytes
from evalcore.sources.synthesis.intensities import intensities
from evalcore.sources.tables.problems import Problems
from evalcore.sources.workspace.shelves import keep, kept, place
from evalcore.synthesis.images.measured import NAMES, measured
from evalcore.synthesis.images.settings import ImageSettings

KEPT = 128 << 20
"""Size of the disk cache in bytes."""
VERSION = 1
"""To be raised when a feature is measured otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredImages:
    """Features of images by id, one row a channel (see `images.measured`).

    sides: the longer sides there are, in pixels. Broken images are not in it.
    """

    features: dict[str, Floats]
    sides: frozenset[int]
    file: str


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


def measure_one(images: ImageFiles, image: int, how: ImageSettings) -> Floats:
    """Features of one image; above them a row with its width and height."""
    data, file = image_bytes(images, image), str(images.entries[image]).rpartition("/")[2]
    where = place("features", data, f"-{digest_of(VERSION, list(NAMES), how)}.bin")
    cached = kept(where)
    if cached and not len(cached) % (8 * len(NAMES)):
        return np.frombuffer(cached, "<f8").reshape(-1, len(NAMES))
    found = with_size(intensities(data, file=file, side=how.side), how)
    keep(where, found.astype("<f8").tobytes(), room=KEPT)
    return found


def with_size(pixels: Floats, how: ImageSettings) -> Floats:
    """Features of a picture, its width and height in a row above them."""
    size = np.zeros((1, len(NAMES)))
    size[0, :2] = pixels.shape[1], pixels.shape[0]
    return np.vstack([size, measured(pixels, settings=how)])
