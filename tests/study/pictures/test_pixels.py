"""Every kind of picture becomes 8-bit grey or RGB; whatever is broken or too large becomes an InputError."""

import io
import random
import tracemalloc
import zlib
from functools import partial

import numpy as np
import pytest
from PIL import Image

from evalcore.features.synthetic.read_pictures import intensities
from evalcore.study import pixels
from evalcore.study.parts.images import shrunk
from evalcore.study.pixels import check_header, decode, eight_bits
from evalcore.values.errors import InputError
from tests.study.made import raw_png

RAMP = np.linspace(0, 1, 64 * 48).reshape(48, 64)


def saved(image: Image.Image, format: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def shown(image: Image.Image, format: str, **options: object) -> Image.Image:
    return decode(saved(image, format, **options), file="x")


DEEP = {
    "PNG": [low + RAMP * (high - low) for low, high in ((0, 65_535), (1_000, 1_400), (32_768, 40_000))],
    "TIFF": [RAMP * 60_000, RAMP * 1e6, RAMP],
}
TYPES = {"PNG": [np.uint16] * 3, "TIFF": [np.uint16, np.int32, np.float32]}


@pytest.mark.parametrize("format", DEEP)
def test_deep_grey_is_stretched(format: str) -> None:
    for values, kind in zip(DEEP[format], TYPES[format], strict=True):
        picture = shown(Image.fromarray(values.astype(kind)), format)
        grey = np.asarray(picture)
        assert (picture.mode, grey.min(), grey.max()) == ("L", 0, 255)
        assert np.abs(grey / 255 - RAMP).max() < 0.01


def test_transparency_is_black() -> None:
    colour = np.zeros((4, 4, 4), np.uint8)
    colour[..., 0], colour[:2, :, 3] = 200, 255
    picture = shown(Image.fromarray(colour), "PNG")
    assert picture.mode == "RGB"
    assert picture.getpixel((0, 0)) == (200, 0, 0)
    assert picture.getpixel((0, 3)) == (0, 0, 0)
    grey = Image.merge("LA", (Image.new("L", (2, 2), 90), Image.new("L", (2, 2), 0)))
    assert (shown(grey, "PNG").mode, shown(grey, "PNG").getpixel((0, 0))) == ("L", 0)
    palette = Image.new("P", (2, 2), 1)
    palette.putpalette([10, 20, 30, 200, 100, 50])
    assert shown(palette, "PNG").getpixel((0, 0)) == (200, 100, 50)
    assert shown(palette, "PNG", transparency=1).getpixel((0, 0)) == (0, 0, 0)


def test_pictures_come_upright_and_without_metadata() -> None:
    exif = Image.Exif()
    exif[274], exif[315] = 6, "Dr Secret"
    data = saved(Image.new("RGB", (20, 10)), "JPEG", exif=exif, comment=b"Patient: Secret", dpi=(300, 300))
    assert b"Secret" in data
    picture = decode(data, file="x")
    assert picture.size == (10, 20)
    assert picture.info == {}
    for format in ("JPEG", "PNG"):
        assert b"Secret" not in saved(picture, format)


def test_bombs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    small = saved(Image.new("L", (10, 10)), "PNG")
    for look in (decode, check_header):
        with pytest.raises(InputError, match="x has more than 89,478,485 pixels"):
            look(raw_png(50_000, 50_000, zlib.compress(bytes(1_000))), file="x")
    monkeypatch.setattr(pixels, "MAX_PIXELS", 99)
    for look in (decode, check_header):
        with pytest.raises(InputError, match=r"\(10 x 10\)"):
            look(small, file="x")


@pytest.mark.parametrize(("width", "height"), [(1, 20_000_000), (20_000_000, 1), (65_501, 1)])
def test_a_side_that_no_picture_has_is_refused_before_it_is_decoded(width: int, height: int) -> None:
    data = raw_png(width, height, zlib.compress(bytes(height * (width + 1)), 1))
    readers = (decode, check_header, partial(intensities, side=64), partial(shrunk, size=64))
    for read in readers:  # what they import is no memory of the picture
        with pytest.raises(InputError):
            read(b"", file="x")
    tracemalloc.start()
    for read in readers:
        with pytest.raises(InputError, match=rf"x is {width:,} x {height:,} pixels; no side may be longer"):
            read(data, file="x")
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def test_cut_and_foreign_files_are_reported() -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 255, (60, 60), dtype=np.uint8))
    for format in ("JPEG", "PNG", "TIFF"):
        data = saved(noise, format)
        with pytest.raises(InputError, match=r"x is (damaged|not an image)"):
            decode(data[: len(data) // 2], file="x")
    warned = b"II*\0\x08\0\0\0\xff\xff" + bytes(50)  # Pillow warns of it first
    for data in (b"", b"not an image", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", warned):
        with pytest.raises(InputError, match="x is not an image of a known format"):
            decode(data, file="x")
        with pytest.raises(InputError, match="x is not an image"):
            check_header(data, file="x")


def test_damaged_files_raise_nothing_but_input_errors() -> None:
    chance = random.Random(11)
    picture = Image.fromarray((RAMP * 255).astype(np.uint8)).convert("RGB")
    whole = [saved(picture, format) for format in ("JPEG", "PNG", "TIFF", "GIF", "BMP", "WEBP")]
    outcomes = set()
    for _ in range(300):
        data = bytearray(chance.choice(whole))
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(min(len(data), 300))] = chance.randrange(256)
        try:
            outcomes.add(decode(bytes(data), file="x").mode)
        except InputError:
            outcomes.add("refused")
    assert {"RGB", "refused"} <= outcomes <= {"RGB", "L", "refused"}


@pytest.mark.parametrize("shape", [(1_300, 1_700), (2_000_000, 1)])
@pytest.mark.parametrize("kind", ["P", "RGBA", "LA", "1"])
def test_pieces_make_the_whole_picture(shape: tuple[int, int], kind: str) -> None:
    """More than a piece: the same as Pillow makes of the whole picture at once."""
    values = np.random.default_rng(3).integers(0, 255, (*shape, 4), dtype=np.uint8)
    image = Image.fromarray(values, "RGBA").convert(kind)
    if kind in ("RGBA", "LA"):
        black = Image.new("RGBA", image.size, (0, 0, 0, 255))
        expected = Image.alpha_composite(black, image.convert("RGBA")).convert(
            "RGB" if kind == "RGBA" else "L"
        )
    else:
        expected = image.convert({"P": "RGB", "1": "L"}.get(kind, kind))
    assert np.array_equal(np.asarray(eight_bits(image)), np.asarray(expected))


@pytest.mark.parametrize("values", ["uint16", "float32"])
def test_a_large_deep_picture_is_stretched_as_numpy_would(values: str) -> None:
    grey = np.random.default_rng(5).normal(1_000, 100, (2_300, 2_100)).astype(values)
    low, high = np.percentile(grey.astype(float), (0.1, 99.9))
    expected = np.clip((grey.astype(float) - low) / (high - low) * 255, 0, 255)
    result = np.asarray(eight_bits(Image.fromarray(grey)))
    assert np.abs(result - expected).max() < 8, (
        "from a sample: the ends differ by a hundredth of their distance"
    )
    assert np.abs(result - expected).mean() < 1
