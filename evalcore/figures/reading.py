"""How to read each figure: one line for a clinician, one line on the method for a researcher."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from evalcore.figures.drawn import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping


HOW_TO_READ: Mapping[str, Reading] = MappingProxyType({
    "agreement_matrix": Reading(
        "Each square compares two measures. Strong blue and near 1: they put things in the same order, so "
        "either will do. Faint: they look at different things. Orange: one rises where the other falls.",
        "Spearman's rho above the diagonal and Kendall's tau-b below it (ties corrected); empty where a "
        "measure does not vary.",
    ),
    "measure_cloud": Reading(
        "Each square holds pairs of images. At the left edge the measure named below the figure sees nothing "
        "in common where the other one does. The rings are the pairs listed below; click one to see why.",
        "26 x 26 cells, colour by the logarithm of the number of pairs; rings by the largest difference of "
        "mid-ranks.",
    ),
    "rank_slopes": Reading(
        "Follow one line from left to right. Lines that cross mean that the better system depends on how "
        "“relevant” is defined.",
        "Places by mean over the common queries; equal means in the order of names. A crossing need not be "
        "significant: see the p-values.",
    ),
    "power_bars": Reading(
        "A longer bar means that fewer systems look alike to this measure with these queries. It does not "
        "mean that the measure is right.",
        "Discriminative power (Sakai 2006): pairs with Holm-corrected p below the level, paired permutation "
        "test; common queries for all measures.",
    ),
    "significance_curves": Reading(
        "Each line is a measure. The longer it stays low, the more pairs of systems it tells apart.",
        "Achieved significance levels of all pairs, ascending (Sakai draws them descending); values at the "
        "bottom are limited by the number of resamples.",
    ),
})  # fmt: skip
"""{figure function: its two lines}; every figure of this package is in it."""


def how_to_read(figure: str, reading: Literal["plain", "technical"]) -> str:
    """The line that stands under a figure. KeyError for a figure that does not exist."""
    lines = HOW_TO_READ[figure]
    return lines.plain if reading == "plain" else lines.technical
