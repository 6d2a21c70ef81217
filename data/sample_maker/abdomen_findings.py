"""Findings of the abdominal CT."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

from .shapes import SIZE, Canvas, ellipse, fractal, grid, over

WATER = 0.40


@dataclass(frozen=True)
class Organs:
    """Soft masks a finding may refer to; kidneys and sinuses: the patient's right one first."""

    liver: Canvas
    spleen: Canvas
    kidneys: tuple[Canvas, ...] = ()
    sinuses: tuple[Canvas, ...] = ()


def paint_finding(
    canvas: Canvas, organs: Organs, finding: str, side: str, rng: np.random.Generator
) -> Canvas:
    """The slice with its finding; an unknown or empty name changes nothing."""
    s = -1 if side == "right" else 1
    if finding == "liver mass":
        return liver_mass(canvas, organs.liver, rng)
    if finding == "liver cyst":
        return liver_cyst(canvas, organs.liver, rng)
    if finding == "ascites":
        return ascites(canvas, organs, rng)
    if finding == "aortic aneurysm":
        return aneurysm(canvas, rng)
    if finding in ("renal cyst", "kidney stone", "hydronephrosis", "renal mass"):
        which = 0 if s < 0 else 1
        return KIDNEY[finding](canvas, organs.kidneys[which], organs.sinuses[which], s, rng)
    return canvas


def liver_mass(canvas: Canvas, liver: Canvas, rng: np.random.Generator) -> Canvas:
    """Dark, uneven tumour with a brighter rim; sometimes satellites."""
    centre = (rng.uniform(-0.52, -0.38), rng.uniform(-0.22, 0.06))
    spots = [(centre, rng.uniform(0.11, 0.165))]
    for _ in range(int(rng.integers(0, 4))):
        spots.append(((rng.uniform(-0.62, -0.25), rng.uniform(-0.38, 0.15)), rng.uniform(0.03, 0.05)))
    for at, radius in spots:
        edge = 0.11 * fractal(rng, scale=0.25)
        rim = ellipse(at, (radius * 1.10, radius), soft=2.5, ragged=edge)
        mass = ellipse(at, (radius, radius * 0.9), soft=2.5, ragged=edge)
        core = ellipse(at, (radius * 0.45, radius * 0.4), soft=5, ragged=3 * edge)
        canvas = over(canvas, 0.7 * rim * liver, 0.71)
        canvas = over(canvas, mass * liver, 0.52 + 0.035 * fractal(rng, scale=0.06))
        canvas = over(canvas, 0.8 * core * liver, 0.43)
    return canvas


def liver_cyst(canvas: Canvas, liver: Canvas, rng: np.random.Generator) -> Canvas:
    """Water density, sharp margin."""
    at = (rng.uniform(-0.52, -0.38), rng.uniform(-0.24, 0.05))
    radius = rng.uniform(0.09, 0.15)
    bag = ellipse(
        at, (radius, radius * rng.uniform(0.85, 1.1)), soft=1.3, ragged=0.03 * fractal(rng, scale=0.4)
    )
    canvas = over(canvas, bag * liver, WATER)
    if rng.random() < 0.5:
        canvas = over(canvas, ellipse((at[0] + 0.17, at[1] - 0.14), (0.035, 0.032), soft=1.3) * liver, WATER)
    return canvas


def ascites(canvas: Canvas, organs: Organs, rng: np.random.Generator) -> Canvas:
    """Fluid in the space between organs and wall, following gravity and the liver edge."""
    _, y = grid()
    solid = np.clip(organs.liver + organs.spleen, 0, 1)
    near = np.clip(gaussian_filter(solid, 16) * 3.2 - 0.25, 0, 1) * (1 - solid)
    fat = np.clip(1 - np.abs(gaussian_filter(canvas, 1.5) - 0.17) * 12, 0, 1)
    inside = ellipse((0, -0.03), (0.80, 0.50), soft=4)
    pool = np.clip(
        near + 0.8 / (1 + np.exp(-(y + 0.30) * 6)) * ellipse((0.0, -0.2), (0.7, 0.30), soft=30), 0, 1
    )
    return over(
        canvas,
        gaussian_filter(np.clip(pool * fat * inside * 1.6, 0, 1), 1.2),
        WATER + 0.015 * fractal(rng, scale=0.1),
    )


def aneurysm(canvas: Canvas, rng: np.random.Generator) -> Canvas:
    """A wide aorta: bright lumen, wall thrombus, flecks of calcium in the rim."""
    at, radius = (0.055, -0.09), rng.uniform(0.125, 0.165)
    ragged = 0.04 * fractal(rng, scale=0.4)
    sac = ellipse(at, (radius * 1.05, radius), soft=1.5, ragged=ragged)
    lumen = ellipse(
        (at[0] + rng.normal(0, 0.015), at[1] + 0.02), (radius * 0.62, radius * 0.58), soft=1.6, ragged=ragged
    )
    canvas = over(over(canvas, sac, 0.50 + 0.012 * fractal(rng, scale=0.05)), lumen, 0.87)
    x, y = grid()
    angle = np.arctan2(y - at[1], x - at[0])
    rim = np.clip(sac - ellipse(at, (radius * 0.97, radius * 0.92), soft=1.2, ragged=ragged), 0, 1)
    flecks = np.clip(np.sin(angle * 3 + rng.uniform(0, 6)) + 0.5 * np.sin(angle * 7) - 0.35, 0, 1)
    return np.minimum(canvas + 1.4 * rim * flecks, 1.0)


def renal_cyst(canvas: Canvas, _kidney: Canvas, _sinus: Canvas, s: int, rng: np.random.Generator) -> Canvas:
    """A round bag of water bulging from the outer border."""
    radius = rng.uniform(0.075, 0.105)
    at = (s * rng.uniform(0.52, 0.56), rng.uniform(0.06, 0.20))
    bag = ellipse(at, (radius, radius), soft=1.3)
    wall = ellipse(at, (radius * 1.05, radius * 1.05), soft=1.2)
    return over(over(canvas, wall, 0.55), bag, WATER)


def stone(canvas: Canvas, _kidney: Canvas, sinus: Canvas, s: int, rng: np.random.Generator) -> Canvas:
    """A very dense fleck in the sinus."""
    at = (s * rng.uniform(0.40, 0.46), 0.13 + rng.uniform(-0.02, 0.03))
    canvas = over(canvas, 0.8 * sinus, 0.36)
    spot = ellipse(
        at,
        (rng.uniform(0.026, 0.04), rng.uniform(0.02, 0.028)),
        turn=rng.uniform(0, 3),
        soft=1.0,
        ragged=0.15 * fractal(rng, scale=0.1),
    )
    return over(canvas, spot, 1.12)


def hydronephrosis(canvas: Canvas, kidney: Canvas, sinus: Canvas, s: int, rng: np.random.Generator) -> Canvas:
    """The pelvis and calyces wide with urine, the parenchyma thinned."""
    wide = np.clip(gaussian_filter(sinus, 9) * 3.6 - 0.55, 0, 1)
    calyces = np.zeros((SIZE, SIZE))
    for angle in (-1.0, -0.15, 0.75):
        at = (s * (0.44 + 0.075 * np.cos(angle)), 0.13 + 0.10 * np.sin(angle))
        calyces = np.maximum(calyces, ellipse(at, (0.040, 0.034), soft=2))
    pelvis = ellipse((s * 0.33, 0.125), (0.085, 0.055), turn=-s * 0.15, soft=2)
    fluid = np.clip(np.maximum.reduce([wide * kidney, calyces, pelvis]), 0, 1)
    return over(canvas, fluid, WATER + 0.006 * fractal(rng, scale=0.05))


def renal_mass(canvas: Canvas, _kidney: Canvas, _sinus: Canvas, s: int, rng: np.random.Generator) -> Canvas:
    """A solid uneven lump growing out of the kidney."""
    radius = rng.uniform(0.10, 0.13)
    at = (s * 0.53, rng.uniform(0.05, 0.20))
    edge = 0.08 * fractal(rng, scale=0.25)
    lump = ellipse(at, (radius, radius * 0.95), soft=1.8, ragged=edge)
    canvas = over(canvas, lump, 0.68 + 0.06 * fractal(rng, scale=0.06))
    return over(canvas, ellipse(at, (radius * 0.5, radius * 0.42), soft=4, ragged=2.5 * edge), 0.47)


KIDNEY = {
    "renal cyst": renal_cyst,
    "kidney stone": stone,
    "hydronephrosis": hydronephrosis,
    "renal mass": renal_mass,
}
