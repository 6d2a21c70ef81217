"""Folders of images: every depth and mode in its own range, broken ones named, an image measured once."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from evalcore.features.synthetic import read_pictures as folders
from evalcore.features.synthetic.groups import read_groups as read_sources
from evalcore.features.synthetic.groups import source_of
from evalcore.features.synthetic.measure import NAMES, ImageSettings
from evalcore.values.errors import InputError
from tests.study.made import write, zipped

GREY = np.random.default_rng(0).integers(0, 256, (24, 32), np.uint8)


def encoded(image, kind="PNG"):
    out = io.BytesIO()
    image.save(out, kind)
    return out.getvalue()


def read(image, kind="PNG", side=0):
    return folders.intensities(encoded(image, kind), file="x", side=side or max(image.size)).values


def png(values):
    return encoded(Image.fromarray(values))


def read_groups(real, *groups, **settings):
    sources = [source_of(*each) for each in ((real.name, real), *groups)]
    return read_sources(sources, settings=ImageSettings(**settings))


def huge(width, height):
    """A PNG of a few bytes that says it is large."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


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
        np.testing.assert_allclose(read(Image.fromarray(values), kind), expected, atol=1e-5)


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
        read(Image.fromarray(values), "TIFF")


def test_images_are_scaled_to_one_side_over_whole_areas():
    blocks = np.kron(GREY, np.ones((4, 4), np.uint8))
    small = read(Image.fromarray(blocks), side=32)
    assert small.shape == (24, 32) and np.corrcoef(small.ravel(), GREY.ravel())[0, 1] > 0.9
    even = read(Image.fromarray(np.full((30, 90), 128, np.uint8)), side=9)
    np.testing.assert_allclose(even, np.full((3, 9), 128 / 255))
    assert read(Image.new("RGB", (50, 20)), side=10).shape == (4, 10, 3)


def test_larger_pictures_are_made_smaller_by_whole_factors_first(monkeypatch):
    monkeypatch.setattr(folders, "MOST_PIXELS", 500)
    assert read(Image.fromarray(GREY), side=16).shape == (12, 16)
    # first means of squares of 2 x 2 pixels, then the side itself
    large = np.kron(GREY, np.ones((2, 2), np.uint8))
    for image in (large, np.dstack([large] * 3), large.astype(np.uint16) * 257):
        small = read(Image.fromarray(image), side=32)
        np.testing.assert_allclose(small[..., 0] if small.ndim == 3 else small, GREY / 255, atol=1e-7)


def test_broken_images_are_named_and_left_out(tmp_path):
    files = {
        "good.png": png(GREY),
        "below/deep.png": png(GREY.astype(np.uint16) * 257),
        "cut.png": png(GREY)[:-200],
        "empty.png": b"",
        "huge.png": huge(30_000, 30_000),
        "words.png": b"not an image",
        "range.tif": encoded(Image.fromarray(np.full((4, 4), 9.0, np.float32)), "TIFF"),
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


def test_a_zip_is_a_folder(tmp_path):
    write(tmp_path, {"x.zip": zipped(inside__a_png=png(GREY)), "bad.zip": b"PK no zip"})
    assert source_of("x", tmp_path / "x.zip").pictures.places == {"inside/a": 0}
    bad = source_of("bad", tmp_path / "bad.zip")
    assert bad.pictures is None and bad.report.problems[0].rule == "unreadable-container"


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
