"""Axial abdominal CT after contrast: body wall, spine and organs at the level of the liver or the kidneys.

Values are display grey levels of a soft tissue window: fat 0.14, water 0.40, muscle 0.53, bone 1.
"""

from __future__ import annotations

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from .abdomen_findings import Organs, paint_finding
from .abdomen_wall import BONE, FAT, spine, wall
from .finish import grain, to_image, tone, write_text
from .shapes import SIZE, Canvas, Point, blob, ellipse, fractal, grid, noise, outline, over, stroke, warp
from .thorax import vessel_tree


def vessels(canvas: Canvas, rng: np.random.Generator, *, aorta: bool = True) -> Canvas:
    """Aorta (with a fleck of calcium), vena cava and the muscles beside them."""
    if aorta:
        at = (0.045 + rng.normal(0, 0.008), -0.035)
        canvas = over(canvas, ellipse(at, (0.058, 0.056), soft=1.3), 0.84)
        if rng.random() < 0.5:
            fleck = ellipse((at[0] + 0.042, at[1] + 0.035), (0.014, 0.007), turn=0.8, soft=0.9)
            canvas = over(canvas, fleck, BONE)
    return over(canvas, ellipse((-0.105, -0.03), (0.062, 0.046), turn=0.2, soft=1.4), 0.74)


def bowel(canvas: Canvas, rng: np.random.Generator, places: list[Point], *, size: float = 0.075) -> Canvas:
    """Loops with a wall, filled with contrast, fluid, stool or gas lying on top."""
    _, y = grid()
    for place in places:
        at = (place[0] + rng.normal(0, 0.015), place[1] + rng.normal(0, 0.015))
        radii = (size * rng.uniform(0.75, 1.35), size * rng.uniform(0.65, 1.0))
        turn = rng.uniform(0, np.pi)
        ragged = 0.14 * fractal(rng, scale=0.15)
        outer = ellipse(at, radii, turn=turn, soft=1.5, ragged=ragged)
        inner = ellipse(at, (radii[0] * 0.80, radii[1] * 0.78), turn=turn, soft=1.5, ragged=ragged)
        canvas = over(canvas, outer, 0.58)
        kind = rng.choice(["contrast", "fluid", "stool", "gas"], p=[0.32, 0.24, 0.2, 0.24])
        if kind == "contrast":
            canvas = over(canvas, inner, 0.96 + 0.03 * fractal(rng, scale=0.04))
        elif kind == "fluid":
            canvas = over(canvas, inner, 0.45 + 0.03 * fractal(rng, scale=0.04))
        elif kind == "stool":
            canvas = over(canvas, inner, np.clip(0.36 + 0.20 * fractal(rng, scale=0.035), 0.0, 0.6))
        else:
            surface = 1 / (1 + np.exp(-(y - at[1] - 0.25 * radii[1]) * SIZE / 2.2))
            canvas = over(canvas, inner, 0.02 + 0.46 * surface)
    return canvas


def mesentery(canvas: Canvas, rng: np.random.Generator, centre: Point, *, reach: float) -> Canvas:
    """Small vessels of the mesentery running through the fat."""
    tree = vessel_tree(rng, centre, aim=-np.pi / 2, spread=1.9, reach=reach, width=0.020, branches=9)
    fat_only = np.clip(1 - np.abs(canvas - FAT) * 9, 0, 1)
    return canvas + 0.62 * tree * gaussian_filter(fat_only, 1)


def liver_level(rng: np.random.Generator, finding: str) -> tuple[Canvas, Organs]:
    """Liver, spleen, stomach and gallbladder."""
    canvas = spine(wall(rng, ribs=5), rng)
    liver = blob(
        outline(
            "-0.73 -0.10, -0.68 -0.33, -0.46 -0.47, -0.18 -0.50, 0 -0.47, 0 -0.38, 0 -0.30, -0.03 -0.24, "
            "-0.12 -0.15, -0.19 -0.06, -0.20 0.06, -0.29 0.21, -0.47 0.34, -0.62 0.29, -0.72 0.12",
            grow="0 0, 0 0, 0 0, 0 0, 0.10 0, 0.27 0, 0.16 0, 0 0, 0 0, 0 0, 0 0, 0 0, 0 0, 0 0, 0 0",
            by=rng.uniform(0.9, 1.1),
        ),
        soft=1.6,
    )
    spleen = blob(
        outline(
            "0.7 0.02, 0.735 0.16, 0.63 0.33, 0.46 0.395, 0.43 0.345, 0.55 0.25, 0.6 0.12, "
            "0.615 0, 0.66 -0.04",
            grow="0 -0.14, 0 0, 0 0, 0 0, 0 0, -0.25 0, -0.38 -0.25, -0.3 -0.5, 0 -0.6",
            by=0.35 if finding == "splenomegaly" else 0.0,
        ),
        soft=1.6,
    )
    stomach = blob(
        outline(
            "0.18 -0.36, 0.36 -0.43, 0.56 -0.36, 0.655 -0.2, 0.6 -0.05, 0.47 -0.05, 0.42 -0.16, 0.3 -0.22"
        ),
        soft=1.6,
    )
    canvas = vessels(canvas, rng)
    kidney = ellipse((0.37, 0.20), (0.10, 0.125), turn=-0.4, soft=1.6)
    canvas = over(canvas, kidney, 0.80 + 0.05 * fractal(rng, scale=0.05))
    canvas = bowel(canvas, rng, [(0.47, 0.03), (0.33, -0.03)], size=0.065)
    pancreas = outline(
        "0 -0.17, 0.14 -0.165, 0.3 -0.1, 0.4 0.02, 0.35 0.05, 0.22 -0.03, 0.08 -0.09, -0.02 -0.1"
    )
    canvas = over(canvas, blob(pancreas, soft=2.2), 0.60 + 0.03 * fractal(rng, scale=0.04))
    canvas = stomach_content(canvas, stomach, rng)
    canvas = over(canvas, liver, 0.645 + 0.012 * fractal(rng, scale=0.05))
    tree = vessel_tree(
        rng, (-0.16, -0.16), aim=np.pi * 1.02, spread=1.0, reach=0.58, width=0.042, branches=4, finest=0.010
    )
    canvas = canvas + 0.115 * np.clip(1.3 * tree, 0, 1) * gaussian_filter(liver, 3) ** 4
    fissure = stroke([(-0.08, -0.50), (-0.115, -0.40), (-0.10, -0.28)], 0.012, soft=1.5)
    canvas = over(canvas, 0.8 * fissure, FAT + 0.1)
    if finding == "" and rng.random() < 0.7:
        canvas = over(canvas, ellipse((-0.27, -0.18), (0.055, 0.085), turn=0.5, soft=1.5), 0.43)
    canvas = over(canvas, spleen, 0.70 + 0.012 * fractal(rng, scale=0.05))
    return mesentery(canvas, rng, (0.10, -0.08), reach=0.2), Organs(liver=liver, spleen=spleen)


def stomach_content(canvas: Canvas, stomach: Canvas, rng: np.random.Generator) -> Canvas:
    """Wall, fluid or contrast, and air above the level."""
    _, y = grid()
    canvas = over(canvas, stomach, 0.60)
    inner = np.clip(gaussian_filter(stomach, 5) * 2.2 - 1.25, 0, 1)
    level = rng.uniform(-0.32, -0.18)
    filled = 0.93 if rng.random() < 0.5 else 0.44
    content = np.where(y < level, 0.02, filled + 0.03 * fractal(rng, scale=0.05))
    return over(canvas, inner, gaussian_filter(content, 1.2))


def kidney_shape(s: int, *, scale: float = 1.0) -> tuple[Canvas, Canvas]:
    """Bean and sinus of one kidney (``s`` -1: the patient's right, the viewer's left)."""
    bean = outline(
        "-0.115 0.02, -0.075 -0.12, 0.03 -0.155, 0.125 -0.09, 0.145 0.03, 0.105 0.135, 0.01 0.16, -0.07 0.115"
    )
    sinus = outline("-0.14 0.02, -0.06 -0.045, 0.03 -0.055, 0.055 0.01, 0.02 0.065, -0.06 0.06")
    placed = [[(s * (0.44 + x * scale), 0.13 + y * scale) for x, y in part] for part in (bean, sinus)]
    return blob(placed[0], soft=1.5), blob(placed[1], soft=2.2)


def kidney_level(rng: np.random.Generator, finding: str) -> tuple[Canvas, Organs]:
    """Both kidneys, the lower liver, bowel and the great vessels."""
    canvas = spine(wall(rng, ribs=4), rng)
    tip = blob(
        outline(
            "-0.735 -0.14, -0.7 -0.31, -0.56 -0.42, -0.42 -0.38, -0.42 -0.22, -0.5 -0.05, "
            "-0.6 0.08, -0.68 0.12, -0.73 0"
        ),
        soft=1.6,
    )
    canvas = bowel(
        canvas,
        rng,
        outline(
            "-0.22 -0.3, -0.06 -0.38, 0.1 -0.33, 0.26 -0.38, 0.42 -0.3, 0.55 -0.22, "
            "0.3 -0.22, -0.3 -0.15, 0.44 -0.12"
        ),
    )
    canvas = bowel(canvas, rng, [(0.66, -0.02), (-0.34, -0.40)], size=0.085)
    canvas = mesentery(canvas, rng, (0.02, -0.15), reach=0.34)
    canvas = over(canvas, tip, 0.645 + 0.012 * fractal(rng, scale=0.05))
    canvas = vessels(canvas, rng, aorta=finding != "aortic aneurysm")
    canvas = over(canvas, ellipse((-0.01, -0.145), (0.030, 0.028), soft=1.3), 0.80)
    canvas = over(canvas, ellipse((-0.08, -0.155), (0.040, 0.034), soft=1.3), 0.74)
    kidneys, sinuses = [], []
    for s in (-1, 1):
        bean, sinus = kidney_shape(s, scale=rng.uniform(0.95, 1.08))
        rim = bean - np.clip(gaussian_filter(bean, 7) * 2.6 - 1.65, 0, 1)
        pyramids = 0.06 * noise(rng, scale=0.07)
        canvas = over(canvas, bean, np.clip(0.74 + 0.20 * np.clip(rim, 0, 1) + pyramids, 0.62, 0.95))
        canvas = over(canvas, sinus, FAT + 0.06)
        vein = stroke(outline("0.41 0.135, 0.3 0.11, 0.17 0.03", side=s), 0.022, soft=1.5)
        canvas = over(canvas, 0.9 * vein, 0.70)
        kidneys.append(bean)
        sinuses.append(sinus)
    return canvas, Organs(
        liver=tip, spleen=np.zeros_like(canvas), kidneys=tuple(kidneys), sinuses=tuple(sinuses)
    )


def draw_abdomen(
    rng: np.random.Generator, *, level: str, findings: tuple[str, ...], side: str
) -> Image.Image:
    """A synthetic axial CT slice of the abdomen; the patient's left is on the viewer's right."""
    finding = findings[0] if findings else ""
    canvas, organs = (liver_level if level == "liver" else kidney_level)(rng, finding)
    canvas = paint_finding(canvas, organs, finding, side, rng)
    stretch = (rng.uniform(0.97, 1.05), rng.uniform(0.97, 1.12))
    turn, shift = rng.normal(0, 0.02), (0.0, rng.normal(-0.03, 0.01))
    canvas = warp(canvas, rng, amount=0.016, scale=0.6, turn=turn, stretch=stretch, shift=shift)
    fine, coarse = rng.standard_normal((2, SIZE, SIZE))
    mottle = gaussian_filter(fine, 1.5) - gaussian_filter(coarse, 4)
    canvas = canvas + rng.uniform(0.016, 0.030) * mottle / mottle.std() * (canvas > 0.03)
    x, y = grid()
    for lower, value in ((0.0, 0.42), (0.05, 0.25)):
        arc = np.exp(-(((y - (0.66 + lower - 0.20 * x**2)) / 0.006) ** 2)) * (np.abs(x) < 0.80)
        canvas = np.maximum(canvas, value * arc)
    film = grain(tone(canvas, 0.02, 1.0, gamma=1.0), rng, amount=0.004)
    top, bottom = round(SIZE * 0.13), round(SIZE * 0.885)
    image = to_image(film[top:bottom], (320, 242))
    write_text(image, (0.02, 0.5), "R", size=13, value=200, anchor="lm")
    write_text(image, (0.98, 0.5), "L", size=13, value=200, anchor="rm")
    return image
