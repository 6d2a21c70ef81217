"""Figures on generated images, each a call of its family: rows, maps and lines, one mark or curve a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalcore.features.synthetic.wsi import GroupScore
from evalcore.figures.frame import AccessibleFigure, Reading, nothing
from evalcore.figures.lines import Curve, lines
from evalcore.figures.matrix import matrix, table
from evalcore.figures.rows import Row, interval_rows
from evalcore.figures.theme import Theme, style_of
from evalcore.values.arrays import Floats
from evalcore.values.writing import number, pluralize, safe, share, short, span

NAME = 28
"""Characters of the name of a feature at most."""
ROW, MOST_ROWS = 26, 60
"""Pixels of a row of a feature, and rows of a map at most."""

# One row a group: how similar?

SCORES = Reading(
    "1: everything the real images have in common is there; 0: nothing of it. The mark is the average of a "
    "group with its interval.",
    "Mean over the images with its percentile bootstrap interval over images.",
)


def score_rows(groups: Sequence[GroupScore], *, theme: Theme) -> AccessibleFigure:
    """Groups down, their mean score across from 0 to 1; beside it in numbers."""
    names = [group.name for group in groups]
    rows = [
        Row(
            group.name,
            group.mean,
            group.low,
            group.high,
            style_of(group.name, names, theme),
            numbers=((number(group.mean), span(group.low, group.high)),),
            hover=f"<b>{safe(group.name)}</b><br>{pluralize(len(group.values), 'image')}",
        )
        for group in groups
    ]
    return interval_rows(
        rows,
        title="How similar to the real images?",
        subtitle="mean score (WSI) of each group and its interval",
        x={"title": "→ more similar to the real images", "range": [-0.02, 1.02], "tickformat": ".1f"},
        theme=theme,
        reading=SCORES,
        none="No image has a score: there are no features to compare, or none that the real images share.",
    )


# Features down, groups across: who has them, and what would scores be without?

PRESENCE = Reading(
    "Each square is the share of a group's images that have the feature. Strong colour: nearly all of "
    "them. Faint squares in a column show what a generator does not get right.",
    "Share of images within the tolerance of the archetypes, over the images with a known value; of the "
    "archetypes themselves about the width of the quantiles by construction.",
)
WITHOUT = Reading(
    "How the average of a group changes when a feature is left out. Above 0: the feature lowers the score of "
    "the group; below 0: it raises it.",
    "Mean score without the feature minus mean score with all, weights otherwise unchanged.",
)


def presence_map(shares: pd.DataFrame, *, theme: Theme) -> AccessibleFigure:
    """The share of images that have a feature as colour, 0 to 1, NaN where no image has a known value; of the
    features that are missing most often.

    ``shares``: a row a feature, a column a group.
    """
    return _feature_map(
        shares.iloc[sorted(np.argsort(shares.min(axis=1).fillna(1), kind="stable")[:MOST_ROWS])],
        share,
        theme,
        colours=(theme.surface, theme.up),
        low=0,
        high=1,
        title="Which features are there?",
        subtitle="share of images with each feature",
        reading=PRESENCE,
    )


def change_map(changes: pd.DataFrame, *, theme: Theme) -> AccessibleFigure:
    """How much the mean score of a group changes without a feature, of the features with the largest changes.

    ``changes``: a row a feature, a column a group.
    """
    size = changes.abs().max(axis=1).fillna(0)
    reach = size.max() or 1.0
    return _feature_map(
        changes.iloc[np.argsort(-size, kind="stable")[:MOST_ROWS]],
        "{:+.3f}".format,
        theme,
        colours=(theme.down, theme.surface, theme.up),
        low=-reach,
        high=reach,
        title="What if a feature is left out?",
        subtitle="change of the mean score",
        reading=WITHOUT,
    )


def _feature_map(
    values: pd.DataFrame, write: Callable[[float], str], theme: Theme, *, reading: Reading, **look: Any
) -> AccessibleFigure:
    """Features down, groups across; each cell with its number."""
    cells = values.to_numpy(float)
    if not np.isfinite(cells).any():
        none = "No feature has a tolerance interval: the real images have no values to take it from."
        return nothing(none, reading, theme=theme)
    features, groups = list(values.index), list(values.columns)
    look["subtitle"] += f" · {pluralize(len(features), 'feature')}"
    hover = [[f"<b>{safe(group)}</b><br>{safe(feature)}" for group in groups] for feature in features]
    return matrix(
        cells,
        axes=table([(short(name, NAME), "") for name in features], groups, theme, row=ROW),
        theme=theme,
        reading=reading,
        names=(features, groups),
        numbers=[(cells, write)],
        size=11,
        hover=hover,
        **look,
    )


# One curve a group: scores over a setting, and how similar pairs of images are.

SETTINGS = Reading(
    "The average score of each group under other settings. If the lines hardly move and do not cross, the "
    "result does not depend on the setting.",
    "Mean score over the images of the group at each setting, everything else as chosen; dotted: the "
    "current setting.",
)
PAIRS = Reading(
    "How similar two images of the same group are, for all pairs. If the curve of a generated group is "
    "further right than that of the training images, the generator lacks variety.",
    "Shares of unordered pairs i < j by similarity, 25 bins; means: self-similarity.",
)


def _curve(
    name: str, names: Sequence[str], x: Sequence[float], y: Floats, theme: Theme, *, mark: int = 0
) -> Curve:
    hover = [f"{safe(name)}: {number(height)} at {place:g}" for place, height in zip(x, y, strict=True)]
    return Curve(name, x, y, style_of(name, names, theme), hover, mark=mark)


def setting_lines(means: pd.DataFrame, *, what: str, now: float | None, theme: Theme) -> AccessibleFigure:
    """The mean score of every group over one setting; ``now``: the current one, None for one of another
    kind.

    ``means``: a row a value of the setting, a column a group.
    """
    known = means.loc[:, means.notna().any()]
    if known.empty:
        return nothing("No setting gives a score: the images share no feature.", SETTINGS, theme=theme)
    places = list(known.index)
    return lines(
        [_curve(group, list(known), places, known[group].to_numpy(), theme, mark=7) for group in known],
        x={"title": safe(what), "range": [min(places), max(places)]},
        y={"title": "mean score", "range": [0, 1.02], "tickformat": ".1f"},
        title=f"Scores by {what}",
        subtitle="mean score (WSI) of each group",
        theme=theme,
        reading=SETTINGS,
        upright=None if now is None else (now, ""),
        height=220,
    )


def pair_lines(pairs: Mapping[str, Floats], *, theme: Theme) -> AccessibleFigure:
    """How similar pairs within each set are: shares by similarity, and the means; ``pairs``: similarities of
    unordered pairs by set, the training images first."""
    sets = {name: values for name, values in pairs.items() if len(values)}
    if not sets:
        text = "There are not enough images with scores to compare pairs of them."
        return nothing(text, PAIRS, theme=theme)
    edges = np.linspace(0, 1, 26)
    places = np.repeat(edges, 2)[1:-1].tolist()
    shares = {name: np.histogram(values, edges)[0] / len(values) for name, values in sets.items()}
    means = ", ".join(f"{name} {number(float(values.mean()))}" for name, values in sets.items())
    return lines(
        [_curve(name, list(sets), places, np.repeat(values, 2), theme) for name, values in shares.items()],
        x={"title": "similarity of two images (1: the same)", "range": [0, 1]},
        y={
            "title": "share of pairs",
            "range": [0, 1.08 * max(values.max() for values in shares.values())],
            "tickformat": ".0%",
        },
        title="How similar are images of one group?",
        subtitle=f"WSI of pairs · means: {means}",
        theme=theme,
        reading=PAIRS,
        alt=f"Similarity of pairs of images within a group, means: {means}.",
        height=240,
    )
