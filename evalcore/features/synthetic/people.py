"""Do the scores of generated images agree with people about pairs of images?

Every score is turned so that more is better (distances get a minus). It agrees with a person about a pair
when it prefers the same image, or calls both equal as the person does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from evalcore.features.synthetic.files import Choice, PairJudgment
from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Ints

FEWEST = 4
"""Pairs from which on agreement says anything."""
N_RESAMPLES, LEVEL = 999, 0.95
CHOICES: tuple[Choice, ...] = ("first", "second", "tie")


class Agreement(NamedTuple):
    """How far a score agrees with people about ``n`` pairs of images: the agreement rate, its interval, and
    the pairs by the choice of people (rows) and that of the score (columns): first, second, tie."""

    score: str
    rate: float
    low: float
    high: float
    n: int
    confusion: Ints


def agreement(scores: pd.DataFrame, pairs: Sequence[PairJudgment], *, seed: int = 0) -> list[Agreement]:
    """The share of pairs about which each score agrees with people, and the confusion matrix of both.

    Parameters
    ----------
    scores
        A row per image: ``group``, ``image``, then its scores, more is better. An id that several groups
        have is written GROUP/ID in pairs. Pairs with an image that has no score are left out.
    pairs
        Judgments; the same pair by several people counts as often.

    The interval is a percentile bootstrap over judgments; NaN with fewer than ``FEWEST``.
    """
    image, result = scores["image"], []
    ids = image.where(~image.duplicated(keep=False), scores["group"] + "/" + image)
    for name in scores.columns[2:]:
        values = dict(zip(ids, scores[name], strict=True))
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
        result.append(Agreement(name, rate, low, high, len(agreed), confusion))
    return result
