"""What readers said of cases: one rating for each reader, system and case, some of which may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from evalcore.values.arrays import Bools, Floats

Measure = Literal["auc", "mean"]
Design = Literal["full", "split", "readers within systems", "cases within systems", "missing"]
IN_WORDS: dict[Design, str] = {
    "full": "fully crossed: every reader read every case with every system",
    "split": "split plot: groups of readers, each of which read cases of its own with every system",
    "readers within systems": "each reader worked with one system",
    "cases within systems": "each case was read with one system",
    "missing": "some readings are missing",
}


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """Ratings of shape (systems, readers, cases), NaN where there is no reading.

    ``truth``: whether each case is a positive one, shape (cases,); None where the truth plays no part.
    ``systems``, ``readers``, ``cases``: their names, in that order.
    """

    systems: tuple[str, ...]
    readers: tuple[str, ...]
    cases: tuple[str, ...]
    ratings: Floats
    truth: Bools | None = None

    @property
    def read(self) -> Bools:
        """Which readings there are."""
        result: Bools = ~np.isnan(self.ratings)
        return result

    @property
    def n_readings(self) -> int:
        """Readings that there are."""
        return int(np.count_nonzero(self.read))

    @property
    def design(self) -> Design:
        """How readers, systems and cases are crossed."""
        read = self.read
        if read.all():
            return "full"
        if len(self.systems) > 1 and (read.any(axis=2).sum(axis=0) <= 1).all():
            return "readers within systems"
        if len(self.systems) > 1 and (read.any(axis=1).sum(axis=0) <= 1).all():
            return "cases within systems"
        first = read[0]
        shared = (first[:, None, :] & first[None, :, :]).any(axis=2)
        same = (first[:, None, :] == first[None, :, :]).all(axis=2)
        return "split" if (read == first).all() and (shared == same).all() else "missing"
