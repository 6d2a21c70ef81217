"""Findings in the head: where they sit, how they push the brain, how they look in each contrast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

from .brain import Head, ring
from .shapes import Canvas, Point, ellipse, fractal, grid, over


@dataclass(frozen=True)
class Lesion:
    """Place, size and mass effect of a finding; ``push`` 0 leaves the brain where it is."""

    kind: str
    centre: Point = (0.0, 0.0)
    radius: float = 0.0
    push: float = 0.0
    reach: float = 0.3
    shift: float = 0.0


def plan(kind: str, side: str, rng: np.random.Generator) -> Lesion:
    """Choose place and size; the patient's right is the viewer's left."""
    s = -1 if side == "right" else 1
    if kind == "glioma":
        return Lesion(
            kind,
            (s * rng.uniform(0.24, 0.31), rng.uniform(-0.42, -0.28)),
            rng.uniform(0.10, 0.15),
            0.42,
            0.30,
            -s * 0.05,
        )
    if kind == "meningioma":
        angle = rng.uniform(-0.75, 0.55)
        return Lesion(
            kind,
            (s * 0.50 * np.cos(angle), 0.02 + 0.66 * np.sin(angle)),
            rng.uniform(0.11, 0.15),
            0.45,
            0.30,
            -s * 0.03,
        )
    if kind == "cyst":
        return Lesion(
            kind, (s * 0.44, rng.uniform(-0.22, -0.06)), rng.uniform(0.13, 0.17), 0.50, 0.32, -s * 0.02
        )
    if kind == "infarct":
        return Lesion(kind, (s * 0.44, rng.uniform(-0.05, 0.20)), rng.uniform(0.24, 0.30))
    if kind == "cerebral haemorrhage":
        return Lesion(
            kind,
            (s * rng.uniform(0.24, 0.30), rng.uniform(-0.12, 0.10)),
            rng.uniform(0.10, 0.145),
            0.45,
            0.30,
            -s * 0.05,
        )
    if kind in ("subdural haematoma", "epidural haematoma"):
        deep = kind.startswith("sub")
        return Lesion(
            kind,
            (s * 0.62, rng.uniform(-0.15, 0.10)),
            rng.uniform(0.075, 0.11) if deep else rng.uniform(0.13, 0.17),
            0.30,
            0.42,
            -s * 0.06,
        )
    return Lesion(kind)


def paint_lesion(
    canvas: Canvas, slice_: Head, lesion: Lesion, contrast: str, rng: np.random.Generator
) -> Canvas:
    """The slice with its finding painted in."""
    painter = PAINTERS.get(lesion.kind)
    return canvas if painter is None else painter(canvas, slice_, lesion, contrast, rng)


def oedema(slice_: Head, lesion: Lesion, rng: np.random.Generator, *, spread: float) -> Canvas:
    """Swelling that follows the white matter around a lesion."""
    halo = ellipse(
        lesion.centre,
        (lesion.radius * spread, lesion.radius * spread * 1.15),
        soft=16,
        ragged=0.22 * fractal(rng, scale=0.3),
    )
    return np.asarray(
        halo * slice_.brain * (1 - 0.75 * slice_.grey) * (1 - slice_.ventricles) * (1 - slice_.furrows)
    )


def glioma(canvas: Canvas, slice_: Head, lesion: Lesion, contrast: str, rng: np.random.Generator) -> Canvas:
    """Irregular tumour: enhancing rim around a necrotic core, with oedema."""
    swelling = oedema(slice_, lesion, rng, spread=2.2)
    canvas = over(canvas, 0.85 * swelling, {"t1": 0.36, "t2": 0.84}.get(contrast, 0.8))
    edge = 0.13 * fractal(rng, scale=0.22)
    outer = ellipse(lesion.centre, (lesion.radius, lesion.radius * 1.1), soft=2.2, ragged=edge)
    core = ellipse(
        lesion.centre,
        (lesion.radius * 0.66, lesion.radius * 0.72),
        soft=3,
        ragged=edge * 1.5 + 0.10 * fractal(rng, scale=0.12),
    )
    mottled = fractal(rng, scale=0.07)
    rim, inner = {"t1": (0.93, 0.22), "t2": (0.62, 0.93)}.get(contrast, (0.8, 0.5))
    canvas = over(canvas, outer, rim + 0.05 * mottled)
    return over(canvas, core, inner + 0.06 * mottled)


def meningioma(
    canvas: Canvas, slice_: Head, lesion: Lesion, contrast: str, rng: np.random.Generator
) -> Canvas:
    """Smooth ball on the inner table that enhances evenly, with a dural tail."""
    ball = (
        ellipse(lesion.centre, (lesion.radius, lesion.radius), soft=2, ragged=0.03 * fractal(rng, scale=0.3))
        * slice_.inside
    )
    rind = slice_.inside * (1 - ring(0.985, 0.985))
    tail = rind * ellipse(lesion.centre, (lesion.radius * 2.0, lesion.radius * 2.0), soft=10)
    canvas = over(canvas, 0.5 * oedema(slice_, lesion, rng, spread=1.5), 0.40)
    value = 0.90 if contrast == "t1" else 0.62
    return over(over(canvas, 0.8 * tail, value), ball, value + 0.025 * fractal(rng, scale=0.06))


def cyst(canvas: Canvas, slice_: Head, lesion: Lesion, contrast: str, rng: np.random.Generator) -> Canvas:
    """A fluid space against the skull, sharply bounded."""
    bag = ellipse(
        lesion.centre,
        (lesion.radius * 0.95, lesion.radius * 1.35),
        soft=1.6,
        ragged=0.04 * fractal(rng, scale=0.4),
    )
    return over(canvas, bag * slice_.inside, {"t2": 0.98}.get(contrast, 0.12))


def infarct(canvas: Canvas, slice_: Head, lesion: Lesion, contrast: str, rng: np.random.Generator) -> Canvas:
    """A wedge of cortex and white matter in the territory of the middle cerebral artery."""
    x, y = grid()
    s = np.sign(lesion.centre[0])
    angle = np.arctan2(y - lesion.centre[1], s * x - 0.10)
    wedge = (
        1
        / (1 + np.exp((np.abs(angle) - 0.62 + 0.10 * fractal(rng, scale=0.25)) * 16))
        / (1 + np.exp(-(s * x - 0.22) * 40))
    )
    area = wedge * slice_.brain * (1 - slice_.ventricles) * (1 - slice_.furrows)
    if contrast == "ct":
        return over(canvas, 0.8 * gaussian_filter(area, 2), 0.31)
    return over(canvas, 0.85 * gaussian_filter(area, 1.5), 0.84 + 0.04 * fractal(rng, scale=0.08))


def plaques(canvas: Canvas, slice_: Head, _lesion: Lesion, contrast: str, rng: np.random.Generator) -> Canvas:
    """Small ovoid lesions beside the ventricles, pointing away from them."""
    for _ in range(int(rng.integers(9, 14))):
        s = rng.choice([-1.0, 1.0])
        y = rng.uniform(-0.36, 0.42)
        x = s * (rng.uniform(0.15, 0.24) + 0.10 * max(0.0, y))
        spot = ellipse(
            (x, y),
            (rng.uniform(0.022, 0.055), rng.uniform(0.014, 0.026)),
            turn=s * np.arctan2(y, 0.6) + rng.normal(0, 0.2),
            soft=2.5,
            ragged=0.12 * fractal(rng, scale=0.1),
        )
        canvas = over(
            canvas, 0.9 * spot * slice_.brain * (1 - slice_.ventricles), 0.88 if contrast != "t1" else 0.35
        )
    return canvas


def bleed(canvas: Canvas, slice_: Head, lesion: Lesion, _contrast: str, rng: np.random.Generator) -> Canvas:
    """Fresh blood, dense in CT, with a thin dark rim."""
    canvas = over(canvas, 0.75 * oedema(slice_, lesion, rng, spread=1.45), 0.30)
    clot = ellipse(
        lesion.centre,
        (lesion.radius * 0.85, lesion.radius * 1.25),
        turn=rng.normal(0, 0.3),
        soft=2.5,
        ragged=0.16 * fractal(rng, scale=0.28),
    )
    return over(canvas, clot * slice_.brain, 0.80 + 0.03 * fractal(rng, scale=0.08))


def subdural(
    canvas: Canvas, slice_: Head, lesion: Lesion, _contrast: str, rng: np.random.Generator
) -> Canvas:
    """A crescent along one hemisphere, between skull and brain."""
    x, y = grid()
    s = np.sign(lesion.centre[0])
    shifted = np.roll(slice_.inside, round(-s * lesion.radius * 300), axis=1)
    crescent = slice_.inside * (1 - gaussian_filter(shifted, 1.2)) * (s * x > 0)
    length = 1 / (1 + np.exp((np.abs(y - lesion.centre[1]) - 0.50) * 22))
    return over(canvas, np.clip(crescent * length, 0, 1), 0.77 + 0.035 * fractal(rng, scale=0.12))


def epidural(
    canvas: Canvas, slice_: Head, lesion: Lesion, _contrast: str, rng: np.random.Generator
) -> Canvas:
    """A lens between skull and dura."""
    s = np.sign(lesion.centre[0])
    centre = (lesion.centre[0] + s * 0.02, lesion.centre[1])
    lens = (
        ellipse(centre, (lesion.radius * 1.05, lesion.radius * 1.9), turn=0.12 * s, soft=1.8) * slice_.inside
    )
    return over(canvas, lens, 0.82 + 0.03 * fractal(rng, scale=0.10))


PAINTERS = {
    "glioma": glioma,
    "meningioma": meningioma,
    "cyst": cyst,
    "infarct": infarct,
    "white matter lesions": plaques,
    "cerebral haemorrhage": bleed,
    "subdural haematoma": subdural,
    "epidural haematoma": epidural,
}
