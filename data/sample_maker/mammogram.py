"""Mediolateral oblique mammogram: breast outline, pectoral muscle, gland tissue, vessels."""

from __future__ import annotations

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from .finish import grain, sharpen, to_image, tone, write_text
from .shapes import SIZE, Canvas, blob, dome, ellipse, fractal, outline, smooth_curve, stroke, warp


def glandular(rng: np.random.Generator, breast: Canvas, *, density: float) -> Canvas:
    """Cloudy gland tissue with strands converging on the nipple at (0.42, 0.18)."""
    cloud = ellipse((-0.10, 0.08), (0.52, 0.50), turn=0.5, soft=40, ragged=0.28 * fractal(rng, scale=0.5))
    lumps = np.clip(0.55 + 0.33 * fractal(rng, scale=0.22, octaves=5), 0, 1.4)
    strands = np.zeros((SIZE, SIZE))
    for _ in range(70):
        start = np.array([0.42, 0.18]) + rng.normal(0, 0.03, 2)
        end = np.array([rng.uniform(-0.75, 0.0), rng.uniform(-0.5, 0.75)])
        middle = (start + end) / 2 + rng.normal(0, 0.10, 2)
        share = rng.uniform(0.3, 0.8)
        curve = smooth_curve([tuple(start), tuple(middle), tuple(end)], steps=14)
        strands = np.maximum(
            strands,
            rng.uniform(0.2, 0.75)
            * stroke(curve[int(len(curve) * (1 - share) * 0.7) :], rng.uniform(0.004, 0.010), soft=1.6),
        )
    ridges = np.clip(1 - np.abs(fractal(rng, scale=0.16, octaves=4)) * 2.2, 0, 1)
    return (density * (0.30 * cloud * lumps + 0.05 * ridges * cloud) + 0.085 * strands) * gaussian_filter(
        breast, 6
    )


def draw_mammogram(rng: np.random.Generator, *, findings: tuple[str, ...], side: str) -> Image.Image:
    """A synthetic mammogram: chest wall on the viewer's left for a left breast, mirrored for a right one."""
    breast = blob(
        outline(
            "-1.25 -1.2, -0.45 -1.15, -0.22 -0.85, 0.05 -0.45, 0.3 -0.1, 0.4 0.14, "
            "0.38 0.36, 0.2 0.64, -0.2 0.86, -0.6 0.95, -0.78 1.2, -1.3 1.3"
        ),
        soft=2,
    )
    nipple = ellipse((0.425, 0.185), (0.035, 0.045), soft=2)
    muscle = blob(outline("-1.3 -1.3, -0.36 -1.25, -0.52 -0.75, -0.78 -0.15, -1.02 0.4, -1.3 0.75"), soft=7)
    density = rng.uniform(0.75, 1.35)
    a = (
        0.17 * breast * (0.35 + 0.65 * dome(breast, depth=0.30))
        + 0.10 * nipple
        + glandular(rng, breast, density=density)
    )
    a += 0.30 * muscle * (0.8 + 0.2 * dome(muscle, depth=0.5)) + 0.012 * fractal(rng, scale=0.06) * breast
    skin = np.clip(breast - gaussian_filter(breast, 4), 0, 1)
    a += 0.10 * skin
    for _ in range(3):
        y = rng.uniform(-0.5, 0.6)
        path = smooth_curve(
            [
                (-0.85, y + rng.normal(0, 0.1)),
                (-0.4, y + rng.normal(0, 0.08)),
                (0.0, y * 0.7 + rng.normal(0, 0.06)),
                (0.25, 0.1 + y * 0.4),
            ]
        )
        a += 0.05 * stroke(path, 0.013, soft=1.5) * breast
    for finding in findings:
        a = a + (
            specks(rng) if finding == "breast calcification" else lump(rng, smooth=finding == "round mass")
        )
    a = warp(a, rng, amount=0.02, scale=0.9, stretch=(rng.uniform(0.95, 1.12), rng.uniform(0.95, 1.05)))
    if side == "right":
        a = a[:, ::-1]
    film = sharpen(tone(a, 0.0, 0.66, gamma=0.9), radius=5, amount=0.45)
    film = grain(0.015 + 0.96 * film, rng, amount=0.012)
    cut = round(SIZE * 0.22)
    shown = film[:, : SIZE - cut] if side != "right" else film[:, cut:]
    image = to_image(shown, (242, 310))
    write_text(
        image,
        (0.95, 0.04) if side != "right" else (0.05, 0.04),
        "L MLO" if side != "right" else "R MLO",
        size=13,
        value=220,
        anchor="rt" if side != "right" else "lt",
    )
    return image


def lump(rng: np.random.Generator, *, smooth: bool) -> Canvas:
    """A mass: either smooth and oval or dense with radiating spicules."""
    at = (rng.uniform(-0.30, 0.08), rng.uniform(-0.10, 0.35))
    radius = rng.uniform(0.075, 0.11)
    if smooth:
        return 0.17 * ellipse(at, (radius * 1.15, radius * 0.9), turn=rng.uniform(0, 3), soft=2.5)
    mass = ellipse(at, (radius, radius * 0.9), soft=4, ragged=0.18 * fractal(rng, scale=0.15))
    rays = np.zeros((SIZE, SIZE))
    for angle in np.linspace(0, 2 * np.pi, 26) + rng.normal(0, 0.1, 26):
        length = radius * rng.uniform(1.5, 2.7)
        tip = (at[0] + length * np.cos(angle), at[1] + length * np.sin(angle))
        rays = np.maximum(rays, stroke([at, tip], np.array([0.014, 0.004]), soft=1.5))
    return 0.24 * mass + 0.11 * rays


def specks(rng: np.random.Generator) -> Canvas:
    """A cluster of tiny dense flecks."""
    at = np.array([rng.uniform(-0.25, 0.05), rng.uniform(-0.05, 0.3)])
    total = np.zeros((SIZE, SIZE))
    for _ in range(26):
        where = at + rng.normal(0, 0.055, 2)
        total = np.maximum(
            total,
            rng.uniform(0.6, 1)
            * ellipse(
                tuple(where),
                (rng.uniform(0.005, 0.011), rng.uniform(0.004, 0.008)),
                turn=rng.uniform(0, 3),
                soft=1.0,
            ),
        )
    return 0.55 * total + 0.05 * ellipse(tuple(at), (0.15, 0.14), soft=25)
