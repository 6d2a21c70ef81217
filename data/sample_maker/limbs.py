"""Radiographs of hand, forearm and lower leg: long bones as shells in space inside soft tissue."""

from __future__ import annotations

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from .finish import grain, sharpen, to_image, tone, write_text
from .long_bones import cortex, fractured, long_bone
from .projection import Points, ball, shadow
from .shapes import SIZE, Canvas, Point, dome, fractal, outline, smooth_curve, stroke, warp

# Finger: base of the metacarpal, direction (radians from straight up), lengths of its bones, half width.
RAYS: tuple[tuple[Point, float, tuple[float, ...], float], ...] = (
    ((-0.205, 0.44), -0.82, (0.27, 0.20, 0.15), 0.040),
    ((-0.135, 0.335), -0.17, (0.40, 0.25, 0.155, 0.105), 0.034),
    ((-0.035, 0.315), -0.03, (0.385, 0.28, 0.185, 0.115), 0.034),
    ((0.06, 0.33), 0.11, (0.355, 0.26, 0.175, 0.11), 0.031),
    ((0.145, 0.37), 0.26, (0.325, 0.205, 0.12, 0.10), 0.029),
)
# Carpal bones: x, y, radius.
HAND_CARPALS = (
    "-0.175 0.47 0.052, -0.115 0.405 0.04, -0.03 0.395 0.056, 0.065 0.4 0.052, -0.13 0.505 0.056, "
    "-0.035 0.5 0.056, 0.055 0.49 0.045, 0.085 0.47 0.032"
)
FOREARM_CARPALS = (
    "-0.13 0.82 0.062, -0.03 0.81 0.062, 0.06 0.82 0.05, -0.1 0.93 0.055, 0 0.92 0.06, 0.09 0.92 0.05"
)


def carpals(text: str, *, flat: float) -> Points:
    """Small round bones of the wrist from "x y radius, ..."."""
    bones = [[float(v) for v in bone.split()] for bone in text.split(",")]
    return np.vstack([ball((x, y, 0.0), (r, r * flat, r * flat), fill=0.5) for x, y, r in bones])


def hand(rng: np.random.Generator, *, fracture: bool) -> tuple[Points, Canvas]:
    """Bones and soft tissue of a hand seen from behind, fingers up; thumb on the viewer's left."""
    clouds, flesh = [], np.zeros((SIZE, SIZE))
    for ray, (base, lean, lengths, width) in enumerate(RAYS):
        at, angle = np.array(base), lean + rng.normal(0, 0.02)
        path = [at.copy()]
        for k, length in enumerate(lengths):
            step = np.array([np.sin(angle), -np.cos(angle)]) * length
            slim = width * (1 - 0.13 * k) * 0.80
            axis, radius = long_bone(
                tuple(at),
                tuple(at + step * 0.965),
                shaft=slim * 0.72,
                head=slim * 1.22,
                foot=slim * (1.18 if k < len(lengths) - 1 else 0.75),
                bow=0.015,
            )
            if fracture and ray == 4 and k == 0:
                clouds.append(fractured(axis, radius, rng, at=rng.uniform(0.60, 0.72)))
            else:
                clouds.append(cortex(axis, radius))
            at = at + step
            path.append(at.copy())
            angle += rng.normal(0, 0.02) + (0.02 if ray else 0.03)
        flesh = np.maximum(flesh, stroke(np.array(path), np.linspace(3.3, 2.3, len(path)) * width, soft=3))
        flesh = np.maximum(
            flesh, stroke(np.array([path[-1], path[-1] + 0.25 * (path[-1] - path[-2])]), width * 2.0, soft=3)
        )
    clouds.append(carpals(HAND_CARPALS, flat=0.86))
    for a, b, shaft, foot in (
        ((-0.085, 0.575), (-0.06, 1.3), 0.062, 0.125),
        ((0.085, 0.565), (0.10, 1.3), 0.048, 0.072),
    ):
        axis, radius = long_bone(a, b, shaft=shaft, head=foot, foot=shaft)
        clouds.append(cortex(axis, radius))
    palm = stroke([(-0.02, 0.10), (-0.03, 0.30), (-0.01, 0.48)], np.array([0.42, 0.44, 0.36]), soft=4)
    wrist = stroke([(0.0, 0.45), (0.01, 0.7), (0.02, 1.3)], np.array([0.36, 0.33, 0.40]), soft=4)
    thenar = stroke([(-0.20, 0.42), (-0.30, 0.26)], 0.16, soft=4)
    return np.vstack(clouds), np.maximum.reduce([flesh, palm, wrist, thenar])


def forearm(rng: np.random.Generator, *, fracture: bool) -> tuple[Points, Canvas]:
    """Radius and ulna between elbow (top) and wrist (bottom)."""
    radius_bone = long_bone((-0.10, -0.66), (-0.13, 0.72), shaft=0.052, head=0.072, foot=0.115, bow=0.045)
    ulna = long_bone((0.10, -0.80), (0.10, 0.70), shaft=0.050, head=0.115, foot=0.055, bow=-0.015)
    humerus = long_bone((0.03, -1.9), (0.03, -0.86), shaft=0.09, head=0.09, foot=0.21)
    clouds = [cortex(*ulna), cortex(*humerus)]
    clouds.append(
        fractured(*radius_bone, rng, at=rng.uniform(0.45, 0.75)) if fracture else cortex(*radius_bone)
    )
    clouds.append(carpals(FOREARM_CARPALS, flat=0.9))
    flesh = stroke(
        smooth_curve(outline("0.02 -1.2, 0 -0.7, -0.01 -0.3, 0 0.2, -0.01 0.7, -0.01 1.1")),
        np.interp(np.linspace(0, 1, 81), [0, 0.3, 0.45, 0.8, 1], [0.62, 0.74, 0.70, 0.46, 0.50]),
        soft=4,
    )
    return np.vstack(clouds), flesh


def leg(rng: np.random.Generator, *, fracture: bool) -> tuple[Points, Canvas]:
    """Tibia and fibula between knee (top) and ankle (bottom)."""
    tibia = long_bone((-0.03, -0.80), (-0.05, 0.78), shaft=0.080, head=0.215, foot=0.130, bow=-0.012)
    fibula = long_bone((0.185, -0.68), (0.105, 0.86), shaft=0.034, head=0.062, foot=0.062, bow=-0.02)
    clouds = [
        cortex(*fibula),
        0.9 * cortex(*long_bone((-0.03, -2.2), (-0.03, -0.86), shaft=0.11, head=0.11, foot=0.25)),
    ]
    clouds.append(fractured(*tibia, rng, at=rng.uniform(0.45, 0.72)) if fracture else cortex(*tibia))
    clouds.append(ball((-0.04, 0.90, 0), (0.13, 0.085, 0.10), fill=0.6))
    flesh = stroke(
        smooth_curve(outline("0 -1.3, 0 -0.8, 0.05 -0.4, 0.02 0.2, 0.01 0.7, 0 1.2")),
        np.interp(np.linspace(0, 1, 81), [0, 0.25, 0.4, 0.75, 0.9, 1], [0.80, 0.72, 0.78, 0.44, 0.42, 0.5]),
        soft=5,
    )
    return np.vstack(clouds), flesh


SCENES = {"hand": (hand, (262, 310)), "forearm": (forearm, (200, 310)), "leg": (leg, (200, 310))}


def draw_limb(rng: np.random.Generator, *, part: str, findings: tuple[str, ...], side: str) -> Image.Image:
    """A synthetic radiograph of a limb; the left side is the mirror image of the right."""
    scene, size = SCENES[part]
    cloud, flesh = scene(rng, fracture=bool(findings))
    bone = 0.0030 * shadow(cloud, blur=1.1)
    spongy = gaussian_filter((bone > 0.05).astype(float), 2) * fractal(rng, scale=0.025, octaves=3)
    a = 0.24 * dome(flesh, depth=0.16) * flesh + 0.05 * flesh + bone * (1 + 0.10 * spongy)
    large = 1.12 if part == "hand" else 1.0
    stretch, shift = (large * rng.uniform(1.05, 1.14),) * 2, (0.0, 0.25 * (large - 1))
    a = warp(a, rng, amount=0.008, scale=0.9, turn=rng.normal(0, 0.03), stretch=stretch, shift=shift)
    if side == "left":
        a = a[:, ::-1]
    film = sharpen(tone(a, 0.0, rng.uniform(0.92, 1.05), gamma=0.80), radius=7, amount=0.35)
    film = grain(0.025 + 0.95 * film, rng, amount=0.014)
    width = round(SIZE * size[0] / size[1])
    cut = (SIZE - width) // 2
    image = to_image(film[:, cut : SIZE - cut], size)
    write_text(image, (0.94, 0.04), "L" if side == "left" else "R", size=16, value=230, anchor="rt")
    return image
