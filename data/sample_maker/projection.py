"""X-ray projection of bones: a bone is a shell of points in space, each adding its attenuation.

Because a shell seen edge-on puts many points on the same pixel, cortical outlines turn bright by
themselves, as in a real radiograph. Space: x to the viewer's right, y down, z away from the detector.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter

from .shapes import SIZE, Canvas

Points = npt.NDArray[np.float64]


def tube(
    path: Points, radius: float | Points, *, flat: float = 1.0, around: int = 72, fill: float = 0.25
) -> Points:
    """Shell (and weaker core) of a tube along a path in space.

    ``path`` (m, 3), ``radius`` one value or (m,); ``flat`` squeezes the second direction of the cross
    section. Returns (k, 4): x, y, z and weight, the weight growing with the area a point stands for.
    """
    step = np.gradient(path, axis=0)
    length = np.linalg.norm(step, axis=1)
    t = step / np.maximum(length, 1e-9)[:, None]
    up = np.where(np.abs(t[:, 1:2]) < 0.9, np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    a = np.cross(t, up)
    a /= np.linalg.norm(a, axis=1)[:, None]
    b = np.cross(t, a)
    r = np.broadcast_to(np.asarray(radius, dtype=float), (len(path),))
    # Each ring starts at another angle (golden ratio): regular rows of points would show as stripes.
    phi = (
        np.linspace(0, 2 * np.pi, around, endpoint=False)[None, :] + (np.arange(len(path)) * 2.39996)[:, None]
    )
    clouds = []
    for share, weight in ((1.0, 1.0), (0.86, 0.8), (0.6, fill), (0.3, fill)):
        ring = a[:, None, :] * np.cos(phi)[:, :, None] + flat * b[:, None, :] * np.sin(phi)[:, :, None]
        xyz = path[:, None, :] + ring * (r * share)[:, None, None]
        w = np.broadcast_to((length * r * share * weight)[:, None], xyz.shape[:2])
        clouds.append(np.concatenate([xyz, w[..., None]], axis=2).reshape(-1, 4))
    return np.vstack(clouds)


def ball(
    centre: tuple[float, float, float],
    radii: tuple[float, float, float],
    *,
    rings: int = 60,
    fill: float = 0.3,
) -> Points:
    """Shell and weaker core of an ellipsoid, as (k, 4)."""
    theta = (np.arange(rings) + 0.5) / rings * np.pi
    path = np.stack([np.zeros(rings), -np.cos(theta), np.zeros(rings)], axis=1)
    cloud = tube(path, np.sin(theta), fill=fill, around=72)
    scale = np.array(radii)
    cloud[:, :3] = cloud[:, :3] * scale + np.array(centre)
    cloud[:, 3] *= np.prod(scale) ** (2 / 3)
    return cloud


def shadow(
    cloud: Points, *, n: int = SIZE, blur: float = 1.2, perspective: float = 0.0, side: bool = False
) -> Canvas:
    """Attenuation of a cloud of points on the detector, shape (n, n).

    ``perspective`` enlarges what lies towards the tube (z > 0); ``side`` looks along x instead of z.
    """
    x, y, z = (cloud[:, 2], cloud[:, 1], cloud[:, 0]) if side else (cloud[:, 0], cloud[:, 1], cloud[:, 2])
    zoom = 1 + perspective * z
    row, column = (((v * zoom + 1) / 2 * n).astype(int) for v in (y, x))
    seen = (row >= 0) & (row < n) & (column >= 0) & (column < n)
    counts = np.bincount(row[seen] * n + column[seen], weights=cloud[seen, 3], minlength=n * n).reshape(n, n)
    return gaussian_filter(counts, blur) * (n / 2) ** 2
