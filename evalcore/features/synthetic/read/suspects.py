"""Which generated images nearly repeat a real one? By their pictures, else by their features."""

from __future__ import annotations

import numpy as np

from evalcore.features.synthetic.copies import near_copies
from evalcore.features.synthetic.evaluation.headline import Suspected
from evalcore.features.synthetic.read.material import Material, Part
from evalcore.values.progress import Progress, silent

FEWEST_FEATURES = 5
"""Features from which on equal values of all of them are no coincidence."""


def suspected_copies(of: Material, *, progress: Progress = silent) -> tuple[Suspected, ...]:
    """One for each group: images whose picture has nearly the hash of a real image's, or, without pictures,
    whose features are all equal to a real image's; with fewer than ``FEWEST_FEATURES`` none is suspected."""
    with_pictures = [one for one in of.groups if one.pictures and of.archetypes.pictures]
    by_picture = _by_pictures(of.archetypes, with_pictures, progress)
    found = []
    for one in of.groups:
        ids = by_picture[one.name] if one.name in by_picture else _by_features(of.archetypes, one)
        found.append(Suspected(one.name, len(one.table), ids))
    return tuple(found)


def _by_pictures(real: Part, groups: list[Part], progress: Progress) -> dict[str, tuple[str, ...]]:
    """The suspected images of each group, by its name."""
    if not groups or real.pictures is None:
        return {}
    pictures = real.pictures.all()
    whose: list[tuple[str, str] | None] = [None] * len(pictures)
    for one in groups:
        assert one.pictures is not None
        pictures += one.pictures.all()
        whose += [(one.name, image) for image in one.pictures.ids]
    generated = np.arange(len(pictures)) >= len(real.pictures.ids)
    pairs = near_copies(pictures, generated, progress=progress).pairs
    copies = {whose[pair.first] for pair in pairs if pair.of_training}
    return {
        one.name: tuple(image for image in one.table.ids if (one.name, image) in copies) for one in groups
    }


def _by_features(real: Part, group: Part) -> tuple[str, ...]:
    """Images of which every feature is that of one real image."""
    values = group.table.values
    if values.shape[1] < FEWEST_FEATURES:
        return ()
    known = {row.tobytes() for row in np.nan_to_num(real.table.values, nan=-np.pi)}
    rows = np.nan_to_num(values, nan=-np.pi)
    return tuple(image for image, row in zip(group.table.ids, rows, strict=True) if row.tobytes() in known)
