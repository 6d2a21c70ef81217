"""Reading one image from a folder, a zip, a parquet shard; all of them checked."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from evalcore.study.pictures.image_files import find_images, image_bytes
from evalcore.study.pictures.pixels import decode
from evalcore.values.errors import InputError
from evalcore.values.model import ImageFiles

if TYPE_CHECKING:
    from pathlib import Path


def png(grey: int) -> bytes:
    out = io.BytesIO()
    Image.new("L", (6, 4), grey).save(out, "PNG")
    return out.getvalue()


def in_folder(root: Path, pictures: dict[str, bytes]) -> ImageFiles:
    (root / "images").mkdir()
    for name, data in pictures.items():
        (root / "images" / f"{name}.png").write_bytes(data)
    return find_images(root / "images", sorted(pictures), file="images")[0]


def in_zip(root: Path, pictures: dict[str, bytes]) -> ImageFiles:
    with zipfile.ZipFile(root / "images.zip", "w") as archive:
        for name, data in pictures.items():
            archive.writestr(f"deep/{name}.png", data)
    return find_images(root / "images.zip", sorted(pictures), file="images.zip")[0]


def in_shards(root: Path, pictures: dict[str, bytes]) -> ImageFiles:
    rows = [{"bytes": data, "path": f"{name}.png"} for name, data in sorted(pictures.items())]
    pq.write_table(
        pa.table({"image": rows, "n": list(range(len(rows)))}), root / "s.parquet", row_group_size=2
    )
    return ImageFiles(tuple(f"s.parquet#{k}" for k in range(len(rows))), root, root, "digest")


def picture(images: ImageFiles, image: int) -> Image.Image:
    return decode(image_bytes(images, image), file="a.png")


@pytest.mark.parametrize("place", [in_folder, in_zip, in_shards])
def test_the_right_picture_from_every_place(place: object, tmp_path: Path) -> None:
    images = place(tmp_path, {f"i{k:02}": png(10 * k) for k in range(20)})
    for k in (0, 1, 2, 7, 19):
        assert picture(images, k).getpixel((0, 0)) == 10 * k
        assert image_bytes(images, k) == png(10 * k)


@pytest.mark.parametrize("place", [in_folder, in_zip, in_shards])
def test_broken_pictures_are_reported(place: object, tmp_path: Path) -> None:
    images = place(tmp_path, {"a": png(1), "b": b"no picture", "c": png(2)[:40]})
    assert picture(images, 0).size == (6, 4)
    with pytest.raises(InputError, match="is not an image of a known format"):
        picture(images, 1)
    with pytest.raises(InputError):
        picture(images, 2)
