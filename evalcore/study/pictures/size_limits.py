"""Sizes beyond which no picture is decoded, whatever its format and whoever asks."""

from __future__ import annotations

from evalcore.values.errors import InputError

MAX_PIXELS = 89_478_485
"""Largest picture that is decoded (Pillow's own limit: 256 MB of RGB)."""
MAX_SIDE = 65_500
"""Longest side, that of the largest JPEG. Scaling takes memory by the side: a line of 80,000,000 pixels took
2 GB."""


def check_sides(width: int, height: int, file: str, *, most: int = MAX_PIXELS) -> None:
    """Raise InputError for a picture with more pixels than ``most``, or a side longer than `MAX_SIDE`."""
    if width * height > most:
        raise InputError(too_large(file, most, (width, height)))
    if max(width, height) > MAX_SIDE:
        raise InputError(
            f"{file} is {width:,} x {height:,} pixels; no side may be longer than {MAX_SIDE:,}. "
            "Cut it into pieces, or give a smaller version of the image."
        )


def too_large(file: str, most: int, size: tuple[int, int] | None = None) -> str:
    """The sentence on a picture of too many pixels."""
    said = "" if size is None else f" ({size[0]:,} x {size[1]:,})"
    return f"{file} has more than {most:,} pixels{said}. Give a smaller version of the image."
