"""Folders of images: every depth and mode in its own range, broken ones named, an image measured once."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
import tifffile
from PIL import Image, TiffImagePlugin

from evalcore.features.synthetic import read_pictures
from evalcore.features.synthetic.groups import read_groups as read_sources
from evalcore.features.synthetic.groups import source_of
from evalcore.features.synthetic.measure import NAMES, ImageSettings
from evalcore.features.synthetic.read_pictures import intensities
from evalcore.features.synthetic.read_tiff import MAX_PAGES, read_channels
from evalcore.values.errors import InputError
from tests.study.made import png, raw_png, write

GREY = np.random.default_rng(0).integers(0, 256, (24, 32), np.uint8)


def read(image, kind="PNG", side=32):
    return intensities(png(image, kind), file="x", side=side).values


def read_groups(real, *groups, **settings):
    sources = [source_of(*each) for each in ((real.name, real), *groups)]
    return read_sources(sources, settings=ImageSettings(**settings))


def test_each_type_is_divided_by_its_own_range():
    eight, deep = GREY / 255, GREY.astype(np.uint16) * 257
    for values, kind, expected in (
        (GREY, "PNG", eight),
        (deep, "PNG", eight),
        (deep, "TIFF", eight),
        (deep.astype(np.int32), "TIFF", eight),
        (eight.astype(np.float32), "TIFF", eight),
        (deep // 2, "PNG", eight / 2),  # nothing is stretched: half as bright stays half as bright
    ):
        np.testing.assert_allclose(read(values, kind), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.full((4, 4), 2.5, np.float32), "values below 0 or above 1"),
        (np.full((4, 4), np.nan, np.float32), "values below 0 or above 1"),
        (np.full((4, 4), 70_000, np.int32), "whole numbers beyond 16 bits"),
        (np.full((4, 4), -1, np.int32), "whole numbers beyond 16 bits"),
    ],
)
def test_a_range_that_is_not_known(values, reason):
    with pytest.raises(InputError, match=f"x has {reason}: it is unclear which value is white"):
        read(values, "TIFF")


def test_images_are_scaled_to_one_side_over_whole_areas():
    blocks = np.kron(GREY, np.ones((4, 4), np.uint8))
    small = read(blocks, side=32)
    assert small.shape == (24, 32) and np.corrcoef(small.ravel(), GREY.ravel())[0, 1] > 0.9
    even = read(np.full((30, 90), 128, np.uint8), side=9)
    np.testing.assert_allclose(even, np.full((3, 9), 128 / 255))
    assert read(Image.new("RGB", (50, 20)), side=10).shape == (4, 10, 3)


def test_larger_pictures_are_made_smaller_by_whole_factors_first(monkeypatch):
    monkeypatch.setattr(read_pictures, "MOST_PIXELS", 500)
    assert read(GREY, side=16).shape == (12, 16)
    # first means of squares of 2 x 2 pixels, then the side itself
    large = np.kron(GREY, np.ones((2, 2), np.uint8))
    for image in (large, np.dstack([large] * 3), large.astype(np.uint16) * 257):
        small = read(image, side=32)
        np.testing.assert_allclose(small[..., 0] if small.ndim == 3 else small, GREY / 255, atol=1e-7)


def test_broken_images_are_named_and_left_out(tmp_path):
    files = {
        "good.png": png(GREY),
        "below/deep.png": png(GREY.astype(np.uint16) * 257),
        "cut.png": png(GREY)[:-200],
        "empty.png": b"",
        "huge.png": raw_png(30_000, 30_000, zlib.compress(b"")),
        "words.png": b"not an image",
        "range.tif": png(np.full((4, 4), 9.0, np.float32), "TIFF"),
        "notes.txt": b"nothing",
    }
    write(tmp_path, files)
    groups, report = read_groups(tmp_path, ("again", tmp_path), side=32)
    name, features = tmp_path.name, groups.features[groups.real]
    assert list(features.index) == ["below/deep", "good"]
    messages = {problem.file: problem.message for problem in report.of_severity("error")}
    for file, words in {
        name: "empty.png is empty",
        f"{name}/cut.png": "is damaged",
        f"{name}/huge.png": "has more than 89,478,485 pixels",
        f"{name}/range.tif": "values below 0 or above 1",
        f"{name}/words.png": "is not an image of a known format",
    }.items():
        message = messages.pop(file)
        assert words in message and message.endswith("; it is left out.")
    assert messages == {} and all(problem.remedy for problem in report.problems)
    # 16 bits and 8 bits of the same picture have the same features
    np.testing.assert_allclose(features.loc["below/deep"], features.loc["good"], rtol=1e-9)


def test_groups_of_grey_and_coloured_images(tmp_path):
    write(tmp_path, {"real/a.png": png(GREY), "made/a.png": png(np.dstack([GREY, GREY, GREY // 2]))})
    groups, report = read_groups(tmp_path / "real", ("made", tmp_path / "made"), side=32)
    assert [problem.rule for problem in report.problems] == ["mixed-colours"]
    for table in groups.features.values():
        assert len(table.columns) == 3 * len(NAMES) and "red.mean" in table
    grey, _ = read_groups(tmp_path / "real", ("made", tmp_path / "made"), side=32, channels="grey")
    # luminance by ITU-R BT.601 of (g, g, g // 2)
    expected = np.mean(0.299 * GREY + 0.587 * GREY + 0.114 * (GREY // 2)) / 255
    assert grey.features["made"].loc["a", "grey.mean"] == pytest.approx(expected)


def test_images_and_a_table_of_features_have_names_in_common(tmp_path):
    write(tmp_path, {"real/a.png": png(GREY), "made.csv": "ID,extra,grey.std,grey.mean\nm,1,0.2,0.5\n"})
    groups, report = read_groups(tmp_path / "real", ("made", tmp_path / "made.csv"))
    assert [list(table) for table in groups.features.values()] == [["grey.mean", "grey.std"]] * 2
    problems = {(problem.file, problem.rule) for problem in report.problems}
    assert problems == {("real", "feature-left-out"), ("made", "feature-left-out")}


# TIFF files of several channels and planes: read as their metadata says, refused where it says nothing, and
# within bounds whatever it says. Files are written by tifffile and Pillow.

RNG = np.random.default_rng(0)
CHANNELS = RNG.integers(0, 256, (3, 20, 24), np.uint8)
SAMPLES = np.moveaxis(CHANNELS, 0, 2)
STACK = RNG.integers(0, 60_000, (4, 2, 20, 24), np.uint16)
STAINS = ("DAPI", "GFP", "RFP")
OME = {"axes": "CYX", "Channel": {"Name": list(STAINS)}}


def tiff(values, **options):
    out = io.BytesIO()
    tifffile.imwrite(out, values, **options)
    return out.getvalue()


def by_pillow(pages, text, compression):
    """ImageJ's description on pages that Pillow compresses."""
    out, tags = io.BytesIO(), TiffImagePlugin.ImageFileDirectory_v2()
    tags[270] = text
    first, *more = [Image.fromarray(page) for page in pages]
    first.save(out, "TIFF", save_all=True, append_images=more, compression=compression, tiffinfo=tags)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (tiff(CHANNELS, imagej=True, metadata={"axes": "CYX", "Labels": list(STAINS)}), STAINS),
        (tiff(CHANNELS, ome=True, metadata=OME), STAINS),
        (tiff(CHANNELS, ome=True, metadata=OME, compression="zlib"), STAINS),
        (tiff(CHANNELS, imagej=True, metadata={"axes": "CYX"}), ("channel 1", "channel 2", "channel 3")),
        (tiff(CHANNELS, metadata={"axes": "CYX"}, photometric="minisblack", bigtiff=True), None),
        (tiff(CHANNELS, metadata={"axes": "CYX"}, photometric="minisblack", byteorder=">"), None),
        (tiff(CHANNELS, metadata=None, photometric="minisblack", planarconfig="separate"), None),
        (tiff(SAMPLES, metadata=None, photometric="minisblack", planarconfig="contig"), None),
        (by_pillow(CHANNELS, "ImageJ=1.54\nimages=3\nchannels=3\n", "tiff_lzw"), None),
        (by_pillow(CHANNELS, "ImageJ=1.54\nimages=3\nchannels=3\n", "packbits"), None),
    ],
)
def test_every_declared_channel_is_read_by_its_name(data, names):
    values, channels, n_planes = read_channels(data, file="x.tif")
    np.testing.assert_array_equal(values, CHANNELS)
    assert channels == (names or ("channel 1", "channel 2", "channel 3")) and n_planes == 1
    picture = intensities(data, file="x.tif", side=24)
    np.testing.assert_allclose(picture.values, np.moveaxis(CHANNELS, 0, 2) / 255)
    assert picture.channels == channels


def test_a_stack_is_projected():
    data = tiff(STACK, imagej=True, metadata={"axes": "ZCYX"})
    values, channels, n_planes = read_channels(data, file="x.tif")
    np.testing.assert_array_equal(values, STACK.max(0))
    assert (n_planes, channels) == (4, ("channel 1", "channel 2"))
    picture = intensities(data, file="x.tif", side=24)
    np.testing.assert_allclose(picture.values, np.moveaxis(STACK.max(0), 0, 2) / 65_535)
    assert picture.n_planes == 4
    times = tiff(STACK, imagej=True, metadata={"axes": "TZYX"})
    assert read_channels(times, file="x")[1:] == ((), 8)


def test_labels_of_slices_name_a_channel_where_all_its_slices_have_them():
    named = ["nuclei", "actin"] * 4
    data = tiff(STACK, imagej=True, metadata={"axes": "ZCYX", "Labels": named})
    assert read_channels(data, file="x")[1] == ("nuclei", "actin")
    other = [f"slice {i}" for i in range(8)]
    data = tiff(STACK, imagej=True, metadata={"axes": "ZCYX", "Labels": other})
    assert read_channels(data, file="x")[1] == ("channel 1", "channel 2")


def test_a_name_cannot_end_the_name_of_its_channel_or_write_in_another_direction():
    metadata = {"axes": "CYX", "Channel": {"Name": ["a.b,c", "x\u202ey", "a b c"]}}
    channels = read_channels(tiff(CHANNELS, ome=True, metadata=metadata), file="x")[1]
    assert channels == ("a b c", "x y", "channel 3")


UNDECLARED = (
    "x.tif contains {} pages of 24 x 20 pixels.*metadata does not declare.*Save it as ImageJ hyperstack"
)


def blank(*shape, **options):
    return tiff(np.zeros(shape, np.uint8), **options)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (blank(10, 20, 24), UNDECLARED.format(10)),
        (blank(10, 20, 24, metadata=None), UNDECLARED.format(10)),
        (blank(3, 20, 24, photometric="minisblack"), UNDECLARED.format(3)),
        (blank(2, 3, 20, 24, metadata={"axes": "PCYX"}, photometric="minisblack"), UNDECLARED.format(2)),
        (blank(5, 20, 24, 3, photometric="rgb", imagej=True), "in colour themselves"),
        (blank(40, 20, 24, imagej=True, metadata={"axes": "CYX"}), "than 32 channels"),
        (by_pillow([np.zeros((9, 9), np.uint8), np.zeros((7, 30), np.uint8)], "", "raw"), "different shapes"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_way_out(data, words):
    with pytest.raises(InputError, match=words):
        intensities(data, file="x.tif", side=24)


def test_single_pictures_are_left_to_pillow():
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "F"):
        assert read_channels(png(Image.new(mode, (20, 10)), "TIFF"), file="x") is None, mode


def chain(n, *, circle=False):
    """A TIFF of pages without pixels, in a chain or a circle."""
    out, size = bytearray(b"II*\0" + struct.pack("<I", 8)), 6
    for k in range(n):
        after = 8 + size * (k + 1) if k + 1 < n else 8 if circle else 0
        out += struct.pack("<HI", 0, after)
    return bytes(out)


def declared(text, pages=1):
    """Pages of four pixels under a description."""
    return by_pillow([np.zeros((2, 2), np.uint8)] * pages, text, "raw")


XML = '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">{}</OME>'
PIXELS = (
    '<Image><Pixels DimensionOrder="XYCZT" Type="uint8" SizeX="2" SizeY="2" SizeC="{}" SizeZ="{}" SizeT="1">'
    "<TiffData/></Pixels></Image>"
)
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "' + "&a;" * 1000 + '">]>'


def bomb():
    """Deflated channels whose first strip unpacks to 300 MB."""
    data = bytearray(
        tiff(CHANNELS, imagej=False, metadata={"axes": "CYX"}, photometric="minisblack", compression="zlib")
    )
    with tifffile.TiffFile(io.BytesIO(bytes(data))) as opened:
        start, count = opened.pages[0].tags[273].valueoffset, opened.pages[0].tags[279].valueoffset
    packed = zlib.compress(bytes(300 << 20), 9)
    struct.pack_into("<I", data, start, len(data))
    struct.pack_into("<I", data, count, len(packed))
    return bytes(data) + packed


HOSTILE = {
    "pages": lambda: chain(MAX_PAGES + 1),
    "circle": lambda: chain(9, circle=True),
    "planes": lambda: declared(XML.format(PIXELS.format(2_000_000, 2_000)), 2),
    "entities": lambda: declared(XML.format(PIXELS.format("&#57;" * 12, 2)), 2),
    "laughs": lambda: declared(LAUGHS + XML.format("&b;" * 1000), 2),
    "no pixels": lambda: declared(XML.format("<Image/>"), 2),
    "lost planes": lambda: declared(XML.format(PIXELS.format(2, 500)), 2),
    "images": lambda: declared("ImageJ=1.54\nimages=2000000000\nslices=2000000000\n"),
    "shape": lambda: declared('{"shape": [900000, 900000, 2, 2], "axes": "TZYX"}', 2),
    "cut": lambda: tiff(np.zeros((8, 4096, 4096), np.uint8), imagej=True, metadata={"axes": "ZYX"})[:5000],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_within_memory(name):
    data = HOSTILE[name]()
    tracemalloc.start()
    with pytest.raises(InputError, match=r"x\.tif"):
        intensities(data, file="x.tif", side=24)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


def test_no_more_is_unpacked_than_the_size_of_a_page():
    data = bomb()
    tracemalloc.start()
    values = intensities(data, file="x.tif", side=24).values
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    np.testing.assert_allclose(values[..., 1:], np.moveaxis(CHANNELS, 0, 2)[..., 1:] / 255)


def test_no_other_file_is_opened_whatever_the_metadata_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.full((2, 20, 24), 7, np.uint8)
    tifffile.imwrite("other.ome.tif", values, metadata={"axes": "ZYX"})
    with tifffile.TiffFile("other.ome.tif") as opened:
        uuid = "urn:uuid:00000000-0000-0000-0000-000000000001"
        xml = opened.ome_metadata.replace(
            "<TiffData",
            f'<TiffData FirstZ="1"><UUID FileName="other.ome.tif">{uuid}</UUID></TiffData><TiffData',
        )
    data = by_pillow([values[0], values[1]], xml, "raw")
    try:
        shown, *_ = read_channels(data, file="x.tif")
        assert shown.max() == 7
    except InputError as said:
        assert "x.tif" in str(said)
