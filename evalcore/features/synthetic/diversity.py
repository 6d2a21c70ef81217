"""A group of generated images against its training images: how alike among themselves, and how near."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.features.synthetic.copies import Nearest, cosines, nearest
from evalcore.features.synthetic.evaluation.scores import Tally, WsiSettings
from evalcore.features.synthetic.memorisation import (
    FEWEST,
    Comparison,
    compare_nearest,
    compare_self_similarity,
    nearest_training,
    pair_values,
)
from evalcore.features.synthetic.tversky import Presence, wsi_matrix
from evalcore.values.arrays import Bools, Floats, readonly
from evalcore.values.errors import SettingError
from evalcore.values.progress import Progress, silent, stages

MOST = 2_500
"""Images of both sets together whose pairs are compared; more are drawn with the seed."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Under one similarity, of all images with each other: training images first, then generated ones.

    pairs: values of unordered pairs within the training and within the generated images. itself: of the means
    of these; None for vectors, whose cosines also rise when a whole group lies off in one direction. near: of
    the nearest training images. of_training: how near each training image is to the next.
    """

    similarity: Floats
    generated: Bools
    pairs: tuple[Floats, Floats]
    itself: Comparison | None
    near: Comparison
    nearest: Nearest
    of_training: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Diversity:
    """Features (WSI) and vectors (cosine), None without vectors; ids of the images that were compared.

    ``drawn``: whether they are a sample.
    """

    training_ids: tuple[str, ...]
    generated_ids: tuple[str, ...]
    features: Likeness
    vectors: Likeness | None
    drawn: bool

    @property
    def itself(self) -> Comparison:
        """Self-similarity by features."""
        assert self.features.itself is not None
        return self.features.itself

    def tests(self, features: str, vectors: str) -> tuple[tuple[str, str, Comparison], ...]:
        """Each question, what it was asked by (called ``features`` or ``vectors``), and its test."""
        near = "nearest training image"
        by_vectors = () if self.vectors is None else ((near, vectors, self.vectors.near),)
        return ("self-similarity", features, self.itself), (near, features, self.features.near), *by_vectors


def diversity(
    training: Tally,
    generated: Tally,
    *,
    weights: Floats,
    settings: WsiSettings,
    vectors: tuple[Floats, Floats] | None = None,
    n_resamples: int = 999,
    progress: Progress = silent,
) -> Diversity:
    """Compare a group of generated images with the training images.

    Parameters
    ----------
    training, generated
        Features that the images have, the same ones in the same order.
    vectors
        Of both, shapes (n, k) in their order; rows of NaN for images without one.
    settings
        alpha, beta, level, seed. With alpha and beta apart, a pair has the mean of both directions.
    """
    if min(len(training), len(generated)) < FEWEST:
        given = f"{len(training)} training, {len(generated)} generated"
        raise SettingError("images", f"at least {FEWEST} of both kinds", given)
    kept = _kept(len(training), len(generated), settings.seed)
    by_features, by_vectors = stages(progress, 1, 1)
    both = _stacked(training.presence, generated.presence).rows(
        np.concatenate([kept[0], kept[1] + len(training)])
    )
    own = np.arange(len(both)) >= len(kept[0])
    values = wsi_matrix(
        both, both, weights=weights, alpha=settings.alpha, beta=settings.beta, undefined=settings.undefined
    )
    likeness = _likeness((values + values.T) / 2, own, settings, n_resamples, by_features, features=True)
    cosine = None
    if vectors is not None:
        rows = np.vstack([vectors[0][kept[0]], vectors[1][kept[1]]])
        cosine = _likeness(cosines(rows), own, settings, n_resamples, by_vectors, features=False)
    return Diversity(
        tuple(training.ids[i] for i in kept[0]),
        tuple(generated.ids[i] for i in kept[1]),
        likeness,
        cosine,
        len(both) < len(training) + len(generated),
    )


def _likeness(
    similarity: Floats,
    generated: Bools,
    settings: WsiSettings,
    n_resamples: int,
    progress: Progress,
    *,
    features: bool,
) -> Likeness:
    itself, near = stages(progress, 2, 1)
    own, others = np.flatnonzero(generated), np.flatnonzero(~generated)
    given = {"n_resamples": n_resamples, "level": settings.level, "seed": settings.seed}
    return Likeness(
        readonly(similarity),
        readonly(generated),
        (pair_values(similarity[np.ix_(others, others)]), pair_values(similarity[np.ix_(own, own)])),
        compare_self_similarity(similarity, generated, **given, progress=itself)  # type: ignore[arg-type]
        if features
        else None,
        compare_nearest(similarity, generated, **given, progress=near),  # type: ignore[arg-type]
        nearest(similarity[np.ix_(own, others)]),
        nearest_training(similarity, generated)[others],
    )


def _stacked(presence: Presence, other: Presence) -> Presence:
    return Presence(np.vstack([presence.present, other.present]), np.vstack([presence.known, other.known]))


def _kept(n_training: int, n_generated: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Which images are compared: all, or a sample in proportion, in their order."""
    total = n_training + n_generated
    rng, result = np.random.default_rng((seed, 2)), []
    for n in (n_training, n_generated):
        most = n if total <= MOST else max(FEWEST, MOST * n // total)
        result.append(np.sort(rng.permutation(n)[:most]))
    return result[0], result[1]
