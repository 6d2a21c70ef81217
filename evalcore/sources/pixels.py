"""Bytes of an image file to a picture that can be shown: 8 bits, grey or RGB, nothing but pixels.

What comes in may be hostile or broken; whatever Pillow stumbles over becomes one InputError.
"""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from evalcore.errors import InputError

FORMATS = ("JPEG", "PNG", "TIFF", "BMP", "GIF", "WEBP", "JPEG2000", "PPM")
MAX_PIXELS = 89_478_485
"""Largest picture that is decoded (Pillow's own limit: 256 MB of RGB)."""
STRETCH = (0.1, 99.9)
"""Percentiles of a picture with more than 8 bits that become black and white."""
BROKEN = (
    OSError, SyntaxError, ValueError, EOFError, TypeError, KeyError, IndexError, AttributeError,
    OverflowError, ZeroDivisionError, MemoryError, RuntimeError, struct.error, zlib.error,
    Image.DecompressionBombError, Image.DecompressionBombWarning, UserWarning,
)  # fmt: skip
"""What Pillow raises on damaged files, found by feeding it damaged files (warnings: when they are errors)."""


def decode(data: bytes, *, file: str, about: int | None = None) -> Image.Image:
    """The picture in a file: mode L or RGB, upright, without metadata.

    Parameters
    ----------
    data : content of a JPEG, PNG, TIFF, BMP, GIF, WebP, JPEG 2000 or PNM file.
    file : its name in messages.
    about : a JPEG may be decoded smaller, with no side shorter than this; saves time for thumbnails.

    Returns
    -------
    The first frame. More than 8 bits: stretched between the percentiles ``STRETCH``. Transparency:
    on black. CMYK, palettes and black-and-white: as RGB or grey.

    Raises
    ------
    InputError
        Not an image, damaged, cut short, or more than ``MAX_PIXELS``.
    """
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                raise InputError(_too_large(file, image.width, image.height))
            if about is not None:
                image.draft(None, (about, about))
            image.load()
            upright = ImageOps.exif_transpose(image)
            shown = eight_bits(upright)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as reason:
        raise InputError(_too_large(file)) from reason
    except BROKEN as reason:
        kind = (
            "is not an image of a known format"
            if isinstance(reason, UnidentifiedImageError)
            else "is damaged"
        )
        raise InputError(f"{file} {kind}. Export it again as PNG or JPEG.") from reason
    shown.info = {}
    return shown


def check_header(data: bytes, *, file: str) -> None:
    """Raise InputError when the file is no image, or too large, as far as its first bytes tell."""
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            width, height = image.size
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as reason:
        raise InputError(_too_large(file)) from reason
    except BROKEN as reason:
        raise InputError(
            f"{file} is not an image that can be read. Export it again as PNG or JPEG."
        ) from reason
    if width * height > MAX_PIXELS:
        raise InputError(_too_large(file, width, height))


def eight_bits(image: Image.Image) -> Image.Image:
    """The same picture as mode L or RGB."""
    if image.mode.startswith("I") or image.mode == "F":
        return _stretched(np.asarray(image))
    if image.mode in ("RGBA", "RGBa", "LA", "La", "PA") or (
        image.mode == "P" and "transparency" in image.info
    ):
        whole = image.convert("RGBA")
        black = Image.new("RGBA", whole.size, (0, 0, 0, 255))
        composed = Image.alpha_composite(black, whole)
        return composed.convert("L" if image.mode in ("LA", "La") else "RGB")
    if image.mode in ("L", "RGB"):
        return image.copy()
    return image.convert("L" if image.mode == "1" else "RGB")


def _stretched(values: np.ndarray) -> Image.Image:
    """Grey values of any depth, the middle 99.8 % of them spread over 0 to 255; one value only: black."""
    pixels = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = np.percentile(pixels, STRETCH)
    if high <= low:
        low, high = float(pixels.min()), float(pixels.max())
    scale = 255 / (high - low) if high > low else 0.0
    return Image.fromarray(np.clip((pixels - low) * scale, 0, 255).round().astype(np.uint8))


def _too_large(file: str, width: int = 0, height: int = 0) -> str:
    size = f" ({width:,} x {height:,})" if width else ""
    return f"{file} has more than {MAX_PIXELS:,} pixels{size}. Give a smaller version of the image."
