"""Sizes beyond which no picture is decoded, whatever its format and whoever asks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import BinaryIO

from evalcore.study.tables.problems import Problems, truncate
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
    size_text = "" if size is None else f" ({size[0]:,} x {size[1]:,})"
    return f"{file} has more than {most:,} pixels{size_text}. Give a smaller version of the image."


# Does a picture end where it should? Files cut off while they were copied do not.

_TAIL = 1 << 16
"""Bytes at the end of a file that are looked at; some cameras append to a picture."""


def is_cut(stream: BinaryIO) -> bool:
    """Whether the end of a picture is missing, by the first and last bytes of its file; False for formats
    that do not tell.

    A JPEG ends with its end marker after the start of the scan, a PNG with IEND, a GIF with a semicolon; BMP
    and WebP say how long they are.
    """
    head, size = stream.read(16), stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _TAIL))
    tail = stream.read(_TAIL)
    if head.startswith(b"\xff\xd8"):
        # within a scan 0xFF is followed by 0 or a restart marker, so the end marker cannot be part of it
        return tail.rfind(b"\xff\xd9") <= tail.rfind(b"\xff\xda")
    if head.startswith(b"\x89PNG"):
        return b"IEND" not in tail
    if head.startswith(b"GIF8"):
        return not tail.rstrip(b"\0").endswith(b";")
    if head.startswith(b"BM"):
        return size < int.from_bytes(head[2:6], "little")
    return head[:4] + head[8:12] == b"RIFFWEBP" and size < int.from_bytes(head[4:8], "little") + 8


def report_cut(problems: Problems, names: Sequence[str]) -> None:
    """A remark about the pictures of these names, if there are any."""
    n = len(names)
    if n:
        what = f"{n:,} {'picture' if n == 1 else 'pictures'}"
        message = f"The end of {what} is missing, such as {truncate(names[0])}."
        problems.warning("cut-image", message, "Copy them again.", value=names[0], count=n)
