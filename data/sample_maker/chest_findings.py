"""Findings in the lung fields: where air gives way to fluid, tissue or free air."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_erosion, gaussian_filter

from .shapes import SIZE, Canvas, dome, ellipse, fractal, grid, smooth_curve, stroke


@dataclass(frozen=True)
class Lungs:
    """Soft masks of both lung fields; right means the patient's right."""

    right: Canvas
    left: Canvas

    @property
    def both(self) -> Canvas:
        return np.maximum(self.right, self.left)

    def of(self, side: str) -> Canvas:
        return self.right if side == "right" else self.left


def add_findings(
    field: Lungs,
    *,
    markings: Canvas,
    air: Canvas,
    findings: tuple[str, ...],
    side: str,
    rng: np.random.Generator,
) -> Canvas:
    """Attenuation of the lung fields relative to the body: air, markings and what is wrong with them."""
    total = markings * gaussian_filter(field.both, 2) + 0.010 * fractal(rng, scale=0.05) * field.both - air
    sides = ("left", "right") if side == "both" else (side,)
    for finding in findings:
        for one in sides:
            if finding == "effusion":
                total = effusion(total, field.of(one), one, rng)
            elif finding == "pneumothorax":
                total = pneumothorax(total, field.of(one), air, one, rng)
            elif finding == "nodule":
                total = nodule(total, one, rng, radius=rng.uniform(0.035, 0.05))
            elif finding == "mass":
                total = nodule(total, one, rng, radius=rng.uniform(0.10, 0.135))
            elif finding == "consolidation":
                total = consolidation(total, field.of(one), one, rng)
            elif finding == "oedema":
                total = total + 0.2 * field.of(one)
    return total


def effusion(total: Canvas, lung: Canvas, side: str, rng: np.random.Generator) -> Canvas:
    """Fluid fills the base up to a meniscus that climbs along the chest wall."""
    x, y = grid()
    s = -1 if side == "right" else 1
    level = rng.uniform(-0.02, 0.26)
    lateral = np.clip((s * x - 0.15) / 0.5, 0, 1.2)
    surface = level + 0.05 - 0.30 * lateral**4
    depth = y - surface
    fluid = 1 / (1 + np.exp(-depth * 38))
    wet = gaussian_filter(lung, 1.5)
    dense = -0.03 + 0.05 * np.clip(depth, 0, 1)
    return total * (1 - fluid * wet) + dense * fluid * wet


def pneumothorax(total: Canvas, lung: Canvas, air: Canvas, side: str, rng: np.random.Generator) -> Canvas:
    """The lung has withdrawn from the wall: free air without markings outside a fine pleural line."""
    s = -1 if side == "right" else 1
    x, y = grid()
    gap = rng.uniform(0.09, 0.22)
    pull = gap * np.clip(0.55 - y, 0, 1.4)
    moved = np.clip((np.stack([y + 1 - 0.6 * pull, x + 1 + s * pull]) / 2 * SIZE).astype(int), 0, SIZE - 1)
    small = gaussian_filter(lung[moved[0], moved[1]], 1.2) * lung
    free = np.clip(lung - small, 0, 1)
    edge = np.clip((small > 0.5) ^ binary_erosion(small > 0.5, iterations=3), 0, 1) * (
        gaussian_filter(free, 6) > 0.08
    )
    line = gaussian_filter(edge.astype(float), 0.9)
    empty = -1.12 * air - 0.05 * lung
    denser = total + 0.09 * gap / 0.15 * small
    return denser * (1 - free) + empty * free + 0.17 * line


def lesion_site(side: str, rng: np.random.Generator) -> tuple[float, float]:
    """A place in the lung field away from heart and edge."""
    s = -1 if side == "right" else 1
    return s * rng.uniform(0.32, 0.48), rng.uniform(-0.45, 0.12)


def nodule(total: Canvas, side: str, rng: np.random.Generator, *, radius: float) -> Canvas:
    """A rounded opacity; the larger, the more lobulated."""
    centre = lesion_site(side, rng)
    ragged = fractal(rng, scale=0.25) * (0.05 if radius < 0.07 else 0.12)
    spot = ellipse(centre, (radius, radius * rng.uniform(0.85, 1.1)), soft=3.2, ragged=ragged)
    return total + (0.36 if radius < 0.07 else 0.42) * spot * (0.6 + 0.4 * dome(spot, depth=radius))


def consolidation(total: Canvas, lung: Canvas, side: str, rng: np.random.Generator) -> Canvas:
    """Cloudy filling of one zone with dark air bronchograms running through it."""
    s = -1 if side == "right" else 1
    upper = rng.random() < 0.35
    centre = (s * rng.uniform(0.33, 0.42), -0.42 if upper else 0.13)
    cloud = ellipse(
        centre, (0.24, 0.20), turn=rng.normal(0, 0.4), soft=22, ragged=0.20 * fractal(rng, scale=0.35)
    )
    patch = np.clip(cloud * (0.72 + 0.22 * fractal(rng, scale=0.10)), 0, 1) * gaussian_filter(lung, 1.5)
    tubes = np.zeros_like(total)
    for _ in range(3):
        end = (centre[0] + s * rng.uniform(0.03, 0.14), centre[1] + rng.uniform(-0.1, 0.12))
        path = smooth_curve(
            [(s * 0.16, -0.08), ((s * 0.16 + end[0]) / 2, (end[1] - 0.08) / 2 + rng.normal(0, 0.03)), end]
        )
        tubes = np.maximum(tubes, stroke(path, 0.011, soft=1.3))
    return total + 0.40 * patch - 0.12 * tubes * cloud
