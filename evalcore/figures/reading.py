"""How to read each figure: one line for a clinician, one line on the method for a researcher."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Reading(NamedTuple):
    """What stands under a figure in each reading level."""

    plain: str
    technical: str


HOW_TO_READ: Mapping[str, Reading] = MappingProxyType({
    "alpha_lines": Reading(
        "Moving right gives more credit to related (not identical) findings. A ring marks where two lines "
        "change places; the dotted line is the setting in use.",
        "Mean at each α with its bootstrap interval over queries, pointwise; rings: linear "
        "interpolation between the values of α tried.",
    ),
    "leader_map": Reading(
        "Each cell is one setting, its letter the best system there. Faint means too close to call. If most "
        "of the map has one letter, the result does not hang on the setting.",
        "Leader's mean minus the runner-up's, paired by query; faint where its 95 % bootstrap interval "
        "includes 0. Leader and lead come from the same data: a description, not a test.",
    ),
    "tau_map": Reading(
        "1 means that all systems stand in the same order as now; lower means more of them have changed "
        "places.",
        "Kendall's tau-b of the systems' means with those at the setting in use (framed); cividis, negative "
        "values drawn like 0.",
    ),
    "reading_lines": Reading(
        "Each row counts related findings in another way. Upright lines that do not cross mean that it does "
        "not matter which way is taken.",
        "Means with bootstrap intervals at the α and threshold in use; bold: the reading in use. Rules are "
        "readings of Algorithm 1 of arXiv 2506.13509.",
    ),
    "cost_bars": Reading(
        "How long the computer takes. Looking further for related findings costs more time; finding them is "
        "done once per study.",
        "Seconds of the clock, fastest of the repeats; loops compiled and dictionary at hand before scoring "
        "is timed; scoring: all candidates, first 30 results.",
    ),
    "leaderboard_dots": Reading(
        "Each mark is a system's average score. If the lines of two systems overlap a lot, do not call "
        "one better.",
        "Mean over the defined queries with a bootstrap interval over queries; dotted line: mean "
        "of the baseline. Overlap of intervals is no test; see the paired differences.",
    ),
    "leaderboard_multiples": Reading(
        "One panel per score, the same systems in the same rows. Marks that do not fall in line mean the "
        "winner depends on what is measured.",
        "Rows ordered by the first metric; each panel has its own scale from 0; bootstrap "
        "intervals over queries.",
    ),
    "difference_dots": Reading(
        "Each mark is how much better (right of the line) or worse (left) a system is on average. If its "
        "bar crosses the line, chance may explain the difference.",
        "Mean paired difference over the queries both have a value for, bootstrap interval over queries, "
        "two-sided paired permutation test, p corrected for all comparisons shown.",
    ),
    "metric_curves": Reading(
        "Looking further down the list: how good are the results still? Higher is better; bands show how "
        "sure the average is.",
        "Mean over the defined queries at each cutoff k with its bootstrap interval, pointwise and not "
        "corrected for the number of cutoffs; long ranges of k on a logarithmic axis.",
    ),
    "delta_bars": Reading(
        "Each bar is one query. Above the line the first system found better images, below the line the "
        "second did. Click a bar to open the query.",
        "Per-query difference of the metric, sorted descending, ties by query id; queries undefined for "
        "either system left out. Above 1,500 queries bars are means of neighbours in this order.",
    ),
    "score_scatter": Reading(
        "Each dot is one query. On the line both systems do equally well; dots far from it are cases worth "
        "opening.",
        "Per-query values of both systems; dashed lines at the cut between good and poor; dots at one place "
        "are merged, area by number of queries, beyond 2,000 places in a grid of 24 x 24 cells.",
    ),
    "win_tie_loss": Reading(
        "On how many queries each system found the better images, and on how many they did equally well.",
        "Counts of positive, zero and negative per-query differences, without a margin for ties.",
    ),
    "match_matrix": Reading(
        "A ringed dot is a finding both images share. A small dot joins two findings that lie close in the "
        "medical dictionary; its number says how many steps apart.",
        "Pairs that count under the chosen rule, distance and threshold; dot area falls as 1/(1 + distance). "
        "Concepts in grey have no match.",
    ),
    "contribution_bars": Reading(
        "How the score comes about: shared findings add a full part (solid), related findings a smaller "
        "one (hatched). Together they are the score.",
        "Exact matches add 1/|A ∪ B|, counted neighbour matches alpha/|A ∪ B| (additive form); the parts sum "
        "to the value.",
    ),
    "path_figure": Reading(
        "Each arrow is one link in the medical dictionary. Fewer steps mean closer meaning; higher up is "
        "more general.",
        "One shortest path in the whole is_a graph; layers by direction of the edges, up to the common "
        "ancestor and down again; sources on the arrows.",
    ),
    "neighbourhood_tree": Reading(
        "What the medical dictionary links to this finding. Filled marks are findings the images of this "
        "study carry, larger ones in more images.",
        "Breadth-first over the whole graph; each concept once, by the first link that reaches it; mark area "
        "by number of images; at most 40 concepts, the most used and what leads to them.",
    ),
    "routes_figure": Reading(
        "All ways from the left finding to the right one that are equally short. ↑ leads to something more "
        "general, ↓ to something more specific. Press a box to go on from there.",
        "The first of the shortest paths in alphabetical order, shared concepts once; columns by number of "
        "steps from the start (networkx, multipartite layout).",
    ),
    "distance_bars": Reading(
        "Each step is one link in the medical dictionary. Findings a step or two apart are close in meaning; "
        "those not in the graph can only match exactly. Filled: near enough to count as related now.",
        "All unordered pairs of different concepts of the study, breadth-first distances on the whole graph; "
        "weighted: by the product of the two concepts' numbers of images; filled bars: within the threshold.",
    ),
    "distance_map": Reading(
        "Bright cells are findings that are the same or nearly the same. Press a cell to see how the two are "
        "connected.",
        "Shortest is_a distances on the whole graph; cividis, one colour from 6 steps on; ordered by each "
        "concept's nearest match.",
    ),
    "working_pair_bars": Reading(
        "Each bar is a link of the medical dictionary that makes images count as related. Press one to see "
        "such images and judge whether the link makes sense.",
        "Unordered image pairs in which one image holds one concept, the other the other, as the count rule "
        "asks; an image pair counts under each of its concept pairs.",
    ),
    "concepts_per_image": Reading(
        "How many findings are noted per image. Images without any cannot be compared and are counted "
        "apart.",
        "Distinct CUIs per annotated image; 0 means annotated with nothing, which differs from not "
        "annotated.",
    ),
    "coverage_bars": Reading(
        "How much of the study has each kind of information. Short bars mean that a score rests on few "
        "images.",
        "Share of images, concepts or queries that carry each part, of all that could.",
    ),
    "unknown_concepts": Reading(
        "Findings the medical dictionary does not know. They can match only exactly, never as related.",
        "CUIs of the study without a node in the graph, by number of images; they have no neighbours and "
        "still count in the union.",
    ),
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
