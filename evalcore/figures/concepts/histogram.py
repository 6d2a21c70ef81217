"""How far are the concepts of a study from each other? Steps between pairs, and the pairs without any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import HOVER, bars, note
from evalcore.figures.numbers import count, share, things

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.graph.distances import DistanceCounts
    from evalcore.values.arrays import Offsets

HOW_TO_READ = Reading(
    "Each step is one link in the terminology. Concepts a step or two apart are close in meaning; those that "
    "are not in the terminology can only match exactly. Filled: close enough to count as related now.",
    "All unordered pairs of different concepts of the study, breadth-first distances on the whole graph; "
    "weighted: by the product of the two concepts' numbers of images; filled bars: within the threshold.",
)
NOTHING = "The study has fewer than two different concepts, so there is nothing to measure."
SHARES = 0.30
"""Part of the height that the three bars on top take."""
KINDS = ("Connected", "No path", "Not in the terminology")


def distance_bars(
    counts: DistanceCounts, *, weighted: bool, theme: Theme, threshold: int | None = None
) -> Drawn:
    """On top the shares of pairs that are connected, without a path, and not in the graph; below, how many
    steps the connected ones are apart.

    ``weighted`` counts each pair as often as images hold the two; ``threshold`` marks the steps that count as
    neighbours now.
    """
    by_steps, no_path, unknown = counts.of(weighted=weighted)
    connected = int(by_steps.sum())
    total = connected + no_path + unknown
    if not total:
        return nothing(NOTHING, HOW_TO_READ, theme=theme)
    what = "pairs of occurrences" if weighted else "concept pairs"
    drawn = figure(
        theme=theme, height=380, title="How far apart the study's concepts are", bottom=44, above=4, right=76,
        subtitle=f"n = {count(total)} {what} · {count(counts.n_known)} of {count(counts.n_concepts)} "
        "concepts in the terminology",
        traces=[*_shares((connected, no_path, unknown), theme), _steps(by_steps, threshold, theme)],
        notes=_share_texts((connected, no_path, unknown), theme), bargap=0.25,
        x=axis(theme, range=[0, 1.01], grid=False, showticklabels=False, anchor="y"),
        y=axis(theme, domain=[1 - SHARES, 1], range=[2.5, -0.5], tickvals=[0, 1, 2], ticktext=list(KINDS),
               grid=False, tickfont={"size": 13, "color": theme.ink}),
        xaxis2=axis(theme, title="Steps apart", grid=False, anchor="y2", dtick=1,
                    range=[0.4, max(len(by_steps) - 0.4, 1.6)]),
        yaxis2=axis(theme, title=what.capitalize(), domain=[0, 1 - SHARES - 0.12], anchor="x2", nticks=5,
                    rangemode="tozero", tickformat=".3~s"),
    )  # fmt: skip
    alt = (
        f"{count(total)} {what}: {share(connected / total)} connected, {share(no_path / total)} without a "
        f"path, {share(unknown / total)} with a concept that is not in the terminology."
    )
    if connected:
        alt += f" Half of the connected ones are at most {things(half_within(by_steps), 'step')} apart."
    return Drawn(drawn, alt, HOW_TO_READ)


def half_within(by_steps: Offsets) -> int:
    """Within how many steps do at least half of the connected pairs lie? ``by_steps[d]`` of them, at least
    one in all, are d steps apart."""
    return int(np.searchsorted(np.cumsum(by_steps), by_steps.sum() / 2))


def _shares(parts: Sequence[int], theme: Theme) -> list[Parts]:
    total = sum(parts)
    hover = [f"{kind}: {count(n)}" for kind, n in zip(KINDS, parts, strict=True)]
    marker = {
        "color": [theme.accent, theme.neutral, theme.neutral],
        "pattern": {"shape": ["", "/", "x"], "fgcolor": theme.surface, "size": 6, "solidity": 0.2},
    }  # fmt: skip
    place = {"width": 0.5, "offset": -0.25}
    return [
        bars([1, 1, 1], None, {"color": theme.grid}, **place),
        bars([n / total for n in parts], hover, marker, **place),
    ]


def _share_texts(parts: Sequence[int], theme: Theme) -> list[Parts]:
    return [
        note(f"<b>{share(n / sum(parts))}</b> {count(n)}", 1.02, row, theme.ink, xanchor="left")
        for row, n in enumerate(parts)
    ]


def _steps(by_steps: Offsets, threshold: int | None, theme: Theme) -> Parts:
    """One bar per distance; those that count as neighbours now are solid, the others hollow."""
    steps = list(range(1, len(by_steps)))
    heights = [int(by_steps[d]) for d in steps]
    near = [threshold is None or d <= threshold for d in steps]
    return {
        "type": "bar", "x": steps, "y": heights, "xaxis": "x2", "yaxis": "y2", "hovertemplate": HOVER,
        "hovertext": [
            f"{things(n, 'pair')} {things(d, 'step')} apart{' · neighbours now' if at and threshold else ''}"
            for d, n, at in zip(steps, heights, near, strict=True)
        ],
        "marker": {"color": [theme.accent if at else theme.raised for at in near],
                   "line": {"color": theme.accent, "width": 1.5}},
    }  # fmt: skip
