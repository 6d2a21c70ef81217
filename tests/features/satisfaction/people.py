"""Made-up ratings for tests: lists of images in rows, and people who mark the mean of what they look at.

Each has a habit of their own to praise or to complain, and gives up at a rank of their own.
"""

from __future__ import annotations

import numpy as np

from evalcore.features.satisfaction.data import Satisfaction

ROWS = 10


def made_up(*, seed: int, n_users: int = 36, queries_each: int = 30) -> Satisfaction:
    """Ten rows of three to six images, relevance in steps of 0.01, and marks from 1 to 5."""
    rng, n = np.random.default_rng(seed), n_users * queries_each
    ends = np.cumsum(rng.integers(3, 7, (n, ROWS)), axis=1)
    ranks = np.arange(int(ends[:, -1].max()))
    shown = ranks < ends[:, -1:]
    row_of = (ranks[np.newaxis, :, np.newaxis] >= ends[:, np.newaxis, :]).sum(axis=2)
    relevance = np.clip(rng.normal(rng.uniform(0.3, 0.75, (n, 1)), 0.15, shown.shape), 0, 1).round(2)
    user_of = np.repeat(np.arange(n_users, dtype=np.int32), queries_each)
    looked = np.where(shown, rng.uniform(0.93, 0.99, (n_users, 1))[user_of] ** ranks, 0.0)
    worth = (relevance * looked).sum(axis=1) / looked.sum(axis=1) + rng.normal(0.0, 0.2, n)
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
