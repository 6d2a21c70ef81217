"""F1 of concept detection, as each edition's script computes it.

    F1(G, P) = 2 |G∩P| / (|G| + |P|)          per image, on sets of upper-cased concepts

The primary score is the mean over the images of the ground truth (2017 to 2019: over those with true
concepts). The secondary score of 2025 keeps only 15 curated concepts on both sides, takes the truth
from the manually checked file, and leaves out images with none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from evalcore.features.imageclef.editions import CURATED
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError

Items = Mapping[str, Sequence[str]]


def cleaned(items: Sequence[str]) -> frozenset[str]:
    """Concepts without the spaces around them, and without the empty "concept" that some editions count."""
    return frozenset(item.strip() for item in items if item.strip())


def f1_per_image(truth: Sequence[frozenset[str]], predicted: Sequence[frozenset[str]]) -> Floats:
    """2 |G∩P| / (|G| + |P|) of aligned sets; two empty sets give 0, as in scikit-learn.

    >>> f1_per_image([frozenset("ab"), frozenset()], [frozenset("bc"), frozenset()]).tolist()
    [0.5, 0.0]
    """
    n = len(truth)
    shared = np.fromiter((len(g & p) for g, p in zip(truth, predicted, strict=True)), np.int64, n)
    sizes = np.fromiter((len(g) + len(p) for g, p in zip(truth, predicted, strict=True)), np.int64, n)
    values: Floats = np.divide(2.0 * shared, sizes, out=np.zeros(n), where=sizes > 0)
    return values


def primary_score(truth: Items, predicted: Items) -> tuple[Floats, float]:
    """F1 per image of the truth, NaN for images that do not count, and the main score.

    An image without prediction counts as predicted empty. The score is NaN when no image counts, where
    the script divides by zero, and when the run has none of the images.
    """
    values = _counted(truth, [frozenset(truth[image]) for image in truth], predicted, frozenset)
    if not any(image in predicted for image in truth):
        values[:] = np.nan
    return values, _mean_in_order(tuple(truth), values, predicted)


def secondary_score(truth: Items, manual: Items, predicted: Items, *, file: str) -> float:
    """The curated score: both sides cut down to the 15 concepts; NaN when no image has any of them.

    Raises
    ------
    InputError
        The manually checked file lacks images of the ground truth, which the script stops at.
    """
    absent = [image for image in truth if image not in manual]
    if absent:
        some = ", ".join(absent[:5])
        raise InputError(
            f"{file} lacks {len(absent):,} image{'s' * (len(absent) > 1)} of the ground truth, "
            f"such as {some}. Add them."
        )
    true = [CURATED.intersection(manual[image]) for image in truth]
    values = _counted(truth, true, predicted, CURATED.intersection)
    return _mean_in_order(tuple(truth), values, predicted, extra=len(manual) - len(truth))


def _counted(
    images: Iterable[str],
    true: Sequence[frozenset[str]],
    predicted: Items,
    kept: Callable[[Sequence[str]], frozenset[str]],
) -> Floats:
    """F1 per image; NaN where nothing is true."""
    values = f1_per_image(true, [kept(predicted.get(image, ())) for image in images])
    values[np.fromiter((not g for g in true), np.bool_, len(true))] = np.nan
    return values


def _mean_in_order(images: Sequence[str], values: Floats, predicted: Items, *, extra: int = 0) -> float:
    """The mean, added up in the order of the run as the scripts do, so that the last bit agrees.

    ``extra`` images that only the manual file has: the script divides by them too.
    """
    counted = int(np.count_nonzero(~np.isnan(values))) + extra
    if not counted:
        return float("nan")
    at = {image: i for i, image in enumerate(images)}
    own = np.fromiter((at[image] for image in predicted if image in at), np.int64)
    ordered = np.nan_to_num(values[own])
    return float(np.cumsum(ordered)[-1]) / counted if len(ordered) else float("nan")
