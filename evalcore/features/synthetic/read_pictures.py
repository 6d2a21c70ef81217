"""Pictures as intensities: files of a folder, a zip or a study.

Intensities are from 0 to 1 by the range of the file's own type: 8 bits a channel are divided by 255, 16 bits
by 65,535, floating point must be from 0 to 1 already. Nothing is stretched, or brightness would not be a
feature. Colour of more than 8 bits is read as 8 bits (Pillow). Palettes, CMYK and transparency (on black)
are read as the pages show them, and so is DICOM, in the window of the file. Channels that a TIFF declares are
divided by the range of their type, each by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageOps

from evalcore.features.synthetic.read_tiff import RGB, read_channels
from evalcore.study.parts.images import ENDINGS_IMAGE_FILES, image_bytes, pictures_in
from evalcore.study.pixels import careful, decode, eight_bits, is_dicom, opened
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import ImageFiles

MOST_PIXELS = 1 << 24
"""Larger images (than 4,096 x 4,096) are made smaller by whole factors first."""


class Intensities(NamedTuple):
    """Values from 0 to 1: shape (height, width) for grey, else (height, width, channels).

    channels: names that a TIFF declares, () for grey and for red, green and blue. n_planes: of the stack
    that they were read from, 1 without.
    """

    values: Floats
    channels: tuple[str, ...] = ()
    n_planes: int = 1


def intensities(data: bytes, *, file: str, side: int) -> Intensities:
    """The intensities of a picture, scaled so that its longer side is ``side`` (bilinear, over the whole area
    of a new pixel).

    Raises InputError for what is no image, damaged, cut short or of an unknown range, and for a TIFF with
    pages of no declared meaning.
    """
    return careful(partial(_read, data, file, side), file)


def _read(data: bytes, file: str, side: int) -> Intensities:
    if is_dicom(data):
        return Intensities(_measurable(np.asarray(decode(data, file=file)), file, side))
    declared = read_channels(data, file=file)
    if declared is not None:
        values, names, n_planes = declared
        parts = [_measurable(value, file, side) for value in values]
        return Intensities(np.dstack(parts) if names else parts[0], names if names != RGB else (), n_planes)
    with opened(data, file) as image:
        image.load()
        ImageOps.exif_transpose(image, in_place=True)
        as_stored = image.mode in ("L", "RGB") or image.mode.startswith(("I", "F"))
        return Intensities(_measurable(np.asarray(image if as_stored else eight_bits(image)), file, side))


def _measurable(values: np.ndarray, file: str, side: int) -> Floats:
    """Stored values by the range of their type, scaled."""
    height, width = values.shape[:2]
    white = 255
    if values.dtype != np.uint8:
        whole = values.dtype.kind in "iu"
        white = 65_535 if whole else 1
        if not (np.isfinite(values).all() and values.min() >= 0 and values.max() <= white):
            wrong = "whole numbers beyond 16 bits" if whole else "values below 0 or above 1"
            right = "16 bits" if whole else "values from 0 to 1"
            unclear = "it is unclear which value is white"
            raise InputError(f"{file} has {wrong}: {unclear}. Export it with {right}.")
    factor = max(height, width) // side if height * width > MOST_PIXELS else 1
    if factor > 1:  # means of squares, before anything that takes more memory; the rest is cut off
        height, width = height // factor, width // factor
        squares = values[: height * factor, : width * factor]
        values = squares.reshape(height, factor, width, factor, *values.shape[2:]).mean(axis=(1, 3))
    scaled = values.astype(np.float64) / white
    size = max(1, round(width * side / max(width, height))), max(1, round(height * side / max(width, height)))
    if size == (width, height):
        return scaled
    parts = [
        Image.fromarray(part.astype(np.float32)).resize(size, Image.Resampling.BILINEAR)
        for part in np.moveaxis(np.atleast_3d(scaled), 2, 0)
    ]
    small = np.dstack([np.asarray(part, np.float64) for part in parts])
    return np.clip(small if scaled.ndim == 3 else small[..., 0], 0, 1)


# Pictures by their ids.

Picture = Callable[[], Image.Image]
"""Decodes a picture when it is called, so that few are in memory at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """Pictures by id, each with the place of its file; ``side``: the longer side that they are scaled to."""

    places: Mapping[str, int]
    files: ImageFiles
    side: int = 256

    @property
    def digest(self) -> str:
        """Of what is measured: the files, where they are (their digest is of names and sizes alone, which
        the pictures of two users can share), and their size."""
        files = self.files
        return digest_of(files.digest, str(files.folder), repr(dict(self.places)), self.side)

    def entry(self, image: str) -> str:
        """The path of the file of a picture."""
        return str(self.files.entries[self.places[image]])

    def pixels(self, image: str) -> Intensities:
        """Intensities of a picture; InputError when it cannot be read."""
        file = self.entry(image).rpartition("/")[2]
        return intensities(image_bytes(self.files, self.places[image]), file=file, side=self.side)

    def picture(self, image: str) -> Image.Image:
        """A picture as it is measured, 8 bits, of declared channels the brightest; InputError when it cannot
        be read."""
        pixels = self.pixels(image)
        values = pixels.values.max(axis=2) if pixels.channels else pixels.values
        return Image.fromarray(np.rint(values * 255).astype(np.uint8))

    def all(self) -> list[Picture]:
        """Every picture, to be decoded by a call."""
        return [partial(self.picture, image) for image in self.places]

    def only(self, ids: Iterable[str]) -> Pictures:
        """The pictures of these images, in their order."""
        return replace(self, places={image: self.places[image] for image in ids})


def pictures_of(place: Path, problems: Problems) -> Pictures:
    """Every picture below a folder or in a zip, by its path without ending, with it where two would have
    one name. Refused without any."""
    listed = pictures_in(place, problems)
    if not listed:
        remedy = f"Give a folder or a zip with {', '.join(ENDINGS_IMAGE_FILES[:6])}."
        problems.refuse("no-images", "There are no images here.", remedy)
    folder, archive = (place, None) if place.is_dir() else (place.parent, place)
    entries = tuple(name for name, _, _ in listed)
    digest = digest_of([f"{name}:{size}:{mark}" for name, size, mark in listed])
    stems = [entry.rpartition(".")[0] for entry in entries]
    times = Counter(stems)
    ids = [stem if times[stem] == 1 else entry for stem, entry in zip(stems, entries, strict=True)]
    return Pictures({image: at for at, image in enumerate(ids)}, ImageFiles(entries, folder, archive, digest))
