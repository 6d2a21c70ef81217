"""Lateral chest radiograph: the same bones seen from the side, the patient facing the viewer's left."""

from __future__ import annotations

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from . import thorax
from .finish import grain, sharpen, to_image, tone, write_text
from .projection import Points, shadow, tube
from .shapes import SIZE, Canvas, blob, dome, ellipse, fractal, grid, outline, smooth_curve, stroke, warp


def from_the_side(cloud: Points) -> Points:
    """Front to the left, and the backward curve of the thoracic spine."""
    turned = cloud.copy()
    back = np.clip(0.5 - turned[:, 2], 0, 1)
    turned[:, 2] = -turned[:, 2] * 1.12 + 0.15 * back * (1 - (turned[:, 1] + 0.05) ** 2) - 0.02
    return turned


def sternum() -> Points:
    """Manubrium and body as a flat tube along the front."""
    line = smooth_curve(outline("-0.33 -0.62, -0.4 -0.45, -0.455 -0.15, -0.47 0.12, -0.45 0.22"), steps=40)
    return tube(np.stack([np.zeros(len(line)), line[:, 1], line[:, 0]], axis=1), 0.022, around=40)


def soft_parts(rng: np.random.Generator, *, fluid: bool) -> Canvas:
    """Trunk minus both lungs, with heart, vessels, trachea, diaphragm and, if asked, fluid at the back."""
    trunk = blob(
        outline(
            "-0.22 -1.2, -0.26 -0.88, -0.44 -0.62, -0.56 -0.3, -0.6 0.1, -0.6 0.5, "
            "-0.62 1.2, 0.62 1.2, 0.66 0.5, 0.7 0, 0.64 -0.45, 0.48 -0.8, 0.4 -1.2"
        ),
        soft=2,
    )
    lungs = blob(
        outline(
            "0.02 -0.8, -0.16 -0.68, -0.33 -0.52, -0.43 -0.22, -0.46 0.08, -0.445 0.24, "
            "-0.3 0.16, -0.1 0.13, 0.12 0.2, 0.32 0.36, 0.46 0.56, 0.54 0.56, 0.57 0.3, "
            "0.57 -0.1, 0.5 -0.48, 0.32 -0.76, 0.16 -0.83"
        ),
        soft=2,
    )
    second = blob(
        outline(
            "-0.44 0.27, -0.28 0.22, -0.05 0.2, 0.18 0.27, 0.36 0.42, 0.46 0.6, 0.52 0.6, "
            "0.55 0.4, 0.2 0.1, -0.4 0.1"
        ),
        soft=2,
    )
    heart = blob(
        outline(
            "-0.43 0.16, -0.42 0, -0.34 -0.14, -0.16 -0.2, -0.02 -0.12, 0.05 0.04, 0.04 0.2, "
            "-0.1 0.27, -0.3 0.27"
        ),
        soft=5,
    )
    arch = stroke(
        smooth_curve(outline("-0.2 -0.16, -0.17 -0.36, -0.02 -0.47, 0.13 -0.4, 0.2 -0.2, 0.22 0.2")),
        0.13,
        soft=6,
    )
    _, y = grid()
    belly = 0.22 / (1 + np.exp(-(y - 0.35) * 9))
    a = (0.92 + belly) * (0.3 + 0.7 * dome(trunk, depth=0.40)) * trunk
    a -= 0.62 * (0.45 * lungs + 0.55 * dome(lungs, depth=0.22)) + 0.10 * second * (1 - lungs)
    a += 0.30 * heart * (0.5 + 0.5 * dome(heart, depth=0.2)) + 0.11 * arch
    a -= 0.12 * stroke([(0.05, -1.0), (0.08, -0.5), (0.10, -0.25)], 0.06, soft=3)
    tree = thorax.vessel_tree(rng, (0.06, -0.16), aim=0.4, spread=3.0, reach=0.5, width=0.026, branches=15)
    a += (0.12 * tree + 0.10 * ellipse((0.06, -0.15), (0.09, 0.10), soft=8)) * gaussian_filter(lungs, 3)
    if fluid:
        x, y = grid()
        level = (
            1 / (1 + np.exp(-(y - 0.22 + 0.35 * np.clip(x - 0.2, 0, 1)) * 30)) * gaussian_filter(lungs, 1.5)
        )
        a += 0.42 * level
    return a + 0.01 * fractal(rng, scale=0.12)


def draw_lateral_chest(rng: np.random.Generator, *, findings: tuple[str, ...]) -> Image.Image:
    """A synthetic lateral chest radiograph."""
    bones = 0.0015 * shadow(from_the_side(thorax.ribs(rng)), side=True) + 0.0010 * shadow(
        from_the_side(thorax.spine(rng)), side=True
    )
    bones += 0.0022 * shadow(sternum(), side=True)
    a = soft_parts(rng, fluid="effusion" in findings) + bones
    a = warp(a, rng, amount=0.008, turn=rng.normal(0, 0.02), stretch=(1.28, 1.25), shift=(0.0, 0.10))
    a = a + 0.10 * gaussian_filter(a, 40)
    film = grain(
        0.03 + 0.94 * sharpen(tone(a, 0.22, 1.68, gamma=0.95), radius=9, amount=0.35), rng, amount=0.016
    )
    cut = round(SIZE * 0.06)
    image = to_image(film[:, cut:-cut], (262, 296))
    write_text(image, (0.045, 0.04), "L", size=16, value=235, anchor="lt")
    return image
