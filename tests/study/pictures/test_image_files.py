"""Which file belongs to which image, in folders and zips."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from evalcore.study.pictures.image_files import find_images

if TYPE_CHECKING:
    from pathlib import Path


def folder_of(root: Path, *names: str) -> Path:
    for name in names:
        path = root / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"pixels")
    return root / "images"


def zip_of(root: Path, *names: str) -> Path:
    with zipfile.ZipFile(root / "images.zip", "w") as archive:
        for name in names:
            archive.writestr(name, b"pixels")
    return root / "images.zip"


@pytest.mark.parametrize("make", [folder_of, zip_of])
def test_files_belong_to_images_by_name(make: object, tmp_path: Path) -> None:
    place = make(
        tmp_path,
        "a.jpg",
        "b.PNG",
        "sub/c.tiff",
        "sub/d.jpg",
        "e.jpg",
        "readme.txt",
        ".hidden.png",
        "__MACOSX/._a.jpg",
    )
    ids = ("a", "b", "c", "e.jpg", "f", "sub/d")
    images, report = find_images(place, ids, file="images")
    assert images.entries == ("a.jpg", "b.PNG", "sub/c.tiff", "e.jpg", None, "sub/d.jpg")
    assert images.count == 5
    assert (images.archive is None) == (make is folder_of)
    assert [str(p) for p in report.problems if p.rule == "no-image"] == [
        "images: 1 of 6 images have no file. They are shown as cards."
    ]


def test_what_is_odd_is_counted(tmp_path: Path) -> None:
    place = folder_of(tmp_path, "a.jpg", "a.png", "x.png", "y.png")
    (place / "c.png").touch()
    images, report = find_images(place, ("a", "b", "c"), file="images")
    assert images.entries == ("a.jpg", None, None)
    assert {(p.severity, p.rule, p.count, p.value) for p in report.problems} == {
        ("warning", "second-file", 1, "a.png"),
        ("warning", "unknown-id", 2, "x.png"),
        ("warning", "no-image", 2, "b"),
        ("error", "empty-file", 1, "c.png"),
    }


def test_nothing_to_find(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    assert [p.rule for p in find_images(tmp_path / "images", ("a",), file="i")[1].problems] == ["no-images"]
    (tmp_path / "images.zip").write_bytes(b"PK no zip")
    images, report = find_images(tmp_path / "images.zip", ("a",), file="i")
    assert images is None
    assert [p.rule for p in report.problems] == ["unreadable-container"]
    assert [p.rule for p in find_images(tmp_path / "absent", ("a",), file="i")[1].problems] == [
        "unreadable-container"
    ]


def test_links_out_of_the_folder_are_left_out(tmp_path: Path) -> None:
    place = folder_of(tmp_path, "a.png")
    (tmp_path / "secret.png").write_bytes(b"secret")
    (place / "b.png").symlink_to(tmp_path / "secret.png")
    (place / "c.png").symlink_to(place / "a.png")
    (place / "d.png").symlink_to(place / "nowhere.png")
    images, report = find_images(place, ("a", "b", "c", "d"), file="images")
    assert images.entries == ("a.png", None, "c.png", None)
    assert [(p.severity, p.rule, p.value) for p in report.problems][:2] == [
        ("error", "path-leaves-study", "b.png"),
        ("error", "path-leaves-study", "d.png"),
    ]


def test_an_encrypted_member_is_reported(tmp_path: Path) -> None:
    data = bytearray(zip_of(tmp_path, "a.png").read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "images.zip").write_bytes(bytes(data))
    images, report = find_images(tmp_path / "images.zip", ("a",), file="i")
    assert images is None
    assert report.problems[0].rule == "encrypted"


def test_links_that_lead_nowhere_or_in_a_circle_stop_nothing(tmp_path: Path) -> None:
    place = folder_of(tmp_path, "a.png")
    (place / ".#a.png").symlink_to("me@host.1234:5678")
    (place / "b.png").symlink_to("me@host.1234:5678")
    (place / "c.png").symlink_to("c.png")
    images, report = find_images(place, ("a", "b", "c"), file="images")
    assert images.entries == ("a.png", None, None)
    assert [(p.value, p.message) for p in report.of_severity("error")] == [
        ("b.png", "b.png is a link that leads nowhere; it is left out."),
        ("c.png", "c.png is a link that leads nowhere; it is left out."),
    ]
