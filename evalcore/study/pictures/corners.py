"""Pictures as JPEG; covered corners, where machines burn names, dates and numbers into medical images."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from PIL import ImageDraw

if TYPE_CHECKING:
    from PIL import Image

WIDE, TALL = 0.3, 0.14
"""Share of the width and of the height that is covered in each corner."""


def jpeg(picture: Image.Image, *, corners: bool, quality: int, **options: int) -> bytes:
    """A picture as JPEG, without metadata; ``corners``: they are covered."""
    out = io.BytesIO()
    (covered(picture) if corners else picture).save(out, "JPEG", quality=quality, **options)
    return out.getvalue()


def covered(picture: Image.Image) -> Image.Image:
    """The picture with black in its four corners; text that stands elsewhere stays.

    >>> from PIL import Image
    >>> small = covered(Image.new("L", (10, 10), 255))
    >>> [small.getpixel(at) for at in ((0, 0), (9, 9), (5, 0), (0, 5))]
    [0, 0, 255, 255]
    """
    wide, tall = round(picture.width * WIDE), round(picture.height * TALL)
    brush = ImageDraw.Draw(picture)
    for left in (0, picture.width - wide):
        for top in (0, picture.height - tall):
            brush.rectangle((left, top, left + wide - 1, top + tall - 1), fill=0)
    return picture
