"""What ultrasound sees: echogenicity, attenuation and bright interfaces, and the parts scenes are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

from .shapes import SIZE, Canvas, Point, ellipse, fractal, noise, over, polygon, smooth_curve, stroke

SOFT, STONE, GAS = 2.7, 42.0, 22.0
"""Attenuation per unit of depth: tissue (what the depth gain makes up for), stone, gas."""


@dataclass(frozen=True)
class Tissue:
    """Maps on the canvas; ``measured`` are the ends of a measurement, None for none."""

    echo: Canvas
    loss: Canvas
    interface: Canvas
    measured: tuple[Point, Point] | None = None


def edge_on(mask: Canvas, *, width: float = 1.6) -> Canvas:
    """Interfaces reflect most where they face the probe: the rim of a mask, stronger above and below."""
    fine = gaussian_filter(mask, width)
    dy, dx = np.gradient(fine)
    size = np.hypot(dx, dy)
    return size / max(size.max(), 1e-9) * (0.25 + 0.75 * np.abs(dy) / (size + 1e-6))


def liver_tissue(rng: np.random.Generator, *, level: float) -> tuple[Canvas, Canvas]:
    """Even parenchyma with dark veins; returns echogenicity and the walls of the portal branches."""
    echo = level * (1 + 0.10 * fractal(rng, scale=0.25)) + 0.08 * np.abs(noise(rng, scale=0.05)) * level
    veins, walls = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE))
    for k in range(int(rng.integers(2, 4))):
        top = np.array([rng.uniform(-0.55, 0.55), rng.uniform(-0.55, -0.25)])
        end = np.array([0.25 + rng.normal(0, 0.18), 0.48 + rng.normal(0, 0.05)])
        bend = (top + end) / 2 + rng.normal(0, 0.13, 2)
        curve = smooth_curve([tuple(top), tuple((top + bend) / 2), tuple(bend), tuple(end)])
        width = rng.uniform(0.030, 0.055) * (1 - 0.2 * k)
        veins = np.maximum(veins, stroke(curve, np.linspace(0.008, width, len(curve)), soft=2))
    for _ in range(int(rng.integers(3, 6))):
        at = (rng.uniform(-0.6, 0.6), rng.uniform(-0.45, 0.35))
        spot = ellipse(
            at, (rng.uniform(0.016, 0.045), rng.uniform(0.014, 0.022)), turn=rng.normal(0, 0.6), soft=1.6
        )
        veins, walls = np.maximum(veins, spot), np.maximum(walls, edge_on(spot))
    return over(echo, veins, 0.004), 0.25 * walls + 0.05 * edge_on(veins)


def diaphragm(rng: np.random.Generator, *, depth: float) -> tuple[Canvas, Canvas]:
    """The bright curved line at the back, and the mask of what lies behind it."""
    bend = rng.normal(0, 0.03)
    curve = smooth_curve(
        [
            (-1.1, depth - 0.55),
            (-0.75, depth - 0.18 + bend),
            (-0.3, depth),
            (0.2, depth + 0.02),
            (0.7, depth - 0.10 + bend),
            (1.1, depth - 0.35),
        ]
    )
    behind = np.vstack([curve, [(1.2, 1.4), (-1.2, 1.4)]])
    return stroke(curve, 0.020, soft=2.0), polygon(behind, soft=2)


def fluid_bag(
    tissue: Tissue, mask: Canvas, *, wall: float = 0.35, measured: tuple[Point, Point] | None = None
) -> Tissue:
    """Paint an anechoic space: nothing echoes, nothing is lost, the far wall shines."""
    return Tissue(
        over(tissue.echo, mask, 0.0006),
        over(tissue.loss, mask, 0.03),
        tissue.interface * (1 - mask) + wall * edge_on(mask),
        measured or tissue.measured,
    )


def stones(tissue: Tissue, places: list[tuple[Point, float]], rng: np.random.Generator) -> Tissue:
    """Bright curved caps that swallow the sound behind them."""
    echo, loss, interface = tissue.echo, tissue.loss, tissue.interface
    for (cx, cy), radius in places:
        body = ellipse((cx, cy), (radius, radius * 0.7), soft=1.4, ragged=0.15 * fractal(rng, scale=0.12))
        cap = body * (1 - ellipse((cx, cy + radius * 0.55), (radius * 1.1, radius * 0.75), soft=2))
        echo, loss = over(echo, body, 1.0), over(loss, body, STONE)
        interface = interface + 0.9 * cap
    return Tissue(echo, loss, interface, tissue.measured)


def base(rng: np.random.Generator, *, level: float = 0.15) -> Tissue:
    """Liver everywhere, the diaphragm at the back, something dim behind it."""
    echo, walls = liver_tissue(rng, level=level)
    line, behind = diaphragm(rng, depth=rng.uniform(0.52, 0.66))
    echo = over(echo, behind, 0.055 * np.exp(0.5 * fractal(rng, scale=0.15)))
    return Tissue(echo, np.full((SIZE, SIZE), SOFT), walls * (1 - behind) + 0.75 * line)


def bowel_gas(tissue: Tissue, rng: np.random.Generator, at: Point) -> Tissue:
    """A bright ragged front with a dirty shadow."""
    front = ellipse(
        at, (0.20, 0.045), turn=rng.uniform(0.1, 0.5), soft=5, ragged=0.4 * fractal(rng, scale=0.12)
    )
    return Tissue(
        over(tissue.echo, front, 0.8),
        over(tissue.loss, front, GAS),
        tissue.interface + 0.3 * front,
        tissue.measured,
    )
