"""From canvas to file: grain, tone, the small marks a scanner leaves, and the bytes."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import gaussian_filter

from .shapes import Canvas

JPEG_QUALITY = 84


def tone(canvas: Canvas, low: float, high: float, *, gamma: float = 1.0) -> Canvas:
    """Window the canvas to 0..1 and bend it by ``gamma``."""
    return np.clip((canvas - low) / (high - low), 0, 1) ** gamma


def grain(canvas: Canvas, rng: np.random.Generator, *, amount: float, soft: float = 0.7) -> Canvas:
    """Film or detector grain, a little stronger in the mid tones."""
    field = gaussian_filter(rng.standard_normal(canvas.shape), soft)
    field = field / field.std()
    return canvas + amount * field * (0.35 + 2.6 * np.clip(canvas, 0, 1) * (1 - np.clip(canvas, 0, 1)))


def sharpen(canvas: Canvas, *, radius: float, amount: float) -> Canvas:
    """Unsharp mask, as digital radiography applies it."""
    return canvas + amount * (canvas - gaussian_filter(canvas, radius))


def to_image(canvas: Canvas, size: tuple[int, int]) -> Image.Image:
    """An 8-bit grey image of the given width and height, reduced with a good filter."""
    data = np.round(np.clip(canvas, 0, 1) * 255).astype(np.uint8)
    return Image.fromarray(data).resize(size, Image.Resampling.LANCZOS)


def write_text(
    image: Image.Image, at: tuple[float, float], text: str, *, size: int, value: int, anchor: str
) -> None:
    """Write a small label, positions in 0..1 of the image."""
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=size)
    fill: int | tuple[int, int, int] = value if image.mode == "L" else (value, value, value)
    draw.text((at[0] * image.width, at[1] * image.height), text, fill=fill, font=font, anchor=anchor)


def tint(image: Image.Image, colour: tuple[float, float, float]) -> Image.Image:
    """The grey image in the tone of an old film or a monitor; black stays black."""
    data = np.asarray(image, dtype=float)[..., None] / 255
    shade = np.array(colour)
    toned = data ** (1 / np.maximum(shade, 0.2)) * (0.72 + 0.28 * shade)
    return Image.fromarray(np.round(np.clip(toned, 0, 1) * 255).astype(np.uint8))


def jpeg_bytes(image: Image.Image) -> bytes:
    """The file content; the same bytes for the same image and library version."""
    buffer = io.BytesIO()
    image.save(
        buffer, "JPEG", quality=JPEG_QUALITY, optimize=True, subsampling=2 if image.mode == "RGB" else 0
    )
    return buffer.getvalue()
