"""Mean similarity of each subject to the archetypes, for several pairs of alpha and beta at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from evalcore.arrays import Floats
from evalcore.synthesis.tversky import BLOCK_CELLS, Presence, Undefined, counts, ratio

Parts = tuple[Floats, Floats, Floats]
"""C, U and V of some subjects and all archetypes."""


def mean_wsi(
    subjects: Presence, archetypes: Presence, weights: Floats, sides: Sequence[tuple[float, float]], *,
    undefined: Undefined = "nan", same: bool = False,
) -> Floats:  # fmt: skip
    """Shape (number of sides, n): for each (alpha, beta) the mean over the archetypes.

    Undefined pairs are left out of a mean, unless ``undefined`` gives them a value; without any pair it is
    NaN. same: subjects and archetypes are the same images, and none is held against itself.
    """
    found = np.empty((len(sides), len(subjects)))
    for rows, parts in blocks(subjects, archetypes, weights):
        for k, (alpha, beta) in enumerate(sides):
            found[k, rows] = row_means(ratio(*parts, alpha, beta, undefined), rows, same=same)
    return found


def blocks(subjects: Presence, archetypes: Presence, weights: Floats) -> Iterator[tuple[slice, Parts]]:
    """C, U and V by blocks of subjects, which bounds memory."""
    size = max(1, BLOCK_CELLS // max(len(archetypes), 1))
    for first in range(0, len(subjects), size):
        rows = slice(first, min(first + size, len(subjects)))
        yield rows, counts(subjects.rows(rows), archetypes, weights)


def row_means(values: Floats, rows: slice, *, same: bool) -> Floats:
    """Means of rows over what is defined; with ``same`` without the cell of the row itself."""
    if same:
        own = np.arange(rows.start, rows.stop)
        values[own - rows.start, own] = np.nan
    defined = ~np.isnan(values)
    n = defined.sum(1)
    found: Floats = np.where(n > 0, np.where(defined, values, 0.0).sum(1) / np.maximum(n, 1), np.nan)
    return found
