"""Head MRI (T1 after contrast, T2, FLAIR) and head CT from the same slice."""

from __future__ import annotations

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from . import head_findings
from .brain import Head, head, pushed
from .finish import grain, to_image, tone, write_text
from .shapes import SIZE, Canvas, ellipse, fractal, grid, noise, over, warp

# grey, white, deep, fluid, plexus, fat of the scalp, skull, bright line of marrow
TISSUE = {
    "t1": (0.46, 0.64, 0.50, 0.10, 0.75, 0.88, 0.06, 0.42),
    "t2": (0.56, 0.37, 0.50, 0.97, 0.70, 0.62, 0.05, 0.30),
    "flair": (0.58, 0.45, 0.53, 0.08, 0.45, 0.58, 0.05, 0.25),
    "ct": (0.475, 0.40, 0.49, 0.16, 0.60, 0.24, 1.0, 0.86),
}


def paint(slice_: Head, contrast: str, rng: np.random.Generator) -> Canvas:
    """Signal (or density) of every pixel of a healthy slice."""
    grey, white, deep, fluid, plexus, fat, bone, marrow = TISSUE[contrast]
    texture = fractal(rng, scale=0.06)
    canvas = over(np.zeros((SIZE, SIZE)), slice_.scalp, fat * (1 + 0.06 * texture))
    skin = np.clip(slice_.scalp - gaussian_filter(slice_.scalp, 5) ** 2, 0, 1)
    canvas = canvas * (1 - 0.35 * skin) if contrast != "ct" else canvas + 0.22 * skin
    for side in (-1, 1):
        temporal = ellipse(
            (side * 0.655, -0.12), (0.05, 0.27), turn=side * 0.08, soft=4, ragged=0.05 * texture
        )
        canvas = over(canvas, temporal * slice_.scalp, 0.50 if contrast == "ct" else 0.30)
    canvas = over(canvas, slice_.skull, bone)
    diploe = (
        np.clip(gaussian_filter(slice_.skull, 4) - 0.93, 0, 0.07)
        / 0.07
        * (1 - gaussian_filter(slice_.inside, 5))
    )
    canvas = over(canvas, np.clip(1.3 * diploe, 0, 1) * 0.75, marrow * (1 + 0.12 * texture))
    canvas = over(canvas, slice_.inside, fluid)
    matter = (
        over(np.full((SIZE, SIZE), white), slice_.grey, grey)
        + 0.008 * texture
        + 0.012 * noise(rng, scale=0.4)
    )
    matter = over(matter, slice_.deep * (1 - slice_.grey), deep)
    canvas = over(canvas, slice_.brain, matter)
    canvas = over(canvas, slice_.furrows, fluid)
    canvas = over(canvas, slice_.ventricles, fluid)
    return over(canvas, 0.6 * slice_.plexus, plexus)


def vessels(canvas: Canvas, contrast: str, rng: np.random.Generator) -> Canvas:
    """Sinus and falx: bright after contrast, dark flow voids in T2, faint in CT."""
    value = {"t1": 0.97, "t2": 0.06, "flair": 0.2, "ct": 0.58}[contrast]
    sinus = ellipse((rng.normal(0, 0.006), 0.825), (0.030, 0.026), soft=2)
    front = ellipse((rng.normal(0, 0.006), -0.785), (0.014, 0.014), soft=2)
    falx = ellipse((0.0, -0.57), (0.0045, 0.19), soft=1.0) + ellipse((0.0, 0.62), (0.0045, 0.17), soft=1.0)
    canvas = over(canvas, np.clip(sinus + front, 0, 1), value)
    return over(canvas, 0.55 * falx, {"t1": 0.72, "t2": 0.42, "flair": 0.42, "ct": 0.62}[contrast])


def scanner(canvas: Canvas, contrast: str, rng: np.random.Generator) -> Canvas:
    """Coil shading and Rician noise of MRI; quantum noise and cupping of CT."""
    if contrast == "ct":
        mottle = gaussian_filter(rng.standard_normal(canvas.shape), 1.6)
        return tone(canvas + 0.020 * mottle / mottle.std() * (canvas > 0.05), 0.0, 0.92)
    shade = 1 + 0.07 * noise(rng, scale=1.2)
    real = canvas * shade + 0.013 * gaussian_filter(rng.standard_normal(canvas.shape), 0.8) * 2.2
    return np.hypot(real, 0.014 * np.abs(gaussian_filter(rng.standard_normal(canvas.shape), 0.8)) * 2.2)


def draw_head(
    rng: np.random.Generator, *, contrast: str, findings: tuple[str, ...], side: str
) -> Image.Image:
    """A synthetic axial head image; the patient's left is on the viewer's right."""
    finding = findings[0] if findings else ""
    size = rng.uniform(1.9, 2.5) if finding == "hydrocephalus" else rng.uniform(0.75, 1.15)
    slice_ = head(
        rng, ventricle_size=size, atrophy=0.0 if finding == "hydrocephalus" else rng.uniform(0, 0.5)
    )
    lesion = head_findings.plan(finding, side, rng)
    if lesion.push:
        slice_ = slice_.moved(
            pushed(lesion.centre, reach=lesion.reach, amount=lesion.push, shift=lesion.shift)
        )
    canvas = vessels(paint(slice_, contrast, rng), contrast, rng)
    canvas = head_findings.paint_lesion(canvas, slice_, lesion, contrast, rng)
    turn, stretch = rng.normal(0, 0.035), (rng.uniform(0.98, 1.06), rng.uniform(0.99, 1.06))
    shift = (rng.normal(0, 0.012), rng.normal(0, 0.012))
    canvas = warp(canvas, rng, amount=0.012, turn=turn, stretch=stretch, shift=shift)
    if contrast == "ct":
        rest = ellipse((0.0, 0.30), (0.93, 0.80), soft=1.5) - ellipse((0.0, 0.27), (0.93, 0.80), soft=1.5)
        _, y = grid()
        canvas = canvas + 0.35 * np.clip(rest, 0, 1) * (y > 0.55) * (canvas < 0.05)
    film = grain(scanner(canvas, contrast, rng), rng, amount=0.006)
    cut = round(SIZE * 0.075)
    image = to_image(film[:, cut:-cut], (256, 300))
    write_text(image, (0.04, 0.5), "R", size=13, value=190, anchor="lm")
    write_text(image, (0.96, 0.5), "L", size=13, value=190, anchor="rm")
    return image
