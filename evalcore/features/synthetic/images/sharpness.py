"""How sharp: gradient and Laplacian of one channel."""

from __future__ import annotations

import numpy as np

from evalcore.values.arrays import Floats

NAMES = ("gradient", "laplacian")


def sharpness(channel: Floats) -> dict[str, float]:
    """Mean size of the gradient (central differences), and variance of the Laplacian (four neighbours).

    Beyond its border an image goes on with its outermost pixels.
    """
    wide = np.pad(channel, 1, mode="edge")
    right, left, below, above = wide[1:-1, 2:], wide[1:-1, :-2], wide[2:, 1:-1], wide[:-2, 1:-1]
    gradient = np.hypot((right - left) / 2, (below - above) / 2)
    laplacian = right + left + below + above - 4 * channel
    return {"gradient": float(gradient.mean()), "laplacian": float(laplacian.var())}
