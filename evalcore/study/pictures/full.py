"""The whole picture of an image for the viewer: every pixel of it, up to a longest side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image

from evalcore.study.pictures.corners import jpeg
from evalcore.study.pictures.images import image_bytes
from evalcore.study.pictures.pixels import decode

if TYPE_CHECKING:
    from evalcore.values.model import ImageFiles

LONGEST = 4096
"""Longer side of a picture in pixels at most: no browser refuses a canvas of that size."""
QUALITY = 95


def full_picture(images: ImageFiles, image: int) -> bytes:
    """An image at its own size as JPEG, without metadata; made smaller only beyond ``LONGEST``.

    More than 8 bits are stretched as in `pixels.decode`. Raises InputError when there is no such picture
    or it cannot be read.
    """
    file = str(images.entries[image])
    picture = decode(image_bytes(images, image), file=file, about=LONGEST)
    picture.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
    return jpeg(picture, corners=images.corners_covered, quality=QUALITY, subsampling=0)
