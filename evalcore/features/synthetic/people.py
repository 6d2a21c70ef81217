"""Do the scores of generated images put them in the same order, and do they agree with people?

Every score is turned so that more is better (distances get a minus). Orders are compared by Spearman's rho
over the images that have all scores. People rate images, or say which of two is better: a score agrees with
a person about a pair when it prefers the same image, or calls both equal as the person does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import nan
from typing import NamedTuple

import numpy as np

from evalcore.features.synthetic.files import Choice, PairJudgment
from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.stats.correlation import correlations, spearman
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Floats, Ints

FEWEST = 4
"""Images or pairs from which on agreement says anything."""
N_RESAMPLES, LEVEL = 999, 0.95
PEOPLE = "people"
CHOICES: tuple[Choice, ...] = ("first", "second", "tie")
NAMES = {
    "wsi": "WSI",
    "minus_mahalanobis": "− Mahalanobis",
    "nearest_cosine": "nearest real (cosine)",
    "minus_lpips": "− LPIPS",
}
"""What pages call the scores of an image."""


class Agreed(NamedTuple):
    """How alike two scores put the ``n`` images of a group in order: Spearman's rho, NaN where a score does
    not vary or with fewer than ``FEWEST`` images; with people its interval."""

    group: str
    score: str
    other: str
    rho: float
    low: float | None
    high: float | None
    n: int


def agreement(group: str, scores: Mapping[str, Floats]) -> list[Agreed]:
    """Every two scores of a group over the images that have all of them; each of shape (n,), more is better,
    NaN for none. A score that no image has is left out, or nothing could be compared."""
    kept = {name: values for name, values in scores.items() if np.isfinite(values).any()}
    columns = np.array([np.where(np.isfinite(values), values, np.nan) for values in kept.values()]).T
    n = int(np.isfinite(columns).all(axis=1).sum()) if kept else 0
    rho = np.full((len(kept), len(kept)), nan)
    if n >= FEWEST:
        rho = correlations(np.ascontiguousarray(columns), method="spearman")
    names = list(kept)
    return [
        Agreed(group, names[j], name, float(rho[i, j]), None, None, n)
        for i, name in enumerate(names)
        for j in range(i)
    ]


def with_ratings(group: str, scores: Mapping[str, Floats], people: Floats, *, seed: int = 0) -> list[Agreed]:
    """Each score of a group with the ratings of people, shape (n,), more is better, NaN where nobody judged;
    with a percentile bootstrap interval over images."""
    result = []
    for name, values in scores.items():
        both = np.isfinite(values) & np.isfinite(people)
        x, y = values[both], people[both]
        rho = low = high = nan
        if len(x) >= FEWEST:
            draws = np.random.default_rng(seed).integers(0, len(x), (N_RESAMPLES, len(x)))
            resampled = np.array([spearman(x[rows], y[rows]) for rows in draws])
            known, rho = resampled[np.isfinite(resampled)], spearman(x, y)
            if len(known):
                low, high = map(float, np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
        result.append(Agreed(group, name, PEOPLE, rho, low, high, len(x)))
    return result


class WithPairs(NamedTuple):
    """How far one score agrees with people about ``n`` pairs of images: the agreement rate, its interval, and
    the pairs by the choice of people (rows) and that of the score (columns): first, second, tie."""

    name: str
    value: float
    low: float
    high: float
    n: int
    confusion: Ints


def with_pairs(
    scores: Mapping[str, Mapping[str, float]], pairs: Sequence[PairJudgment], *, seed: int = 0
) -> list[WithPairs]:
    """The share of pairs about which each score agrees with people, and the confusion matrix of both.

    Parameters
    ----------
    scores
        By name, those of the images by id, more is better; pairs with an image that has none are left out.
    pairs
        Judgments; the same pair by several people counts as often.

    The interval is a percentile bootstrap over judgments; NaN with fewer than ``FEWEST``.
    """
    result = []
    for name, values in scores.items():
        confusion, agreed = np.zeros((3, 3), np.int32), []
        for first, second, better in pairs:
            apart = values.get(first, nan) - values.get(second, nan)
            if np.isfinite(apart):
                own: Choice = "tie" if abs(apart) <= SAME else "first" if apart > 0 else "second"
                confusion[CHOICES.index(better), CHOICES.index(own)] += 1
                agreed.append(float(better == own))
        rate = low = high = nan
        if len(agreed) >= FEWEST:
            rng, rate = np.random.default_rng(seed), float(np.mean(agreed))
            means = bootstrap_means(np.array(agreed)[:, None], n_resamples=N_RESAMPLES, rng=rng)
            low, high = (float(end[0]) for end in percentile_interval(means, level=LEVEL))
        result.append(WithPairs(name, rate, low, high, len(agreed), confusion))
    return result


def by_image(
    ids: Mapping[str, Sequence[str]], scores: Mapping[str, Mapping[str, Floats]]
) -> dict[str, dict[str, float]]:
    """Scores of the images of all groups by id, for pairs across groups: {score: {image: value}}.

    An id that several groups have is written GROUP/ID. ``ids``, ``scores``: by group.
    """
    times = Counter(image for images in ids.values() for image in images)
    result: dict[str, dict[str, float]] = {}
    for group, images in ids.items():
        names = [image if times[image] == 1 else f"{group}/{image}" for image in images]
        for score, values in scores[group].items():
            result.setdefault(score, {}).update(zip(names, values.tolist(), strict=True))
    return result
