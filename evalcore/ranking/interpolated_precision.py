"""Interpolated precision: how pure is the list where a share of the relevant images has been found?

    IPrec at recall t = the highest P@i among the ranks i by which t of the R relevant images are found

Eleven of them, at recall 0, 0.1, ... 1, are the classic precision-recall curve. As trec_eval's
iprec_at_recall, to its rounding: t of R images are int(t R + 0.9) images, and what is never found counts 0.
A maximum over ranks has no short expectation over tie orders, so the order given is the order meant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.ranking.gains import RankedGains
from evalcore.values.arrays import Floats

LEVELS = tuple(level / 10 for level in range(11))
"""Recall levels of the eleven-point curve."""


def interpolated_precision(
    ranked: RankedGains, n_relevant: npt.NDArray[np.integer[Any]], *, level: float
) -> Floats:
    """The best precision at or after the rank where a share ``level`` of the relevant images is found.

    ``n_relevant``: relevant images (gain above 0) among all candidates of each query, shape (n,).
    Returns shape (n,), range 0 to 1; NaN where nothing is relevant, 0 where the list never gets so far.

    Examples
    --------
    >>> from evalcore.ranking.gains import RankedGains
    >>> of_list = RankedGains(np.array([0, 4]), np.array([1.0, 0.0, 1.0, 0.0]))
    >>> [interpolated_precision(of_list, np.array([3]), level=t).round(3).tolist() for t in (0, 0.5, 1)]
    [[1.0], [0.667], [0.0]]
    """
    values = np.where(n_relevant > 0, 0.0, np.nan)
    lengths = np.diff(ranked.indptr)
    filled = lengths > 0
    if filled.any():
        found = ranked.found
        needed = np.repeat((level * n_relevant + 0.9).astype(np.int64), lengths)
        counts = np.where(found >= needed, found / ranked.ranks, 0.0)
        best = np.maximum.reduceat(counts, ranked.indptr[:-1][filled])
        values[filled] = np.where(n_relevant[filled] > 0, best, np.nan)
    return values
