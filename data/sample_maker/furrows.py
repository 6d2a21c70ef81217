"""The furrows of the brain surface: winding lines that leave each other room."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter

from .shapes import SIZE, Canvas, Point, draw_stroke, outline, smooth_curve

HALF = outline(
    "0 -0.75, 0.2 -0.735, 0.38 -0.64, 0.5 -0.46, 0.565 -0.22, 0.6 0.05, 0.59 0.3, "
    "0.52 0.52, 0.37 0.7, 0.17 0.785, 0 0.79"
)
"""Brain surface of one side; the other is its mirror image."""


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

    def grow(
        self, at: np.ndarray, angle: float, length: float, *, width: float = 1.0, room: float = 0.050
    ) -> None:
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
        fissure = smooth_curve(
            [(s * 0.60, -0.13 + j[0]), (s * 0.50, -0.07), (s * 0.42, -0.04 + j[1]), (s * 0.365, 0.01)]
        )
        furrows.line(fissure, np.linspace(width * 2.4, width * 1.5, len(fissure)))
        insula = smooth_curve(
            [(s * 0.395, -0.17), (s * 0.36, -0.07), (s * 0.352, 0.03), (s * 0.375, 0.13 + j[2])]
        )
        furrows.line(insula, width * 1.4)
    for y in (*np.linspace(-0.68, -0.38, 4), *np.linspace(0.48, 0.70, 3)):
        for s in (-1, 1):
            start = np.array([s * 0.014, y + rng.normal(0, 0.02)])
            furrows.grow(
                start, (0.0 if s > 0 else np.pi) + rng.normal(0, 0.35), rng.uniform(0.10, 0.20), width=0.85
            )
    surface = smooth_curve([*HALF, *[(-x, y) for x, y in HALF[-2:0:-1]]], closed=True, steps=30)
    places = (np.arange(46) + rng.uniform(-0.32, 0.32, 46)) / 46
    for k in rng.permutation(46):
        at = surface[int(places[k] % 1 * (len(surface) - 1))]
        inwards = np.arctan2(0.02 - at[1], -at[0])
        furrows.grow(at, inwards + rng.normal(0, 0.30), rng.uniform(0.12, 0.34))
    drawn = np.asarray(furrows.image.resize((SIZE, SIZE), Image.Resampling.BOX), dtype=float) / 255
    return gaussian_filter(drawn, 0.8)
