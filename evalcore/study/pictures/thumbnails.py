"""Small versions of images, kept on disk by content: the same picture is made small once per machine."""

from __future__ import annotations

from PIL import Image

from evalcore.study.pictures.corners import jpeg
from evalcore.study.pictures.images import image_bytes
from evalcore.study.pictures.pixels import decode
from evalcore.study.workspace.shelves import keep, kept, place
from evalcore.values.errors import SettingError
from evalcore.values.model import ImageFiles

QUALITY = 88
LARGEST = 2048
KEPT = 512 << 20
"""Size of the disk cache in bytes; beyond it the thumbnails looked at longest ago go."""


def thumbnail(images: ImageFiles, image: int, *, size: int = 256) -> bytes:
    """The whole image of an image index as JPEG, its longer side at most ``size`` pixels.

    Never cropped, never enlarged. Raises InputError when there is no such picture or it cannot be
    read, SettingError when ``size`` is not 16 to ``LARGEST``.
    """
    if not 16 <= size <= LARGEST:
        raise SettingError("size", f"16 to {LARGEST} pixels", size)
    in_shard = images.archive is not None and images.archive.is_dir()
    # A shard is read up to the row for every image: there the place stands for the content.
    data = b"" if in_shard else image_bytes(images, image)
    content = f"{images.digest}:{images.entries[image]}".encode() if in_shard else data
    shelf = place("thumbnails", content, f"-{size}{'-corners' if images.corners_covered else ''}.jpg")
    small = kept(shelf)
    if small is None:
        small = shrunk(
            data or image_bytes(images, image), file=str(images.entries[image]), size=size,
            corners=images.corners_covered,
        )  # fmt: skip
        keep(shelf, small, room=KEPT)
    return small


def shrunk(data: bytes, *, file: str, size: int, corners: bool = False) -> bytes:
    """JPEG bytes of a picture with its longer side at most ``size``; InputError when it is broken.

    ``corners``: they are covered.
    """
    picture = decode(data, file=file, about=2 * size)
    picture.thumbnail((size, size), Image.Resampling.LANCZOS, reducing_gap=2.0)
    return jpeg(picture, corners=corners, quality=QUALITY)
