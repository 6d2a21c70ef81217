"""Features of the images of a folder or a zip, kept on disk by content: an image is measured once."""

from __future__ import annotations

from collections import Counter
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

    sizes: (width, height, images), the most frequent first. Broken images are not in it.
    """

    features: dict[str, Floats]
    sizes: tuple[tuple[int, int, int], ...]
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
    listed = pictures_in(folder, found)
    if listed is None:
        return None, found.report()
    if not listed:
        message = "There are no images here."
        found.error("no-images", message, f"Give a folder or a zip with {', '.join(ENDINGS[:6])}.")
        return None, found.report()
    entries = [name for name, _, _ in listed]
    inside = folder if folder.is_dir() else folder.parent
    images = ImageFiles(tuple(entries), inside, None if folder.is_dir() else folder, "")
    report, features = found.report(), dict[str, Floats]()
    sizes: Counter[tuple[int, int]] = Counter()
    for i, (image, entry) in enumerate(zip(_ids(entries), entries, strict=True)):
        progress(i / len(entries), f"{file}: {entry}")
        result, reason = attempt(partial(measure_one, images, i, how))
        if result is None:
            report += broken(f"{file}/{entry}", reason)
            continue
        features[image] = result[1:]
        sizes[int(result[0, 0]), int(result[0, 1])] += 1
    progress(1, "")
    by_number = sorted(((w, h, n) for (w, h), n in sizes.items()), key=lambda one: (-one[2], one))
    return (MeasuredImages(features, tuple(by_number), file) if features else None), report


def _ids(entries: list[str]) -> list[str]:
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
    pixels = intensities(data, file=file, side=how.side)
    size = np.zeros((1, len(NAMES)))
    size[0, :2] = pixels.shape[1], pixels.shape[0]
    found = np.vstack([size, measured(pixels, settings=how)])
    keep(where, found.astype("<f8").tobytes(), room=KEPT)
    return found


def broken(file: str, reason: Exception | None) -> Report:
    """An image that cannot be measured."""
    found = Problems(file)
    other = f"It cannot be measured: {why(reason or ValueError('no reason'))}."
    said = str(reason) if isinstance(reason, InputError) else other
    message, _, remedy = said.rpartition(". ")
    found.error("broken-image", f"{message.removesuffix('.')}; it is left out.", remedy)
    return found.report()
