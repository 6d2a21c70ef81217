"""Bytes of an image file to a picture that can be shown: 8 bits, grey or RGB, nothing but pixels.

What comes in may be hostile or broken; whatever Pillow or pydicom stumbles over becomes one InputError. A
picture is worked on in pieces, and a large one made smaller on the way, so that one of a few kilobytes that
unpacks to ``MAX_PIXELS`` takes little more memory than its pixels.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from evalcore.study.tables.problems import try_call
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from pydicom import Dataset

MAX_PIXELS = 89_478_485
"""Largest picture that is decoded (Pillow's own limit: 256 MB of RGB)."""
MAX_SIDE = 65_500
"""Longest side, that of the largest JPEG. Scaling takes memory by the side: a line of 80,000,000 pixels took
2 GB."""


def check_sides(width: int, height: int, file: str, *, most: int = MAX_PIXELS) -> None:
    """Raise InputError for a picture with more pixels than ``most``, or a side longer than `MAX_SIDE`."""
    if width * height > most:
        raise InputError(
            f"{file} has more than {most:,} pixels ({width:,} x {height:,}). "
            "Give a smaller version of the image."
        )
    if max(width, height) > MAX_SIDE:
        raise InputError(
            f"{file} is {width:,} x {height:,} pixels; no side may be longer than {MAX_SIDE:,}. "
            "Cut it into pieces, or give a smaller version of the image."
        )


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
    shown = careful(partial(_decoded, data, file, about), file)
    shown.info = {}
    return shown


def _decoded(data: bytes, file: str, about: int | None) -> Image.Image:
    if is_dicom(data):
        with _dicom(data, file) as dataset:
            frame = _frame_of(dataset, file)
        return eight_bits(frame, factor=_factor(frame, about))
    with opened(data, file) as image:
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

    def look() -> None:
        with _dicom(data, file) if is_dicom(data) else opened(data, file):
            pass

    careful(look, file)


@contextmanager
def opened(data: bytes, file: str) -> Iterator[Image.Image]:
    """A picture other than DICOM, not decoded yet; InputError for a larger one than is decoded, as its header
    says."""
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        most = MAX_PIXELS // 3 if image.format in HEAVY else MAX_PIXELS
        check_sides(image.width, image.height, file, most=most)
        yield image


def careful(work: Callable[[], Result], file: str) -> Result:
    """The result of work on the bytes of a picture, without warnings of the libraries; InputError whatever
    else it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result, reason = try_call(work)
    if isinstance(reason, (Image.DecompressionBombError, Image.DecompressionBombWarning)):
        message = f"{file} has more than {MAX_PIXELS:,} pixels. Give a smaller version of the image."
        raise InputError(message) from reason
    if isinstance(reason, InputError):
        raise reason
    if reason is not None:
        is_other = isinstance(reason, UnidentifiedImageError)
        what = "is not an image of a known format" if is_other else "is damaged"
        raise InputError(f"{file} {what}. Export it again as PNG or JPEG.") from reason
    return cast("Result", result)


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
    """A piece of a picture as mode L or RGB; grey values of any depth, those between the levels spread over 0
    to 255; of one value only: black."""
    if levels is not None:
        low, high = levels
        scale = 255 / (high - low) if high > low else 0.0
        return Image.fromarray(np.clip((_real(tile) - low) * scale, 0, 255).round().astype(np.uint8))
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


def _real(tile: Image.Image) -> np.ndarray:
    return np.nan_to_num(np.asarray(tile).astype(np.float64), posinf=0.0, neginf=0.0)


# DICOM, by pydicom: pixels only, none of the words in it.
#
# The first frame: the modality LUT, then the VOI LUT or the first window of the file to 0 to 255, and black
# and white of MONOCHROME1 exchanged last (PS3.3 C.7.6.3.1.2, C.11.2). Without LUT and window, values are
# stretched as those of other pictures with more than 8 bits, and 8 bits stay as they are.

DICOM_ENDINGS = (".dcm", ".dicom")
MOST_PIXELS = MAX_PIXELS // 3
"""Largest picture that is decoded: windowing takes eight bytes a pixel, several times."""
MOST_RLE = 4 << 20
"""Most bytes of run-length coded pixels: each may unpack to 64, and that in Python."""
_DEFLATED = b"1.2.840.10008.1.2.1.99"
_RLE = "1.2.840.10008.1.2.5"
_EXPORT = "Export the image as PNG or JPEG, de-identified."
_PIXELS = ("PixelData", "FloatPixelData", "DoubleFloatPixelData")


def is_dicom(data: bytes) -> bool:
    """Whether a file calls itself DICOM: the four letters after its preamble."""
    return data[128:132] == b"DICM"


@contextmanager
def _dicom(data: bytes, file: str) -> Iterator[Dataset]:
    """What a DICOM file holds, without warnings of the libraries in the block.

    Raises
    ------
    InputError
        No picture in it, one of more than `MOST_PIXELS`, or no decoder for its compression. What pydicom
        stumbles over in a damaged file is raised as it is.
    """
    if _DEFLATED in data:
        raise InputError(f"{file} is a deflated DICOM file, which is not read. {_EXPORT}")
    from pydicom import dcmread
    from pydicom.pixels import get_decoder

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        dataset = dcmread(io.BytesIO(data))
        rows, columns = int(dataset.get("Rows") or 0), int(dataset.get("Columns") or 0)
        if not (rows and columns and any(name in dataset for name in _PIXELS)):
            raise InputError(f"{file} is a DICOM file without a picture. {_EXPORT}")
        check_sides(columns, rows, file, most=MOST_PIXELS)
        syntax = dataset.file_meta.TransferSyntaxUID
        try:
            known = get_decoder(syntax).is_available
        except NotImplementedError:
            known = False
        if not known:
            message = f"{file} is compressed ({syntax.name}), and no decoder for that is installed."
            remedy = (
                "Install pylibjpeg[all] (pip install pylibjpeg[all]), or export the image as PNG or JPEG."
            )
            raise InputError(f"{message} {remedy}")
        if syntax == _RLE and len(dataset.PixelData) > MOST_RLE:
            raise InputError(f"{file} is run-length coded and larger than {MOST_RLE >> 20} MB. {_EXPORT}")
        yield dataset


def _frame_of(dataset: Dataset, file: str) -> Image.Image:
    """The first frame: mode L or RGB, or F with grey values that nothing says how to show."""
    from pydicom.pixels import apply_color_lut, apply_modality_lut, pixel_array

    pixels = pixel_array(dataset, index=0)
    kind = str(dataset.get("PhotometricInterpretation", ""))
    if kind == "PALETTE COLOR":
        pixels = apply_color_lut(pixels, dataset)
    if pixels.ndim == 3 and pixels.shape[2] == 3:
        top = np.iinfo(pixels.dtype).max if kind == "PALETTE COLOR" else (1 << int(dataset.BitsStored)) - 1
        colours = pixels if top == 255 else (pixels * (255 / top)).round().astype(np.uint8)
        return Image.fromarray(colours)
    if pixels.ndim != 2:
        raise InputError(f"{file} contains a picture with {pixels.shape[-1]} samples a pixel. {_EXPORT}")
    grey = _in_window(apply_modality_lut(pixels, dataset), dataset)
    if grey is None:
        grey = pixels if pixels.dtype == np.uint8 and dataset.BitsStored == 8 else None
    if grey is not None:
        return Image.fromarray(255 - grey if kind == "MONOCHROME1" else grey)
    values = np.asarray(apply_modality_lut(pixels, dataset), np.float32)
    return Image.fromarray(-values if kind == "MONOCHROME1" else values)


def _in_window(values: np.ndarray, dataset: Dataset) -> np.ndarray | None:
    """Grey values as the table or the window of the file shows them, 0 to 255; None without either."""
    from pydicom.pixels import apply_voi, apply_windowing

    if dataset.get("VOILUTSequence"):
        top = (1 << int(dataset.VOILUTSequence[0].LUTDescriptor[2])) - 1
        return _grey(apply_voi(values, dataset) * (255 / top))
    if dataset.get("WindowCenter") is None or dataset.get("WindowWidth") is None:
        return None
    # The window's own ends: what lies far below and far above it.
    low, high = apply_windowing(np.array([-1e12, 1e12]), dataset)
    shown = apply_windowing(values, dataset)
    return _grey((shown - low) * (255 / (high - low)))


def _grey(values: np.ndarray) -> np.ndarray:
    """Values from 0 to 255 as bytes."""
    return np.asarray(np.clip(values, 0, 255).round(), np.uint8)
