"""Bright objects of one channel: what lies above Otsu's threshold, connected over sides and corners."""

from __future__ import annotations

from typing import Any

import numpy as np

from evalcore.features.synthetic.features import UNDEFINED
from evalcore.values.arrays import Bools, Floats

NAMES = ("objects", "area", "mean_area", "mean_radius", "eccentricity")


def objects(channel: Floats) -> dict[str, float]:
    """Objects above Otsu's threshold: number, total and mean area, mean equivalent radius, mean eccentricity.

    Areas in pixels. The equivalent radius is that of the disc of the same area, the eccentricity that of the
    ellipse of the same second moments (0 a disc, 1 a line). Without an object, number and area are 0 and the
    others undefined; a channel of one intensity has none.
    """
    found = above_otsu(channel)
    areas, eccentricities = shapes(found) if found.any() else (np.empty(0), np.empty(0))
    some = len(areas) > 0
    return {
        "objects": float(len(areas)),
        "area": float(areas.sum()),
        "mean_area": float(areas.mean()) if some else UNDEFINED,
        "mean_radius": float(np.sqrt(areas / np.pi).mean()) if some else UNDEFINED,
        "eccentricity": float(eccentricities.mean()) if some else UNDEFINED,
    }


def above_otsu(channel: Floats) -> Bools:
    """Pixels brighter than Otsu's threshold (1979, doi:10.1109/TSMC.1979.4310076); none of one intensity.

    Of intensities rounded to 256 steps, those of an 8-bit image.
    """
    from skimage.filters import threshold_otsu

    threshold: Any = threshold_otsu  # untyped
    steps = np.rint(channel * 255).astype(np.uint8)
    above: Bools = steps > threshold(steps)
    return above


def shapes(mask: Bools) -> tuple[Floats, Floats]:
    """Area and eccentricity of each object, from sums over its pixels: noise has too many for a loop."""
    from scipy import ndimage

    labels, n = ndimage.label(mask, np.ones((3, 3), bool))
    y, x = np.nonzero(mask)
    of = labels[y, x] - 1
    areas = np.bincount(of, minlength=n).astype(float)
    dy = y - (np.bincount(of, y, n) / areas)[of]
    dx = x - (np.bincount(of, x, n) / areas)[of]
    yy, xx, xy = (np.bincount(of, part, n) / areas for part in (dy * dy, dx * dx, dx * dy))
    half, apart = (yy + xx) / 2, np.hypot((yy - xx) / 2, xy)
    longest, shortest = half + apart, np.maximum(half - apart, 0)
    point = longest <= 0
    return areas, np.where(point, 0.0, np.sqrt(1 - shortest / np.where(point, 1.0, longest)))
