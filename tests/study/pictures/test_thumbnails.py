"""Thumbnails: whole, small, without metadata, made once per content; the cache stays within its size."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from evalcore.study.pictures import image_files as thumbnails
from evalcore.study.pictures.image_files import find_images, shrunk, thumbnail
from evalcore.study.workspace.home import home
from evalcore.values.errors import InputError, SettingError
from evalcore.values.model import ImageFiles

if TYPE_CHECKING:
    from pathlib import Path


def jpeg(width: int, height: int, seed: int = 0) -> bytes:
    out = io.BytesIO()
    noise = np.random.default_rng(seed).integers(0, 255, (height, width), dtype=np.uint8)
    Image.fromarray(noise).save(out, "JPEG")
    return out.getvalue()


def size_of(data: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(data)) as image:
        assert image.format == "JPEG"
        return image.size


def study_of(root: Path, *pictures: bytes) -> ImageFiles:
    root.mkdir(parents=True, exist_ok=True)
    for k, data in enumerate(pictures):
        (root / f"i{k}.jpg").write_bytes(data)
    return find_images(root, tuple(f"i{k}" for k in range(len(pictures))), file="images")[0]


def cached() -> list[Path]:
    return sorted((home() / "cache" / "thumbnails").rglob("*.jpg"))


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [(1_200, 800, (256, 171)), (300, 900, (85, 256)), (100, 50, (100, 50)), (3_000, 4, (256, 1))],
)
def test_the_whole_picture_at_most_so_large(width: int, height: int, expected: tuple[int, int]) -> None:
    assert size_of(shrunk(jpeg(width, height), file="x", size=256)) == expected


def test_the_same_content_is_made_small_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = thumbnail(study_of(tmp_path / "a", jpeg(600, 400)), 0)
    assert len(cached()) == 1
    monkeypatch.setattr(thumbnails, "shrunk", None)
    assert thumbnail(study_of(tmp_path / "b", jpeg(600, 400)), 0) == first


def test_what_was_looked_at_longest_ago_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    images = study_of(tmp_path / "a", jpeg(600, 400))
    thumbnail(images, 0)
    (shelf,) = {path.parent for path in cached()}
    for name, seconds in (("old", 1), ("newer", 2)):
        (shelf / f"{name}.jpg").write_bytes(bytes(1_000))
        os.utime(shelf / f"{name}.jpg", (seconds, seconds))
    (small,) = [path for path in cached() if len(path.stem) > 10]
    size = small.stat().st_size
    small.unlink()
    monkeypatch.setattr(thumbnails, "KEPT", (size + 1_999) * thumbnails.SHELVES)
    thumbnail(images, 0)
    assert [path.name for path in cached() if len(path.stem) < 10] == ["newer.jpg"]


def test_sizes_and_contents_are_kept_apart(tmp_path: Path) -> None:
    images = study_of(tmp_path, jpeg(600, 400), jpeg(600, 400, seed=1))
    small = [thumbnail(images, 0), thumbnail(images, 1), thumbnail(images, 0, size=64)]
    assert len(set(small)) == len(cached()) == 3
    assert size_of(small[2]) == (64, 43)


def test_a_damaged_picture_is_reported_and_not_kept(tmp_path: Path) -> None:
    images = study_of(tmp_path, jpeg(600, 400)[:2_000])
    with pytest.raises(InputError, match=r"i0\.jpg is damaged"):
        thumbnail(images, 0)
    assert cached() == []


def test_a_cache_nobody_can_write_to_only_costs_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "file"))
    assert size_of(thumbnail(study_of(tmp_path / "a", jpeg(600, 400)), 0)) == (256, 171)


@pytest.mark.parametrize("size", [0, 15, 5_000])
def test_sizes_outside_the_range(size: int, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="size"):
        thumbnail(study_of(tmp_path, jpeg(20, 20)), 0, size=size)


def test_pictures_in_shards_are_kept_by_their_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    images = ImageFiles(("s.parquet#0",), tmp_path, tmp_path, "digest")
    monkeypatch.setattr(thumbnails, "image_bytes", lambda *_: jpeg(600, 400))
    first = thumbnail(images, 0)
    monkeypatch.setattr(thumbnails, "image_bytes", None)
    assert thumbnail(images, 0) == first
