"""Features of the images of a folder or a zip, kept on disk by content: an image is measured once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from evalcore.arrays import Floats, digest_of
from evalcore.errors import InputError
from evalcore.model import ImageFiles
from evalcore.problems import Report
from evalcore.progress import Progress, silent
from evalcore.sources.pictures.image_files import ENDINGS, pictures_in
from evalcore.sources.pictures.images import image_bytes
from evalcore.sources.synthesis.intensities import intensities
from evalcore.sources.tables.guard import attempt, reader, why
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


@reader(lambda _: None)
def measure_images(
    folder: Path, *, file: str, settings: ImageSettings | None = None, progress: Progress = silent
) -> tuple[MeasuredImages | None, Report]:
    """Measure every picture below a folder or in a zip.

    An image is called by its path below the folder without ending, with it where two would have one name.
    Broken images are errors of their own file, and left out. None when nothing can be measured.
    """
    how, found = settings or ImageSettings(), Problems(file)
    images = images_in(folder, found)
    if images is None:
        return None, found.report()
    if not images.entries:
        message = "There are no images here."
        found.error("no-images", message, f"Give a folder or a zip with {', '.join(ENDINGS[:6])}.")
        return None, found.report()
    entries = [str(entry) for entry in images.entries]
    read, report = measure_each(
        ids_of(images), entries, partial(measure_one, images, how=how), file=file, progress=progress
    )
    progress(1, "")
    return read, found.report() + report


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


def measure_each(
    ids: Sequence[str], called: Sequence[str], measure: Callable[[int], Floats], *, file: str,
    progress: Progress,
) -> tuple[MeasuredImages | None, Report]:  # fmt: skip
    """What ``measure`` gives for each image, by its id; ``called`` names images in messages.

    Those that cannot be measured are errors and left out; None when no image can.
    """
    report, features, sides = Report(), dict[str, Floats](), set[int]()
    for i, (image, name) in enumerate(zip(ids, called, strict=True)):
        progress(i / len(ids), f"{file}: {name}")
        result, reason = attempt(partial(measure, i))
        if result is None:
            report += _broken(f"{file}/{name}", reason)
            continue
        features[image] = result[1:]
        sides.add(int(result[0, :2].max()))
    return (MeasuredImages(features, frozenset(sides), file) if features else None), report


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


def _broken(file: str, reason: Exception | None) -> Report:
    """An image that cannot be measured."""
    found = Problems(file)
    other = f"It cannot be measured: {why(reason or ValueError('no reason'))}."
    said = str(reason) if isinstance(reason, InputError) else other
    message, _, remedy = said.rpartition(". ")
    found.error("broken-image", f"{message.removesuffix('.')}; it is left out.", remedy)
    return found.report()
