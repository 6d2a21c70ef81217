"""Pictures as intensities: files of a folder, a zip or a study, as they are or altered.

Intensities are from 0 to 1 by the range of the file's own type: 8 bits a channel are divided by 255, 16 bits
by 65,535, floating point must be from 0 to 1 already. Nothing is stretched, or brightness would not be a
feature. Colour of more than 8 bits is read as 8 bits (Pillow). Palettes, CMYK and transparency (on black)
are read as the pages show them, and so is DICOM, in the window of the file. Channels that a TIFF declares are
divided by the range of their type, each by itself.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageOps

from evalcore.features.synthetic.read_tiff import RGB, Planes, composite, read_channels
from evalcore.study.pictures.image_files import ENDINGS_IMAGE_FILES, image_bytes, pictures_in
from evalcore.study.pictures.pixels import (
    FORMATS,
    careful,
    check_sides,
    check_size,
    decode,
    eight_bits,
    is_dicom,
)
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import ImageFiles

MOST_PIXELS = 1 << 24
"""Largest image that is measured (4,096 x 4,096); larger ones only when they are made smaller."""


class Intensities(NamedTuple):
    """Values from 0 to 1: shape (height, width) for grey, else (height, width, channels).

    channels: names that a TIFF declares, () for grey and for red, green and blue. n_planes: of the stack
    that they were read from, 1 without.
    """

    values: Floats
    channels: tuple[str, ...] = ()
    n_planes: int = 1


def intensities(data: bytes, *, file: str, side: int | None = None, planes: Planes = "max") -> Intensities:
    """The intensities of a picture.

    side: the longer side after scaling (bilinear, over the whole area of a new pixel); None leaves it.
    planes: of a stack, as in `read_channels`.

    Raises InputError for what is no image, damaged, cut short, of an unknown range or with more than
    ``MOST_PIXELS`` to measure, and for a TIFF with pages of no declared meaning.
    """
    return careful(partial(_read, data, file, side, planes), file)


def _read(data: bytes, file: str, side: int | None, planes: Planes) -> Intensities:
    if is_dicom(data):
        return Intensities(_measurable(np.asarray(decode(data, file=file)), file, side))
    declared = read_channels(data, file=file, planes=planes)
    if declared is not None:
        values, names, n_planes = declared
        parts = [_measurable(value, file, side, most=MOST_PIXELS // len(values)) for value in values]
        return Intensities(np.dstack(parts) if names else parts[0], names if names != RGB else (), n_planes)
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        check_size(image, file)
        if side is None:
            check_sides(image.width, image.height, file, most=MOST_PIXELS)
        image.load()
        ImageOps.exif_transpose(image, in_place=True)
        as_stored = image.mode in ("L", "RGB") or image.mode.startswith(("I", "F"))
        return Intensities(_measurable(np.asarray(image if as_stored else eight_bits(image)), file, side))


def _measurable(values: np.ndarray, file: str, side: int | None, *, most: int = MOST_PIXELS) -> Floats:
    """Stored values by the range of their type, scaled to ``side`` where one is given."""
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
    if side is None:
        check_sides(width, height, file, most=most)
        return values.astype(np.float64) / white
    factor = max(height, width) // side if height * width > MOST_PIXELS else 1
    if factor > 1:  # means of squares, before anything that takes more memory; what is over is cut off
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


# Altered copies of real images: a demonstration of what the scores notice, not a generator.
#  Each alteration takes away something that can be named, so that what the page shows can be checked by
# eye. The same seed gives the same copy.

NEAR_COPIES = "near copies"


def _blurred(pixels: Floats, _rng: np.random.Generator) -> Floats:
    from scipy.ndimage import gaussian_filter

    sigma = max(1.0, 0.02 * max(pixels.shape[:2]))
    return np.asarray(gaussian_filter(pixels, (sigma, sigma, 0)[: pixels.ndim], mode="nearest"), float)


def _cut(pixels: Floats, _rng: np.random.Generator) -> Floats:
    colour = pixels.ndim == 3 and not np.array_equal(pixels[..., 0], pixels[..., 1])
    result = pixels.copy()
    result[(..., 0) if colour else slice(-(-2 * len(pixels) // 3), None)] = 0.0
    return result


def _moved(pixels: Floats, rng: np.random.Generator) -> Floats:
    most = max(1, round(0.01 * max(pixels.shape[:2])))
    down, across = (int(step) for step in rng.integers(-most, most + 1, 2))
    wide = np.pad(pixels, [(most, most), (most, most), (0, 0)][: pixels.ndim], mode="edge")
    height, width = pixels.shape[:2]
    moved = wide[most + down : most + down + height, most + across : most + across + width]
    return np.clip(moved * (1 + 0.01 * rng.standard_normal()), 0.0, 1.0)


ALTERATIONS: Mapping[str, tuple[Callable[[Floats, np.random.Generator], Floats], str]] = {
    "blurred": (_blurred, "Gaussian blur of 2% of the longer side"),
    "noisy": (
        lambda pixels, rng: np.clip(pixels + 0.12 * rng.standard_normal(pixels.shape), 0.0, 1.0),
        "noise with a standard deviation of 12% of the range",
    ),
    "too dark": (lambda pixels, _: pixels * 0.55, "all intensities times 0.55"),
    "part missing": (_cut, "the red channel black in colour images, the lower third in grey ones"),
    NEAR_COPIES: (_moved, "few of the archetypes again and again, moved and brightened by 1%: it memorises"),
}
"""How images are altered, and what that takes away."""


def altered(pixels: Floats, kind: str, *, image: str, copy: int = 0) -> Floats:
    """A copy of an image, shape as it is, altered by a kind of ``ALTERATIONS``; ``image`` and ``copy`` decide
    its noise.

    >>> altered(np.ones((3, 2)), "part missing", image="a").sum(axis=1).tolist()
    [2.0, 2.0, 0.0]
    """
    return ALTERATIONS[kind][0](pixels, np.random.default_rng(int(digest_of(kind, image, copy), 16)))


# Pictures by their ids.

Picture = Callable[[], Image.Image]
"""Gives a decoded picture when it is asked for, so that few are held at once."""
MOST_SHOWN = 512
"""Longer side of a picture that is shown, unless it is measured smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """Pictures by id: for each the place of its file and which copy of it this is.

    kind: how all are altered, "" for not. side: the longer side that they are scaled to before that;
    planes: how stacks are read.
    """

    places: Mapping[str, tuple[int, int]]
    files: ImageFiles
    kind: str = ""
    side: int | None = None
    planes: Planes = "max"

    def __len__(self) -> int:
        return len(self.places)

    @property
    def ids(self) -> list[str]:
        return list(self.places)

    @property
    def digest(self) -> str:
        """Of what is measured: the files, where they are (their digest is of names and sizes alone, which
        the pictures of two users can share), and what is done to them."""
        return digest_of(
            self.files.digest,
            str(self.files.folder),
            repr(dict(self.places)),
            self.kind,
            self.side,
            self.planes,
        )

    def entry(self, image: str) -> str:
        """The path of the file of a picture."""
        return str(self.files.entries[self.places[image][0]])

    def pixels(self, image: str, *, side: int | None) -> Intensities:
        """Intensities of a picture; InputError when it cannot be read."""
        at, copy = self.places[image]
        data, entry = image_bytes(self.files, at), self.entry(image)
        result = intensities(data, file=entry.rpartition("/")[2], side=side, planes=self.planes)
        if not self.kind:
            return result
        return result._replace(values=altered(result.values, self.kind, image=entry, copy=copy))

    def picture(self, image: str) -> Image.Image:
        """A picture as it is measured, 8 bits; InputError when it cannot be read."""
        pixels = self.pixels(image, side=self.side or MOST_SHOWN)
        values = np.rint(pixels.values * 255).astype(np.uint8)
        return composite(np.moveaxis(values, 2, 0)) if pixels.channels else Image.fromarray(values)

    def all(self) -> list[Picture]:
        """Every picture, each decoded when it is asked for."""
        return [partial(self.picture, image) for image in self.places]

    def only(self, ids: Sequence[str]) -> Pictures:
        """The pictures of these images, in their order."""
        return replace(self, places={image: self.places[image] for image in ids})


def pictures_of(place: Path, problems: Problems) -> Pictures | None:
    """Every picture below a folder or in a zip, by its path without ending, with it where two would have
    one name. None, with an error, without any."""
    listed = pictures_in(place, problems)
    if not listed:
        if listed is not None:
            remedy = f"Give a folder or a zip with {', '.join(ENDINGS_IMAGE_FILES[:6])}."
            problems.error("no-images", "There are no images here.", remedy)
        return None
    folder, archive = (place, None) if place.is_dir() else (place.parent, place)
    entries = tuple(name for name, _, _ in listed)
    digest = digest_of([f"{name}:{size}:{mark}" for name, size, mark in listed])
    stems = [entry.rpartition(".")[0] for entry in entries]
    times = Counter(stems)
    ids = [stem if times[stem] == 1 else entry for stem, entry in zip(stems, entries, strict=True)]
    places = {image: (at, 0) for at, image in enumerate(ids)}
    return Pictures(places, ImageFiles(entries, folder, archive, digest))
