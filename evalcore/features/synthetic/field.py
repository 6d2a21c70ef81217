"""What other measures of generated images say of a group: fidelity and variety by neighbours, KID.

========= ====================================================================== ===========================
precision share of generated images within reach of a real one                   Kynkäänniemi et al. 2019
recall    share of real images within reach of a generated one                   (arXiv 1904.06991)
density   real images within whose reach a generated one is, over k: 1 for the   Naeem et al. 2020
          same distribution, above where generated images crowd                  (arXiv 2002.09797)
coverage  share of real images with a generated one within their reach
kid       MMD² of the kernel (x·y / dimensions + 1)³, unbiased, so it can be      Bińkowski et al. 2018
          below 0                                                                (arXiv 1801.01401)
========= ====================================================================== ===========================

The reach of an image is its distance to its k-th nearest neighbour among its own kind. Images are compared
as vectors. Intervals resample images: of the kind that a share is a mean over (reaches stay as they are,
since an image drawn twice would have itself as neighbour), of both kinds for KID, without pairs of an image
with itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial.distance import cdist

from evalcore.values.arrays import Floats, readonly
from evalcore.values.errors import SettingError
from evalcore.values.progress import Progress, silent

K = 5
MOST = 2_000
"""Images of a group that are compared, drawn with the seed: every two of them are."""
N_RESAMPLES = 500
MEASURES = ("precision", "recall", "density", "coverage", "kid")
TITLES = {"kid": "KID"}
"""What measures are called that are no words."""
HIGHER = ("precision", "recall", "density", "coverage")
"""Measures of which more is better."""


@dataclass(frozen=True, slots=True)
class Value:
    """One measure of a group, and its percentile interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A group against the real images: ``n`` images of it and ``n_real`` real ones were compared; ``why``: a
    sentence where nothing could be."""

    group: str
    n: int
    n_real: int
    values: Mapping[str, Value]
    why: str = ""


def neighbourhoods(real: Floats, other: Floats, k: int = K) -> dict[str, Floats]:
    """What each image adds to the measures by neighbours: precision and density shape (m,), the others (n,).

    ``real``, ``other``: vectors, shape (n, d) and (m, d), more than ``k`` images each.
    """
    if min(len(real), len(other)) <= k:
        raise SettingError("k", f"fewer neighbours than images ({min(len(real), len(other))})", k)
    reach, reach_other = _reach(real, k), _reach(other, k)
    apart = cdist(real, other)
    inside = apart <= reach[:, np.newaxis]
    return {
        "precision": inside.any(axis=0).astype(float),
        "recall": (apart <= reach_other).any(axis=1).astype(float),
        "density": inside.sum(axis=0) / k,
        "coverage": inside.any(axis=1).astype(float),
    }


def _reach(images: Floats, k: int) -> Floats:
    """Distance of each image to its k-th nearest among the others, shape (n,)."""
    apart = cdist(images, images)
    np.fill_diagonal(apart, np.inf)
    result: Floats = np.partition(apart, k - 1, axis=1)[:, k - 1]
    return result


def kid(real: Floats, other: Floats) -> float:
    """Unbiased squared maximum mean discrepancy of two groups of vectors, shape (n, d) and (m, d)."""
    ones = np.ones(len(real)), np.ones(len(other))
    return _mmd(*_kernels(real, other), *ones)


def _kernels(real: Floats, other: Floats) -> tuple[Floats, Floats, Floats]:
    def kernel(a: Floats, b: Floats) -> Floats:
        return np.asarray((a @ b.T / real.shape[1] + 1) ** 3)

    return kernel(real, real), kernel(other, other), kernel(real, other)


def _mmd(own: Floats, others: Floats, across: Floats, w: Floats, v: Floats) -> float:
    """From kernels of every two images, images weighed as often as they were drawn."""

    def within(kernel: Floats, weight: Floats) -> float:
        """The mean over pairs of two different images."""
        total = weight @ kernel @ weight - (weight * weight) @ np.diag(kernel)
        return float(total / (weight.sum() ** 2 - (weight * weight).sum()))

    between = float(w @ across @ v / (w.sum() * v.sum()))
    return within(own, w) + within(others, v) - 2 * between


def field(
    real: Floats,
    groups: Mapping[str, Floats],
    *,
    k: int = K,
    n_resamples: int = N_RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[FieldRow, ...]:
    """Every measure of every group, after that of one random half of the real images against the other.

    ``real``, ``groups``: vectors, shape (n, d) each; rows with NaN are left out. The halves are the
    yardstick: what images of the same kind score with half as many images.
    """
    rng = np.random.default_rng(seed)
    whole = _drawn(real, rng)
    order = rng.permutation(len(whole))
    half = len(whole) // 2
    pairs = {"real, one half": (whole[order[half:]], whole[order[:half]])}
    pairs |= {name: (whole, _drawn(group, rng)) for name, group in groups.items()}
    rows = []
    for i, (name, (first, second)) in enumerate(pairs.items()):
        progress(i / len(pairs), name)
        if min(len(first), len(second)) <= k:
            why = f"fewer than {k + 1} images with vectors"
            rows.append(FieldRow(name, len(second), len(first), {}, why))
            continue
        values = _values(first, second, k, n_resamples, level, rng)
        rows.append(FieldRow(name, len(second), len(first), values))
    progress(1, "")
    return tuple(rows)


def _drawn(vectors: Floats, rng: np.random.Generator) -> Floats:
    kept = vectors[np.isfinite(vectors).all(axis=1)]
    if len(kept) > MOST:
        kept = kept[np.sort(rng.choice(len(kept), MOST, replace=False))]
    return readonly(np.ascontiguousarray(kept, float))


def _values(
    real: Floats, other: Floats, k: int, n_resamples: int, level: float, rng: np.random.Generator
) -> dict[str, Value]:
    tails = (1 - level) / 2, (1 + level) / 2

    def spread(value: float, again: Callable[[], float]) -> Value:
        low, high = np.quantile([again() for _ in range(n_resamples)], tails)
        return Value(value, float(low), float(high))

    result = {}
    for name, each in neighbourhoods(real, other, k).items():
        again = partial(_mean_again, each, rng)
        result[name] = spread(float(each.mean()), again)
    kernels = _kernels(real, other)

    def weights(n: int) -> Floats:
        return np.bincount(rng.integers(0, n, n), minlength=n).astype(float)

    result["kid"] = spread(
        _mmd(*kernels, np.ones(len(real)), np.ones(len(other))),
        lambda: _mmd(*kernels, weights(len(real)), weights(len(other))),
    )
    if min(len(real), len(other)) > real.shape[1]:
        # Two orders that nothing uses: they keep the resamples of the next group where they were.
        rng.permutation(len(real))
        rng.permutation(len(other))
    return result


def _mean_again(values: Floats, rng: np.random.Generator) -> float:
    return float(rng.choice(values, len(values)).mean())


def verdict(rows: tuple[FieldRow, ...]) -> str:
    """Whether the measures agree on which group is best; "" with fewer than two groups."""
    known = [row for row in rows[1:] if row.values]
    if len(known) < 2:
        return ""
    best = {
        name: (max if name in HIGHER else min)((row.values[name].value, row.group) for row in known)[1]
        for name in MEASURES
        if all(name in row.values for row in known)
    }
    groups = list(dict.fromkeys(best.values()))
    if len(groups) == 1:
        return f"All {len(best)} measures put {groups[0]} first."
    parts = [
        f"{', '.join(TITLES.get(name, name) for name, group in best.items() if group == one)}: {one}"
        for one in groups
    ]
    return f"The measures disagree on the best group ({'; '.join(parts)})."
