"""An axial slice of a head as soft tissue masks, the same for MRI and CT.

The cortex is made the way it looks: furrows (sulci) run inwards from the surface, and everything closer than
the cortical thickness to a furrow or to the surface is grey matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import distance_transform_edt, gaussian_filter, map_coordinates

from .shapes import SIZE, Canvas, Point, blob, draw_stroke, ellipse, fractal, grid, smooth_curve

OUTLINE: tuple[Point, ...] = (
    (0.0, -0.75), (0.20, -0.735), (0.38, -0.64), (0.50, -0.46), (0.565, -0.22), (0.60, 0.05), (0.59, 0.30),
    (0.52, 0.52), (0.37, 0.70), (0.17, 0.785), (0.0, 0.79),
)  # fmt: skip
"""Brain surface of one side; the other is its mirror image."""


@dataclass(frozen=True)
class Head:
    """Soft masks (0..1) of one slice; ``furrows`` is the fluid in the sulci."""

    scalp: Canvas
    skull: Canvas
    inside: Canvas
    brain: Canvas
    furrows: Canvas
    grey: Canvas
    deep: Canvas
    ventricles: Canvas
    plexus: Canvas

    def moved(self, field: tuple[Canvas, Canvas]) -> Head:
        """The brain parts resampled at the given x and y positions; skull and scalp stay."""
        at = [(field[1] + 1) / 2 * SIZE - 0.5, (field[0] + 1) / 2 * SIZE - 0.5]
        parts = ("brain", "furrows", "grey", "deep", "ventricles", "plexus")
        return replace(self, **{p: map_coordinates(getattr(self, p), at, order=1, mode="nearest") for p in parts})


def ring(scale_x: float, scale_y: float, *, soft: float = 1.2) -> Canvas:
    """The brain outline scaled about its centre."""
    half = [(x * scale_x, (y - 0.02) * scale_y + 0.02) for x, y in OUTLINE]
    return blob([*half, *[(-x, y) for x, y in half[-2:0:-1]]], soft=soft)


def furrow_lines(rng: np.random.Generator, *, width: float) -> Canvas:
    """Sulci, both Sylvian fissures and the fissure between the hemispheres."""
    image = Image.new("L", (SIZE, SIZE), 0)
    draw = ImageDraw.Draw(image)
    surface = smooth_curve([*OUTLINE, *[(-x, y) for x, y in OUTLINE[-2:0:-1]]], closed=True, steps=30)
    starts = np.cumsum(rng.uniform(0.6, 1.4, 46))
    for share in starts / starts[-1]:
        at = surface[int(share * (len(surface) - 1))]
        _sulcus(draw, rng, at, np.arctan2(0.02 - at[1], -at[0]) + rng.normal(0, 0.35), rng.uniform(0.13, 0.34), width)
    for y in (*np.linspace(-0.68, -0.36, 5), *np.linspace(0.48, 0.70, 4)):
        for s in (-1, 1):
            start = np.array([s * 0.012, y + rng.normal(0, 0.015)])
            _sulcus(draw, rng, start, (0 if s > 0 else np.pi) + rng.normal(0, 0.4), rng.uniform(0.08, 0.17), width * 0.9)
    wobble = rng.normal(0, 0.006, 6)
    draw_stroke(draw, smooth_curve([(wobble[0], -0.78), (wobble[1], -0.6), (0.0, -0.33)]), 0.016)
    draw_stroke(draw, smooth_curve([(0.0, 0.42), (wobble[2], 0.6), (wobble[3], 0.82)]), 0.016)
    for s in (-1, 1):
        j = rng.normal(0, 0.012, 3)
        fissure = [(s * 0.60, -0.13 + j[0]), (s * 0.50, -0.07), (s * 0.42, -0.04 + j[1]), (s * 0.365, 0.01)]
        draw_stroke(draw, smooth_curve(fissure), np.linspace(width * 2.3, width * 1.5, 49))
        insula = [(s * 0.395, -0.17), (s * 0.36, -0.07), (s * 0.352, 0.03), (s * 0.375, 0.13 + j[2])]
        draw_stroke(draw, smooth_curve(insula), width * 1.35)
    return gaussian_filter(np.asarray(image, dtype=float) / 255, 0.9)


def _sulcus(draw: ImageDraw.ImageDraw, rng: np.random.Generator, at: np.ndarray, angle: float, length: float, width: float) -> None:
    """One winding furrow that stops before the deep structures and may fork."""
    steps = 14
    turns = angle + np.cumsum(rng.normal(0, 0.20, steps))
    points = at + np.vstack([[0, 0], np.cumsum(np.stack([np.cos(turns), np.sin(turns)], 1) * length / steps, axis=0)])
    keep = np.hypot(points[:, 0] / 0.60, (points[:, 1] - 0.02) / 0.78) > 0.56
    keep |= np.abs(points[:, 0]) < 0.16
    points = points[: int(np.argmin(keep)) if not keep.all() else len(points)]
    if len(points) < 3:
        return
    draw_stroke(draw, points, np.linspace(width * 1.3, width * 0.8, len(points)))
    if rng.random() < 0.5 and length > 0.16:
        i = len(points) * 2 // 3
        side = rng.choice([-1.0, 1.0])
        _sulcus(draw, rng, points[i], turns[min(i, steps - 1)] + side * rng.uniform(0.6, 1.1), length * 0.4, width * 0.8)


def ventricle_mask(*, size: float, low: bool) -> tuple[Canvas, Canvas]:
    """Lateral (and third) ventricles and the choroid plexus; ``size`` 1 is normal."""
    total, plexus = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE))
    w = size
    for s in (-1, 1):
        if low:
            horn = blob([(s * 0.022, -0.13), (s * 0.03, -0.20 - 0.05 * w), (s * (0.06 + 0.06 * w), -0.27 - 0.05 * w), (s * (0.10 + 0.06 * w), -0.29 - 0.04 * w), (s * (0.075 + 0.05 * w), -0.20), (s * (0.04 + 0.02 * w), -0.11)], soft=1.6)
            back = blob([(s * 0.13, 0.22), (s * (0.15 + 0.05 * w), 0.20), (s * (0.20 + 0.06 * w), 0.30), (s * (0.21 + 0.05 * w), 0.42), (s * 0.19, 0.50 + 0.03 * w), (s * (0.17 - 0.01 * w), 0.42), (s * 0.155, 0.31)], soft=1.6)
            total = np.maximum(total, np.maximum(horn, back))
            plexus = np.maximum(plexus, ellipse((s * 0.20, 0.33), (0.022, 0.05), turn=-s * 0.3, soft=2))
        else:
            body = blob([(s * 0.02, -0.16), (s * 0.03, -0.28), (s * (0.07 + 0.05 * w), -0.36 - 0.02 * w), (s * (0.10 + 0.07 * w), -0.33), (s * (0.06 + 0.06 * w), -0.20), (s * (0.045 + 0.05 * w), 0.0), (s * (0.08 + 0.07 * w), 0.18), (s * (0.13 + 0.08 * w), 0.36), (s * (0.15 + 0.05 * w), 0.46), (s * 0.12, 0.38), (s * 0.06, 0.20), (s * 0.025, 0.02)], soft=1.6)
            total = np.maximum(total, body)
            plexus = np.maximum(plexus, ellipse((s * 0.115, 0.21), (0.018, 0.07), turn=-s * 0.35, soft=2))
    if low:
        total = np.maximum(total, ellipse((0, 0.045), (0.012 + 0.012 * w, 0.10), soft=1.5))
    return total, plexus


def deep_nuclei(*, low: bool) -> Canvas:
    """Caudate, putamen and thalamus."""
    total = np.zeros((SIZE, SIZE))
    for s in (-1, 1):
        if low:
            caudate = ellipse((s * 0.135, -0.20), (0.042, 0.075), turn=s * 0.35, soft=2.5)
            putamen = blob([(s * 0.215, -0.20), (s * 0.275, -0.17), (s * 0.305, -0.05), (s * 0.29, 0.07), (s * 0.25, 0.10), (s * 0.20, 0.0), (s * 0.19, -0.12)], soft=3)
            thalamus = blob([(s * 0.03, -0.03), (s * 0.09, -0.055), (s * 0.15, 0.03), (s * 0.165, 0.14), (s * 0.12, 0.20), (s * 0.05, 0.16)], soft=3.5)
            total = np.maximum.reduce([total, caudate, 0.9 * putamen, 0.8 * thalamus])
        else:
            total = np.maximum(total, 0.9 * ellipse((s * 0.155, -0.14), (0.030, 0.15), turn=s * 0.18, soft=3))
    return total


def head(rng: np.random.Generator, *, ventricle_size: float = 1.0, atrophy: float = 0.0) -> Head:
    """A slice with its own pattern of furrows; ``atrophy`` 0..1 widens them."""
    low = bool(rng.random() < 0.6)
    brain = ring(1.0, 1.0)
    furrows = furrow_lines(rng, width=0.0105 + 0.010 * atrophy) * ring(1.04, 1.03)
    ventricles, plexus = ventricle_mask(size=ventricle_size, low=low)
    outside = (brain < 0.5) | (furrows > 0.42)
    depth = distance_transform_edt(~outside) * 2 / SIZE
    thickness = 0.040 + 0.007 * fractal(rng, scale=0.15)
    grey = gaussian_filter((depth < thickness).astype(float), 1.1) * brain
    return Head(
        scalp=ring(1.255, 1.20), skull=ring(1.155, 1.125), inside=ring(1.06, 1.05), brain=brain, furrows=furrows * brain,
        grey=grey, deep=deep_nuclei(low=low) * (1 - ventricles), ventricles=ventricles, plexus=plexus * ventricles,
    )  # fmt: skip


def pushed(centre: Point, *, reach: float, amount: float, shift: float = 0.0) -> tuple[Canvas, Canvas]:
    """Where to read the brain from when something at ``centre`` pushes it aside.

    ``shift`` moves the midline sideways (positive: to the viewer's right).
    """
    x, y = grid()
    dx, dy = x - centre[0], y - centre[1]
    k = amount * np.exp(-(dx**2 + dy**2) / reach**2)
    middle = shift * np.exp(-((x / 0.30) ** 2) - ((y - centre[1] * 0.4) / 0.45) ** 2)
    return x - k * dx - middle, y - k * dy
