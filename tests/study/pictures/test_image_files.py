"""Which file belongs to which image in folders, zips and shards; its bytes and its thumbnail."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evalcore.study.parts.images import find_images, image_bytes, picture_of, shrunk
from evalcore.study.pixels import decode
from evalcore.study.tables.problems import Problems, guarded
from evalcore.values.errors import InputError, Report, SettingError
from evalcore.values.model import ImageFiles
from tests.study.made import parquet, png, write


def folder_of(root: Path, pictures: Mapping[str, bytes]) -> Path:
    return write(root / "images", pictures)


def zip_of(root: Path, pictures: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(root / "images.zip", "w") as archive:
        for name, data in pictures.items():
            archive.writestr(name, data)
    return root / "images.zip"


def found(place: Path, ids: Sequence[str]) -> tuple[ImageFiles | None, Report]:
    problems = Problems("images")
    return guarded(problems, partial(find_images, place, ids), None), problems.report()


def image_files(root: Path, pictures: Mapping[str, bytes], place: Callable = folder_of) -> ImageFiles:
    ids = sorted(name.removesuffix(".png") for name in pictures)
    return found(place(root, pictures), ids)[0]


def in_shards(root: Path, pictures: Mapping[str, bytes], _: object) -> ImageFiles:
    rows = [{"bytes": data, "path": name} for name, data in sorted(pictures.items())]
    (root / "s.parquet").write_bytes(parquet({"image": rows, "n": list(range(len(rows)))}, row_group_size=2))
    return ImageFiles(tuple(f"s.parquet#{k}" for k in range(len(rows))), root, root, "digest")


@pytest.mark.parametrize("place", [folder_of, zip_of])
def test_files_belong_to_images_by_name(place: Callable, tmp_path: Path) -> None:
    names = ("a.jpg", "b.PNG", "sub/c.tiff", "sub/d.jpg", "e.jpg", "x.txt", ".hidden.png", "__MACOSX/._a.jpg")
    ids = ("a", "b", "c", "e.jpg", "f", "sub/d")
    images, report = found(place(tmp_path, dict.fromkeys(names, b"pixels")), ids)
    assert images.entries == ("a.jpg", "b.PNG", "sub/c.tiff", "e.jpg", None, "sub/d.jpg")
    assert images.count == 5 and (images.archive is None) == (place is folder_of)
    assert [(p.severity, p.value) for p in report.problems if p.rule == "no-image"] == [("warning", "f")]


def test_odd_files_are_counted(tmp_path: Path) -> None:
    files = dict.fromkeys(("a.jpg", "a.png", "x.png", "y.png"), b"pixels") | {"c.png": b""}
    images, report = found(folder_of(tmp_path, files), ("a", "b", "c"))
    assert images.entries == ("a.jpg", None, None)
    assert {(p.severity, p.rule, p.count, p.value) for p in report.problems} == {
        ("warning", "second-file", 1, "a.png"),
        ("warning", "unknown-id", 2, "x.png"),
        ("warning", "no-image", 2, "b"),
        ("error", "empty-file", 1, "c.png"),
    }


def test_folders_and_zips_without_usable_pictures(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    whole = zip_of(tmp_path, {"a.png": b"pixels"}).read_bytes()
    at = whole.rindex(b"PK\x01\x02") + 8
    (tmp_path / "locked.zip").write_bytes(whole[:at] + bytes([whole[at] | 1]) + whole[at + 1 :])
    (tmp_path / "images.zip").write_bytes(b"PK no zip")
    for name, rule in (
        ("images", "no-images"),
        ("images.zip", "unreadable-container"),
        ("absent", "unreadable-container"),
        ("locked.zip", "encrypted"),
    ):
        assert found(tmp_path / name, ("a",))[1].problems[0].rule == rule


def test_links_that_lead_out_or_nowhere_or_in_a_circle_are_left_out(tmp_path: Path) -> None:
    place = folder_of(tmp_path, {"a.png": b"pixels"})
    write(tmp_path, {"secret.png": b"secret"})
    for name, target in (
        (".#a.png", "me@host.1234:5678"),
        ("b.png", tmp_path / "secret.png"),
        ("c.png", place / "a.png"),
        ("d.png", place / "nowhere.png"),
        ("e.png", "me@host.1234:5678"),
        ("f.png", "f.png"),
    ):
        (place / name).symlink_to(target)
    images, report = found(place, tuple("abcdef"))
    assert images.entries == ("a.png", None, "c.png", None, None, None)
    assert {p.rule for p in report.of_severity("error")} == {"path-leaves-study"}
    ways = {p.value: "leads nowhere" in p.message for p in report.of_severity("error")}
    assert ways == {"b.png": False, "d.png": True, "e.png": True, "f.png": True}


@pytest.mark.parametrize("place", [folder_of, zip_of, in_shards])
def test_pictures_are_read_from_every_place(place: Callable, tmp_path: Path) -> None:
    pictures = {f"i{k:02}.png": png(10 * k) for k in range(20)}
    pictures |= {"i03.png": b"no picture", "i04.png": png(2)[:40]}
    images = place(tmp_path, pictures, None) if place is in_shards else image_files(tmp_path, pictures, place)
    for k in (0, 1, 2, 7, 19):
        assert image_bytes(images, k) == png(10 * k)
    with pytest.raises(InputError, match="is not an image of a known format"):
        decode(image_bytes(images, 3), file="a.png")
    with pytest.raises(InputError):
        decode(image_bytes(images, 4), file="a.png")


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [(1_200, 800, (256, 171)), (300, 900, (85, 256)), (100, 50, (100, 50)), (3_000, 4, (256, 1))],
)
def test_a_thumbnail_shows_the_whole_picture(width: int, height: int, expected: tuple[int, int]) -> None:
    out = io.BytesIO()
    noise = np.random.default_rng(0).integers(0, 255, (height, width), dtype=np.uint8)
    Image.fromarray(noise).save(out, "JPEG")
    with Image.open(io.BytesIO(shrunk(out.getvalue(), file="x", size=256))) as image:
        assert (image.format, image.size) == ("JPEG", expected)


@pytest.mark.parametrize("size", [0, 15, 5_000])
def test_sizes_of_thumbnails_outside_the_range(size: int, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="size"):
        picture_of(image_files(tmp_path, {"a.png": png()}), 0, size=size)
