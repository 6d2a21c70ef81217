"""Context-aware gain: what is a result worth to somebody who has just seen better ones?

    r'_k = (r_k / o_k) r_k,   o_k = max(r_k, o_(k-1)),   o_(k-1) the largest original relevance before rank k
    g(k) = (r'_(k-w+1) + ... + r'_k) / w,   over the first k results while k < w

Shao et al. 2019, doi:10.1145/3331184.3331343, formulas 3 and 4; w = 10 there. A result as good as any before
keeps its relevance, a poorer one loses in the share by which it falls behind; then the last w results count
together, since neighbours in a grid are seen together. While k < w the sum is divided by the k results there
are ("filled"), or by w all the same ("window"), which the formula as printed allows too.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from evalcore.values.arrays import Floats

DivideBy = Literal["filled", "window"]
WINDOW = 10


def context_aware_gains(relevance: Floats, *, window: int = WINDOW, divide_by: DivideBy = "filled") -> Floats:
    """The gains of ranked results beside the best seen before them.

    Parameters
    ----------
    relevance
        Shape (n, K), best rank first, usually 0 to 1. A list that ends earlier is filled with 0: what stands
        there has no influence on the ranks before it, and is to be left out by the caller.
    window
        Results that count together, at least 1.
    divide_by
        What the sum is divided by while fewer than ``window`` results were seen.

    Returns
    -------
    gains, shape (n, K)
        In the range of the relevance; 0 where nothing relevant was seen yet. Negative relevance counts as 0.

    Examples
    --------
    >>> context_aware_gains(np.array([[0.8, 0.9, 0.3]]), window=2).round(2).tolist()
    [[0.8, 0.85, 0.5]]
    """
    values = np.maximum(relevance, 0.0)
    best = np.maximum.accumulate(values, axis=1)
    beside = np.divide(values * values, best, out=np.zeros_like(values), where=best > 0)
    beside = np.where(values == best, values, beside)  # a square that is too small for a float is not lost
    total = beside.copy()
    for back in range(1, min(window, values.shape[1])):
        total[:, back:] += beside[:, :-back]
    seen = np.arange(1, values.shape[1] + 1)
    gains: Floats = total / (np.minimum(seen, window) if divide_by == "filled" else window)
    return gains
