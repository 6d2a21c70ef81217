"""An axial slice of a head as soft tissue masks, the same for MRI and CT.

The cortex is made the way it looks: furrows (sulci) run inwards from the surface, and everything closer than
the cortical thickness to a furrow or to the surface is grey matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import distance_transform_edt, gaussian_filter, map_coordinates

from .furrows import HALF, furrow_lines
from .shapes import SIZE, Canvas, Point, blob, ellipse, fractal, grid, outline


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
        return replace(
            self, **{p: map_coordinates(getattr(self, p), at, order=1, mode="nearest") for p in parts}
        )


def ring(scale_x: float, scale_y: float, *, soft: float = 1.2) -> Canvas:
    """The brain outline scaled about its centre."""
    half = [(x * scale_x, (y - 0.02) * scale_y + 0.02) for x, y in HALF]
    return blob([*half, *[(-x, y) for x, y in half[-2:0:-1]]], soft=soft)


# Outlines of the lateral ventricles at size 0, and what one unit of size adds.
HORN = "0.022 -0.13, 0.03 -0.2, 0.06 -0.27, 0.1 -0.29, 0.075 -0.2, 0.04 -0.11"
HORN_GROWS = "0 0, 0 -0.05, 0.06 -0.05, 0.06 -0.04, 0.05 0, 0.02 0"
BACK = "0.13 0.22, 0.15 0.2, 0.2 0.3, 0.21 0.42, 0.19 0.5, 0.17 0.42, 0.155 0.31"
BACK_GROWS = "0 0, 0.05 0, 0.06 0, 0.05 0, 0 0.03, -0.01 0, 0 0"
BODY = (
    "0.02 -0.16, 0.03 -0.28, 0.07 -0.36, 0.1 -0.33, 0.06 -0.2, 0.045 0, 0.08 0.18, "
    "0.13 0.36, 0.15 0.46, 0.12 0.38, 0.06 0.2, 0.025 0.02"
)
BODY_GROWS = "0 0, 0 0, 0.05 -0.02, 0.07 0, 0.06 0, 0.05 0, 0.07 0, 0.08 0, 0.05 0, 0 0, 0 0, 0 0"


def ventricle_mask(*, size: float, low: bool) -> tuple[Canvas, Canvas]:
    """Lateral (and third) ventricles and the choroid plexus; ``size`` 1 is normal."""
    masks, plexus = [], []
    for s in (-1, 1):
        if low:
            masks.append(blob(outline(HORN, side=s, grow=HORN_GROWS, by=size), soft=1.6))
            masks.append(blob(outline(BACK, side=s, grow=BACK_GROWS, by=size), soft=1.6))
            plexus.append(ellipse((s * 0.20, 0.33), (0.022, 0.05), turn=-s * 0.3, soft=2))
        else:
            masks.append(blob(outline(BODY, side=s, grow=BODY_GROWS, by=size), soft=1.6))
            plexus.append(ellipse((s * 0.115, 0.21), (0.018, 0.07), turn=-s * 0.35, soft=2))
    if low:
        masks.append(ellipse((0, 0.045), (0.012 + 0.012 * size, 0.10), soft=1.5))
    return np.maximum.reduce(masks), np.maximum.reduce(plexus)


def deep_nuclei(*, low: bool) -> Canvas:
    """Caudate, putamen and thalamus."""
    total = np.zeros((SIZE, SIZE))
    for s in (-1, 1):
        if low:
            caudate = ellipse((s * 0.135, -0.20), (0.042, 0.075), turn=s * 0.35, soft=2.5)
            putamen = blob(
                outline(
                    "0.215 -0.2, 0.275 -0.17, 0.305 -0.05, 0.29 0.07, 0.25 0.1, 0.2 0, 0.19 -0.12", side=s
                ),
                soft=3,
            )
            thalamus = blob(
                outline("0.03 -0.03, 0.09 -0.055, 0.15 0.03, 0.165 0.14, 0.12 0.2, 0.05 0.16", side=s),
                soft=3.5,
            )
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
        scalp=ring(1.205, 1.160),
        skull=ring(1.125, 1.10),
        inside=ring(1.030 + 0.02 * atrophy, 1.025 + 0.02 * atrophy),
        brain=brain,
        furrows=furrows * brain,
        grey=grey,
        deep=deep_nuclei(low=low) * (1 - ventricles),
        ventricles=ventricles,
        plexus=plexus * ventricles,
    )


def pushed(centre: Point, *, reach: float, amount: float, shift: float = 0.0) -> tuple[Canvas, Canvas]:
    """Where to read the brain from when something at ``centre`` pushes it aside.

    ``shift`` moves the midline sideways (positive: to the viewer's right).
    """
    x, y = grid()
    dx, dy = x - centre[0], y - centre[1]
    k = amount * np.exp(-(dx**2 + dy**2) / reach**2)
    middle = shift * np.exp(-((x / 0.30) ** 2) - ((y - centre[1] * 0.4) / 0.45) ** 2)
    return x - k * dx - middle, y - k * dy
