"""TIFF files of several channels or planes: fluorescence channels, focal stacks and time series.

What a page of such a file means is taken from its metadata (ImageJ, OME-XML, the shape and axes that tifffile
writes) and never guessed. Grey, RGB and palette pictures of a single page are left to Pillow. Sizes are
checked before pixels are unpacked, and no other file is opened, whatever the metadata names.
"""

from __future__ import annotations

import io
import logging
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from evalcore.study.pixels import MAX_PIXELS, check_sides
from evalcore.study.tables.problems import try_call
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from tifffile import TiffPage, TiffPageSeries

Values = npt.NDArray[Any]
MAX_PAGES, MAX_CHANNELS = 4_096, 32
MAX_DECODED = 256 << 20
"""Largest sum of the pixels of all channels and planes that is unpacked, in bytes."""
RGB = ("red", "green", "blue")
_SAVE = "Save it as ImageJ hyperstack or OME-TIFF with channels and slices declared, or each plane as a file."
_MAGIC = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_REDUCED = 1
"""Bit of the tag NewSubfileType: a smaller version of another page."""
_SAMPLES = {0: 1, 1: 1, 3: 1, 4: 1, 2: 3, 6: 3, 8: 3, 5: 4}
"""Samples of a pixel by photometric interpretation, transparency aside."""
logging.getLogger("tifffile").addHandler(logging.NullHandler())  # remarks on odd tags are no news to users


def read_channels(data: bytes, *, file: str) -> tuple[Values, tuple[str, ...], int] | None:
    """Values of every channel, shape (channels, height, width), as stored; the names of the channels, () for
    grey and `RGB` for colour; and the number of planes whose largest value, pixel by pixel, they are.

    None for a picture that Pillow reads whole: no TIFF, or a TIFF with a single page of grey, RGB or palette,
    with smaller versions of it or not.

    Raises InputError for several pages or samples without a declared meaning, planes that are missing, and
    more than is decoded.
    """
    series = _series_of(data, file) if data[:4] in _MAGIC else None
    if series is None:
        return None
    channels, n_planes = _layout(series, file)
    if n_planes == 1 and channels in ((), RGB):
        return None
    values, size = _values(series, data, file), dict(zip(series.axes, series.shape, strict=True))
    turn = sorted(range(values.ndim), key=lambda at: "CSYX".find(series.axes[at]))
    stack = values.transpose(turn).reshape(-1, size.get("C", 1) * size.get("S", 1), size["Y"], size["X"])
    return stack.max(0), channels, n_planes


def _refuse(wrong: bool, message: str) -> None:
    if wrong:
        raise InputError(message)


def _series_of(data: bytes, file: str) -> TiffPageSeries | None:
    """The images of a TIFF of several channels or planes; None for others, damaged ones too."""
    import tifffile  # 60 ms

    opened, _ = try_call(lambda: tifffile.TiffFile(io.BytesIO(data), _multifile=False))
    if opened is None:
        return None
    many = try_call(lambda: opened.pages[MAX_PAGES])[0] is not None
    _refuse(many, f"{file} has more than {MAX_PAGES:,} pages. Save fewer planes.")
    first, _ = try_call(lambda: opened.pages[0].aspage())
    if first is None or (len(opened.pages) == 1 and _is_plain(first)):
        return None
    _check_description(first.description, file)
    lost = "ImageJ=" in first.description and opened.series[0].kind != "imagej"
    _refuse(lost, f"{file} declares more planes than it contains. Copy or save it again.")
    whole = [series for series in opened.series if not series.keyframe.subfiletype & _REDUCED]
    message = f"{file} contains {len(whole):,} images of different shapes; it is unclear which to use. "
    _refuse(len(whole) > 1, f"{message}Save each as a file of its own.")
    return whole[0] if whole else None


def _is_plain(page: TiffPage) -> bool:
    """Whether a page is grey, RGB, CMYK or a palette, with transparency or not."""
    if "ImageJ=" in page.description and "images=" in page.description:  # pages without entries of their own
        return False
    usual = _SAMPLES.get(int(page.photometric), page.samplesperpixel)
    return page.samplesperpixel == usual + (page.extrasamples[:1] in ((1,), (2,)))


def _check_description(text: str, file: str) -> None:
    """InputError where OME-XML declares more planes than are read: lists are made of as many."""
    pixels = _ome_pixels(text, file) if text.rstrip("\0\n ").endswith("OME>") else None
    counts = [str(pixels.get(f"Size{axis}", "1"))[:12] for axis in "CZT"] if pixels is not None else []
    known = all(count.isdecimal() and len(count) <= 6 for count in counts)
    many = not known or math.prod(map(int, counts)) > MAX_PAGES
    declared = f"{file} declares {' x '.join(counts)} planes"
    _refuse(many, f"{declared}; at most {MAX_PAGES:,} are read. {_SAVE}")


def _ome_pixels(text: str, file: str) -> Any:
    """The element of OME-XML about the first image; None without one."""
    from defusedxml.ElementTree import fromstring

    source = text.strip("\0 \n").encode("utf-8", "replace")
    root: Any
    root, _ = try_call(lambda: fromstring(source, forbid_dtd=True))
    _refuse(root is None, f"{file} has OME-XML that cannot be read. {_SAVE}")
    return next((element for element in root.iter() if element.tag.rpartition("}")[2] == "Pixels"), None)


def _layout(series: TiffPageSeries, file: str) -> tuple[tuple[str, ...], int]:
    """What the axes of the images say: names of the channels, and how many planes there are."""
    axes, shape = series.axes, series.shape
    size = {"X": 0, "Y": 0, "C": 1, "S": 1} | dict(zip(axes, shape, strict=True))
    content = f"{file} contains {' x '.join(f'{n:,}' for n in shape)} values, axes {axes}"
    unknown = [axis for axis in axes if axis not in "TZCYXS" and size[axis] > 1]
    pages = f"{math.prod(size[axis] for axis in unknown):,} pages of {size['X']:,} x {size['Y']:,} pixels"
    undeclared = "that metadata does not declare as channels, slices or times, so they are not read"
    _refuse(bool(unknown) or not size["X"] * size["Y"], f"{file} contains {pages} {undeclared}. {_SAVE}")
    check_sides(size["X"], size["Y"], file)
    message = f"{content}: channels that are in colour themselves are not read. {_SAVE}"
    _refuse(size["C"] > 1 and size["S"] > 1, message)
    n, n_values = max(size["C"], size["S"]), math.prod(shape)
    message = f"{content}: more than {MAX_CHANNELS} channels are not read. Save those that are needed."
    _refuse(n > MAX_CHANNELS, message)
    most = f"more than {MAX_PIXELS:,} values or {MAX_DECODED >> 20} MB are not read"
    large = n_values > MAX_PIXELS or n_values * series.dtype.itemsize > MAX_DECODED
    _refuse(large, f"{content}: {most}. Give a smaller version, or fewer planes.")
    lost = any(page is None for page in series.pages)
    _refuse(lost, f"{file} lacks planes that its metadata declares. Save it again as one file.")
    channels = () if n == 1 else _channel_names(series, n, file)
    if size["S"] > 1 and int(series.keyframe.photometric) == 2:
        alpha = n == 4 and tuple(map(int, series.keyframe.extrasamples)) in ((1,), (2,))
        channels = RGB if alpha else (*RGB, *channels[3:])
    return channels, size.get("T", 1) * size.get("Z", 1)


def _values(series: TiffPageSeries, data: bytes, file: str) -> Values:
    """All values, in the shape of the axes; compressed pages by Pillow, which unpacks no more than their
    size."""
    if int(series.keyframe.compression) == 1:
        return np.asarray(series.asarray(maxworkers=1))
    planes = []
    with Image.open(io.BytesIO(data), formats=["TIFF"]) as image:
        for page in series.pages:
            assert page is not None, "checked before"
            image.seek(page.index)
            check_sides(*image.size, file)
            planes.append(np.asarray(image))
    values = np.stack(planes)
    unread = values.size != math.prod(series.shape) or values.dtype.itemsize != series.dtype.itemsize
    in_order = series.axes[-2:] in ("YX", "XS")
    message = f"{file} is compressed in a way that is not read. Save it without compression."
    _refuse(unread or not in_order, message)
    return values.reshape(series.shape).astype(series.dtype)


def _channel_names(series: TiffPageSeries, n: int, file: str) -> tuple[str, ...]:
    """Names by OME-XML or ImageJ labels, "channel 1" and so on where there is none."""
    opened: Any = series.parent
    names: Sequence[str] = ()
    labels = (opened.imagej_metadata or {}).get("Labels")
    if opened.ome_metadata and (pixels := _ome_pixels(opened.ome_metadata, file)) is not None:
        parts = [part for part in pixels if part.tag.rpartition("}")[2] == "Channel"]
        names = [part.get("Name") or "" for part in parts]
    elif isinstance(labels, list):
        # a label belongs to a plane: it names a channel where all planes of the channel have it
        names = [labels[k] if len({*labels[k::n]}) == 1 else "" for k in range(n)]
    numbered = [f"channel {k + 1}" for k in range(n)]
    cleaned = [*map(_clean, names)][:n] + [""] * (n - len(names))
    first = [name if name and cleaned.index(name) == k else "" for k, name in enumerate(cleaned)]
    wanted = [name or number for name, number in zip(first, numbered, strict=True)]
    return tuple(wanted if len(set(wanted)) == n else numbered)


def _clean(name: object) -> str:
    """A name as part of a feature's name: printable, short, without the dot that ends a channel's name."""
    kept = (sign if sign.isprintable() and sign not in ".,;" else " " for sign in str(name))
    return "".join(kept)[:40].strip()
