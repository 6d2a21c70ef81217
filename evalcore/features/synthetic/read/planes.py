"""TIFF files of several channels or planes: fluorescence channels, focal stacks and time series.

What a page of such a file means is taken from its metadata (ImageJ, OME-XML, the shape and axes that tifffile
writes) and never guessed. Grey, RGB and palette pictures of a single page are left to Pillow. Sizes are
checked before pixels are unpacked, and no other file is opened, whatever the metadata names.
"""

from __future__ import annotations

import io
import logging
import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from PIL import Image

from evalcore.study.pictures.pixels import MAX_PIXELS, check_sides
from evalcore.study.tables.problems import try_call
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from tifffile import TiffPage, TiffPageSeries

Planes = Literal["max", "mean", "each"]
"""What is measured of a stack: its largest value or its mean at every pixel, or each plane separately."""
MAX_PAGES = 4_096
MAX_CHANNELS = 32
MAX_DECODED = 256 << 20
"""Largest sum of the pixels of all channels and planes that is unpacked, in bytes."""
RGB = ("red", "green", "blue")
_COMPOSITE = (
    (255, 0, 0),
    (0, 255, 0),
    (0, 0, 255),
    (255, 255, 255),
    (0, 255, 255),
    (255, 0, 255),
    (255, 255, 0),
)
"""Colours of the channels in a composite, in turn."""
_SAVE = "Save it as ImageJ hyperstack or OME-TIFF with channels and slices declared, or each plane as a file."
_UNCOMPRESSED, _DEFLATE = (1,), (8, 32946)
_REDUCED = 1
"""Bit of the tag NewSubfileType: a smaller version of another page."""
Values = npt.NDArray[Any]
Result = TypeVar("Result")
logging.getLogger("tifffile").addHandler(
    logging.NullHandler()
)  # its remarks on odd tags are no news to users


@dataclass(frozen=True, slots=True)
class Layout:
    """What a file declares: names of its channels, () for grey and `RGB` for colour; names of its planes,
    such as "z1" or "t2 z1", () without a stack."""

    channels: tuple[str, ...]
    planes: tuple[str, ...]


def layout_of(data: bytes, *, file: str) -> Layout | None:
    """Channels and planes of a file; None for a picture that Pillow reads whole: no TIFF, or a TIFF with a
    single page of grey, RGB or palette, with smaller versions of it or not.

    Raises
    ------
    InputError
        Several pages or samples without a declared meaning, planes that are missing, more than is decoded.
    """
    return _with_series(data, file, lambda series: _layout(series, file))


def read_planes(data: bytes, *, file: str, planes: Planes | int = "max") -> tuple[Values, Layout] | None:
    """Values of every channel, shape (channels, height, width), as stored; None as in `layout_of`.

    planes: "max" or "mean" over the planes of a stack, pixel by pixel, or the number of a plane.
    """

    def read(series: TiffPageSeries) -> tuple[Values, Layout] | None:
        layout = _layout(series, file)
        if layout is None:
            return None
        stack = _in_order(_values(series, data, file), series.axes)
        if isinstance(planes, int):
            return stack[planes], layout
        if len(stack) == 1:
            return stack[0], layout
        return (stack.max(0) if planes == "max" else _mean(stack)), layout

    return _with_series(data, file, read)


def composite(channels: Values, layout: Layout) -> Image.Image:
    """Channels of 8 bits as a picture: grey and colour as they are, others in red, green, blue, white, cyan,
    magenta, yellow, added."""
    if not layout.channels:
        return Image.fromarray(channels[0])
    if layout.channels == RGB:
        return Image.fromarray(np.dstack(list(channels)))
    total = np.zeros((*channels.shape[1:], 3), np.uint8)
    for k, grey in enumerate(channels):
        for j, part in enumerate(_COMPOSITE[k % len(_COMPOSITE)]):
            if part:
                total[..., j] += np.minimum(grey, 255 - total[..., j])
    return Image.fromarray(total)


def _mean(stack: Values) -> Values:
    """Mean over planes in the type of the values, whose range says what is white."""
    total = np.zeros(stack.shape[1:], np.float64)
    for plane in stack:
        total += plane
    mean = total / len(stack)
    return (mean if stack.dtype.kind == "f" else np.rint(mean)).astype(stack.dtype)


def _with_series(data: bytes, file: str, work: Callable[[TiffPageSeries], Result]) -> Result | None:
    """The work on the images of a TIFF of several channels or planes; None for other files."""
    if data[:4] not in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return None
    import tifffile  # 60 ms

    opened, _ = try_call(lambda: tifffile.TiffFile(io.BytesIO(data), _multifile=False))
    if opened is None:
        return None  # damaged: Pillow says so
    with opened:
        if try_call(lambda: opened.pages[MAX_PAGES])[0] is not None:
            raise InputError(f"{file} has more than {MAX_PAGES:,} pages. Save fewer planes.")
        first, _ = try_call(lambda: opened.pages[0].aspage())
        if first is None or (len(opened.pages) == 1 and _is_plain(first)):
            return None
        _check_description(first.description, file)
        if "ImageJ=" in first.description and opened.series[0].kind != "imagej":
            raise InputError(f"{file} declares more planes than it contains. Copy or save it again.")
        whole = [series for series in opened.series if not series.keyframe.subfiletype & _REDUCED]
        if not whole or (len(whole) == 1 and whole[0].axes == "YX" and len(whole[0].pages) == 1):
            return None
        if len(whole) > 1:
            raise InputError(
                f"{file} contains {len(whole):,} images of different shapes; it is unclear which to use. "
                "Save each as a file of its own."
            )
        return work(whole[0])


def _is_plain(page: TiffPage) -> bool:
    """Whether a page is grey, RGB, CMYK or a palette, with transparency or not."""
    if "ImageJ=" in page.description and "images=" in page.description:  # pages without entries of their own
        return False
    samples = page.samplesperpixel
    usual = {0: 1, 1: 1, 3: 1, 4: 1, 2: 3, 6: 3, 8: 3, 5: 4}.get(int(page.photometric), samples)
    return samples == usual or (samples == usual + 1 and page.extrasamples[:1] in ((1,), (2,)))


def _check_description(text: str, file: str) -> None:
    """InputError where OME-XML declares more planes than are read: lists are made of as many."""
    if not text.rstrip("\0\n ").endswith("OME>"):
        return
    pixels = _ome_pixels(text, file)
    counts = [str(pixels.get(f"Size{axis}", "1")) for axis in "CZT"] if pixels is not None else []
    known = all(count.isdecimal() and len(count) <= 6 for count in counts)
    if not known or math.prod(map(int, counts)) > MAX_PAGES:
        product = " x ".join(count[:12] for count in counts)
        raise InputError(f"{file} declares {product} planes; at most {MAX_PAGES:,} are read. {_SAVE}")


def _ome_pixels(text: str, file: str) -> Any:
    """The element of OME-XML about the first image; None without one."""
    from defusedxml.ElementTree import fromstring

    root, reason = try_call(
        lambda: fromstring(text.strip("\0 \n").encode("utf-8", "replace"), forbid_dtd=True)
    )
    if root is None:
        raise InputError(f"{file} has OME-XML that cannot be read. {_SAVE}") from reason
    return next((element for element in root.iter() if element.tag.rpartition("}")[2] == "Pixels"), None)


def _layout(series: TiffPageSeries, file: str) -> Layout | None:
    """What the axes of the images say; None for a single picture in grey or RGB."""
    axes, shape = series.axes, series.shape
    size = dict(zip(axes, shape, strict=True))
    content = f"{file} contains {' x '.join(f'{n:,}' for n in shape)} values, axes {axes}"
    unknown = [axis for axis in axes if axis not in "TZCYXS" and size[axis] > 1]
    if unknown or not {"X", "Y"} <= size.keys():
        pages = math.prod(size[axis] for axis in unknown)
        raise InputError(
            f"{file} contains {pages:,} pages of {size.get('X', 0):,} x {size.get('Y', 0):,} pixels that "
            "metadata does not declare as channels, slices or times, so they are not read. "
            f"{_SAVE}"
        )
    check_sides(size["X"], size["Y"], file)
    n_channels, samples = size.get("C", 1), size.get("S", 1)
    if n_channels > 1 and samples > 1:
        raise InputError(f"{content}: channels that are in colour themselves are not read. {_SAVE}")
    if max(n_channels, samples) > MAX_CHANNELS:
        raise InputError(
            f"{content}: more than {MAX_CHANNELS} channels are not read. Save those that are needed."
        )
    if math.prod(shape) * series.dtype.itemsize > MAX_DECODED or math.prod(shape) > MAX_PIXELS:
        raise InputError(
            f"{content}: more than {MAX_PIXELS:,} values or {MAX_DECODED >> 20} MB are not read. Give a "
            "smaller version, or fewer planes."
        )
    if any(page is None for page in series.pages):
        raise InputError(f"{file} lacks planes that its metadata declares. Save it again as one file.")
    planes = tuple(_plane_names(axes, size))
    colour = samples > 1 and int(series.keyframe.photometric) == 2
    if colour and samples == 3:
        channels: tuple[str, ...] = RGB
    elif colour:
        alpha = samples == 4 and tuple(map(int, series.keyframe.extrasamples)) in ((1,), (2,))
        extra = [] if alpha else [f"channel {k + 1}" for k in range(3, samples)]
        channels = (*RGB, *extra)
    elif samples > 1 or n_channels > 1:
        channels = _channel_names(series, max(samples, n_channels), file)
    else:
        channels = ()
    return None if not planes and channels in ((), RGB) else Layout(channels, planes)


def _plane_names(axes: str, size: dict[str, int]) -> Iterator[str]:
    """Names of the planes of a stack, in the order of the axes; none without a stack."""
    used = [axis for axis in axes if axis in "TZ" and size[axis] > 1]
    if used:
        for at in np.ndindex(*[size[axis] for axis in used]):
            yield " ".join(f"{axis.lower()}{i + 1}" for axis, i in zip(used, at, strict=True))


def _in_order(values: Values, axes: str) -> Values:
    """The values as (planes, channels, height, width), times and slices in their order."""
    size = dict(zip(axes, values.shape, strict=True))
    turn = sorted(range(len(axes)), key=lambda at: "CSYX".find(axes[at]))
    return values.transpose(turn).reshape(-1, size.get("C", 1) * size.get("S", 1), size["Y"], size["X"])


def _values(series: TiffPageSeries, data: bytes, file: str) -> Values:
    """All values, in the shape of the axes; compressed ones are unpacked within bounds."""
    frame = series.keyframe
    if math.prod(frame.chunks) * series.dtype.itemsize > MAX_DECODED:
        raise InputError(f"{file} has tiles that are too large. Save it again without tiles.")
    compression = int(frame.compression)
    if compression in _DEFLATE:
        _check_unpacked(series, data, file)
    if compression in (*_UNCOMPRESSED, *_DEFLATE):
        return np.asarray(series.asarray(maxworkers=1))
    return _by_pillow(series, data, file)


def _check_unpacked(series: TiffPageSeries, data: bytes, file: str) -> None:
    """InputError where deflated pixels are more than their page may hold: tifffile unpacks without bounds."""
    left = MAX_DECODED
    for page in series.pages:
        assert page is not None, "checked before"
        for start, n in zip(page.dataoffsets, page.databytecounts, strict=True):
            unpacking, rest = zlib.decompressobj(), data[start : start + n]
            while rest:
                left -= len(unpacking.decompress(rest, 1 << 20))
                rest = unpacking.unconsumed_tail
                if left < 0:
                    message = f"{file} unpacks to more than {MAX_DECODED >> 20} MB."
                    raise InputError(f"{message} Save it again without compression.")


def _by_pillow(series: TiffPageSeries, data: bytes, file: str) -> Values:
    """The pages of other compressions, one after the other; Pillow unpacks no more than their size."""
    size = dict(zip(series.axes, series.shape, strict=True))
    n = math.prod(series.shape) // (size["X"] * size["Y"] * size.get("S", 1))
    if len(series.pages) != n or series.axes[-2:] not in ("YX", "XS"):
        raise InputError(f"{file} is compressed in a way that is not read. Save it without compression.")
    planes = np.empty((n, *series.shape[-3 if "S" in size else -2 :]), series.dtype)
    with Image.open(io.BytesIO(data), formats=["TIFF"]) as image:
        for k, page in enumerate(series.pages):
            assert page is not None, "checked before"
            image.seek(page.index)
            check_sides(*image.size, file)
            values = np.asarray(image)
            if values.shape != planes.shape[1:] or values.dtype.itemsize != planes.dtype.itemsize:
                raise InputError(f"{file} is compressed in a way that is not read. Save it without.")
            planes[k] = values
    return planes.reshape(series.shape)


def _channel_names(series: TiffPageSeries, n: int, file: str) -> tuple[str, ...]:
    """Names by OME-XML or ImageJ labels, "channel 1" and so on where there is none."""
    opened, given = series.parent, list[str]()
    assert opened is not None, "a series is one of a file"
    if opened.ome_metadata and (pixels := _ome_pixels(opened.ome_metadata, file)) is not None:
        parts = [part for part in pixels if part.tag.rpartition("}")[2] == "Channel"]
        given = [part.get("Name") or "" for part in parts][:n]
    elif isinstance(labels := (opened.imagej_metadata or {}).get("Labels"), list):
        # a label belongs to a plane: it names a channel where all planes of the channel have it
        given = [labels[k] if len({*labels[k::n]}) == 1 else "" for k in range(n)]
    names: list[str] = []
    for k in range(n):
        wanted = _clean(str(given[k])) if k < len(given) else ""
        names.append(wanted if wanted and wanted not in names else f"channel {k + 1}")
    return tuple(names) if len(set(names)) == n else tuple(f"channel {k + 1}" for k in range(n))


def _clean(name: str) -> str:
    """A name as part of a feature's name: printable, short, without the dot that ends a channel's name."""
    return "".join(sign if sign.isprintable() and sign not in ".,;" else " " for sign in name)[:40].strip()
