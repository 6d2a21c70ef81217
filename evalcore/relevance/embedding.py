"""How alike two images are to a model: the cosine of the angle between their embeddings."""

from __future__ import annotations

from math import fsum

import numpy as np
import numpy.typing as npt


def cosine_similarity(u: npt.ArrayLike, v: npt.ArrayLike) -> float:
    """Do two embedding vectors point the same way? ``u·v / (‖u‖‖v‖)``, in float64.

    Parameters
    ----------
    u, v
        Vectors of equal length, finite.

    Returns
    -------
    float in [-1, 1]
        NaN when a vector is empty or all zeros: it has no direction.

    Raises
    ------
    ValueError
        When the lengths differ.

    Examples
    --------
    >>> cosine_similarity([1, 0], [3, 4])
    0.6
    """
    x, y = np.asarray(u, np.float64), np.asarray(v, np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"Embeddings must be vectors of one length. Got shapes {x.shape} and {y.shape}.")
    if not x.any() or not y.any():
        return float("nan")
    return float(np.clip(fsum(_unit(x) * _unit(y)), -1.0, 1.0))


def _unit(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The vector at length 1 (divided by its largest entry first: squares neither overflow nor vanish)."""
    unit: npt.NDArray[np.float64] = x / np.max(np.abs(x))
    unit /= np.sqrt(fsum(unit * unit))
    return unit
