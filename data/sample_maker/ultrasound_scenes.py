"""What lies under the probe: echogenicity, attenuation and bright interfaces of three scenes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.ndimage import gaussian_filter

from .shapes import blob, ellipse, fractal, grid, noise, outline, over
from .ultrasound_kidney import kidney_scene
from .ultrasound_tissue import Tissue, base, bowel_gas, fluid_bag, stones

PEAR = (
    "-1 0, -0.72 -0.72, -0.2 -1, 0.4 -0.75, 0.85 -0.35, 1.1 -0.12, 1.08 0.12, 0.8 0.4, 0.35 0.8, -0.2 1, "
    "-0.75 0.75"
)
"""Outline of the gallbladder along and across its axis."""


def gallbladder_scene(rng: np.random.Generator, finding: str) -> Tissue:
    """A pear of bile under the liver; stones lie on its dependent wall."""
    tissue = bowel_gas(base(rng), rng, (0.62, 0.10))
    cx, cy, turn = rng.uniform(-0.04, 0.12), rng.uniform(-0.16, -0.04), rng.uniform(0.1, 0.45)
    length, thick = rng.uniform(0.40, 0.48), rng.uniform(0.16, 0.20)
    middle, axis = np.array([cx, cy]), np.array([np.cos(turn), np.sin(turn)])
    normal = np.array([-axis[1], axis[0]])
    points = np.array([middle + axis * u * length + normal * v * thick for u, v in outline(PEAR)])
    bag = blob(points, soft=1.6)
    wall = np.clip(gaussian_filter(bag, 5) * 3 - 0.35, 0, 1)
    tissue = Tissue(over(tissue.echo, wall, 0.30), tissue.loss, tissue.interface, tissue.measured)
    (x0, y0), (x1, y1) = middle - axis * length, middle + axis * length * 1.1
    tissue = fluid_bag(tissue, bag, measured=((float(x0), float(y0)), (float(x1), float(y1))))
    if finding != "gallstones":
        return tissue
    places = []
    for k in range(int(rng.integers(1, 4))):
        along = rng.uniform(-0.55, 0.35) if k else rng.uniform(-0.4, 0.1)
        radius = rng.uniform(0.045, 0.085)
        at = middle + axis * along * length + normal * (thick * 0.86 - radius * 0.55)
        places.append(((float(at[0]), float(at[1])), radius))
    return stones(tissue, places, rng)


def liver_scene(rng: np.random.Generator, finding: str) -> Tissue:
    """Right lobe with veins; cyst, echogenic mass or fluid around it."""
    tissue = base(rng, level=rng.uniform(0.13, 0.19))
    at = (rng.uniform(-0.30, 0.25), rng.uniform(-0.25, 0.12))
    if finding == "liver cyst":
        radius = rng.uniform(0.14, 0.22)
        bag = ellipse(at, (radius, radius * 0.9), soft=1.6, ragged=0.03 * fractal(rng, scale=0.3))
        return fluid_bag(tissue, bag, measured=((at[0] - radius, at[1]), (at[0] + radius, at[1])))
    if finding == "liver mass":
        radius = rng.uniform(0.13, 0.19)
        mass = ellipse(at, (radius, radius * 0.9), soft=3, ragged=0.06 * fractal(rng, scale=0.25))
        echo = over(tissue.echo, mass, 0.85 * (1 + 0.25 * fractal(rng, scale=0.06)))
        ends = ((at[0] - radius, at[1]), (at[0] + radius, at[1]))
        return Tissue(echo, tissue.loss, tissue.interface * (1 - mass), ends)
    if finding == "ascites":
        x, y = grid()
        border = -0.55 + 0.10 * np.sin(2.2 * x + 0.4) + 0.03 * noise(rng, scale=0.4)
        gap = gaussian_filter(((y > border) & (y < border + 0.20 + 0.1 * x)).astype(float), 2)
        side = ellipse((-0.72, 0.15), (0.22, 0.55), turn=-0.35, soft=4)
        return fluid_bag(tissue, np.clip(np.maximum(gap, side), 0, 1), wall=0.4)
    return tissue


SCENES: Mapping[str, Callable[[np.random.Generator, str], Tissue]] = {
    "gallbladder": gallbladder_scene,
    "kidney": kidney_scene,
    "liver": liver_scene,
}
