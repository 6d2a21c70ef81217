"""How many, and what share? What a study holds, how far its concepts are apart, where scores come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.evaluate.by_kind import FromKinds
from evalcore.figures.bars import Part, bar_rows, columns
from evalcore.figures.frame import Drawn, Parts, Reading, nothing
from evalcore.figures.marks import n_of
from evalcore.figures.theme import Theme
from evalcore.figures.words import HEADS
from evalcore.graph.distances import DistanceCounts
from evalcore.values.arrays import Bools, Offsets
from evalcore.values.concept_values import UNKNOWN
from evalcore.values.writing import count, pluralize, safe, share

# What does the study hold? Concepts per image, coverage, and the concepts that are not in the graph.

SIZES = Reading(
    "How many concepts each image has. Images without any cannot be compared and are counted separately.",
    "Distinct concepts per annotated image; 0 means annotated with nothing, not that it was not annotated.",
)
COVERAGE = Reading(
    "How much of the study has each kind of information. Short bars mean that a score rests on few images.",
    "Share of images, concepts or queries that carry each part, of all that could.",
)
NOT_IN_GRAPH = Reading(
    "Concepts that the terminology does not contain. They can match only exactly, never as related.",
    "Concepts of the study without a node in the graph, by number of images; they have no neighbours and "
    "still count in the union.",
)
LAST_BAR, TOP = 30, 15
"""Images with more concepts than this share the last bar; and how many unknown concepts are drawn."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """``have`` of ``total`` things carry what the label says, for example images with a caption."""

    label: str
    have: int
    total: int


def concepts_per_image(sizes: Offsets, annotated: Bools, *, theme: Theme) -> Drawn:
    """How many images carry 0, 1, 2 ... concepts.

    ``sizes``, ``annotated``: aligned with the images. Images nobody annotated are counted in the subtitle,
    not as 0.
    """
    known = np.asarray(sizes)[annotated]
    if not len(known):
        return nothing("The study has no annotated image.", SIZES, theme=theme)
    heights = np.bincount(np.minimum(known, LAST_BAR))
    n, missing, median = len(heights), len(sizes) - len(known), float(np.median(known))
    names = [f"{LAST_BAR} or more" if x == LAST_BAR else str(x) for x in range(n)]
    return columns(
        np.arange(n),
        heights,
        colours=[theme.accent if x else theme.neutral for x in range(n)],
        hover=[
            f"{pluralize(images, 'image')} with {x} concept{'' if x == '1' else 's'}"
            for images, x in zip(heights.tolist(), names, strict=True)
        ],
        across={"title": "concepts", "range": [-0.6, n - 0.4], **_ticks(n)},
        upward={"title": "images", "rangemode": "tozero", "tickformat": ",d"},
        title="Concepts per image",
        subtitle=f"n = {pluralize(len(known), 'annotated image')}"
        + (f" · {missing:,} not annotated" if missing else ""),
        upright=(median, f"median {median:g}"),
        theme=theme,
        alt=f"{pluralize(len(known), 'annotated image')} with {int(known.min())} to {int(known.max())} "
        f"concepts, median {median:g}; {int(np.sum(known == 0)):,} annotated with nothing, {missing:,} not "
        "annotated.",
        reading=SIZES,
    )


def _ticks(n_bars: int) -> Parts:
    """A tick per bar while they fit, else every fifth; the last bar stands for the tail."""
    if n_bars <= 16:
        return {"dtick": 1}
    ticks = [*range(0, LAST_BAR, 5), LAST_BAR]
    return {"tickvals": ticks, "ticktext": [*map(str, ticks[:-1]), f"{LAST_BAR}+"]}


def coverage_bars(rows: Sequence[Coverage], *, theme: Theme) -> Drawn:
    """How much of the study carries each part: one bar per part, its share beside it."""
    shown = [row for row in rows if row.total > 0]
    if not shown:
        return nothing("Nothing to count yet: open a study or add its parts.", COVERAGE, theme=theme)
    shares = [row.have / row.total for row in shown]
    hover = [f"{safe(row.label)}: {row.have:,} of {row.total:,}" for row in shown]
    return bar_rows(
        [row.label for row in shown],
        [Part("", theme.accent, shares, hover)],
        numbers=[(share(x), f"{row.have:,} of {row.total:,}") for x, row in zip(shares, shown, strict=True)],
        whole=1,
        gap=0.55,
        title="Coverage",
        subtitle="",
        theme=theme,
        reading=COVERAGE,
    )


def unknown_concepts(counts: Mapping[str, int], *, names: Mapping[str, str], theme: Theme) -> Drawn:
    """The concepts not in the graph, by how many images carry them, most frequent first.

    ``counts`` is {CUI: images}; of more than `TOP` the rest is summed up in the subtitle. A click carries
    the CUI.
    """
    if not counts:
        none = "The graph contains every concept of the study."
        return nothing(none, NOT_IN_GRAPH, theme=theme, height=120)
    order = sorted(counts, key=lambda cui: (-counts[cui], cui))
    shown = order[:TOP]
    rest = f" · {len(order) - TOP:,} rarer not shown" if len(order) > TOP else ""
    hover = [
        f"{safe(names.get(cui, 'no name known'))} ({safe(cui)}): {pluralize(counts[cui], 'image')}"
        for cui in shown
    ]
    return bar_rows(
        [names.get(cui, cui) for cui in shown],
        [Part("", theme.accent, [counts[cui] for cui in shown], hover)],
        numbers=[(count(counts[cui]), "") for cui in shown],
        click=shown,
        row=30,
        title="Concepts that the terminology does not contain",
        subtitle=f"{pluralize(len(order), 'concept')} by number of images{rest}",
        theme=theme,
        reading=NOT_IN_GRAPH,
    )


# How far are the concepts of a study from each other? Steps between pairs, and the pairs without any.

DISTANCES = Reading(
    "Each step is one link in the terminology. Concepts a step or two apart are close in meaning; those that "
    "are not in the terminology can only match exactly. Filled: close enough to count as related now.",
    "All unordered pairs of different concepts of the study, breadth-first distances on the whole graph; "
    "weighted: by the product of the two concepts' numbers of images; filled bars: within the threshold.",
)


def distance_bars(
    counts: DistanceCounts, *, weighted: bool, theme: Theme, threshold: int | None = None
) -> Drawn:
    """How many steps the pairs of concepts that are connected are apart; what share of all pairs those are.

    ``weighted`` counts each pair as often as images hold the two; ``threshold`` marks the steps that count as
    neighbours now.
    """
    by_steps, no_path, unknown = counts.of(weighted=weighted)
    connected = int(by_steps.sum())
    total = connected + no_path + unknown
    if not total:
        none = "The study has fewer than two different concepts, so there is nothing to measure."
        return nothing(none, DISTANCES, theme=theme)
    what = "pairs of occurrences" if weighted else "concept pairs"
    parts = (
        f"{share(connected / total)} connected, {share(no_path / total)} without a path, "
        f"{share(unknown / total)} with a concept that is not in the terminology"
    )
    alt = f"{count(total)} {what}: {parts}."
    if connected:
        alt += f" Half of the connected ones are at most {pluralize(half_within(by_steps), 'step')} apart."
    steps = list(range(1, len(by_steps)))
    near = [threshold is None or d <= threshold for d in steps]
    return columns(
        steps,
        [int(by_steps[d]) for d in steps],
        colours=[theme.accent if at else theme.raised for at in near],
        edge={"color": theme.accent, "width": 1.5},
        hover=[
            f"{pluralize(int(by_steps[d]), 'pair')} {pluralize(d, 'step')} apart"
            f"{' · neighbours now' if at and threshold else ''}"
            for d, at in zip(steps, near, strict=True)
        ],
        across={"title": "Steps apart", "dtick": 1, "range": [0.4, max(len(by_steps) - 0.4, 1.6)]},
        upward={"title": what.capitalize(), "rangemode": "tozero", "tickformat": ".3~s"},
        title="How far apart the study's concepts are",
        subtitle=f"n = {count(total)} {what}: {parts} · {count(counts.n_known)} of "
        f"{count(counts.n_concepts)} concepts in the terminology",
        gap=0.25,
        theme=theme,
        alt=alt,
        reading=DISTANCES,
    )


def half_within(by_steps: Offsets) -> int:
    """Within how many steps do at least half of the connected pairs lie? ``by_steps[d]`` of them, at least
    one in all, are d steps apart."""
    return int(np.searchsorted(np.cumsum(by_steps), by_steps.sum() / 2))


# Where does a score come from? Shares of the relevance by kind of concept, and results by what they share.

BY_KIND = Reading(
    "Of everything that counts in the first results, how much each kind of concept brings in. Two "
    "images of the same body part and modality score points even when the findings differ.",
    "Shares of the summed relevance of the first k results, by the kind of the concept that adds it; a "
    "neighbour match counts for the concept that is matched.",
)
BY_RESULT = Reading(
    "Results that match in how and where they were taken and in nothing else look right at first sight, and "
    "may show a different disease.",
    "Mean over queries of the share of the first k results whose relevance comes from modality, plane and "
    "anatomy alone, from other concepts too, or that have none.",
)
NONE_OF_KINDS = "No query has both concepts and results, so there is nothing to divide."
COLOURS = {
    "finding": "#D55E00",
    "device": "#CC79A7",
    "anatomy": "#0072B2",
    "plane": "#E69F00",
    "modality": "#009E73",
    "other": "#F0E442",
}


def kind_shares(shares: Sequence[FromKinds], *, theme: Theme) -> Drawn:
    """A bar per system: what each kind of concept adds to the relevance of its first results."""
    rows = [kinds for kinds in shares if kinds.total]
    if not rows:
        return nothing(NONE_OF_KINDS, BY_KIND, theme=theme)
    parts = [
        _part(
            rows,
            HEADS[kind],
            COLOURS.get(kind, theme.neutral),
            [kinds.shares.get(kind, 0.0) for kinds in rows],
            "/" if kind == UNKNOWN else "",
        )
        for kind in HEADS
        if any(kinds.shares.get(kind) for kinds in rows)
    ]
    best = max(rows, key=lambda kinds: kinds.shares.get("finding", 0.0))
    return _by_kind(
        rows,
        parts,
        [f"findings {share(kinds.shares.get('finding', 0.0))}" for kinds in rows],
        title="Where the score comes from",
        theme=theme,
        alt=f"Findings contribute at most {share(best.shares.get('finding', 0.0))} ({best.system}) of the "
        f"relevance of any system's first {pluralize(rows[0].k, 'result')}.",
        reading=BY_KIND,
    )


def results_by_kind(kinds: Sequence[FromKinds], *, theme: Theme) -> Drawn:
    """A bar per system: its first results by whether they share more than how and where they were taken."""
    rows = [each for each in kinds if each.n_results]
    if not rows:
        return nothing(NONE_OF_KINDS, BY_RESULT, theme=theme)
    setting = [row.only_setting for row in rows]
    parts = [
        _part(rows, "Findings or other concepts too", COLOURS["finding"], [row.with_more for row in rows]),
        _part(rows, "Only modality, plane, anatomy", COLOURS["anatomy"], setting),
        _part(rows, "Nothing", theme.neutral, [row.nothing for row in rows], "/"),
    ]
    most = max(rows, key=lambda row: row.only_setting)
    return _by_kind(
        rows,
        parts,
        [f"findings or more {share(row.with_more)}" for row in rows],
        title="What the first results share with the query",
        theme=theme,
        alt=f"Of the first {pluralize(most.k, 'result')} of {most.system}, {share(most.only_setting)} share "
        f"only modality, plane or anatomy with the query, {share(most.with_more)} more, "
        f"{share(most.nothing)} nothing.",
        reading=BY_RESULT,
    )


def _part(rows: Sequence[FromKinds], name: str, colour: str, lengths: list[float], pattern: str = "") -> Part:
    hover = [
        safe(f"{kinds.system}: {name.lower()} {share(length)}")
        for kinds, length in zip(rows, lengths, strict=True)
    ]
    return Part(name, colour, lengths, hover, pattern)


def _by_kind(
    rows: Sequence[FromKinds],
    parts: Sequence[Part],
    below: Sequence[str],
    *,
    title: str,
    theme: Theme,
    alt: str,
    reading: Reading,
) -> Drawn:
    """A bar per system, with what is ``below`` the name of each."""
    return bar_rows(
        [kinds.system for kinds in rows],
        parts,
        below=below,
        whole=1,
        row=44,
        name=22,
        gap=0.36,
        title=title,
        subtitle=f"first {pluralize(rows[0].k, 'result')} by {rows[0].relevance} · "
        f"{n_of(kinds.n_queries for kinds in rows)}",
        theme=theme,
        alt=alt,
        reading=reading,
    )
