"""Pictures that are named one by one: of a study, of an uploaded group, as they are or altered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import BytesIO

import numpy as np
from PIL import Image

from evalcore.arrays import Floats, digest_of
from evalcore.model import ImageFiles
from evalcore.problems import Report
from evalcore.progress import Progress, silent
from evalcore.sources.pictures.images import image_bytes
from evalcore.sources.synthesis.folders import MeasuredImages, measure_each, measure_one, with_size
from evalcore.sources.synthesis.intensities import intensities
from evalcore.synthesis.alterations import altered
from evalcore.synthesis.images.settings import ImageSettings

MOST_SHOWN = 512
"""Longer side of an altered copy that is shown, unless it is measured smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """Pictures by id: ``at[i]`` is the place of ``ids[i]`` among the files, changed by ``kind`` ("" for not).

    ``copy[i]``: which copy of its file a picture is. ``side``: longer side after scaling, before the change.
    """

    ids: tuple[str, ...]
    files: ImageFiles
    at: tuple[int, ...]
    kind: str = ""
    copy: tuple[int, ...] = ()
    side: int | None = None

    @property
    def digest(self) -> str:
        """Of what is measured: the files and what is done to them."""
        return digest_of(self.files.digest, list(self.ids), list(self.at), self.kind, list(self.copy))

    def pixels(self, i: int, *, side: int | None) -> Floats:
        """Intensities of a picture, 0 to 1; InputError when it cannot be read."""
        data = image_bytes(self.files, self.at[i])
        found = intensities(data, file=self.ids[i], side=side)
        if not self.kind:
            return found
        entry = str(self.files.entries[self.at[i]])
        return altered(found, self.kind, image=entry, copy=self.copy[i] if self.copy else 0)

    def shown(self, i: int) -> bytes:
        """A picture as PNG or as the file it is; InputError when it cannot be read."""
        if not self.kind:
            return image_bytes(self.files, self.at[i])
        out = BytesIO()
        self.picture(i).save(out, "PNG")
        return out.getvalue()

    def all(self) -> list[Callable[[], Image.Image]]:
        """Every picture, each decoded when it is asked for."""
        return [partial(self.picture, i) for i in range(len(self.ids))]

    def picture(self, i: int) -> Image.Image:
        """A picture as it is measured, 8 bits; InputError when it cannot be read."""
        pixels = self.pixels(i, side=self.side or MOST_SHOWN)
        return Image.fromarray(np.rint(pixels * 255).astype(np.uint8))


def measure_listed(
    pictures: Pictures, *, file: str, settings: ImageSettings, progress: Progress = silent
) -> tuple[MeasuredImages | None, Report]:  # fmt: skip
    """Features of pictures by id; those that cannot be read are errors and left out.

    Unaltered ones are kept in the cache on disk, as those of folders are.
    """

    def measure(i: int) -> Floats:
        if pictures.kind:
            return with_size(pictures.pixels(i, side=settings.side), settings)
        return measure_one(pictures.files, pictures.at[i], settings)

    return measure_each(pictures.ids, pictures.ids, measure, file=file, progress=progress)
