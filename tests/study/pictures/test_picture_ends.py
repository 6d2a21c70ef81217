"""Pictures that were cut off while they were copied are noticed by their ends, whole ones never."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evalcore.study.pictures.image_files import cut_images, find_images
from evalcore.study.pictures.pixels import is_cut

NOISE = Image.fromarray(np.random.default_rng(0).integers(0, 255, (90, 120), dtype=np.uint8))
TELLING = ("JPEG", "PNG", "GIF", "BMP", "WEBP")


def saved(format: str, **options: object) -> bytes:
    out = io.BytesIO()
    NOISE.save(out, format, **options)
    return out.getvalue()


@pytest.mark.parametrize("format", [*TELLING, "TIFF", "JPEG2000", "PPM"])
def test_whole_pictures_are_whole(format: str) -> None:
    assert not is_cut(io.BytesIO(saved(format)))


@pytest.mark.parametrize("format", TELLING)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.99])
def test_cut_pictures_are_noticed(format: str, share: float) -> None:
    data = saved(format)
    assert is_cut(io.BytesIO(data[: int(share * len(data))]))


def test_the_pictures_of_a_folder(tmp_path: Path) -> None:
    for name, data in {
        "a.png": saved("PNG"),
        "b.jpg": saved("JPEG")[:-300],
        "c.png": saved("PNG")[:-20],
    }.items():
        (tmp_path / name).write_bytes(data)
    images, _ = find_images(tmp_path, ("a", "b", "c", "d"), file="images")
    report = cut_images(images, file="images")
    assert [str(p) for p in report.problems] == [
        "images: The end of 2 pictures is missing, such as b.jpg. Copy them again."
    ]
    assert report.total("warning") == 2
    (tmp_path / "b.jpg").unlink()
    assert cut_images(images, file="images").total("warning") == 1
