"""Small versions of images, kept on disk by content: the same picture is made small once per machine."""

from __future__ import annotations

import io

from PIL import Image

from evalcore.study.pictures.image_files import image_bytes
from evalcore.study.pictures.pixels import decode
from evalcore.study.workspace.disk_cache import keep, kept, place
from evalcore.values.errors import SettingError
from evalcore.values.model import ImageFiles


def jpeg(picture: Image.Image, *, quality: int, **options: int) -> bytes:
    """A picture as JPEG, without metadata."""
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality, **options)
    return out.getvalue()


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
    in_place = f"{images.digest}:{images.folder}:{images.entries[image]}".encode("utf-8", "surrogatepass")
    shelf = place("thumbnails", in_place if in_shard else data, f"-{size}.jpg")
    small = kept(shelf)
    if small is None:
        small = shrunk(data or image_bytes(images, image), file=str(images.entries[image]), size=size)
        keep(shelf, small, room=KEPT)
    return small


def shrunk(data: bytes, *, file: str, size: int) -> bytes:
    """JPEG bytes of a picture with its longer side at most ``size``; InputError when it is broken."""
    picture = decode(data, file=file, about=2 * size)
    picture.thumbnail((size, size), Image.Resampling.LANCZOS, reducing_gap=2.0)
    return jpeg(picture, quality=QUALITY)


# The whole picture of an image for the viewer: every pixel of it, up to a longest side.

LONGEST = 4096
"""Longer side of a picture in pixels at most: no browser refuses a canvas of that size."""
QUALITY_FULL = 95


def full_picture(images: ImageFiles, image: int) -> bytes:
    """An image at its own size as JPEG, without metadata; made smaller only beyond ``LONGEST``.

    More than 8 bits are stretched as in `pixels.decode`. Raises InputError when there is no such picture
    or it cannot be read.
    """
    file = str(images.entries[image])
    picture = decode(image_bytes(images, image), file=file, about=LONGEST)
    picture.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
    return jpeg(picture, quality=QUALITY_FULL, subsampling=0)
