"""Kappas: agreement beyond chance of two readers (Cohen, weighted), and of several (Fleiss).

Weighted by the distance of two grades, or its square, a disagreement by one step counts less than one by four
(Cohen 1968, doi:10.1037/h0026256). Fleiss 1971 (doi:10.1037/h0031619) takes as many ratings of every item:

    kappa = (P - P_e) / (1 - P_e),   P mean share of agreeing pairs of an item, P_e the sum of squared shares
                                     of the categories
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from evalcore.features.review.agreement.ratings import Level
    from evalcore.values.arrays import Floats

Weights = Literal["none", "linear", "quadratic"]
WEIGHTS_OF: dict[Level, Weights] = {"nominal": "none", "ordinal": "quadratic", "interval": "quadratic"}
"""How far apart two values are at each level of measurement, unless told otherwise."""


def cohen(a: Floats, b: Floats, *, weights: Weights = "quadratic") -> float:
    """Kappa of two readers over the items both judged, shape (n,) each; NaN where it is undefined.

    Undefined: nothing judged by both, or both gave one and the same value throughout. Any numbers can be
    grades, such as -1, 0 and 1: a disagreement weighs as much as the two values differ (``linear``), or the
    square of that (``quadratic``), so the unit and the zero of the scale do not matter.
    """
    both = ~(np.isnan(a) | np.isnan(b))
    domain, codes = np.unique(np.concatenate([a[both], b[both]]), return_inverse=True)
    if len(domain) < 2:
        return float("nan")
    n = int(both.sum())
    gaps = np.abs(domain[:, np.newaxis] - domain)
    disagreement = {"none": gaps > 0, "linear": gaps, "quadratic": gaps**2}[weights]
    observed = disagreement[codes[:n], codes[n:]].mean()
    of_a, of_b = (np.bincount(of, minlength=len(domain)) / n for of in (codes[:n], codes[n:]))
    by_chance = float(of_a @ disagreement @ of_b)
    return float(1 - observed / by_chance)


def fleiss(counts: Floats) -> float:
    """Fleiss' kappa of how many readers put each item into each category, shape (items, categories).

    NaN where it is undefined: no items, fewer than two ratings, or all in one category.

    Raises
    ------
    ValueError
        Items with different numbers of ratings.
    """
    ratings = counts.sum(axis=1)
    if not len(counts) or ratings[0] < 2:
        return float("nan")
    if (ratings != ratings[0]).any():
        raise ValueError("Fleiss' kappa takes the same number of ratings of every item.")
    n = ratings[0]
    agreeing = float(((counts * counts).sum(axis=1) - n).mean() / (n * (n - 1)))
    by_chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return (agreeing - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def counts_of(values: Floats) -> Floats:
    """Categories counted by item, shape (items, categories), of the items that every reader judged.

    ``values``: shape (readers, items), NaN for none.
    """
    whole = values[:, ~np.isnan(values).any(axis=0)]
    domain = np.unique(whole)
    if not len(domain):
        return np.zeros((0, 0))
    return np.stack([(whole == value).sum(axis=0) for value in domain], axis=1).astype(float)
