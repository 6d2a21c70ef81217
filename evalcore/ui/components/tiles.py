"""Medical images as tiles: whole, centred on near-black with even margins, in both themes."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

from PIL import Image, ImageFile

from evalcore.figures.theme import LIGHT
from evalcore.study.parts.images import picture_of
from evalcore.ui.frame import cache
from evalcore.values.errors import CuiscopeError
from evalcore.values.model import Study

CARD = 256
LARGE = 512
MARGIN = 1 / 24
"""Width of the near-black frame, as a share of the picture's longer side."""
QUALITY = 90


def tile(study: Study, image: int, *, size: int = CARD) -> bytes | None:
    """JPEG bytes of a square tile; None when the study has no readable picture of the image."""
    if study.images is None or study.images.entries[image] is None:
        return None
    images = study.images
    # The digest is of names and sizes, which those of two users can share.
    key = ("tile", images.digest, str(images.folder), image, size)
    return once(key, lambda: mounted(picture_of(images, image, size=size), size=size)) or None


def once(key: tuple[object, ...], make: Callable[[], bytes]) -> bytes:
    """A picture, made at the first request for this key; nothing where it cannot be read."""

    def made() -> bytes:
        try:
            return make()
        except CuiscopeError:
            return b""

    return cache.cached(key, made)


def mounted(picture: bytes, *, size: int) -> bytes:
    """A picture (JPEG or PNG bytes) whole in the middle of a near-black square with even margins.

    A picture smaller than ``size`` gets a smaller square, so that it fills its tile all the same.
    """
    parser = ImageFile.Parser()
    parser.feed(picture)
    whole = parser.close().convert("RGB")
    whole.thumbnail((size, size))
    longer = max(whole.size)
    side = longer + 2 * max(1, round(longer * MARGIN))
    square = Image.new("RGB", (side, side), LIGHT.tile)
    square.paste(whole, ((side - whole.width) // 2, (side - whole.height) // 2))
    out = BytesIO()
    square.save(out, "JPEG", quality=QUALITY)
    return out.getvalue()
