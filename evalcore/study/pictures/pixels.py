"""Bytes of an image file to a picture that can be shown: 8 bits, grey or RGB, nothing but pixels.

What comes in may be hostile or broken; whatever Pillow stumbles over becomes one InputError. A picture is
worked on in pieces, and a large one made smaller on the way, so that one of a few kilobytes that unpacks
to ``MAX_PIXELS`` takes little more memory than its pixels.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar, cast

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from evalcore.study.pictures.dicom import check_dicom, dicom_picture, is_dicom
from evalcore.study.pictures.size_limits import MAX_PIXELS, check_sides, is_cut, too_large
from evalcore.study.tables.problems import try_call
from evalcore.values.errors import InputError

FORMATS = ("JPEG", "PNG", "TIFF", "BMP", "GIF", "WEBP", "JPEG2000", "PPM")
HEAVY = ("WEBP", "JPEG2000")
"""Formats whose decoders take three times the memory of others: a third of the pixels."""
STRETCH = (0.1, 99.9)
"""Percentiles of a picture with more than 8 bits that become black and white."""
LARGE = 1 << 24
"""Pixels from which on a picture is made smaller at once when it is to be shown small."""
_TILE, _SAMPLE = 1 << 20, 1 << 22
"""Pixels worked on at a time, and looked at to find the percentiles of a picture."""
_TRANSPARENT = ("RGBA", "RGBa", "LA", "La", "PA")
Levels = tuple[float, float]
Result = TypeVar("Result")


def decode(data: bytes, *, file: str, about: int | None = None) -> Image.Image:
    """The picture in a file: mode L or RGB, upright, without metadata.

    Parameters
    ----------
    data : content of a JPEG, PNG, TIFF, BMP, GIF, WebP, JPEG 2000, PNM or, with pydicom, DICOM file.
    file : its name in messages.
    about : a JPEG, and any picture of more than ``LARGE`` pixels, may come smaller, with no side shorter
        than this; saves time and memory for thumbnails.

    Returns
    -------
    The first frame, page or plane. More than 8 bits: stretched between the percentiles ``STRETCH``.
    Transparency: on black. CMYK, palettes and black-and-white: as RGB or grey.

    Raises
    ------
    InputError
        Not an image, damaged, cut short, more than ``MAX_PIXELS`` (a third of them in ``HEAVY``), or a side
        longer than ``MAX_SIDE``.
    """
    shown = careful(partial(_decoded, data, file, about), data, file)
    shown.info = {}
    return shown


def _decoded(data: bytes, file: str, about: int | None) -> Image.Image:
    if is_dicom(data):
        frame = dicom_picture(data, file=file)
        return eight_bits(frame, factor=_factor(frame, about))
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        check_size(image, file)
        if about is not None:
            image.draft(None, (about, about))
        image.load()
        ImageOps.exif_transpose(image, in_place=True)
        return eight_bits(image, factor=_factor(image, about))


def _factor(image: Image.Image, about: int | None) -> int:
    """How much smaller a large picture may be made at once."""
    large = image.width * image.height > LARGE
    return max(1, min(image.size) // about) if large and about else 1


def check_header(data: bytes, *, file: str) -> None:
    """Raise InputError when the file is no image, or too large, as far as its first bytes tell."""
    careful(partial(_opened, data, file), data, file)


def _opened(data: bytes, file: str) -> None:
    if is_dicom(data):
        check_dicom(data, file=file)
        return
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        check_size(image, file)


def careful(work: Callable[[], Result], data: bytes, file: str) -> Result:
    """The result of work on the bytes of a picture; InputError whatever else it raises."""
    result, reason = try_call(work)
    if isinstance(reason, (Image.DecompressionBombError, Image.DecompressionBombWarning)):
        raise InputError(too_large(file, MAX_PIXELS)) from reason
    if isinstance(reason, InputError):
        raise reason
    if reason is not None:
        damage = "is damaged: its end is missing" if is_cut(io.BytesIO(data)) else "is damaged"
        what = "is not an image of a known format" if isinstance(reason, UnidentifiedImageError) else damage
        raise InputError(f"{file} {what}. Export it again as PNG or JPEG.") from reason
    return cast("Result", result)


def check_size(image: Image.Image, file: str) -> None:
    """Raise InputError for a picture larger than is decoded, as its header says."""
    most = MAX_PIXELS // 3 if image.format in HEAVY else MAX_PIXELS
    check_sides(image.width, image.height, file, most=most)


def eight_bits(image: Image.Image, *, factor: int = 1) -> Image.Image:
    """The same picture as mode L or RGB, one pixel for every ``factor`` x ``factor`` of them."""
    levels = _levels(image) if image.mode.startswith("I") or image.mode == "F" else None
    shown: Image.Image | None = None
    for left, top, tile in _tiles(image, factor):
        plain = _plain(tile, levels)
        if plain.size == image.size and factor == 1:
            return plain
        small = plain.reduce(factor) if factor > 1 else plain
        if shown is None:
            shown = Image.new(small.mode, (-(-image.width // factor), -(-image.height // factor)))
        shown.paste(small, (left // factor, top // factor))
    assert shown is not None
    return shown


def _tiles(image: Image.Image, factor: int) -> Iterator[tuple[int, int, Image.Image]]:
    """The picture in pieces of some ``_TILE`` pixels: left, top, piece. Sides are multiples of ``factor``."""
    width, height = image.size
    across = max(min(width, _TILE) // factor, 1) * factor
    down = max(_TILE // across // factor, 1) * factor
    if across >= width and down >= height:
        yield 0, 0, image
        return
    for top in range(0, height, down):
        for left in range(0, width, across):
            yield left, top, image.crop((left, top, min(left + across, width), min(top + down, height)))


def _plain(tile: Image.Image, levels: Levels | None) -> Image.Image:
    """A piece of a picture as mode L or RGB."""
    if levels is not None:
        return _stretched(tile, levels)
    if tile.mode in _TRANSPARENT or (tile.mode == "P" and "transparency" in tile.info):
        whole = tile.convert("RGBA")
        black = Image.new("RGBA", whole.size, (0, 0, 0, 255))
        composed = Image.alpha_composite(black, whole)
        return composed.convert("L" if tile.mode in ("LA", "La") else "RGB")
    if tile.mode in ("L", "RGB"):
        return tile.copy()
    return tile.convert("L" if tile.mode == "1" else "RGB")


def _levels(image: Image.Image) -> Levels:
    """The grey values that become black and white; of a large picture from a sample of its pixels."""
    step = math.isqrt(max(image.width * image.height // _SAMPLE, 1))
    sample = [_real(tile)[::step, ::step].reshape(-1) for _, _, tile in _tiles(image, 1)]
    low, high = np.percentile(np.concatenate(sample), STRETCH)
    if high <= low:
        ends = [(values.min(), values.max()) for _, _, tile in _tiles(image, 1) for values in [_real(tile)]]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    return float(low), float(high)


def _stretched(tile: Image.Image, levels: Levels) -> Image.Image:
    """Grey values of any depth, those between the levels spread over 0 to 255; one value only: black."""
    low, high = levels
    scale = 255 / (high - low) if high > low else 0.0
    return Image.fromarray(np.clip((_real(tile) - low) * scale, 0, 255).round().astype(np.uint8))


def _real(tile: Image.Image) -> np.ndarray:
    return np.nan_to_num(np.asarray(tile).astype(np.float64), posinf=0.0, neginf=0.0)
