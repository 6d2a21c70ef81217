"""Long bones as thick shells in space, whole or broken."""

from __future__ import annotations

import numpy as np

from .projection import Points, tube
from .shapes import Point

STEPS = 700
"""Rings per bone: close enough that none can be seen by itself."""


def long_bone(
    start: Point, end: Point, *, shaft: float, head: float, foot: float, bow: float = 0.0
) -> tuple[Points, Points]:
    """Axis (m, 3) and radius (m,) of a bone that widens at both ends; ``bow`` bends it sideways."""
    t = np.linspace(0, 1, STEPS)
    a, b = np.array(start), np.array(end)
    across = np.array([-(b - a)[1], (b - a)[0]])
    line = a + (b - a) * t[:, None] + across * (bow * np.sin(np.pi * t))[:, None]
    ends = np.clip(np.minimum(t, 1 - t) / 0.022, 0, 1) ** 0.5
    flare = (head - shaft) * np.exp(-((t / 0.13) ** 2)) + (foot - shaft) * np.exp(-(((1 - t) / 0.13) ** 2))
    radius = (shaft + flare) * (0.55 + 0.45 * ends)
    return np.stack([line[:, 0], line[:, 1], np.zeros(STEPS)], axis=1), radius


def cortex(axis: Points, radius: Points) -> Points:
    """Thick cortical shell with a marrow space, denser and spongy towards the ends."""
    return tube(axis, radius, around=90, fill=0.10)


def broken(
    axis: Points, radius: Points, *, at: float, offset: float, angle: float
) -> list[tuple[Points, Points]]:
    """The two fragments of a bone, the second one shifted and tilted, ends slanted."""
    i = round(at * len(axis))
    first, second = axis[: i + 2].copy(), axis[i - 2 :].copy()
    direction = axis[i + 2, :2] - axis[i - 2, :2]
    direction /= np.linalg.norm(direction)
    across = np.array([-direction[1], direction[0]])
    c, s = np.cos(angle), np.sin(angle)
    pivot = axis[i, :2]
    turned = (second[:, :2] - pivot) @ np.array([[c, s], [-s, c]])
    second[:, :2] = pivot + turned + across * offset - direction * 0.012
    return [(first, radius[: i + 2]), (second, radius[i - 2 :])]


def jagged(
    cloud: Points, rng: np.random.Generator, *, pivot: Point, direction: Point, keep: int, depth: float
) -> Points:
    """Cut the end of a fragment along a rough line; ``keep`` -1 keeps what lies before, 1 what lies after."""
    d = np.array(direction) / np.linalg.norm(direction)
    along = (cloud[:, :2] - np.array(pivot)) @ d
    across = (cloud[:, :2] - np.array(pivot)) @ np.array([-d[1], d[0]])
    teeth = np.interp(across, np.linspace(-0.15, 0.15, 15), rng.normal(0, depth, 15))
    slope = rng.uniform(-0.6, 0.6)
    return cloud[keep * (along - teeth - slope * across) > 0]


def fractured(axis: Points, radius: Points, rng: np.random.Generator, *, at: float) -> Points:
    """A bone with a displaced, slanted, jagged fracture."""
    pieces = broken(
        axis,
        radius,
        at=at,
        offset=float(rng.choice([-1, 1]) * rng.uniform(0.6, 1.1) * radius[len(radius) // 2]),
        angle=float(rng.normal(0, 0.10)),
    )
    i = round(at * len(axis))
    direction = tuple(axis[i + 1, :2] - axis[i - 1, :2])
    clouds = []
    for (path, r), keep, end in ((pieces[0], -1, -3), (pieces[1], 1, 2)):
        clouds.append(
            jagged(
                cortex(path, r), rng, pivot=tuple(path[end, :2]), direction=direction, keep=keep, depth=0.02
            )
        )
    return np.vstack(clouds)
