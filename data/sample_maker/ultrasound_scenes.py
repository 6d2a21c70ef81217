"""What lies under the probe: echogenicity, attenuation and bright interfaces of three scenes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

from .shapes import SIZE, Canvas, Point, blob, ellipse, fractal, grid, noise, over, polygon, smooth_curve, stroke

SOFT, STONE, GAS = 2.7, 42.0, 22.0
"""Attenuation per unit of depth: tissue (what the depth gain makes up for), stone, gas."""


@dataclass(frozen=True)
class Tissue:
    """Maps on the canvas; ``measured`` are the ends of a measurement, None for none."""

    echo: Canvas
    loss: Canvas
    interface: Canvas
    measured: tuple[Point, Point] | None = None


def edge_on(mask: Canvas, *, width: float = 1.6) -> Canvas:
    """Interfaces reflect most where they face the probe: the rim of a mask, stronger above and below."""
    fine = gaussian_filter(mask, width)
    dy, dx = np.gradient(fine)
    size = np.hypot(dx, dy)
    return size / max(size.max(), 1e-9) * (0.25 + 0.75 * np.abs(dy) / (size + 1e-6))


def liver_tissue(rng: np.random.Generator, *, level: float) -> tuple[Canvas, Canvas]:
    """Even parenchyma with dark veins; returns echogenicity and the walls of the portal branches."""
    echo = level * (1 + 0.10 * fractal(rng, scale=0.25)) + 0.08 * np.abs(noise(rng, scale=0.05)) * level
    veins, walls = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE))
    meet = np.array([rng.uniform(-0.15, 0.25), rng.uniform(0.30, 0.42)])
    for angle in rng.choice([-2.4, -1.9, -1.3, -0.8], 3, replace=False) + rng.normal(0, 0.12, 3):
        steps = angle + np.cumsum(rng.normal(0, 0.16, 6))
        path = meet + np.vstack([[0, 0], np.cumsum(np.stack([np.cos(steps), np.sin(steps)], 1) * rng.uniform(0.08, 0.12), axis=0)])
        curve = smooth_curve([tuple(p) for p in path])
        veins = np.maximum(veins, stroke(curve, np.linspace(rng.uniform(0.045, 0.065), 0.012, len(curve)), soft=2))
    for _ in range(int(rng.integers(3, 6))):
        at = (rng.uniform(-0.6, 0.6), rng.uniform(-0.45, 0.35))
        spot = ellipse(at, (rng.uniform(0.016, 0.045), rng.uniform(0.014, 0.022)), turn=rng.normal(0, 0.6), soft=1.6)
        veins, walls = np.maximum(veins, spot), np.maximum(walls, edge_on(spot))
    return over(echo, veins, 0.004), 0.25 * walls + 0.05 * edge_on(veins)


def diaphragm(rng: np.random.Generator, *, depth: float) -> tuple[Canvas, Canvas]:
    """The bright curved line at the back, and the mask of what lies behind it."""
    bend = rng.normal(0, 0.03)
    curve = smooth_curve([(-1.1, depth - 0.55), (-0.75, depth - 0.18 + bend), (-0.3, depth), (0.2, depth + 0.02), (0.7, depth - 0.10 + bend), (1.1, depth - 0.35)])
    behind = np.vstack([curve, [(1.2, 1.4), (-1.2, 1.4)]])
    return stroke(curve, 0.020, soft=2.0), polygon(behind, soft=2)


def fluid_bag(tissue: Tissue, mask: Canvas, *, wall: float = 0.35, measured: tuple[Point, Point] | None = None) -> Tissue:
    """Paint an anechoic space: nothing echoes, nothing is lost, the far wall shines."""
    return Tissue(
        over(tissue.echo, mask, 0.0006), over(tissue.loss, mask, 0.03),
        tissue.interface * (1 - mask) + wall * edge_on(mask), measured or tissue.measured,
    )  # fmt: skip


def stones(tissue: Tissue, places: list[tuple[Point, float]], rng: np.random.Generator) -> Tissue:
    """Bright curved caps that swallow the sound behind them."""
    echo, loss, interface = tissue.echo, tissue.loss, tissue.interface
    for (cx, cy), radius in places:
        body = ellipse((cx, cy), (radius, radius * 0.7), soft=1.4, ragged=0.15 * fractal(rng, scale=0.12))
        cap = body * (1 - ellipse((cx, cy + radius * 0.55), (radius * 1.1, radius * 0.75), soft=2))
        echo, loss = over(echo, body, 1.0), over(loss, body, STONE)
        interface = interface + 0.9 * cap
    return Tissue(echo, loss, interface, tissue.measured)


def base(rng: np.random.Generator, *, level: float = 0.15) -> Tissue:
    """Liver everywhere, the diaphragm at the back, something dim behind it."""
    echo, walls = liver_tissue(rng, level=level)
    line, behind = diaphragm(rng, depth=rng.uniform(0.52, 0.66))
    echo = over(echo, behind, 0.055 * np.exp(0.5 * fractal(rng, scale=0.15)))
    return Tissue(echo, np.full((SIZE, SIZE), SOFT), walls * (1 - behind) + 0.75 * line)


def bowel_gas(tissue: Tissue, rng: np.random.Generator, at: Point) -> Tissue:
    """A bright ragged front with a dirty shadow."""
    front = ellipse(at, (0.20, 0.045), turn=rng.uniform(0.1, 0.5), soft=5, ragged=0.4 * fractal(rng, scale=0.12))
    return Tissue(over(tissue.echo, front, 0.8), over(tissue.loss, front, GAS), tissue.interface + 0.3 * front, tissue.measured)


def gallbladder_scene(rng: np.random.Generator, finding: str) -> Tissue:
    """A pear of bile under the liver; stones lie on its dependent wall."""
    tissue = bowel_gas(base(rng), rng, (0.62, 0.10))
    cx, cy, turn = rng.uniform(-0.04, 0.12), rng.uniform(-0.16, -0.04), rng.uniform(0.1, 0.45)
    length, thick = rng.uniform(0.40, 0.48), rng.uniform(0.16, 0.20)
    axis = np.array([np.cos(turn), np.sin(turn)])
    normal = np.array([-axis[1], axis[0]])
    outline = [(-1.0, 0.0), (-0.72, -0.72), (-0.2, -1.0), (0.4, -0.75), (0.85, -0.35), (1.1, -0.12), (1.08, 0.12), (0.8, 0.4), (0.35, 0.8), (-0.2, 1.0), (-0.75, 0.75)]
    points = [tuple(np.array([cx, cy]) + axis * u * length - 0 * axis + normal * v * thick) for u, v in outline]
    bag = blob(points, soft=1.6)
    wall = np.clip(gaussian_filter(bag, 5) * 3 - 0.35, 0, 1)
    tissue = Tissue(over(tissue.echo, wall, 0.30), tissue.loss, tissue.interface, tissue.measured)
    ends = (tuple(np.array([cx, cy]) - axis * length), tuple(np.array([cx, cy]) + axis * length * 1.1))
    tissue = fluid_bag(tissue, bag, measured=(ends[0], ends[1]))
    if finding != "gallstones":
        return tissue
    places = []
    for k in range(int(rng.integers(1, 4))):
        along = rng.uniform(-0.55, 0.35) if k else rng.uniform(-0.4, 0.1)
        radius = rng.uniform(0.045, 0.085)
        at = np.array([cx, cy]) + axis * along * length + normal * (thick * 0.86 - radius * 0.55)
        places.append(((float(at[0]), float(at[1])), radius))
    return stones(tissue, places, rng)


def kidney_scene(rng: np.random.Generator, finding: str) -> Tissue:
    """Longitudinal kidney: dark pyramids around a bright sinus, liver in front."""
    tissue = base(rng, level=rng.uniform(0.12, 0.16))
    centre, turn = (rng.uniform(-0.06, 0.08), rng.uniform(-0.02, 0.08)), rng.uniform(-0.25, 0.25)
    rx, ry = rng.uniform(0.56, 0.64), rng.uniform(0.26, 0.295)
    uneven = 0.03 * fractal(rng, scale=0.3)
    fat = ellipse(centre, (rx * 1.13, ry * 1.22), turn=turn, soft=5, ragged=uneven)
    bean = ellipse(centre, (rx, ry), turn=turn, soft=2, ragged=uneven)
    behind = np.clip((grid()[1] - centre[1] - 0.15) * 6, 0, 1)
    muscle = 0.09 * (1 + 0.9 * np.abs(noise(rng, scale=0.05)))
    echo = over(tissue.echo, behind * 0.9, muscle)
    echo = over(echo, fat, 0.34 * (1 + 0.2 * fractal(rng, scale=0.1)))
    echo = over(echo, bean, 0.085 * (1 + 0.12 * fractal(rng, scale=0.12)))
    axis, normal = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])

    def at(u: float, v: float) -> Point:
        p = np.array(centre) + axis * u * rx + normal * v * ry
        return float(p[0]), float(p[1])

    for u in np.linspace(-0.66, 0.66, 6):
        for v in (-0.52, 0.52):
            pyramid = ellipse(at(u, v * np.sqrt(1 - u * u * 0.8)), (0.052, 0.062), turn=turn, soft=3)
            echo = over(echo, 0.85 * pyramid, 0.028)
    sinus = ellipse(centre, (rx * 0.60, ry * 0.38), turn=turn, soft=4, ragged=0.22 * fractal(rng, scale=0.14))
    echo = over(echo, sinus, 0.62 * (1 + 0.30 * fractal(rng, scale=0.06)))
    interface = tissue.interface * (1 - fat) + 0.20 * edge_on(bean)
    tissue = Tissue(echo, tissue.loss, interface, (at(-1, 0), at(1, 0)))
    return kidney_finding(tissue, finding, at, (rx, ry, turn), rng)


def kidney_finding(tissue: Tissue, finding: str, at: Callable[[float, float], Point], shape: tuple[float, float, float],
                   rng: np.random.Generator) -> Tissue:  # fmt: skip
    """Cyst, widened collecting system or stone of the kidney."""
    rx, ry, turn = shape
    if finding == "renal cyst":
        radius = rng.uniform(0.13, 0.18)
        where = at(rng.choice([-0.62, 0.60]), rng.uniform(-0.25, 0.35))
        bag = ellipse(where, (radius, radius * 0.92), soft=1.6)
        return fluid_bag(tissue, bag, measured=((where[0] - radius, where[1]), (where[0] + radius, where[1])))
    if finding == "hydronephrosis":
        bag = ellipse(at(0.0, 0.05), (rx * 0.46, ry * 0.44), turn=turn, soft=3, ragged=0.10 * fractal(rng, scale=0.2))
        for u, v in ((-0.48, -0.20), (-0.25, -0.48), (0.10, -0.52), (0.40, -0.38), (0.52, 0.10), (-0.45, 0.30), (0.15, 0.50)):
            bag = np.maximum(bag, ellipse(at(u, v), (rng.uniform(0.07, 0.10), rng.uniform(0.05, 0.07)), turn=turn + np.arctan2(v, u), soft=2.5))
            bag = np.maximum(bag, stroke([at(0.6 * u, 0.3 * v), at(u, v)], 0.065, soft=2.5))
        return fluid_bag(tissue, bag, wall=0.22)
    if finding == "kidney stone":
        spot = at(rng.uniform(-0.35, 0.35), rng.uniform(-0.05, 0.2))
        return stones(tissue, [(spot, rng.uniform(0.045, 0.065))], rng)
    return tissue


def liver_scene(rng: np.random.Generator, finding: str) -> Tissue:
    """Right lobe with veins; cyst, echogenic mass or fluid around it."""
    tissue = base(rng, level=rng.uniform(0.13, 0.19))
    at = (rng.uniform(-0.30, 0.25), rng.uniform(-0.25, 0.12))
    if finding == "liver cyst":
        radius = rng.uniform(0.14, 0.22)
        bag = ellipse(at, (radius, radius * 0.9), soft=1.6, ragged=0.03 * fractal(rng, scale=0.3))
        return fluid_bag(tissue, bag, measured=((at[0] - radius, at[1]), (at[0] + radius, at[1])))
    if finding == "liver mass":
        radius = rng.uniform(0.13, 0.19)
        mass = ellipse(at, (radius, radius * 0.9), soft=3, ragged=0.06 * fractal(rng, scale=0.25))
        echo = over(tissue.echo, mass, 0.85 * (1 + 0.25 * fractal(rng, scale=0.06)))
        return Tissue(echo, tissue.loss, tissue.interface * (1 - mass), ((at[0] - radius, at[1]), (at[0] + radius, at[1])))
    if finding == "ascites":
        x, y = grid()
        border = -0.55 + 0.10 * np.sin(2.2 * x + 0.4) + 0.03 * noise(rng, scale=0.4)
        gap = gaussian_filter(((y > border) & (y < border + 0.20 + 0.1 * x)).astype(float), 2)
        side = ellipse((-0.72, 0.15), (0.22, 0.55), turn=-0.35, soft=4)
        return fluid_bag(tissue, np.clip(np.maximum(gap, side), 0, 1), wall=0.4)
    return tissue


SCENES: Mapping[str, Callable[[np.random.Generator, str], Tissue]] = {
    "gallbladder": gallbladder_scene, "kidney": kidney_scene, "liver": liver_scene,
}  # fmt: skip
