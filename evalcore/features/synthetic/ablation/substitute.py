"""Substitute images for the ablation: drawn objects in three channels, as in fluorescence microscopy.

The images of the paper (CoBaLT, WonoST) are not defined in what is published of it. These are a substitute,
not a copy: discs with soft edges, their number Poisson, radii log-normal, brightness normal, in every
channel with parameters of its own, from one seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.features.synthetic.features import FeatureTable, table
from evalcore.features.synthetic.images.intensity import intensity
from evalcore.features.synthetic.images.measured import COLOURS
from evalcore.features.synthetic.images.objects import objects
from evalcore.values.arrays import Floats
from evalcore.values.errors import SettingError

NAME = "substitute"
FEATURES = ("objects", "mean_radius", "mean")
"""What is measured of each channel: number of objects, their mean equivalent radius, mean intensity."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Objects of one channel: expected number, median radius in pixels, spread of its logarithm,
    brightness."""

    expected: float
    radius: float
    spread: float
    brightness: float
    varies: float


CHANNELS = (
    Channel(14, 5.0, 0.2, 0.75, 0.05),
    Channel(22, 3.5, 0.2, 0.65, 0.05),
    Channel(9, 7.0, 0.2, 0.85, 0.05),
)


def substitute_images(n: int, *, seed: int, side: int = 128, without: tuple[str, ...] = ()) -> Floats:
    """Images drawn with a seed, shape (n, side, side, 3), intensities of 8-bit images from 0 to 1.

    without: channels that are empty in all of them; what the others hold does not depend on it.
    """
    if unknown := [name for name in without if name not in COLOURS]:
        raise SettingError("without", f"some of {', '.join(COLOURS)}", unknown[0])
    rng = np.random.default_rng(seed)
    images = np.stack([[_drawn(one, side, rng) for one in CHANNELS] for _ in range(n)]).transpose(0, 2, 3, 1)
    images[..., [COLOURS.index(name) for name in without]] = 0
    return np.rint(images * 255) / 255


def _drawn(of: Channel, side: int, rng: np.random.Generator) -> Floats:
    """One channel: the brightest object at each pixel."""
    canvas = np.zeros((side, side))
    for _ in range(max(1, rng.poisson(of.expected))):
        radius = of.radius * np.exp(of.spread * rng.normal())
        row, column = rng.uniform(0, side, 2)
        brightness = np.clip(rng.normal(of.brightness, of.varies), 0.05, 1)
        rows, columns = (
            np.arange(max(0, int(at - radius - 1)), min(side, int(at + radius + 3))) for at in (row, column)
        )
        # Full brightness inside, an edge of one pixel.
        disc = np.clip(radius + 0.5 - np.hypot(rows[:, None] - row, columns - column), 0, 1)
        here = canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        np.maximum(here, brightness * disc, out=here)
    return canvas


def substitute_features(images: Floats, *, name: str = NAME) -> FeatureTable:
    """Nine features: those of ``FEATURES`` in every channel."""
    rows = []
    for image in images:
        row: list[float] = []
        for k in range(len(COLOURS)):
            found = objects(image[..., k]) | intensity(image[..., k])
            row += [found[feature] for feature in FEATURES]
        rows.append(row)
    names = [f"{channel}.{feature}" for channel in COLOURS for feature in FEATURES]
    ids = [f"{name}-{i:03d}" for i in range(len(rows))]
    return table(ids, names, np.array(rows).reshape(len(rows), len(names)), name=name)
