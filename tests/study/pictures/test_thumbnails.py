"""Thumbnails: whole, small, without metadata, made once per content; the cache stays within its size."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from evalcore.study.pictures.image_files import find_images, shrunk, thumbnail
from evalcore.values.errors import SettingError
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


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [(1_200, 800, (256, 171)), (300, 900, (85, 256)), (100, 50, (100, 50)), (3_000, 4, (256, 1))],
)
def test_the_whole_picture_at_most_so_large(width: int, height: int, expected: tuple[int, int]) -> None:
    assert size_of(shrunk(jpeg(width, height), file="x", size=256)) == expected


@pytest.mark.parametrize("size", [0, 15, 5_000])
def test_sizes_outside_the_range(size: int, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="size"):
        thumbnail(study_of(tmp_path, jpeg(20, 20)), 0, size=size)
