"""Pictures that are named one by one: of a study, of an uploaded group, as they are or altered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from evalcore.features.synthetic.alterations import altered
from evalcore.features.synthetic.images.settings import ImageSettings, Planes
from evalcore.features.synthetic.read.folders import (
    Measured,
    MeasuredImages,
    ids_of,
    images_in,
    measure_one,
    measured_pixels,
)
from evalcore.features.synthetic.read.intensities import Intensities, intensities
from evalcore.study.pictures.image_files import ENDINGS
from evalcore.study.pictures.images import image_bytes
from evalcore.study.pictures.pixels import careful, shown_channel
from evalcore.study.pictures.planes import Layout, composite, layout_of
from evalcore.study.tables.guard import attempt, reader, why
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import ImageFiles
from evalcore.values.problems import Report
from evalcore.values.progress import Progress, silent

MOST_SHOWN = 512
"""Longer side of an altered copy that is shown, unless it is measured smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """Pictures by id: ``at[i]`` is the place of ``ids[i]`` among the files, changed by ``kind`` ("" for not).

    ``copy[i]``: which copy of its file a picture is. ``side``: longer side after scaling, before the change.
    ``planes``: how stacks are read; ``plane[i]``: the plane that a picture is, where each is one, -1 without.
    """

    ids: tuple[str, ...]
    files: ImageFiles
    at: tuple[int, ...]
    kind: str = ""
    copy: tuple[int, ...] = ()
    side: int | None = None
    planes: Planes = "max"
    plane: tuple[int, ...] = ()

    @property
    def digest(self) -> str:
        """Of what is measured: the files and what is done to them."""
        return digest_of(self.files.digest, list(self.ids), list(self.at), self.kind, list(self.copy),
                         self.planes, list(self.plane))  # fmt: skip

    def pixels(self, i: int, *, side: int | None) -> Intensities:
        """Intensities of a picture; InputError when it cannot be read."""
        data, plane = image_bytes(self.files, self.at[i]), self.plane_of(i)
        how = ("max" if self.planes == "each" else self.planes) if plane is None else plane
        found = intensities(data, file=self.ids[i], side=side, planes=how)
        if not self.kind:
            return found
        entry = str(self.files.entries[self.at[i]])
        changed = altered(found.values, self.kind, image=entry, copy=self.copy[i] if self.copy else 0)
        return replace(found, values=changed)

    def plane_of(self, i: int) -> int | None:
        """The plane of its stack that a picture is; None where it is all of its file."""
        return self.plane[i] if self.plane and self.plane[i] >= 0 else None

    def shown(self, i: int) -> bytes:
        """A picture as PNG or as the file it is; InputError when it cannot be read."""
        if not self.kind and self.plane_of(i) is None:
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
        values = np.rint(pixels.values * 255).astype(np.uint8)
        if not pixels.channels:
            return Image.fromarray(values)
        return composite(np.moveaxis(values, 2, 0), Layout(pixels.channels, ()), shown_channel)


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


def planes_apart(pictures: Pictures) -> Pictures:
    """The same with each plane of a stack as a picture of its own, called by its id and the plane, "a z1".

    Files that cannot be read stay as they are: who measures them says why.
    """
    ids: list[str] = []
    at: list[int] = []
    plane: list[int] = []
    copy: list[int] = []
    for i, image in enumerate(pictures.ids):
        layout, _ = attempt(partial(_layout, pictures, i))
        for k, name in enumerate(layout.planes if layout and layout.planes else ("",)):
            ids.append(f"{image} {name}" if name else image)
            at.append(pictures.at[i])
            plane.append(k if name else -1)
            copy += [pictures.copy[i]] if pictures.copy else []
    return replace(
        pictures, ids=tuple(ids), at=tuple(at), plane=tuple(plane), copy=tuple(copy), planes="each"
    )


def _layout(pictures: Pictures, i: int) -> Layout | None:
    if not str(pictures.files.entries[pictures.at[i]]).lower().endswith((".tif", ".tiff")):
        return None
    data = image_bytes(pictures.files, pictures.at[i])
    return careful(partial(layout_of, data, file=pictures.ids[i]), data, pictures.ids[i])


def measure_listed(
    pictures: Pictures, *, file: str, settings: ImageSettings, channels: tuple[str, ...] | None = None,
    progress: Progress = silent,
) -> tuple[MeasuredImages | None, Report]:  # fmt: skip
    """Features of pictures by id; those that cannot be read are errors of their own file and left out.

    None when nothing can be measured. Unaltered pictures are kept in the cache on disk. All images have the
    channels of the first, or of ``channels`` where that is not None: others are errors and left out.
    """

    def measure(i: int) -> Measured:
        if pictures.kind:
            return measured_pixels(pictures.pixels(i, side=settings.side), settings)
        return measure_one(pictures.files, pictures.at[i], settings, pictures.plane_of(i))

    report, features, sides = Report(), dict[str, Floats](), set[int]()
    stacks: list[str] = []
    for i, image in enumerate(pictures.ids):
        entry = pictures.files.entries[pictures.at[i]]
        progress(i / len(pictures.ids), f"{file}: {entry}")
        result, reason = attempt(partial(measure, i))
        if result is None:
            report += _broken(f"{file}/{entry}", reason)
            continue
        channels = result.channels if channels is None else channels
        if result.channels != channels:
            report += _other_channels(f"{file}/{entry}", result.channels, channels)
            continue
        if result.n_planes > 1 and pictures.plane_of(i) is None:
            stacks.append(str(entry))
        features[image] = result.rows
        sides.add(result.side)
    progress(1, "")
    if stacks:
        report += _projected(file, stacks, settings)
    return (MeasuredImages(features, frozenset(sides), file, channels or ()) if features else None), report


def _projected(file: str, stacks: list[str], settings: ImageSettings) -> Report:
    """A remark on stacks that were made one picture."""
    found = Problems(file)
    how = "mean" if settings.planes == "mean" else "largest value"
    what = "image is a stack" if len(stacks) == 1 else "images are stacks"
    message = f"{len(stacks):,} {what} of planes; the {how} over the planes is measured."
    remedy = "Choose another projection, or each plane as an image of its own."
    found.warning("stack-of-planes", message, remedy, value=stacks[0], count=len(stacks))
    return found.report()


def _other_channels(file: str, own: tuple[str, ...], others: tuple[str, ...]) -> Report:
    """An image that cannot be compared with the first one."""
    found = Problems(file)
    has, have = (", ".join(one) if one else "grey or colour" for one in (own, others))
    message = f"Its channels are {has}, those of the first image {have}; it is left out."
    found.error("other-channels", message, "Give all images the same channels, with the same names.")
    return found.report()


def _broken(file: str, reason: Exception | None) -> Report:
    """An image that cannot be measured."""
    found = Problems(file)
    other = f"It cannot be measured: {why(reason or ValueError('no reason'))}."
    said = str(reason) if isinstance(reason, InputError) else other
    message, _, remedy = said.rpartition(". ")
    found.error("broken-image", f"{message.removesuffix('.')}; it is left out.", remedy)
    return found.report()
