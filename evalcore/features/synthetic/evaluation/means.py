"""Mean similarity of each subject to the archetypes, for several pairs of alpha and beta at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.features.synthetic.tversky import Presence, Undefined, count_blocks, ratio
from evalcore.values.arrays import Floats


def mean_wsi(
    subjects: Presence, archetypes: Presence, weights: Floats, sides: Sequence[tuple[float, float]], *,
    undefined: Undefined = "nan", same: bool = False,
) -> Floats:  # fmt: skip
    """Shape (number of sides, n): for each (alpha, beta) the mean over the archetypes.

    Undefined pairs are left out of a mean, unless ``undefined`` gives them a value; without any pair it is
    NaN. same: subjects and archetypes are the same images, and none is held against itself.
    """
    found = np.empty((len(sides), len(subjects)))
    for rows, parts in count_blocks(subjects, archetypes, weights):
        for k, (alpha, beta) in enumerate(sides):
            found[k, rows] = row_means(ratio(*parts, alpha, beta, undefined), rows, same=same)
    return found


def row_means(values: Floats, rows: slice, *, same: bool) -> Floats:
    """Means of rows over what is defined; with ``same`` without the cell of the row itself.

    ``values`` are changed.
    """
    own = np.arange(rows.start, rows.stop)
    if same:
        values[own - rows.start, own] = 0
    n = values.shape[1] - int(same)
    found: Floats = values.sum(1) / n if n else np.full(len(values), np.nan)
    for i in np.flatnonzero(np.isnan(found)) if n else ():
        defined = ~np.isnan(values[i])
        if same:
            defined[own[i]] = False
        found[i] = values[i, defined].mean() if defined.any() else np.nan
    return found
