"""Bytes of an image file to intensities from 0 to 1, by the range of the file's own type.

8 bits a channel are divided by 255, 16 bits by 65,535, floating point must lie from 0 to 1 already: nothing
is stretched, or brightness would not be a feature. Colour of more than 8 bits is read as 8 bits (Pillow).
Palettes, CMYK and transparency (on black) are read as the pages show them, and so is DICOM, in the window of
the file. Channels that a TIFF declares are divided by the range of their type, each by itself.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image, ImageOps

from evalcore.features.synthetic.images.settings import Planes
from evalcore.study.pictures.dicom import is_dicom
from evalcore.study.pictures.pixels import FORMATS, careful, check_size, decode, eight_bits
from evalcore.study.pictures.planes import RGB, read_planes
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError

MOST_PIXELS = 1 << 24
"""Largest image that is measured (4,096 x 4,096); larger ones only when they are made smaller."""
SIXTEEN_BITS = 65_535


@dataclass(frozen=True, slots=True, eq=False)
class Intensities:
    """Values from 0 to 1: shape (height, width) for grey, else (height, width, channels).

    channels: names that a TIFF declares, () for grey and for red, green and blue. n_planes: of the stack that
    they were read from, 1 without.
    """

    values: Floats
    channels: tuple[str, ...] = ()
    n_planes: int = 1


def intensities(
    data: bytes, *, file: str, side: int | None = None, planes: Planes | int = "max"
) -> Intensities:
    """The intensities of a picture.

    side: the longer side after scaling (bilinear, over the whole area of a new pixel); None leaves it.
    planes: of a stack, as in `read_planes`.

    Raises
    ------
    InputError
        Not an image, damaged, cut short, more than ``MOST_PIXELS`` to measure, of an unknown range, or a TIFF
        with pages of no declared meaning.
    """
    if is_dicom(data):
        return Intensities(_measurable(np.asarray(decode(data, file=file)), 255, file, side))
    return careful(partial(_read, data, file, side, planes), data, file)


def _read(data: bytes, file: str, side: int | None, planes: Planes | int) -> Intensities:
    found = read_planes(data, file=file, planes=planes)
    if found is not None:
        values, layout = found
        if side is None:
            _check_pixels(values.shape[2] * len(values), values.shape[1], file)
        parts = [_measurable(*_in_range(one, file), file, side) for one in values]
        names = layout.channels if layout.channels != RGB else ()
        whole = np.dstack(parts) if layout.channels else parts[0]
        return Intensities(whole, names, max(len(layout.planes), 1))
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        check_size(image, file)
        if side is None:
            _check_pixels(image.width, image.height, file)
        image.load()
        ImageOps.exif_transpose(image, in_place=True)
        return Intensities(_measurable(*_values(image, file), file, side))


def _in_range(values: np.ndarray, file: str) -> tuple[np.ndarray, int]:
    """The values of a channel and the one that is white, by their type."""
    if values.dtype == np.uint8:
        return values, 255
    if values.dtype == np.bool_:
        return values, 1
    if values.dtype.kind in "iu":
        return _within(values, SIXTEEN_BITS, file, "whole numbers beyond 16 bits", "16 bits"), SIXTEEN_BITS
    return _within(values, 1, file, "values below 0 or above 1", "values from 0 to 1"), 1


def _values(image: Image.Image, file: str) -> tuple[np.ndarray, int]:
    """The values of a picture of any mode, and the one that is white."""
    if image.mode.startswith("I;16"):
        return np.asarray(image), SIXTEEN_BITS
    if image.mode == "I":
        whole = np.asarray(image)
        return _within(whole, SIXTEEN_BITS, file, "whole numbers beyond 16 bits", "16 bits"), SIXTEEN_BITS
    if image.mode == "F":
        real = np.asarray(image)
        return _within(real, 1, file, "values below 0 or above 1", "values from 0 to 1"), 1
    return np.asarray(image if image.mode in ("L", "RGB") else eight_bits(image)), 255


def _within(values: np.ndarray, most: int, file: str, wrong: str, right: str) -> np.ndarray:
    if not (np.isfinite(values).all() and values.min() >= 0 and values.max() <= most):
        raise InputError(f"{file} has {wrong}: which is white is not known. Export it with {right}.")
    return values


def _measurable(given: np.ndarray, white: int, file: str, side: int | None) -> Floats:
    """Intensities, scaled to ``side`` where one is given."""
    if side is not None and given.shape[0] * given.shape[1] > MOST_PIXELS:
        given = _smaller(given, max(given.shape[:2]) // side)
    height, width = given.shape[:2]
    values = given.astype(np.float64) / white
    if side is None:
        _check_pixels(width, height, file)
        return values
    size = max(1, round(width * side / max(width, height))), max(1, round(height * side / max(width, height)))
    if size == (width, height):
        return values
    channels = [values] if values.ndim == 2 else [values[..., k] for k in range(values.shape[2])]
    scaled = [
        np.asarray(
            Image.fromarray(one.astype(np.float32)).resize(size, Image.Resampling.BILINEAR), np.float64
        )
        for one in channels
    ]
    return np.clip(scaled[0] if values.ndim == 2 else np.dstack(scaled), 0, 1)


def _smaller(values: np.ndarray, factor: int) -> np.ndarray:
    """Means of squares of so many pixels, before anything that takes more memory; what is over is cut off."""
    if factor < 2:
        return values
    height, width = (length // factor for length in values.shape[:2])
    cut = values[: height * factor, : width * factor]
    found: np.ndarray = cut.reshape(height, factor, width, factor, *values.shape[2:]).mean(axis=(1, 3))
    return found


def _check_pixels(width: int, height: int, file: str) -> None:
    if width * height > MOST_PIXELS:
        raise InputError(
            f"{file} has more than {MOST_PIXELS:,} pixels ({width:,} x {height:,}). "
            "Give a smaller version of the image, or a side that images are scaled to."
        )
