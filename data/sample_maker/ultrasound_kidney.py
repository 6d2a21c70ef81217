"""Ultrasound of the kidney: dark pyramids around a bright sinus, liver in front."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .shapes import Point, ellipse, fractal, grid, noise, outline, over, stroke
from .ultrasound_tissue import Tissue, base, edge_on, fluid_bag, stones

CALYCES = "-0.48 -0.2, -0.25 -0.48, 0.1 -0.52, 0.4 -0.38, 0.52 0.1, -0.45 0.3, 0.15 0.5"
"""Where the widened calyces lie, along and across the kidney."""


def kidney_scene(rng: np.random.Generator, finding: str) -> Tissue:
    """Longitudinal kidney: dark pyramids around a bright sinus, liver in front."""
    tissue = base(rng, level=rng.uniform(0.12, 0.16))
    centre, turn = (rng.uniform(-0.06, 0.08), rng.uniform(-0.02, 0.08)), rng.uniform(-0.25, 0.25)
    rx, ry = rng.uniform(0.56, 0.64), rng.uniform(0.26, 0.295)
    uneven = 0.03 * fractal(rng, scale=0.3)
    fat = ellipse(centre, (rx * 1.13, ry * 1.22), turn=turn, soft=5, ragged=uneven)
    bean = ellipse(centre, (rx, ry), turn=turn, soft=2, ragged=uneven)
    behind = np.clip((grid()[1] - centre[1] - 0.15) * 6, 0, 1)
    muscle = 0.09 * (1 + 0.9 * np.abs(noise(rng, scale=0.05)))
    echo = over(tissue.echo, behind * 0.9, muscle)
    echo = over(echo, fat, 0.34 * (1 + 0.2 * fractal(rng, scale=0.1)))
    echo = over(echo, bean, 0.085 * (1 + 0.12 * fractal(rng, scale=0.12)))
    axis, normal = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])

    def at(u: float, v: float) -> Point:
        p = np.array(centre) + axis * u * rx + normal * v * ry
        return float(p[0]), float(p[1])

    for u in np.linspace(-0.66, 0.66, 6):
        for v in (-0.52, 0.52):
            pyramid = ellipse(at(u, v * np.sqrt(1 - u * u * 0.8)), (0.052, 0.062), turn=turn, soft=3)
            echo = over(echo, 0.85 * pyramid, 0.028)
    sinus = ellipse(centre, (rx * 0.60, ry * 0.38), turn=turn, soft=4, ragged=0.22 * fractal(rng, scale=0.14))
    echo = over(echo, sinus, 0.62 * (1 + 0.30 * fractal(rng, scale=0.06)))
    interface = tissue.interface * (1 - fat) + 0.20 * edge_on(bean)
    tissue = Tissue(echo, tissue.loss, interface, (at(-1, 0), at(1, 0)))
    return kidney_finding(tissue, finding, at, (rx, ry, turn), rng)


def kidney_finding(
    tissue: Tissue,
    finding: str,
    at: Callable[[float, float], Point],
    shape: tuple[float, float, float],
    rng: np.random.Generator,
) -> Tissue:
    """Cyst, widened collecting system or stone of the kidney."""
    rx, ry, turn = shape
    if finding == "renal cyst":
        radius = rng.uniform(0.13, 0.18)
        where = at(rng.choice([-0.62, 0.60]), rng.uniform(-0.25, 0.35))
        bag = ellipse(where, (radius, radius * 0.92), soft=1.6)
        return fluid_bag(tissue, bag, measured=((where[0] - radius, where[1]), (where[0] + radius, where[1])))
    if finding == "hydronephrosis":
        bag = ellipse(
            at(0.0, 0.05), (rx * 0.46, ry * 0.44), turn=turn, soft=3, ragged=0.10 * fractal(rng, scale=0.2)
        )
        for u, v in outline(CALYCES):
            radii = (rng.uniform(0.07, 0.10), rng.uniform(0.05, 0.07))
            calyx = ellipse(at(u, v), radii, turn=turn + np.arctan2(v, u), soft=2.5)
            neck = stroke([at(0.6 * u, 0.3 * v), at(u, v)], 0.065, soft=2.5)
            bag = np.maximum.reduce([bag, calyx, neck])
        return fluid_bag(tissue, bag, wall=0.22)
    if finding == "kidney stone":
        spot = at(rng.uniform(-0.35, 0.35), rng.uniform(-0.05, 0.2))
        return stones(tissue, [(spot, rng.uniform(0.045, 0.065))], rng)
    return tissue
