"""Soft shapes on a square canvas: what every synthetic image is drawn with.

Coordinates run from -1 (left, top) to 1 (right, bottom); a *canvas* is a float array of shape (n, n),
drawn at about twice the final size and reduced at the end, so that every edge is anti-aliased.
Randomness always enters as a ``numpy.random.Generator``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy.ndimage import distance_transform_edt, gaussian_filter, map_coordinates

Canvas = npt.NDArray[np.float64]
Point = tuple[float, float]
SIZE = 560
"""Side of the drawing canvas; images are saved at about half of it."""


def grid(n: int = SIZE) -> tuple[Canvas, Canvas]:
    """x and y coordinate of every pixel, each of shape (n, n)."""
    axis = (np.arange(n) + 0.5) / n * 2 - 1
    x, y = np.meshgrid(axis, axis)
    return x, y


def pixels(points: Sequence[Point] | npt.NDArray[np.float64], n: int = SIZE) -> npt.NDArray[np.float64]:
    """Coordinates (-1..1) as pixel positions, shape (m, 2)."""
    return (np.asarray(points, dtype=float) + 1) / 2 * n - 0.5


def outline(text: str, *, side: int = 1, grow: str = "", by: float = 1.0) -> list[Point]:
    """Points written as "x y, x y, ...".

    ``grow`` lists as many shifts, added ``by`` times, so that one outline serves several sizes;
    ``side`` -1 mirrors the result to the other half.
    """
    points = np.array([pair.split() for pair in text.split(",")], dtype=float)
    if grow:
        points = points + by * np.array([pair.split() for pair in grow.split(",")], dtype=float)
    return [(side * float(x), float(y)) for x, y in points]


def smooth_curve(
    points: Sequence[Point] | npt.NDArray[np.float64], *, closed: bool = False, steps: int = 16
) -> npt.NDArray[np.float64]:
    """Catmull-Rom curve through the points, shape (m, 2)."""
    p = np.asarray(points, dtype=float)
    p = np.vstack([p[-1], p, p[:2]]) if closed else np.vstack([2 * p[0] - p[1], p, 2 * p[-1] - p[-2]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    parts = [
        0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        for a, b, c, d in zip(p[:-3], p[1:-2], p[2:-1], p[3:], strict=True)
    ]
    return np.vstack([*parts, p[-2:-1]])


def polygon(points: Sequence[Point] | npt.NDArray[np.float64], *, soft: float = 1.0, n: int = SIZE) -> Canvas:
    """Filled polygon, 1 inside and 0 outside, edge blurred by ``soft`` pixels."""
    image = Image.new("L", (n, n), 0)
    ImageDraw.Draw(image).polygon([tuple(xy) for xy in pixels(points, n).tolist()], fill=255)
    return gaussian_filter(np.asarray(image, dtype=float) / 255, soft)


def blob(points: Sequence[Point] | npt.NDArray[np.float64], *, soft: float = 1.0, n: int = SIZE) -> Canvas:
    """Filled smooth closed curve through the points."""
    return polygon(smooth_curve(points, closed=True), soft=soft, n=n)


def ellipse(
    centre: Point,
    radii: Point,
    *,
    turn: float = 0.0,
    soft: float = 1.0,
    n: int = SIZE,
    ragged: Canvas | None = None,
) -> Canvas:
    """Filled ellipse turned by ``turn`` radians; ``ragged`` (a noise canvas) deforms its edge."""
    reach = max(radii) * (1.9 if ragged is not None else 1.15) + 16 * max(soft, 0.3) / n
    x0, x1, y0, y1 = (int(np.clip((c + s * reach + 1) / 2 * n, 0, n)) for c in centre for s in (-1, 1))
    canvas = np.zeros((n, n))
    window = (slice(y0, y1), slice(x0, x1))
    axis = (np.arange(n) + 0.5) / n * 2 - 1
    dx, dy = axis[None, x0:x1] - centre[0], axis[y0:y1, None] - centre[1]
    u, v = dx * np.cos(turn) + dy * np.sin(turn), -dx * np.sin(turn) + dy * np.cos(turn)
    r = np.hypot(u / radii[0], v / radii[1])
    if ragged is not None:
        r = r + ragged[window]
    scale = min(radii) * n / 2 / max(soft, 0.3)
    canvas[window] = 1 / (1 + np.exp(np.clip((r - 1) * scale * 1.7, -60, 60)))
    return canvas


def stroke(
    points: Sequence[Point] | npt.NDArray[np.float64],
    width: float | npt.NDArray[np.float64],
    *,
    soft: float = 0.8,
    n: int = SIZE,
) -> Canvas:
    """A line of the given width (in coordinates; one value or one per point), 1 on the line."""
    image = Image.new("L", (n, n), 0)
    draw_stroke(ImageDraw.Draw(image), points, width, n=n)
    return gaussian_filter(np.asarray(image, dtype=float) / 255, soft)


def draw_stroke(
    draw: ImageDraw.ImageDraw,
    points: Sequence[Point] | npt.NDArray[np.float64],
    width: float | npt.NDArray[np.float64],
    *,
    value: int = 255,
    n: int = SIZE,
) -> None:
    """Add a line to an open drawing: many lines then share one blur."""
    p = pixels(points, n)
    w = np.broadcast_to(np.asarray(width, dtype=float) * n / 2, (len(p),))
    for a, b, wa in zip(p[:-1].tolist(), p[1:].tolist(), w.tolist(), strict=False):
        draw.line([tuple(a), tuple(b)], fill=value, width=max(1, round(wa)))
        if wa > 2.5:
            r = wa / 2
            draw.ellipse([b[0] - r, b[1] - r, b[0] + r, b[1] + r], fill=value)


def dome(mask: Canvas, *, depth: float) -> Canvas:
    """Thickness of a rounded body over its mask: 0 at the edge, 1 from ``depth`` (coordinates) inwards."""
    inside = distance_transform_edt(mask > 0.5) * 2 / mask.shape[0]
    t = np.clip(inside / depth, 0, 1)
    return gaussian_filter(np.sqrt(1 - (1 - t) ** 2), 1.2)


def noise(rng: np.random.Generator, *, scale: float, n: int = SIZE) -> Canvas:
    """Smooth noise with mean 0 and standard deviation 1; ``scale`` is the size of its features."""
    cells = max(4, min(n, round(4 / scale)))
    coarse = Image.fromarray(rng.standard_normal((cells, cells)).astype(np.float32))
    fine = np.asarray(coarse.resize((n, n), Image.Resampling.BICUBIC), dtype=float)
    return np.asarray((fine - fine.mean()) / fine.std())


def fractal(rng: np.random.Generator, *, scale: float, octaves: int = 4, n: int = SIZE) -> Canvas:
    """Noise of several scales (each half the size and half the weight), standard deviation 1."""
    total = sum(noise(rng, scale=scale / 2**k, n=n) / 2**k for k in range(octaves))
    return (total - total.mean()) / total.std()


def warp(
    canvas: Canvas,
    rng: np.random.Generator,
    *,
    amount: float,
    scale: float = 0.8,
    turn: float = 0.0,
    stretch: Point = (1.0, 1.0),
    shift: Point = (0.0, 0.0),
) -> Canvas:
    """Elastic deformation, rotation, stretch and shift: no two bodies are alike."""
    n = canvas.shape[0]
    x, y = grid(n)
    dx, dy = noise(rng, scale=scale, n=n) * amount, noise(rng, scale=scale, n=n) * amount
    u, v = (x - shift[0]) / stretch[0] + dx, (y - shift[1]) / stretch[1] + dy
    c, s = np.cos(turn), np.sin(turn)
    at = [((u * s + v * c) + 1) / 2 * n - 0.5, ((u * c - v * s) + 1) / 2 * n - 0.5]
    return map_coordinates(canvas, at, order=1, mode="nearest")


def over(base: Canvas, mask: Canvas, value: float | Canvas) -> Canvas:
    """Paint ``value`` where the mask is 1, keep the base where it is 0."""
    return base * (1 - mask) + value * mask
