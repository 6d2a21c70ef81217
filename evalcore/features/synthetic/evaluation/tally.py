"""Which features the images of a group have: by tolerance, or as concepts of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tolerance import Missing, Tolerances, binarise
from evalcore.features.synthetic.tversky import Presence
from evalcore.values.arrays import frozen, rows_of
from evalcore.values.errors import InputError
from evalcore.values.model import ConceptSets

MOST_CELLS = 100_000_000
"""Images times concepts that are held at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The features that images have. ids, names: of images and features; name: of the group."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    presence: Presence
    name: str

    def __len__(self) -> int:
        return len(self.ids)

    def missing(self, image: int) -> list[str]:
        """The features that an image is known not to have."""
        of = self.presence
        return [self.names[j] for j in np.flatnonzero(of.known[image] & ~of.present[image])]


def by_tolerance(images: FeatureTable, bounds: Tolerances, *, missing: Missing = "skip") -> Tally:
    """The features within tolerance."""
    return Tally(images.ids, images.names, binarise(images, bounds, missing=missing), images.name)


def by_concepts(groups: Sequence[tuple[str, ConceptSets]]) -> tuple[Tally, ...]:
    """The concepts of the images of several (name, sets), over the concepts of all of them.

    An image that nobody annotated has unknown features only; one annotated with nothing has none.
    """
    names = tuple(sorted({cui for _, sets in groups for cui in sets.vocabulary}))
    cells = sum(len(sets) for _, sets in groups) * len(names)
    if cells > MOST_CELLS:
        raise InputError(
            f"{cells:,} cells of images times concepts are too many; at most {MOST_CELLS:,} are compared. "
            "Give fewer images."
        )
    at = {cui: j for j, cui in enumerate(names)}
    return tuple(_tally(name, sets, names, at) for name, sets in groups)


def _tally(name: str, sets: ConceptSets, names: tuple[str, ...], at: dict[str, int]) -> Tally:
    present = np.zeros((len(sets), len(names)), bool)
    columns = np.array([at[cui] for cui in sets.vocabulary], np.int64)
    present[rows_of(sets.indptr), columns[sets.indices]] = True
    known = np.repeat(sets.annotated[:, None], len(names), axis=1)
    return Tally(sets.image_ids, names, Presence(frozen(present), frozen(known)), name)
