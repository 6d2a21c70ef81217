"""Concept detection: F1 as the official scripts compute it, and the counts of single concepts behind it.

    F1(G, P) = 2 |G∩P| / (|G| + |P|)          per image, on sets of upper-cased concepts

The primary score is the mean over the images of the ground truth (2017 to 2019: over those with true
concepts). The secondary score of 2025 keeps only 15 curated concepts on both sides, takes the truth from the
manually checked file, and leaves out images with none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.features.imageclef.editions import CURATED
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError

Items = Mapping[str, Sequence[str]]
Kept = Callable[[Sequence[str]], frozenset[str]]


def mean_f1(
    truth: Items, predicted: Items, *, kept: Kept = frozenset, extra: int = 0
) -> tuple[Floats, float]:
    """F1 per image of the truth, NaN for images where nothing is true, and the mean over the others.

    Parameters
    ----------
    truth, predicted : concepts by image; an image without prediction counts as predicted empty.
    kept : the concepts of an image that count.
    extra : images that the mean counts beside these, with F1 0.

    The mean is added up in the order of the run as the scripts do, so that the last bit agrees. It is NaN
    when no image counts, where the script divides by zero, and like all values when the run has none of the
    images.

    >>> values, mean = mean_f1({"i": "ab", "j": ""}, {"i": "bc"})
    >>> values.tolist(), mean
    ([0.5, nan], 0.5)
    """
    pairs = [(kept(items), kept(predicted.get(image, ()))) for image, items in truth.items()]
    counts = [(len(g & p), len(g) + len(p), bool(g)) for g, p in pairs]
    shared, sizes, counted = np.array(counts, np.int64).reshape(-1, 3).T
    values: Floats = np.divide(2.0 * shared, sizes, out=np.full(len(pairs), np.nan), where=counted > 0)
    place = {image: at for at, image in enumerate(truth)}
    order = [place[image] for image in predicted if image in place]
    n_counted = int(counted.sum()) + extra
    if not order:
        values[:] = np.nan
    if not order or not n_counted:
        return values, float("nan")
    return values, float(np.cumsum(np.nan_to_num(values[order]))[-1]) / n_counted


def curated_f1(truth: Items, manual: Items, predicted: Items, *, file: str) -> float:
    """The secondary score: both sides cut down to the 15 concepts; NaN when no image has any of them.

    Raises
    ------
    InputError
        The manually checked truth ``file`` lacks images of the ground truth, at which the script stops.
    """
    absent = [image for image in truth if image not in manual]
    if absent:
        some = ", ".join(absent[:5])
        raise InputError(
            f"{file} lacks {len(absent):,} image{'s' * (len(absent) > 1)} of the ground truth, "
            f"such as {some}. Add them."
        )
    checked = {image: manual[image] for image in truth}
    return mean_f1(checked, predicted, kept=CURATED.intersection, extra=len(manual) - len(truth))[1]


# Behind the official F1. Nothing here enters a score: concepts are compared without spaces and without the
# empty "concept" that some editions count, and images without true concepts are left out.


def stripped(items: Sequence[str]) -> frozenset[str]:
    """Concepts without the spaces around them, and without the empty "concept" that some editions count."""
    return frozenset(item.strip() for item in items if item.strip())


@dataclass(frozen=True, slots=True)
class ConceptTally:
    """One concept over all images: hits, wrong predictions and misses, and what follows from them."""

    cui: str
    hits: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of its predictions that are right; NaN when it was never predicted."""
        return _ratio(self.hits, self.hits + self.wrong)

    @property
    def recall(self) -> float:
        """Share of its images that were detected; NaN when no image has it."""
        return _ratio(self.hits, self.hits + self.missed)

    @property
    def f1(self) -> float:
        """2 hits / (2 hits + wrong + missed)."""
        return _ratio(2 * self.hits, 2 * self.hits + self.wrong + self.missed)


def tallies_of(truth: Items, predicted: Items) -> tuple[ConceptTally, ...]:
    """Every concept of truth or run with its counts over the images that have true concepts, by CUI."""
    pairs = [
        (true, stripped(predicted.get(image, ()))) for image in truth if (true := stripped(truth[image]))
    ]
    hits = Counter(cui for true, own in pairs for cui in true & own)
    wrong = Counter(cui for true, own in pairs for cui in own - true)
    missed = Counter(cui for true, own in pairs for cui in true - own)
    return tuple(ConceptTally(c, hits[c], wrong[c], missed[c]) for c in sorted({*hits, *wrong, *missed}))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
