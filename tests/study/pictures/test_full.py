"""Whole pictures for the viewer: every pixel, no metadata, and a bound."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from evalcore.study.pictures import image_files as thumbnails
from evalcore.study.pictures.image_files import find_images, full_picture
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from evalcore.values.model import ImageFiles


def study_of(root: Path, content: bytes, name: str) -> ImageFiles:
    (root / name).write_bytes(content)
    images, _ = find_images(root, (name.partition(".")[0],), file="images")
    assert images is not None
    return images


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def test_every_pixel_is_there_and_no_metadata(tmp_path: Path) -> None:
    ramp = np.tile(np.linspace(0, 255, 640).astype(np.uint8), (480, 1))
    exif = Image.Exif()
    exif[0x010E] = "Name of a patient"
    data = saved(Image.fromarray(ramp), "JPEG", quality=95, exif=exif)
    assert b"Name of a patient" in data
    shown = full_picture(study_of(tmp_path, data, "a.jpg"), 0)
    assert b"Name of a patient" not in shown
    with Image.open(io.BytesIO(shown)) as picture:
        assert picture.size == (640, 480)
        assert np.abs(np.asarray(picture).astype(int) - ramp).max() <= 4


def test_a_picture_beyond_the_bound_is_made_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thumbnails, "LONGEST", 100)
    data = saved(Image.new("RGB", (400, 200), "white"), "PNG")
    with Image.open(io.BytesIO(full_picture(study_of(tmp_path, data, "a.png"), 0))) as picture:
        assert picture.size == (100, 50)


def test_a_damaged_picture_is_one_error(tmp_path: Path) -> None:
    data = saved(Image.new("L", (50, 50)), "PNG")[:40]
    with pytest.raises(InputError, match=r"a\.png"):
        full_picture(study_of(tmp_path, data, "a.png"), 0)
