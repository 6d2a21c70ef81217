"""Pictures that are named one by one: of a study, of an uploaded group, as they are or altered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from evalcore.arrays import Floats, digest_of
from evalcore.errors import InputError
from evalcore.model import ImageFiles
from evalcore.problems import Report
from evalcore.progress import Progress, silent
from evalcore.sources.pictures.image_files import ENDINGS
from evalcore.sources.pictures.images import image_bytes
from evalcore.sources.synthesis.folders import MeasuredImages, ids_of, images_in, measure_one, with_size
from evalcore.sources.synthesis.intensities import intensities
from evalcore.sources.tables.guard import attempt, reader, why
from evalcore.sources.tables.problems import Problems
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


@reader(lambda _: None)
def pictures_of(place: Path, *, file: str) -> tuple[Pictures | None, Report]:
    """Every picture below a folder or in a zip, by its path without ending, with it where two would have one
    name; None, with an error, without any. ``file``: how messages call the place."""
    found = Problems(file)
    files = images_in(place, found)
    if files is None:
        return None, found.report()
    if not files.entries:
        remedy = f"Give a folder or a zip with {', '.join(ENDINGS[:6])}."
        found.error("no-images", "There are no images here.", remedy)
        return None, found.report()
    return Pictures(tuple(ids_of(files)), files, tuple(range(len(files.entries)))), found.report()


def measure_listed(
    pictures: Pictures, *, file: str, settings: ImageSettings, progress: Progress = silent
) -> tuple[MeasuredImages | None, Report]:  # fmt: skip
    """Features of pictures by id; those that cannot be read are errors of their own file and left out.

    None when nothing can be measured. Unaltered pictures are kept in the cache on disk.
    """

    def measure(i: int) -> Floats:
        if pictures.kind:
            return with_size(pictures.pixels(i, side=settings.side), settings)
        return measure_one(pictures.files, pictures.at[i], settings)

    report, features, sides = Report(), dict[str, Floats](), set[int]()
    for i, image in enumerate(pictures.ids):
        entry = pictures.files.entries[pictures.at[i]]
        progress(i / len(pictures.ids), f"{file}: {entry}")
        result, reason = attempt(partial(measure, i))
        if result is None:
            report += _broken(f"{file}/{entry}", reason)
            continue
        features[image] = result[1:]
        sides.add(int(result[0, :2].max()))
    progress(1, "")
    return (MeasuredImages(features, frozenset(sides), file) if features else None), report


def _broken(file: str, reason: Exception | None) -> Report:
    """An image that cannot be measured."""
    found = Problems(file)
    other = f"It cannot be measured: {why(reason or ValueError('no reason'))}."
    said = str(reason) if isinstance(reason, InputError) else other
    message, _, remedy = said.rpartition(". ")
    found.error("broken-image", f"{message.removesuffix('.')}; it is left out.", remedy)
    return found.report()
