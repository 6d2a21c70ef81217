"""The images of a folder or a zip, and the features measured in them."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from evalcore.engine.space import over_cores
from evalcore.features.synthetic.copies import altered
from evalcore.features.synthetic.images import ImageSettings, measured
from evalcore.features.synthetic.read.planes import RGB, Layout, Planes, composite, layout_of, read_planes
from evalcore.study.pictures.image_files import ENDINGS_IMAGE_FILES, image_bytes, pictures_in
from evalcore.study.pictures.pixels import FORMATS, careful, check_size, decode, eight_bits, is_dicom
from evalcore.study.tables.problems import Problems, reader, try_call, why
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.model import ImageFiles
from evalcore.values.progress import Progress, silent

# Bytes of an image file to intensities from 0 to 1, by the range of the file's own type.
#
# 8 bits a channel are divided by 255, 16 bits by 65,535, floating point must lie from 0 to 1 already:
# nothing is stretched, or brightness would not be a feature. Colour of more than 8 bits is read as 8 bits
# (Pillow). Palettes, CMYK and transparency (on black) are read as the pages show them, and so is DICOM, in
# the window of the file. Channels that a TIFF declares are divided by the range of their type, each by
# itself.

MOST_PIXELS = 1 << 24
"""Largest image that is measured (4,096 x 4,096); larger ones only when they are made smaller."""
SIXTEEN_BITS = 65_535


@dataclass(frozen=True, slots=True, eq=False)
class Intensities:
    """Values from 0 to 1: shape (height, width) for grey, else (height, width, channels).

    channels: names that a TIFF declares, () for grey and for red, green and blue. n_planes: of the stack that
    they were read from, 1 without.
    """

    values: Floats
    channels: tuple[str, ...] = ()
    n_planes: int = 1


def intensities(
    data: bytes, *, file: str, side: int | None = None, planes: Planes | int = "max"
) -> Intensities:
    """The intensities of a picture.

    side: the longer side after scaling (bilinear, over the whole area of a new pixel); None leaves it.
    planes: of a stack, as in `read_planes`.

    Raises
    ------
    InputError
        Not an image, damaged, cut short, more than ``MOST_PIXELS`` to measure, of an unknown range, or a TIFF
        with pages of no declared meaning.
    """
    if is_dicom(data):
        return Intensities(_measurable(np.asarray(decode(data, file=file)), 255, file, side))
    return careful(partial(_read, data, file, side, planes), data, file)


def _read(data: bytes, file: str, side: int | None, planes: Planes | int) -> Intensities:
    result = read_planes(data, file=file, planes=planes)
    if result is not None:
        values, layout = result
        if side is None:
            _check_pixels(values.shape[2] * len(values), values.shape[1], file)
        parts = [_measurable(*_in_range(value, file), file, side) for value in values]
        names = layout.channels if layout.channels != RGB else ()
        whole = np.dstack(parts) if layout.channels else parts[0]
        return Intensities(whole, names, max(len(layout.planes), 1))
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        check_size(image, file)
        if side is None:
            _check_pixels(image.width, image.height, file)
        image.load()
        ImageOps.exif_transpose(image, in_place=True)
        return Intensities(_measurable(*_values(image, file), file, side))


def _in_range(values: np.ndarray, file: str) -> tuple[np.ndarray, int]:
    """The values of a channel and the one that is white, by their type."""
    if values.dtype == np.uint8:
        return values, 255
    if values.dtype == np.bool_:
        return values, 1
    if values.dtype.kind in "iu":
        return _within(values, SIXTEEN_BITS, file, "whole numbers beyond 16 bits", "16 bits"), SIXTEEN_BITS
    return _within(values, 1, file, "values below 0 or above 1", "values from 0 to 1"), 1


def _values(image: Image.Image, file: str) -> tuple[np.ndarray, int]:
    """The values of a picture of any mode, and the one that is white."""
    if image.mode.startswith("I;16"):
        return np.asarray(image), SIXTEEN_BITS
    if image.mode == "I":
        whole = np.asarray(image)
        return _within(whole, SIXTEEN_BITS, file, "whole numbers beyond 16 bits", "16 bits"), SIXTEEN_BITS
    if image.mode == "F":
        real = np.asarray(image)
        return _within(real, 1, file, "values below 0 or above 1", "values from 0 to 1"), 1
    return np.asarray(image if image.mode in ("L", "RGB") else eight_bits(image)), 255


def _within(values: np.ndarray, most: int, file: str, wrong: str, right: str) -> np.ndarray:
    if not (np.isfinite(values).all() and values.min() >= 0 and values.max() <= most):
        raise InputError(f"{file} has {wrong}: it is unclear which value is white. Export it with {right}.")
    return values


def _measurable(given: np.ndarray, white: int, file: str, side: int | None) -> Floats:
    """Intensities, scaled to ``side`` where one is given."""
    if side is not None and given.shape[0] * given.shape[1] > MOST_PIXELS:
        given = _smaller(given, max(given.shape[:2]) // side)
    height, width = given.shape[:2]
    values = given.astype(np.float64) / white
    if side is None:
        _check_pixels(width, height, file)
        return values
    size = max(1, round(width * side / max(width, height))), max(1, round(height * side / max(width, height)))
    if size == (width, height):
        return values
    channels = [values] if values.ndim == 2 else [values[..., k] for k in range(values.shape[2])]
    scaled = [
        np.asarray(
            Image.fromarray(channel.astype(np.float32)).resize(size, Image.Resampling.BILINEAR), np.float64
        )
        for channel in channels
    ]
    return np.clip(scaled[0] if values.ndim == 2 else np.dstack(scaled), 0, 1)


def _smaller(values: np.ndarray, factor: int) -> np.ndarray:
    """Means of squares of so many pixels, before anything that takes more memory; what is over is cut off."""
    if factor < 2:
        return values
    height, width = (length // factor for length in values.shape[:2])
    cut = values[: height * factor, : width * factor]
    result: np.ndarray = cut.reshape(height, factor, width, factor, *values.shape[2:]).mean(axis=(1, 3))
    return result


def _check_pixels(width: int, height: int, file: str) -> None:
    if width * height > MOST_PIXELS:
        raise InputError(
            f"{file} has more than {MOST_PIXELS:,} pixels ({width:,} x {height:,}). "
            "Give a smaller version of the image, or a side that images are scaled to."
        )


AT_ONCE = 4
"""Images that are measured at a time: each may take the memory of the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredImages:
    """Features of images by id, one row a channel (see `images.measured`).

    sides: the longer sides there are, in pixels. Broken images are not in it. channels: the names of declared
    channels, of all images alike; () for images in grey or colour.
    """

    features: dict[str, Floats]
    sides: frozenset[int]
    file: str
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Features of one image, one row a channel; its longer side, declared channels, planes of its stack."""

    rows: Floats
    side: int
    channels: tuple[str, ...]
    n_planes: int


def images_in(place: Path, problems: Problems) -> ImageFiles | None:
    """The pictures of a folder or a zip; None, with an error, where it cannot be read."""
    listed = pictures_in(place, problems)
    if listed is None:
        return None
    inside, archive = (place, None) if place.is_dir() else (place.parent, place)
    digest = digest_of([f"{name}:{size}:{mark}" for name, size, mark in listed])
    return ImageFiles(tuple(name for name, _, _ in listed), inside, archive, digest)


def ids_of(images: ImageFiles) -> list[str]:
    """Their paths without ending, with it where two would have one name."""
    entries = [str(entry) for entry in images.entries]
    stems = [entry.rpartition(".")[0] for entry in entries]
    times = Counter(stems)
    return [stem if times[stem] == 1 else entry for stem, entry in zip(stems, entries, strict=True)]


def measured_pixels(pixels: Intensities, how: ImageSettings) -> Measured:
    """Features of a picture."""
    values = pixels.values
    rows = measured(values, settings=how, declared=bool(pixels.channels))
    return Measured(rows, max(values.shape[:2]), pixels.channels, pixels.n_planes)


# Pictures that are named one by one: of a study, of an uploaded group, as they are or altered.

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
        """Of what is measured: the files, where they are (their digest is of names and sizes alone, which
        the pictures of two users can share), and what is done to them."""
        return digest_of(
            self.files.digest,
            str(self.files.folder),
            list(self.ids),
            list(self.at),
            self.kind,
            list(self.copy),
            self.planes,
            list(self.plane),
        )

    def pixels(self, i: int, *, side: int | None) -> Intensities:
        """Intensities of a picture; InputError when it cannot be read."""
        data, plane = image_bytes(self.files, self.at[i]), self.plane_of(i)
        how = ("max" if self.planes == "each" else self.planes) if plane is None else plane
        entry = str(self.files.entries[self.at[i]])
        result = intensities(data, file=entry.rpartition("/")[2], side=side, planes=how)
        if not self.kind:
            return result
        changed = altered(result.values, self.kind, image=entry, copy=self.copy[i] if self.copy else 0)
        return replace(result, values=changed)

    def plane_of(self, i: int) -> int | None:
        """The plane of its stack that a picture is; None where it is all of its file."""
        return self.plane[i] if self.plane and self.plane[i] >= 0 else None

    def shown(self, i: int) -> bytes:
        """A picture as PNG, or as the file it is where that is one picture; InputError when it cannot be
        read."""
        if not self.kind and self.plane_of(i) is None and _layout(self, i) is None:
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
        return composite(np.moveaxis(values, 2, 0), Layout(pixels.channels, ()))


@reader(lambda _: None)
def pictures_of(place: Path, problems: Problems) -> Pictures | None:
    """Every picture below a folder or in a zip, by its path without ending, with it where two would have one
    name; None, with an error, without any. ``file``: how messages call the place."""
    files = images_in(place, problems)
    if files is None:
        return None
    if not files.entries:
        remedy = f"Give a folder or a zip with {', '.join(ENDINGS_IMAGE_FILES[:6])}."
        problems.error("no-images", "There are no images here.", remedy)
        return None
    return Pictures(tuple(ids_of(files)), files, tuple(range(len(files.entries))))


def planes_apart(pictures: Pictures) -> Pictures:
    """The same with each plane of a stack as a picture of its own, called by its id and the plane, "a z1".

    Files that cannot be read stay as they are: who measures them says why.
    """
    ids: list[str] = []
    at: list[int] = []
    plane: list[int] = []
    copy: list[int] = []
    for i, image in enumerate(pictures.ids):
        layout, _ = try_call(partial(_layout, pictures, i))
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
    pictures: Pictures,
    *,
    file: str,
    settings: ImageSettings,
    channels: tuple[str, ...] | None = None,
    progress: Progress = silent,
) -> tuple[MeasuredImages | None, Report]:
    """Features of pictures by id; those that cannot be read are errors of their own file and left out.

    None when nothing can be measured. All images have the channels of the first, or of ``channels`` where
    that is not None: others are errors and left out.
    """

    def measure(i: int) -> tuple[Measured | None, Exception | None]:
        return try_call(lambda: measured_pixels(pictures.pixels(i, side=settings.side), settings))

    def share(done: float, _: str) -> None:
        if done < 1:
            at = pictures.at[round(done * len(pictures.ids))]
            progress(done, f"{file}: {pictures.files.entries[at]}")

    report, features, sides = Report(), dict[str, Floats](), set[int]()
    stacks: list[str] = []
    share(0 if pictures.ids else 1, "")
    results = over_cores(measure, range(len(pictures.ids)), share, at_most=AT_ONCE)
    for i, (result, reason) in enumerate(results):
        image, entry = pictures.ids[i], pictures.files.entries[pictures.at[i]]
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
    problems = Problems(file)
    how = "mean" if settings.planes == "mean" else "largest value"
    what = "image is a stack" if len(stacks) == 1 else "images are stacks"
    message = f"{len(stacks):,} {what} of planes; the {how} over the planes is measured."
    remedy = "Choose another projection, or each plane as an image of its own."
    problems.warning("stack-of-planes", message, remedy, value=stacks[0], count=len(stacks))
    return problems.report()


def _other_channels(file: str, own: tuple[str, ...], others: tuple[str, ...]) -> Report:
    """An image that cannot be compared with the first one."""
    problems = Problems(file)
    has, have = (", ".join(one) if one else "grey or colour" for one in (own, others))
    message = f"Its channels are {has}, those of the first image {have}; it is left out."
    problems.error("other-channels", message, "Give all images the same channels, with the same names.")
    return problems.report()


def _broken(file: str, reason: Exception | None) -> Report:
    """An image that cannot be measured."""
    problems = Problems(file)
    other = f"It cannot be measured: {why(reason or ValueError('no reason'))}."
    text = str(reason) if isinstance(reason, InputError) else other
    message, _, remedy = text.rpartition(". ")
    problems.error("broken-image", f"{message.removesuffix('.')}; it is left out.", remedy)
    return problems.report()
