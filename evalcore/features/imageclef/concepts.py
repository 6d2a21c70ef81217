"""Concept detection: F1 as the official scripts compute it.

    F1(G, P) = 2 |G∩P| / (|G| + |P|)          per image, on sets of upper-cased concepts

The primary score is the mean over the images of the ground truth (2017 to 2019: over those with true
concepts). The secondary score of 2025 keeps only 15 curated concepts on both sides, takes the truth from the
manually checked file, and leaves out images with none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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
