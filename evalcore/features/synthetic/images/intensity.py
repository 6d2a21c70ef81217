"""How bright, how varied: the intensities of one channel, 0 (black) to 1 (the type's maximum)."""

from __future__ import annotations

import numpy as np

from evalcore.features.synthetic.features import UNDEFINED
from evalcore.values.arrays import Floats

NAMES = ("mean", "std", "skewness", "kurtosis", "entropy", "p5", "p95")
BINS = 256
_FLAT = 1e-12


def intensity(channel: Floats) -> dict[str, float]:
    """Mean, population standard deviation, skewness, excess kurtosis, entropy, 5th and 95th percentile.

    Entropy in bits, of intensities rounded to 256 steps (those of an 8-bit image). A channel of one
    intensity has no skewness and no kurtosis.
    """
    values = channel.reshape(-1)
    mean = float(values.mean())
    apart = values - mean
    squares = apart * apart
    variance = float(squares.mean())
    flat = variance <= _FLAT
    low, high = np.percentile(values, [5, 95])
    return {
        "mean": mean,
        "std": 0.0 if flat else float(np.sqrt(variance)),
        "skewness": UNDEFINED if flat else float((squares * apart).mean() / variance**1.5),
        "kurtosis": UNDEFINED if flat else float((squares * squares).mean() / variance**2 - 3),
        "entropy": entropy_bits(np.bincount(np.rint(values * (BINS - 1)).astype(np.intp)) / len(values)),
        "p5": float(low),
        "p95": float(high),
    }


def entropy_bits(shares: Floats) -> float:
    """Shannon entropy of shares that add up to 1.

    >>> entropy_bits(np.array([0.5, 0.5, 0.0]))
    1.0
    """
    some = shares[shares > 0]
    return float(-(some * np.log2(some)).sum()) + 0.0
