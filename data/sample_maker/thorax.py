"""Bones and vessels of the chest, in space, for the frontal and the lateral radiograph."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter

from .projection import Points, ball, tube
from .shapes import SIZE, Canvas, Point, draw_stroke, outline, smooth_curve

RIB_REACH = (0.30, 0.45, 0.54, 0.60, 0.645, 0.675, 0.695, 0.70, 0.69, 0.65, 0.57, 0.44)
RIB_DROP = (0.15, 0.22, 0.29, 0.34, 0.38, 0.41, 0.44, 0.46, 0.46, 0.44, 0.30, 0.20)
RIB_END = (2.5, 2.55, 2.55, 2.5, 2.5, 2.45, 2.4, 2.3, 2.15, 2.0, 1.45, 1.05)
"""Half width, fall from spine to front, and end angle (radians) of ribs 1 to 12."""


def rib_path(k: int, *, side: int, rng: np.random.Generator) -> Points:
    """Course of rib ``k`` (0..11) from the spine to the front; ``side`` -1 is the patient's right."""
    phi = np.linspace(0.06, RIB_END[k], 260)
    reach = RIB_REACH[k] * (1 + 0.01 * rng.standard_normal())
    x = side * (0.05 + (reach - 0.05) * np.sin(phi) ** 0.92)
    y = -0.80 + 0.116 * k + RIB_DROP[k] * (1 - np.cos(phi)) / 2 - 0.02 * np.sin(np.minimum(2 * phi, np.pi))
    z = -0.42 * np.cos(phi) * (0.55 + 0.45 * min(1.0, k / 5))
    return np.stack([x, y + 0.004 * rng.standard_normal(), z], axis=1)


def break_rib(path: Points, *, at: float, step: float) -> list[Points]:
    """Two displaced halves of a rib, broken at the share ``at`` of its length."""
    i = round(at * len(path))
    outer = path[i + 9 :].copy()
    outer[:, 1] += step
    outer[:, 0] += np.sign(path[i, 0]) * step * 0.5
    return [path[: i + 3], outer]


def ribs(rng: np.random.Generator, *, broken: dict[tuple[int, int], float] | None = None) -> Points:
    """All 24 ribs as one cloud; ``broken`` {(side, rib): share of the length} are fractured there."""
    clouds = []
    for side in (-1, 1):
        for k in range(12):
            path = rib_path(k, side=side, rng=rng)
            at = (broken or {}).get((side, k))
            parts = [path] if at is None else break_rib(path, at=at, step=0.065)
            for part in parts:
                taper = 0.0135 + 0.002 * np.linspace(0, 1, len(part))
                clouds.append(tube(part, taper, flat=1.75, around=48, fill=0.1))
    return np.vstack(clouds)


def spine(rng: np.random.Generator, *, top: float = -1.1, bottom: float = 1.1) -> Points:
    """Vertebral bodies with end plates, pedicles, transverse and spinous processes."""
    clouds = []
    y = top
    bend = 0.012 * rng.standard_normal()
    while y < bottom:
        height = 0.092 + 0.022 * (y + 1)
        x0 = bend * np.sin(2 * y)
        r = 0.062 + 0.016 * (y + 1) / 2
        t = np.linspace(-1, 1, 40)
        path = np.stack([np.full(40, x0), y + t * height * 0.42, np.full(40, -0.34)], axis=1)
        clouds.append(tube(path, r * (0.9 + 0.1 * t**2), fill=0.35, around=60))
        for end in (-1, 1):
            plate = np.stack(
                [np.full(8, x0), y + end * height * 0.42 + np.linspace(-1, 1, 8) * 0.003, np.full(8, -0.34)],
                1,
            )
            clouds += [tube(plate, r * s, around=60) for s in (1.0, 0.85, 0.7, 0.55, 0.4, 0.25)]
        for side in (-1, 1):
            clouds.append(ball((x0 + side * r * 0.62, y - 0.012, -0.44), (0.013, 0.021, 0.02), rings=30))
            wing = np.linspace(0, 1, 30)
            path = np.stack(
                [x0 + side * (r * 0.5 + 0.075 * wing), y - 0.006 - 0.012 * wing, -0.47 - 0.03 * wing], 1
            )
            clouds.append(tube(path, 0.012 - 0.003 * wing, around=30, fill=0.1))
        clouds.append(ball((x0, y + 0.03, -0.55), (0.010, 0.030, 0.05), rings=30))
        y += height
    return np.vstack(clouds)


def clavicles(rng: np.random.Generator) -> Points:
    """Both clavicles as S-shaped tubes from the sternum to the shoulder."""
    clouds = []
    lift = 0.015 * rng.standard_normal()
    for side in (-1, 1):
        bend = smooth_curve(
            [(0.07, -0.60), (0.20, -0.66 + lift), (0.38, -0.73 + lift), (0.56, -0.75), (0.68, -0.79)],
            steps=40,
        )
        t = np.linspace(0, 1, len(bend))
        path = np.stack([side * bend[:, 0], bend[:, 1], 0.35 - 0.2 * t], axis=1)
        clouds.append(tube(path, 0.026 - 0.008 * np.sin(np.pi * t), around=60, fill=0.15))
    return np.vstack(clouds)


def shoulders() -> Points:
    """Scapular borders, spine and acromion, and the upper end of both humeri."""
    clouds = []
    for side in (-1, 1):
        blade = outline("0.74 -0.62, 0.72 -0.4, 0.62 -0.08, 0.56 -0.02, 0.53 -0.12, 0.5 -0.4, 0.53 -0.62")
        border = smooth_curve(blade, steps=30)
        clouds.append(
            tube(
                np.stack([side * border[:, 0], border[:, 1], np.full(len(border), -0.5)], 1), 0.011, around=24
            )
        )
        crest = smooth_curve(outline("0.5 -0.52, 0.62 -0.62, 0.76 -0.74, 0.84 -0.8"), steps=30)
        clouds.append(
            tube(np.stack([side * crest[:, 0], crest[:, 1], np.full(len(crest), -0.5)], 1), 0.018, around=30)
        )
        t = np.linspace(0, 1, 160)
        shaft = np.stack([side * (0.86 + 0.07 * t), -0.66 + 0.9 * t, np.zeros(160)], 1)
        clouds.append(tube(shaft, 0.06 - 0.018 * np.minimum(1, 3 * t), around=60, fill=0.2))
        clouds.append(ball((side * 0.845, -0.68, 0.0), (0.085, 0.085, 0.08), fill=0.35))
    return np.vstack(clouds)


def vessel_tree(
    rng: np.random.Generator,
    root: Point,
    *,
    aim: float,
    spread: float,
    reach: float,
    width: float,
    branches: int = 9,
    finest: float = 0.0022,
    n: int = SIZE,
) -> Canvas:
    """Branching vessels from a root; brightness follows calibre, shape (n, n), about 0..1."""
    image = Image.new("L", (n, n), 0)
    draw = ImageDraw.Draw(image)
    angles = aim + np.linspace(-spread, spread, branches) + rng.normal(0, 0.08, branches)
    stack = [
        (np.array(root), a, width * rng.uniform(0.75, 1.1), reach * rng.uniform(0.75, 1.1)) for a in angles
    ]
    while stack:
        at, angle, w, left = stack.pop()
        if w < finest or left < 0.03:
            continue
        run = left * rng.uniform(0.25, 0.42)
        turns = angle + np.cumsum(rng.normal(0, 0.14, 6))
        points = at + np.vstack(
            [[0, 0], np.cumsum(np.stack([np.cos(turns), np.sin(turns)], 1) * run / 6, axis=0)]
        )
        draw_stroke(draw, points, np.linspace(w, w * 0.82, 7), value=int(min(255, 70 + 9000 * w)), n=n)
        fork = rng.uniform(0.25, 0.6)
        stack.append((points[-1], turns[-1] + fork * 0.5, w * 0.78, left - run))
        stack.append((points[-1], turns[-1] - fork, w * rng.uniform(0.5, 0.75), (left - run) * 0.9))
    return gaussian_filter(np.asarray(image, dtype=float) / 255, 1.3)


def fracture_sites(rng: np.random.Generator, side: str) -> list[tuple[tuple[int, int], float]]:
    """Two or three neighbouring ribs broken at the side of the chest, for the patient's side."""
    s = -1 if side == "right" else 1
    first = int(rng.integers(4, 7))
    return [((s, first + k), float(rng.uniform(0.22, 0.36))) for k in range(int(rng.integers(2, 4)))]
