"""Made-up ratings for tests: lists of images in rows, and people who compare each image with the best so far.

What an image is worth to them is its relevance times its share of the best relevance before it. The mean
worth of what they look at, some noise, and a habit of their own to praise or to complain make a mark.
"""

from __future__ import annotations

import numpy as np

from evalcore.features.satisfaction.data import Satisfaction

ROWS = 10


def made_up(*, seed: int, n_users: int = 36, queries_each: int = 30) -> Satisfaction:
    """Ten rows of three to six images, half of the lists with one outstanding image early; marks 1 to 5."""
    rng, n = np.random.default_rng(seed), n_users * queries_each
    ends = np.cumsum(rng.integers(3, 7, (n, ROWS)), axis=1)
    ranks = np.arange(int(ends[:, -1].max()))
    shown = ranks < ends[:, -1:]
    row_of = (ranks[np.newaxis, :, np.newaxis] >= ends[:, np.newaxis, :]).sum(axis=2)
    relevance = _relevance(rng, shown)
    user_of = np.repeat(np.arange(n_users, dtype=np.int32), queries_each)
    worth = _worth(relevance, shown, rng.uniform(0.93, 0.99, n_users)[user_of]) + rng.normal(0.0, 0.2, n)
    middle, width = rng.normal(0.45, 0.15, n_users)[user_of], rng.uniform(0.1, 0.3, n_users)[user_of]
    return Satisfaction(
        queries=tuple(f"q{i:05d}" for i in range(n)),
        users=tuple(f"u{i:03d}" for i in range(n_users)),
        user_of=user_of,
        satisfaction=np.clip(np.round(3 + (worth - middle) / width), 1, 5),
        relevance=np.where(shown, relevance, np.nan),
        row_of=np.where(shown, row_of, 0).astype(np.int32),
        shown=shown,
        scale=(0.0, 1.0),
        unrated=0,
        judgments=int(shown.sum()),
        what="made up",
        sessions=("",) * n,
    )


def _relevance(rng: np.random.Generator, shown: np.ndarray) -> np.ndarray:
    n, k = shown.shape
    middle, spread = rng.uniform(0.3, 0.75, (n, 1)), rng.uniform(0.0, 0.2, (n, 1))
    trend = rng.uniform(-0.2, 0.4, (n, 1)) * (np.arange(k) / k - 0.5)
    values = middle - trend + spread * rng.normal(size=(n, k))
    first, height = rng.integers(0, 4, (n,)), rng.uniform(0.85, 1.0, (n,))
    some = np.flatnonzero(rng.random(n) < 0.5)
    values[some, first[some]] = np.maximum(values[some, first[some]], height[some])
    return np.clip(np.round(values, 2), 0.0, 1.0)


def _worth(relevance: np.ndarray, shown: np.ndarray, going_on: np.ndarray) -> np.ndarray:
    best = np.maximum.accumulate(relevance, axis=1)
    worth = relevance * np.divide(relevance, best, out=np.ones_like(best), where=best > 0)
    looked = np.where(shown, going_on[:, np.newaxis] ** np.arange(relevance.shape[1]), 0.0)
    return (worth * looked).sum(axis=1) / looked.sum(axis=1)
