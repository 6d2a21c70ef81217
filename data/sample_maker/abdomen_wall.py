"""The frame of an abdominal slice: skin, fat, muscle, ribs, vertebra and the muscles beside it."""

from __future__ import annotations

import numpy as np

from .shapes import SIZE, Canvas, blob, ellipse, fractal, outline, over, smooth_curve, stroke

FAT, WATER, MUSCLE, BONE = 0.15, 0.40, 0.53, 1.0
WALL = outline(
    "0 -0.6, 0.36 -0.575, 0.66 -0.45, 0.84 -0.2, 0.87 0.08, 0.78 0.33, 0.52 0.5, 0.22 0.545, 0 0.52"
)
"""Outline of one half of the trunk."""


def trunk(scale_x: float, scale_y: float, *, soft: float = 1.2) -> Canvas:
    """The outline of the trunk, scaled about its centre."""
    half = [(x * scale_x, y * scale_y) for x, y in WALL]
    return blob([*half, *[(-x, y) for x, y in half[-2:0:-1]]], soft=soft)


def wall(rng: np.random.Generator, *, ribs: int) -> Canvas:
    """Skin, fat under it, muscle layer, and the fat inside; ribs cut across."""
    stout = rng.uniform(0.05, 0.13)
    texture = fractal(rng, scale=0.05)
    canvas = over(np.zeros((SIZE, SIZE)), trunk(1.052, 1.052), 0.44)
    canvas = over(canvas, trunk(1.036, 1.032), FAT + 0.012 * texture)
    strands = np.clip(fractal(rng, scale=0.10) - 1.3, 0, 1)
    canvas = canvas + 0.10 * strands * trunk(1.0, 1.0)
    muscle = trunk(1.0 - stout, 1.0 - 1.2 * stout)
    canvas = over(canvas, muscle, MUSCLE + 0.02 * texture)
    outer = trunk(0.975 - stout, 0.97 - 1.2 * stout, soft=0.8)
    seam = outer - trunk(0.965 - stout, 0.957 - 1.2 * stout, soft=0.8)
    canvas = over(canvas, 0.8 * seam, FAT)
    inner = trunk(0.935 - stout, 0.925 - 1.2 * stout)
    canvas = over(canvas, inner, FAT + 0.02 + 0.015 * texture)
    return rib_cuts(canvas, rng, count=ribs, scale=0.955 - stout)


def rib_cuts(canvas: Canvas, rng: np.random.Generator, *, count: int, scale: float) -> Canvas:
    """Ribs where they cross the slice: flat bright ovals lying along the wall, with marrow."""
    curve = smooth_curve(WALL, steps=40) * scale
    for share in np.linspace(0.34, 0.80, count):
        for s in (-1, 1):
            k = int((share + rng.normal(0, 0.012)) * (len(curve) - 2))
            along = curve[k + 1] - curve[k - 1]
            turn = np.arctan2(along[1], s * along[0])
            at, length = (s * curve[k, 0], curve[k, 1]), rng.uniform(0.04, 0.085)
            canvas = over(canvas, ellipse(at, (length, 0.021), turn=turn, soft=1.2), BONE)
            canvas = over(canvas, ellipse(at, (length * 0.8, 0.010), turn=turn, soft=1.2), 0.72)
    return canvas


def spine(canvas: Canvas, rng: np.random.Generator) -> Canvas:
    """Vertebra with canal and processes, the muscles of the back and both psoas muscles."""
    texture = fractal(rng, scale=0.03)
    arch = stroke([(0, 0.355), (0.003, 0.455)], 0.030, soft=1.3)
    for s in (-1, 1):
        back = outline("0.05 0.33, 0.16 0.27, 0.32 0.32, 0.37 0.42, 0.24 0.485, 0.06 0.475", side=s)
        psoas = outline("0.14 0.1, 0.2 0.09, 0.235 0.17, 0.21 0.245, 0.15 0.25, 0.12 0.18", side=s)
        lamina = outline("0.09 0.2, 0.105 0.27, 0.06 0.335, 0 0.365", side=s)
        process = outline("0.10 0.255, 0.17 0.275, 0.245 0.268", side=s)
        canvas = over(canvas, blob(back, soft=2), 0.51 + 0.035 * fractal(rng, scale=0.07))
        canvas = over(canvas, blob(psoas, soft=2), MUSCLE)
        arch = np.maximum.reduce([arch, stroke(lamina, 0.032, soft=1.3), stroke(process, 0.026, soft=1.3)])
    canvas = over(canvas, arch, 0.94 + 0.05 * texture)
    body = blob(
        outline(
            "-0.125 0.12, -0.09 0.055, 0 0.035, 0.09 0.055, 0.125 0.12, 0.115 0.195, "
            "0.06 0.225, 0 0.215, -0.06 0.225, -0.115 0.195"
        ),
        soft=1.2,
    )
    core = blob(
        outline(
            "-0.105 0.12, -0.075 0.07, 0 0.052, 0.075 0.07, 0.105 0.12, 0.095 0.185, "
            "0.05 0.208, -0.05 0.208, -0.095 0.185"
        ),
        soft=1.6,
    )
    canvas = over(over(canvas, body, BONE), core, 0.80 + 0.05 * texture)
    canal = ellipse((0, 0.272), (0.058, 0.048), soft=1.4)
    return over(over(canvas, canal, 0.36), ellipse((0, 0.272), (0.034, 0.03), soft=1.6), 0.52)
