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


class Furrows:
    """Furrows drawn so far: on a canvas of twice the size, and as a map of where there is still room."""

    def __init__(self, rng: np.random.Generator, *, width: float) -> None:
        self.rng, self.width = rng, width
        self.image = Image.new("L", (2 * SIZE, 2 * SIZE), 0)
        self.draw = ImageDraw.Draw(self.image)
        self.taken = np.empty((0, 2))

    def line(self, points: list[Point] | np.ndarray, width: float | np.ndarray) -> None:
        """Draw a furrow whatever lies there, and mark its place as taken."""
        draw_stroke(self.draw, points, width, n=2 * SIZE)
        self.taken = np.vstack([self.taken, np.asarray(points)])

    def grow(self, at: np.ndarray, angle: float, length: float, *, width: float = 1.0, room: float = 0.050) -> None:
        """A winding furrow from the surface inwards; it ends before the deep structures or another furrow."""
        step, wander = 0.014, 0.0
        path = [np.asarray(at, dtype=float)]
        others = self.taken
        for _ in range(round(length / step)):
            wander = 0.75 * wander + self.rng.normal(0, 0.11)
            angle += wander * 0.55
            after = path[-1] + step * np.array([np.cos(angle), np.sin(angle)])
            deep = np.hypot(after[0] / 0.60, (after[1] - 0.02) / 0.78) < 0.55 and abs(after[0]) > 0.15
            close = len(path) > 2 and len(others) and np.min(np.hypot(*(others - after).T)) < room
            if deep or close:
                break
            path.append(after)
        if len(path) < 6:
            return
        share = np.linspace(0, 1, len(path))
        self.line(np.array(path), self.width * width * (1.35 - 0.5 * share))
        if len(path) > 11 and self.rng.random() < 0.6:
            k = int(len(path) * self.rng.uniform(0.55, 0.8))
            turn = self.rng.choice([-1.0, 1.0]) * self.rng.uniform(0.8, 1.2)
            self.taken, kept = others, self.taken
            self.grow(path[k], angle + turn, length * 0.45, width=width * 0.85, room=room * 0.8)
            self.taken = np.vstack([kept, self.taken[len(others) :]])


def furrow_lines(rng: np.random.Generator, *, width: float) -> Canvas:
    """Sulci, both Sylvian fissures and the fissure between the hemispheres."""
    furrows = Furrows(rng, width=width)
    wobble = rng.normal(0, 0.006, 4)
    furrows.line(smooth_curve([(wobble[0], -0.78), (wobble[1], -0.6), (0.0, -0.33)]), 0.015)
    furrows.line(smooth_curve([(0.0, 0.42), (wobble[2], 0.6), (wobble[3], 0.82)]), 0.015)
    for s in (-1, 1):
        j = rng.normal(0, 0.012, 3)
        fissure = smooth_curve([(s * 0.60, -0.13 + j[0]), (s * 0.50, -0.07), (s * 0.42, -0.04 + j[1]), (s * 0.365, 0.01)])
        furrows.line(fissure, np.linspace(width * 2.4, width * 1.5, len(fissure)))
        insula = smooth_curve([(s * 0.395, -0.17), (s * 0.36, -0.07), (s * 0.352, 0.03), (s * 0.375, 0.13 + j[2])])
        furrows.line(insula, width * 1.4)
    for y in (*np.linspace(-0.68, -0.38, 4), *np.linspace(0.48, 0.70, 3)):
        for s in (-1, 1):
            start = np.array([s * 0.014, y + rng.normal(0, 0.02)])
            furrows.grow(start, (0.0 if s > 0 else np.pi) + rng.normal(0, 0.35), rng.uniform(0.10, 0.20), width=0.85)
    surface = smooth_curve([*OUTLINE, *[(-x, y) for x, y in OUTLINE[-2:0:-1]]], closed=True, steps=30)
    places = (np.arange(46) + rng.uniform(-0.32, 0.32, 46)) / 46
    for k in rng.permutation(46):
        at = surface[int(places[k] % 1 * (len(surface) - 1))]
        inwards = np.arctan2(0.02 - at[1], -at[0])
        furrows.grow(at, inwards + rng.normal(0, 0.30), rng.uniform(0.12, 0.34))
    drawn = np.asarray(furrows.image.resize((SIZE, SIZE), Image.Resampling.BOX), dtype=float) / 255
    return gaussian_filter(drawn, 0.8)


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
        scalp=ring(1.205, 1.160), skull=ring(1.125, 1.10), inside=ring(1.030 + 0.02 * atrophy, 1.025 + 0.02 * atrophy), brain=brain, furrows=furrows * brain,
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
