"""Ultrasound sector image, made as the machine makes it.

Tissue is a map of echogenicity and attenuation. It is read along the beams of a curved probe; sound is
weakened on its way (so stones cast shadows and fluid lights up what lies behind), speckle comes from random
scatterers blurred by the beam, and the beams are converted back to a sector.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter, map_coordinates

from .finish import tint, to_image, write_text
from .shapes import SIZE, Canvas, grid
from .ultrasound_scenes import SCENES
from .ultrasound_tissue import SOFT, Tissue

APEX = -1.26
BEAMS, SAMPLES = 380, 560


@dataclass(frozen=True)
class Probe:
    """Sector geometry in canvas coordinates: inner and outer radius and half angle."""

    near: float
    far: float
    half: float


def along_beams(tissue: Tissue, probe: Probe, rng: np.random.Generator) -> Canvas:
    """Echo strength of every sample of every beam, shape (SAMPLES, BEAMS), before speckle."""
    angle = np.linspace(-probe.half, probe.half, BEAMS)[None, :]
    radius = np.linspace(probe.near, probe.far, SAMPLES)[:, None]
    at = [
        ((APEX + radius * np.cos(angle)) + 1) / 2 * SIZE - 0.5,
        (radius * np.sin(angle) + 1) / 2 * SIZE - 0.5,
    ]
    echo = map_coordinates(tissue.echo, at, order=1, mode="nearest")
    loss = map_coordinates(tissue.loss, at, order=1, mode="nearest")
    bright = map_coordinates(tissue.interface, at, order=1, mode="nearest")
    step = (probe.far - probe.near) / SAMPLES
    passed = np.exp(-np.cumsum(loss, axis=0) * step)
    gain = np.exp(np.linspace(0, 1, SAMPLES)[:, None] * (probe.far - probe.near) * (SOFT - 0.25))
    passed = gaussian_filter(passed * gain, (0, 1.6))
    contact = np.exp(0.16 * gaussian_filter(rng.standard_normal((1, BEAMS)), (0, 12)) * 6)
    edge = 1 - 0.65 * np.abs(angle / probe.half) ** 7
    return (echo + 1.6 * bright) * passed * contact * edge


def speckle(strength: Canvas, rng: np.random.Generator) -> Canvas:
    """Amplitude of the received echo: Rayleigh speckle, finer along the beam than across."""
    looks = []
    for _ in range(2):
        scatter = rng.standard_normal((2, *strength.shape))
        fine = np.stack([gaussian_filter(s, (1.3, 2.3)) for s in scatter])
        looks.append(np.hypot(*(fine / fine.std())) / 1.41)
    grainy = 0.62 * looks[0] + 0.38 * looks[1]
    return grainy * np.sqrt(np.maximum(strength, 0)) + 0.010 * looks[1]


def compress(amplitude: Canvas, *, dynamic: float) -> Canvas:
    """Log compression to 0..1."""
    return np.log1p(dynamic * amplitude) / np.log1p(dynamic * 1.7)


def sector(beams: Canvas, probe: Probe) -> Canvas:
    """Beams converted to the picture, black outside the sector."""
    x, y = grid()
    radius, angle = np.hypot(x, y - APEX), np.arctan2(x, y - APEX)
    rows = (radius - probe.near) / (probe.far - probe.near) * (SAMPLES - 1)
    columns = (angle + probe.half) / (2 * probe.half) * (BEAMS - 1)
    picture = map_coordinates(beams, [rows, columns], order=1, mode="constant")
    inside = (radius > probe.near) & (radius < probe.far) & (np.abs(angle) < probe.half)
    return picture * gaussian_filter(inside.astype(float), 0.6)


def near_field(strength: Canvas, rng: np.random.Generator) -> Canvas:
    """Skin and muscle layers under the probe, with reverberation lines."""
    depth = np.linspace(0, 1, SAMPLES)[:, None]
    wave = 0.02 * gaussian_filter(rng.standard_normal((1, BEAMS)), (0, 40)) * 40 / 6
    layers = np.zeros_like(strength)
    for position, width, value in (
        (0.006, 0.006, 1.6),
        (0.030, 0.004, 0.7),
        (0.055, 0.010, 0.35),
        (0.082, 0.003, 1.1),
        (0.105, 0.003, 0.6),
        (0.128, 0.003, 0.8),
    ):
        layers = layers + value * np.exp(
            -(((depth + 0.12 * wave * position / 0.1 - position - rng.normal(0, 0.003)) / width) ** 2)
        )
    blend = 1 / (1 + np.exp((depth - 0.125) * 110))
    return strength * (1 - 0.8 * blend) + (0.07 + layers) * blend * 0.38 + layers * 0.05


def furniture(image: Image.Image, probe: Probe, label: str, rng: np.random.Generator) -> None:
    """Depth scale, grey bar, probe mark and the text a machine prints."""
    draw = ImageDraw.Draw(image)
    w, h = image.size
    top, bottom = (APEX + probe.near + 1) / 2, (APEX + probe.far + 1) / 2
    depth = int(rng.integers(10, 17))
    for k in range(depth + 1):
        y = (top + (bottom - top) * k / depth) * h / 0.95
        if y < h - 2:
            draw.line([(w - 7 if k % 5 else w - 11, y), (w - 4, y)], fill=170, width=1)
            if k % 5 == 0 and k:
                write_text(image, (1 - 13 / w, y / h), str(k), size=10, value=170, anchor="rm")
    for k in range(56):
        draw.line([(6, 40 + k), (12, 40 + k)], fill=255 - round(k * 4.5))
    draw.ellipse([w * 0.36, 6, w * 0.36 + 6, 12], outline=200)
    write_text(image, (0.02, 0.022), f"C5-2  {int(rng.integers(22, 52))} Hz", size=10, value=170, anchor="lt")
    write_text(image, (0.02, 0.065), f"{depth} cm", size=10, value=150, anchor="lt")
    write_text(image, (0.90, 0.022), label, size=12, value=215, anchor="rt")


def calipers(image: Image.Image, ends: tuple[tuple[float, float], tuple[float, float]] | None) -> None:
    """Two crosses and a dotted line, as left by a measurement."""
    if ends is None:
        return
    draw = ImageDraw.Draw(image)
    points = [((x + 1) / 2 * image.width, (y + 1) / 2 * image.height / 0.95) for x, y in ends]
    for px, py in points:
        draw.line([(px - 3, py), (px + 3, py)], fill=235)
        draw.line([(px, py - 3), (px, py + 3)], fill=235)
    (ax, ay), (bx, by) = points
    for k in range(1, 18):
        draw.point((ax + (bx - ax) * k / 18, ay + (by - ay) * k / 18), fill=215)


def draw_ultrasound(
    rng: np.random.Generator, *, organ: str, findings: tuple[str, ...], side: str
) -> Image.Image:
    """A synthetic sector image of gallbladder, kidney or liver."""
    finding = findings[0] if findings else ""
    tissue = SCENES[organ](rng, finding)
    probe = Probe(near=rng.uniform(0.38, 0.48), far=rng.uniform(2.04, 2.14), half=rng.uniform(0.46, 0.53))
    strength = near_field(along_beams(tissue, probe, rng), rng)
    beams = compress(gaussian_filter(speckle(strength, rng), 0.5), dynamic=rng.uniform(2.6, 4.2))
    picture = np.clip(sector(beams, probe) * rng.uniform(0.98, 1.12), 0, 1) ** 1.10
    image = to_image(picture[: round(SIZE * 0.95)], (316, 300))
    if rng.random() < 0.5:
        calipers(image, tissue.measured)
    label = {"gallbladder": "GB", "liver": "LIVER"}.get(organ, f"{'LT' if side == 'left' else 'RT'} KIDNEY")
    furniture(image, probe, label, rng)
    colour = [None, None, (1.0, 0.95, 0.87), (0.88, 0.95, 1.0)][int(rng.integers(0, 4))]
    return image if colour is None else tint(image, colour)
