"""Real images of a study against altered copies of others: what the page shows before any upload."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.features.synthetic.alterations import ALTERATIONS
from evalcore.features.synthetic.read.listed import Pictures
from evalcore.features.synthetic.read.material import Source
from evalcore.values.model import Study

REAL, OTHERS, NEAR = "real images", "other real images", "near copies"
MOST_ALTERED, SOURCES = 40, 8
"""Images in each altered group, and archetypes that the near copies are made of, at most."""
FEWEST = 6


def with_pictures(study: Study, images: Sequence[int] | None = None) -> list[int]:
    """Those of these images (all without) that have a picture."""
    if study.images is None:
        return []
    wanted = range(len(study.image_ids)) if images is None else images
    return [int(i) for i in wanted if study.images.entries[int(i)] is not None]


def drawn(images: Sequence[int], *, most: int, seed: int) -> list[int]:
    """At most so many of the images, drawn with the seed, in their order."""
    order = np.random.default_rng((seed, 0)).permutation(len(images))[:most]
    return sorted(images[int(i)] for i in order)


def of_study(study: Study, images: Sequence[int], name: str) -> Source:
    """Images of a study as a group."""
    assert study.images is not None
    ids = tuple(study.image_ids[i] for i in images)
    return Source(name, Pictures(ids, study.images, tuple(images)))


def altered_copies(study: Study, images: Sequence[int], *, seed: int) -> list[Source]:
    """The archetypes, other real images, and every alteration of these; [] with too few images.

    Half of the images are the archetypes, the other half is altered, so that no group but the near copies is
    made of archetypes. Where the study names groups, such as patients, each is on one side as a whole.
    """
    real, others = _halves(study, images, seed)
    if min(len(real), len(others)) < FEWEST:
        return []
    assert study.images is not None
    found = [of_study(study, real, REAL), of_study(study, others, OTHERS)]
    for kind in ALTERATIONS:
        use, copies = others[:MOST_ALTERED], [0] * len(others[:MOST_ALTERED])
        if kind == NEAR:
            use = [real[i % min(SOURCES, len(real))] for i in range(min(MOST_ALTERED, len(others)))]
            copies = [i // min(SOURCES, len(real)) for i in range(len(use))]
        ids = tuple(
            f"{study.image_ids[image]}_copy{copy + 1}" if kind == NEAR else study.image_ids[image]
            for image, copy in zip(use, copies, strict=True)
        )
        found.append(Source(kind, Pictures(ids, study.images, tuple(use), kind, tuple(copies))))
    return found


def _halves(study: Study, images: Sequence[int], seed: int) -> tuple[list[int], list[int]]:
    """Two halves of the images, groups of the study kept together, drawn with the seed."""
    rng = np.random.default_rng((seed, 1))
    if study.groups is None:
        order = [int(i) for i in rng.permutation(np.asarray(images, int))]
        return sorted(order[: len(order) // 2]), sorted(order[len(order) // 2 :])
    of = study.groups.of_image
    together: dict[int, list[int]] = {}
    for image in images:
        together.setdefault(int(of[image]) if of[image] >= 0 else -2 - image, []).append(image)
    keys = list(together)
    sides: tuple[list[int], list[int]] = ([], [])
    for at in rng.permutation(len(keys)):
        sides[len(sides[0]) > len(sides[1])].extend(together[keys[int(at)]])
    return sorted(sides[0]), sorted(sides[1])
