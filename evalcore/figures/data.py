"""What does the study hold? Concepts per image, coverage, and the concepts not in the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.figures.frame import NO_AXIS, Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import COLUMN, HOVER, above_line, bars, beside, level_line, row_axis
from evalcore.figures.theme import Theme
from evalcore.values.arrays import Bools, Offsets
from evalcore.values.writing import pluralize, safe, share, short, wrapped

SIZES_READING = Reading(
    "How many concepts each image has. Images without any cannot be compared and are counted separately.",
    "Distinct concepts per annotated image; 0 means annotated with nothing, not that it was not annotated.",
)
COVERAGE_READING = Reading(
    "How much of the study has each kind of information. Short bars mean that a score rests on few images.",
    "Share of images, concepts or queries that carry each part, of all that could.",
)
UNKNOWN_READING = Reading(
    "Concepts that the terminology does not contain. They can match only exactly, never as related.",
    "Concepts of the study without a node in the graph, by number of images; they have no neighbours and "
    "still count in the union.",
)
LAST_BAR = 30
"""Images with more concepts than this share the last bar."""
NO_IMAGES = "The study has no annotated image."


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
        return nothing(NO_IMAGES, SIZES_READING, theme=theme)
    heights = np.bincount(np.minimum(known, LAST_BAR))
    n = len(heights)
    names = [f"{LAST_BAR} or more" if x == LAST_BAR else str(x) for x in range(n)]
    hover = [
        f"{pluralize(n, 'image')} with {x} concept{'' if x == '1' else 's'}"
        for n, x in zip(heights.tolist(), names, strict=True)
    ]
    missing, median = len(sizes) - len(known), float(np.median(known))
    columns = {
        "type": "bar",
        "x": np.arange(n),
        "y": heights,
        "hovertemplate": HOVER,
        "hovertext": hover,
        "marker": {"color": [theme.neutral if x == 0 else theme.accent for x in range(n)]},
    }
    drawn = figure(
        theme=theme,
        height=220,
        title="Concepts per image",
        bottom=44,
        above=12,
        bargap=0.12,
        subtitle=f"n = {pluralize(len(known), 'annotated image')}"
        + (f" · {missing:,} not annotated" if missing else ""),
        traces=[columns],
        notes=[above_line(f"median {median:g}", median, theme)],
        shapes=[level_line(median, theme, colour=theme.ink) | {"layer": "above"}],
        x=axis(theme, title="concepts", grid=False, range=[-0.6, n - 0.4], **_ticks(n)),
        y=axis(theme, title="images", nticks=5, rangemode="tozero", tickformat=",d"),
    )
    return Drawn(drawn, _sizes(known, missing), SIZES_READING)


def _sizes(known: Offsets, missing: int) -> str:
    """The take-away: median, range, empty and not annotated images."""
    empty = int(np.sum(known == 0))
    return (
        f"{pluralize(len(known), 'annotated image')} with {int(known.min())} to {int(known.max())} concepts, "
        f"median {np.median(known):g}; {empty:,} annotated with nothing, {missing:,} not annotated."
    )


def coverage_bars(rows: Sequence[Coverage], *, theme: Theme) -> Drawn:
    """How much of the study carries each part: one bar per part, its share beside it."""
    shown = [row for row in rows if row.total > 0]
    if not shown:
        return nothing("Nothing to count yet: open a study or add its parts.", COVERAGE_READING, theme=theme)
    hover = [f"{safe(row.label)}: {row.have:,} of {row.total:,}" for row in shown]
    whole = bars([1] * len(shown), None, {"color": theme.grid})
    part = bars([row.have / row.total for row in shown], hover, {"color": theme.accent})
    notes = [
        beside(place, share(row.have / row.total), f"{row.have:,} of {row.total:,}", theme)
        for place, row in enumerate(shown)
    ]
    drawn = figure(
        theme=theme,
        height=40 * len(shown) + 4,
        title="Coverage",
        right=COLUMN,
        bottom=8,
        traces=[whole, part],
        notes=notes,
        barmode="overlay",
        bargap=0.55,
        x=NO_AXIS | {"range": [0, 1]},
        y=row_axis([wrapped(row.label, 24, lines=2) for row in shown], theme, grid=False),
    )
    return Drawn(drawn, _shares(shown), COVERAGE_READING)


def _shares(rows: Sequence[Coverage]) -> str:
    """Every part with its counts."""
    return f"{'; '.join(f'{row.label}: {row.have:,} of {row.total:,}' for row in rows)}."


def unknown_concepts(
    counts: Mapping[str, int], *, names: Mapping[str, str], theme: Theme, top: int = 15
) -> Drawn:
    """The concepts not in the graph, by how many images carry them, most frequent first.

    ``counts`` is {CUI: images}; of more than ``top`` the rest is summed up in the subtitle.
    """
    if not counts:
        return nothing(
            "The graph contains every concept of the study.", UNKNOWN_READING, theme=theme, height=120
        )
    order = sorted(counts, key=lambda cui: (-counts[cui], cui))
    shown = order[:top]
    rest = f" · {len(order) - top:,} rarer not shown" if len(order) > top else ""
    hover = [_hover(cui, counts[cui], names) for cui in shown]
    trace = bars(
        [counts[cui] for cui in shown],
        hover,
        {"color": theme.accent},
        customdata=shown,
        cliponaxis=False,
        text=[f"{counts[cui]:,}" for cui in shown],
        textposition="outside",
        textfont={"size": 12, "color": theme.ink},
    )
    drawn = figure(
        theme=theme,
        height=30 * len(shown) + 6,
        title="Concepts the graph does not contain",
        right=64,
        bottom=8,
        subtitle=f"{pluralize(len(order), 'concept')} by number of images{rest}",
        traces=[trace],
        bargap=0.35,
        x=NO_AXIS | {"range": [0, max(counts.values())]},
        y=row_axis([safe(short(names.get(cui, cui), 30)) for cui in shown], theme, grid=False),
    )
    return Drawn(drawn, _most(counts, order, names), UNKNOWN_READING)


def _most(counts: Mapping[str, int], order: Sequence[str], names: Mapping[str, str]) -> str:
    """The take-away: how many concepts are unknown and which are the most frequent."""
    first = [f"{names.get(cui, cui)} ({counts[cui]:,})" for cui in order[:3]]
    return (
        f"{pluralize(len(counts), 'concept')} not in the graph; most frequent in images: {', '.join(first)}."
    )


def _hover(cui: str, n: int, names: Mapping[str, str]) -> str:
    return f"{safe(names.get(cui, 'no name known'))} ({safe(cui)}): {pluralize(n, 'image')}"


def _ticks(n_bars: int) -> Parts:
    """A tick per bar while they fit, else every fifth; the last bar stands for the tail."""
    if n_bars <= 16:
        return {"dtick": 1}
    ticks = [*range(0, LAST_BAR, 5), LAST_BAR]
    return {"tickvals": ticks, "ticktext": [*map(str, ticks[:-1]), f"{LAST_BAR}+"]}
