"""Does a picture end where it should? Files cut off while they were copied do not."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.study.tables.problems import Problems, shown

TAIL = 1 << 16
"""Bytes at the end of a file that are looked at; some cameras append to a picture."""


def is_cut(data: bytes) -> bool:
    """Whether the end of a picture is missing; False for formats that do not tell."""
    return is_cut_off(data[:16], data[-TAIL:], len(data))


def is_cut_off(head: bytes, tail: bytes, size: int) -> bool:
    """The same from the first 16 bytes, the last ``TAIL`` bytes and the size of the file.

    A JPEG ends with its end marker after the start of the scan, a PNG with IEND, a GIF with a semicolon; BMP
    and WebP say how long they are.
    """
    if head.startswith(b"\xff\xd8"):
        # within a scan 0xFF is followed by 0 or a restart marker, so the end marker cannot be part of it
        return tail.rfind(b"\xff\xd9") <= tail.rfind(b"\xff\xda")
    if head.startswith(b"\x89PNG"):
        return b"IEND" not in tail
    if head.startswith(b"GIF8"):
        return not tail.rstrip(b"\0").endswith(b";")
    if head.startswith(b"BM"):
        return size < int.from_bytes(head[2:6], "little")
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return size < int.from_bytes(head[4:8], "little") + 8
    return False


def report_cut(found: Problems, names: Sequence[str]) -> None:
    """A remark about the pictures of these names, at least one."""
    n = len(names)
    message = f"The end of {n:,} {'picture' if n == 1 else 'pictures'} is missing, such as {shown(names[0])}."
    found.warning("cut-image", message, "Copy them again.", value=names[0], count=n)
