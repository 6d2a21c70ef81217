"""Frontal chest radiograph: attenuation of body, air, heart and bone added up, then shown as film."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from . import thorax
from .chest_findings import Lungs, add_findings
from .finish import grain, sharpen, to_image, tone, write_text
from .projection import shadow
from .shapes import SIZE, Canvas, blob, dome, ellipse, fractal, grid, outline, smooth_curve, stroke, warp

RIGHT_LUNG = (
    "-0.25 -0.8, -0.44 -0.66, -0.57 -0.36, -0.645 0, -0.675 0.3, -0.675 0.46, -0.655 0.5, -0.6 0.415, "
    "-0.48 0.315, -0.33 0.285, -0.17 0.35, -0.07 0.4, -0.06 0, -0.07 -0.5, -0.13 -0.72"
)
LEFT_LUNG = (
    "0.25 -0.8, 0.44 -0.66, 0.57 -0.36, 0.645 0, 0.68 0.32, 0.68 0.5, 0.66 0.54, 0.6 0.46, "
    "0.49 0.375, 0.35 0.345, 0.18 0.4, 0.08 0.43, 0.07 0, 0.08 -0.5, 0.13 -0.72"
)
HEART = (
    "-0.10 -0.08, -0.0825 0.06, -0.0925 0.2, -0.14 0.34, 0 0.42, 0 0.45, 0 0.4, 0 0.31, 0 0.17, 0 0, "
    "0.165 -0.10, 0.13 -0.20, 0 -0.22"
)
HEART_GROWS = "0 0, -0.0825 0, -0.0925 0, 0 0, 0 0, 0.18 0, 0.335 0, 0.375 0, 0.335 0, 0.24 0, 0 0, 0 0, 0 0"
TRUNK = (
    "-0.16 -1.25, -0.2 -1, -0.36 -0.93, -0.72 -0.9, -1 -0.74, -1.2 -0.3, -1.02 -0.1, -0.87 0, -0.82 0.3, "
    "-0.82 1.3, 0.82 1.3, 0.82 0.3, 0.87 0, 1.02 -0.1, 1.2 -0.3, 1 -0.74, 0.72 -0.9, 0.36 -0.93, 0.2 -1, "
    "0.16 -1.25"
)


@dataclass(frozen=True)
class Build:
    """What differs between two people: drawn once per image from its generator."""

    heart: float
    bones: float
    breasts: float
    exposure: float
    turn: float
    stretch: tuple[float, float]

    @staticmethod
    def draw(rng: np.random.Generator, *, findings: tuple[str, ...]) -> Build:
        return Build(
            heart=rng.uniform(1.42, 1.6) if "cardiomegaly" in findings else rng.uniform(0.88, 1.08),
            bones=rng.uniform(0.8, 1.2) * (1.7 if "rib fracture" in findings else 1.0),
            breasts=float(rng.choice([0.0, 0.0, 0.10, 0.16])),
            exposure=rng.uniform(-0.05, 0.05),
            turn=rng.normal(0, 0.022),
            stretch=(rng.uniform(1.10, 1.29), rng.uniform(1.08, 1.30)),
        )


def lungs(rng: np.random.Generator) -> Lungs:
    """Masks of both lung fields (right is the viewer's left)."""
    right = np.array(outline(RIGHT_LUNG))
    left = np.array(outline(LEFT_LUNG))
    j = rng.normal(0, 0.012, 8)
    for lung, (apex, angle, dome_height) in ((right, j[:3]), (left, j[3:6])):
        lung[0, 1] += apex
        lung[5:7, 1] += angle
        lung[7:10, 1] += dome_height
    return Lungs(right=blob(right, soft=1.6), left=blob(left, soft=1.6))


def heart_and_vessels(build: Build, rng: np.random.Generator) -> tuple[Canvas, Canvas]:
    """Silhouette of heart and great vessels (where there is little air), and their own attenuation."""
    edge = np.array(outline(HEART, grow=HEART_GROWS, by=build.heart))
    j = rng.normal(0, 0.01, 6)
    edge[2, 1] += j[0]
    edge[6:8, 0] += j[1]
    shape = blob(edge, soft=3.0)
    trunk = blob(
        outline(
            "-0.085 -0.8, -0.1 -0.4, -0.115 -0.05, -0.1 0.4, 0.1 0.45, 0.1 0, 0.095 -0.25, "
            "0.085 -0.45, 0.1 -0.8"
        ),
        soft=4,
    )
    knob = ellipse((0.068 + j[2], -0.36 + j[3]), (0.078, 0.085), soft=3)
    cone = ellipse((0.12, -0.16), (0.075, 0.09), soft=3)
    descending = stroke([(0.125, -0.36), (0.115, 0.0), (0.085, 0.5)], 0.085, soft=3)
    silhouette = np.maximum.reduce([shape, 0.85 * trunk, 0.9 * knob, 0.8 * cone])
    own = (
        0.20 * shape * dome(shape, depth=0.30) + 0.06 * trunk + 0.07 * knob + 0.05 * cone + 0.06 * descending
    )
    return silhouette, own


def body_and_air(build: Build, rng: np.random.Generator) -> Canvas:
    """Attenuation of trunk, neck and shoulders, minus windpipe and stomach bubble."""
    trunk = blob(outline(TRUNK), soft=2)
    _, y = grid()
    belly = 0.30 / (1 + np.exp(-(y - 0.42) * 9))
    tissue = (0.80 + belly) * (0.30 + 0.70 * dome(trunk, depth=0.42)) * trunk
    axilla = sum(0.13 * ellipse((s * 0.80, -0.34), (0.12, 0.34), turn=s * 0.12, soft=14) for s in (-1, 1))
    breasts = sum(build.breasts * ellipse((s * 0.40, 0.24), (0.25, 0.24), soft=10) for s in (-1, 1))
    airway = 0.17 * stroke([(0.005, -1.0), (0.0, -0.6), (0.008, -0.30)], 0.062, soft=2.5)
    airway += 0.09 * stroke([(0.0, -0.31), (-0.07, -0.23), (-0.13, -0.16)], 0.045, soft=3)
    airway += 0.09 * stroke([(0.01, -0.31), (0.09, -0.22), (0.15, -0.17)], 0.04, soft=3)
    bubble = 0.27 * ellipse(
        (0.40, 0.56), (0.13, 0.075), turn=0.15, soft=4, ragged=0.08 * fractal(rng, scale=0.3)
    )
    gas = 0.10 * ellipse((0.22, 0.86), (0.16, 0.07), soft=7, ragged=0.2 * fractal(rng, scale=0.2))
    return np.asarray(tissue + axilla + breasts - airway - bubble - gas + 0.012 * fractal(rng, scale=0.15))


def lung_markings(rng: np.random.Generator) -> Canvas:
    """Vessels fanning out from both hila, with the hilar shadow itself."""
    right = thorax.vessel_tree(
        rng, (-0.135, -0.12), aim=np.pi * 0.98, spread=1.45, reach=0.60, width=0.025, branches=8
    )
    left = thorax.vessel_tree(rng, (0.15, -0.15), aim=0.06, spread=1.35, reach=0.58, width=0.024, branches=8)
    hila = ellipse((-0.155, -0.10), (0.06, 0.13), turn=0.2, soft=9) + ellipse(
        (0.17, -0.14), (0.05, 0.11), turn=-0.2, soft=9
    )
    return np.asarray(right + left + 0.45 * hila)


def leads(rng: np.random.Generator) -> Canvas:
    """Electrodes and wires that lie on the chest of a bedside image."""
    total = np.zeros((SIZE, SIZE))
    for x, y, away in ((-0.55, -0.45, -1.0), (0.58, -0.42, 1.0), (0.50, 0.42, 1.0)):
        at = (x + rng.normal(0, 0.05), y + rng.normal(0, 0.05))
        ring = ellipse(at, (0.040, 0.040), soft=0.9) - 0.75 * ellipse(at, (0.026, 0.026), soft=0.9)
        wire = smooth_curve(
            [
                at,
                (at[0] + 0.15 * away, at[1] + rng.uniform(0.05, 0.2)),
                (at[0] + 0.30 * away, at[1] + 0.35),
                (away * 0.7, 1.05),
            ]
        )
        total = np.maximum.reduce([total, 0.86 * ring, 0.9 * stroke(wire, 0.009, soft=0.7)])
    return total


def draw_chest(rng: np.random.Generator, *, findings: tuple[str, ...], side: str, view: str) -> Image.Image:
    """A synthetic frontal chest radiograph with the given findings on the given side of the patient."""
    build = Build.draw(rng, findings=findings)
    field = lungs(rng)
    bones = dict(thorax.fracture_sites(rng, side)) if "rib fracture" in findings else None
    skeleton = 0.0032 * shadow(thorax.ribs(rng, broken=bones), perspective=0.06)
    skeleton += 0.0007 * shadow(thorax.spine(rng))
    skeleton += 0.0026 * shadow(thorax.clavicles(rng)) + 0.0016 * shadow(thorax.shoulders())
    depth = dome(field.right, depth=0.30) * field.right + dome(field.left, depth=0.30) * field.left
    air = 0.60 * (0.42 * field.both + 0.58 * depth)
    soft = body_and_air(build, rng)
    silhouette, heart = heart_and_vessels(build, rng)
    air = air * (1 - 0.80 * silhouette)
    markings = 0.125 * lung_markings(rng) * (1 - 0.92 * silhouette)
    chest = add_findings(field, markings=markings, air=air, findings=findings, side=side, rng=rng)
    a = soft + heart + chest + build.bones * skeleton
    shift = (rng.normal(0, 0.02), rng.normal(0, 0.02) + 0.13)
    a = warp(a, rng, amount=0.015, turn=build.turn, stretch=build.stretch, shift=shift)
    a = a + 0.10 * gaussian_filter(a, 40)
    film = tone(a, 0.21 + build.exposure, 1.84 + build.exposure)
    film = film * (1.42 - 0.42 * film)
    film = sharpen(film, radius=9, amount=0.35)
    film = grain(0.03 + 0.94 * film, rng, amount=0.012)
    if view == "ap":
        film = np.maximum(film, leads(rng))
    width, height = (288, 288) if view == "pa" else (304, 272)
    image = to_image(film[: round(SIZE * 0.97)], (width, height))
    write_text(image, (0.955, 0.05), "L", size=17, value=235, anchor="rt")
    return image
