"""Do the scores of generated images put them in the same order, and do they agree with people?

Every score is turned so that more is better (distances get a minus). Orders are compared by Spearman's rho
over the images that have all scores. People rate images, or say which of two is better: a score agrees with
a person about a pair when it prefers the same image, or calls both equal as the person does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from evalcore.features.synthetic.copies import cosines, nearest
from evalcore.features.synthetic.read.files import Choice, PairJudgment
from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.stats.correlation import correlations, spearman
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Floats, Ints

FEWEST = 4
"""Images or pairs from which on agreement says anything."""
N_RESAMPLES, LEVEL = 999, 0.95
CHOICES: tuple[Choice, ...] = ("first", "second", "tie")
NAMES = {
    "wsi": "WSI",
    "minus_mahalanobis": "− Mahalanobis",
    "nearest_cosine": "nearest real (cosine)",
    "minus_lpips": "− LPIPS",
}
"""What pages call the scores of an image."""


def image_scores(wsi: Floats, mahalanobis: Floats, rows: Floats, archetypes: Floats) -> dict[str, Floats]:
    """Every score of the images of a group by name, shape (n,) each; more is better: distances with a minus.

    ``rows``, ``archetypes``: vectors of the group and of the archetypes.
    """
    near = nearest(cosines(rows, archetypes)).value
    return {"wsi": np.asarray(wsi, float), "minus_mahalanobis": -mahalanobis, "nearest_cosine": near}


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Spearman's rho and Kendall's tau-b of every two scores, shape (m, m), over the same ``n`` images.

    NaN where a score does not vary, everywhere with fewer than ``FEWEST`` images. left_out: images without
    one of the scores.
    """

    names: tuple[str, ...]
    rho: Floats
    tau: Floats
    n: int
    left_out: int


def agreement(scores: Mapping[str, Floats]) -> Agreement:
    """All scores with each other; each of shape (n,), more is better, NaN for none.

    A score that no image has is left out, or nothing could be compared.
    """
    total = len(next(iter(scores.values()), ()))
    kept = {name: values for name, values in scores.items() if np.isfinite(values).any()}
    columns = np.array([np.where(np.isfinite(values), values, np.nan) for values in kept.values()]).T
    n = int(np.isfinite(columns).all(axis=1).sum()) if kept else 0
    if n < FEWEST:
        unknown = np.full((len(kept), len(kept)), np.nan)
        return Agreement(tuple(kept), unknown, unknown, n, total - n)
    columns = np.ascontiguousarray(columns)
    rho, tau = correlations(columns, method="spearman"), correlations(columns, method="kendall")
    return Agreement(tuple(kept), rho, tau, n, total - n)


@dataclass(frozen=True, slots=True)
class WithPeople:
    """How far one score agrees with people: rho or the agreement rate, its interval, over how many images
    or pairs.

    confusion: pairs by the choice of people (rows) and that of the score (columns): first, second, tie;
    None for ratings.
    """

    name: str
    value: float
    low: float
    high: float
    n: int
    confusion: Ints | None = None


def with_ratings(scores: Mapping[str, Floats], people: Floats, *, seed: int = 0) -> list[WithPeople]:
    """Spearman's rho of each score with the ratings of people, shape (n,), more is better, NaN where nobody
    judged.

    With a percentile bootstrap interval over images; NaN with fewer than ``FEWEST``.
    """
    result = []
    for name, values in scores.items():
        both = np.isfinite(values) & np.isfinite(people)
        x, y = values[both], people[both]
        rho = low = high = nan
        if len(x) >= FEWEST:
            draws = np.random.default_rng(seed).integers(0, len(x), (N_RESAMPLES, len(x)))
            drawn = np.array([spearman(x[rows], y[rows]) for rows in draws])
            known, rho = drawn[np.isfinite(drawn)], spearman(x, y)
            if len(known):
                low, high = map(float, np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
        result.append(WithPeople(name, rho, low, high, len(x)))
    return result


def with_pairs(
    scores: Mapping[str, Mapping[str, float]], pairs: Sequence[PairJudgment], *, seed: int = 0
) -> list[WithPeople]:
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
        confusion = np.zeros((3, 3), np.int32)
        agreed = []
        for first, second, better in pairs:
            apart = values.get(first, nan) - values.get(second, nan)
            if np.isfinite(apart):
                own: Choice = "tie" if abs(apart) <= SAME else "first" if apart > 0 else "second"
                confusion[CHOICES.index(better), CHOICES.index(own)] += 1
                agreed.append(float(better == own))
        rate = low = high = nan
        if len(agreed) >= FEWEST:
            rng = np.random.default_rng(seed)
            means = bootstrap_means(np.array(agreed)[:, None], n_resamples=N_RESAMPLES, rng=rng)
            low, high = (float(end[0]) for end in percentile_interval(means, level=LEVEL))
            rate = float(np.mean(agreed))
        result.append(WithPeople(name, rate, low, high, len(agreed), confusion))
    return result


def by_image(
    groups: Mapping[str, Sequence[str]], scores: Mapping[str, Mapping[str, Floats]]
) -> dict[str, dict[str, float]]:
    """Scores of the images of all groups by id, for pairs across groups: {score: {image: value}}.

    An id that several groups have is written GROUP/ID. ``scores``: by group and name.
    """
    times = Counter(image for ids in groups.values() for image in ids)
    result: dict[str, dict[str, float]] = {}
    for group, ids in groups.items():
        names = [image if times[image] == 1 else f"{group}/{image}" for image in ids]
        for score, values in scores[group].items():
            result.setdefault(score, {}).update(zip(names, values.tolist(), strict=True))
    return result
