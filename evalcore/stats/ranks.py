"""In which place does each column stand, row by row? Average ranks from 1, the highest value first.

Unlike `correlation.average_ranks`, which ranks one column, this ranks the few values of each of many rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.stats.levels import SAME

if TYPE_CHECKING:
    from evalcore.values.arrays import Floats


def row_ranks(values: Floats) -> Floats:
    """Ranks within each row, 1 for the highest; level values (see `levels`) share the mean of their places.

    Parameters
    ----------
    values
        Shape (n, k), no NaN.

    Returns
    -------
    shape (n, k), multiples of one half from 1 to k; each row adds up to k (k + 1) / 2.

    >>> row_ranks(np.array([[0.2, 0.9, 0.2], [0.1 + 0.2, 0.3, 0.3]])).tolist()
    [[2.5, 1.0, 2.5], [2.0, 2.0, 2.0]]
    """
    ranks = np.full(values.shape, 0.5)
    for j in range(values.shape[1]):
        ahead = values[:, j : j + 1] - values
        # A column is level with itself: that half and the one above make the first place.
        ranks += np.where(ahead > SAME, 1.0, np.where(ahead >= -SAME, 0.5, 0.0))
    return ranks
