"""The compiled loops over lists of two systems."""

from __future__ import annotations

import numpy as np

from evalcore.values.compiled import Array, compiled

# Over queries and pairs of systems: how alike are two lists of results?


@compiled
def list_overlaps(
    lists: Array, lengths: Array, n_images: int, powers: Array, sums: Array, k: int
) -> tuple[Array, Array]:
    """Rank-biased overlap and shared results of every two lists of each query.

    Parameters
    ----------
    lists
        Images best first, shape (systems, queries, depth), none twice in a list; -1 is an image without a
        match, and fills a list up.
    lengths
        Results of each list, shape (systems, queries), from 0 to depth.
    n_images
        Above every image index.
    powers, sums
        p^d; the sum of p^i / i for i from 1 to d; shape (depth + 2,) each.
    k
        Results of which the shared ones are counted, from 1.

    Returns
    -------
    rbo
        Shape (pairs, queries): the extrapolated value; NaN where one list is empty. Pairs in the order
        (0, 1), (0, 2), ... (1, 2), ...
    shared
        Shape (pairs, queries): how many of the first k results the two have in common.
    """
    n_systems, n_queries, _ = lists.shape
    n_pairs = n_systems * (n_systems - 1) // 2
    rbo, shared = np.full((n_pairs, n_queries), np.nan), np.zeros((n_pairs, n_queries), np.int64)
    p = powers[1]
    seen = np.zeros(n_images, np.int64)
    stamp = 0
    for query in range(n_queries):
        pair = -1
        for a in range(n_systems):
            for b in range(a + 1, n_systems):
                pair += 1
                stamp += 1
                short = min(lengths[a, query], lengths[b, query])
                long = max(lengths[a, query], lengths[b, query])
                if short == 0:
                    continue
                common, at_short, agreed = 0, 0, 0.0
                for d in range(1, long + 1):
                    for system in (a, b):
                        image = lists[system, query, d - 1] if d <= lengths[system, query] else -1
                        if image >= 0:
                            if seen[image] == stamp:
                                common += 1
                            seen[image] = stamp
                    agreed += common * (sums[d] - sums[d - 1])
                    if d == short:
                        at_short = common
                    if d <= k:
                        shared[pair, query] = common
                # Beyond its end the shorter list is taken to agree as it did down to there (equation 32).
                rate = at_short / short
                beyond = rate * (powers[short + 1] - powers[long + 1]) / (1 - p)
                beyond -= at_short * (sums[long] - sums[short])
                tail = ((common - at_short) / long + rate) * powers[long]
                rbo[pair, query] = min((1 - p) / p * (agreed + beyond) + tail, 1.0)
    return rbo, shared
