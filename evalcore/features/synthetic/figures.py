"""Figures on generated images: scores, features, settings, copies and distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

import numpy as np
import pandas as pd

from evalcore.features.synthetic.wsi import GroupScore
from evalcore.figures import marks
from evalcore.figures.bars import LEGEND_LINE, Part, bar_rows, legend
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.lines import Curve, lines
from evalcore.figures.matrix import matrix
from evalcore.figures.rows import Row, interval_rows, mark
from evalcore.figures.theme import Theme, faded, style_of
from evalcore.values.arrays import Floats
from evalcore.values.writing import brief, count, listed, number, pluralize, safe, share, short, signed, span

NAME, GROUP = 28, 18
"""Characters of the name of a feature, and of a group above a column, at most."""
ROW, BESIDE = 26, 84
"""Pixels of a row of a feature, and of the numbers beside a plot."""
MOST_NUMBERS = 1_700
"""Cells of a map up to which each has its number."""

# How similar to the real images is each group? Dots, quartiles, the mean's interval.

SCORES = Reading(
    "Each dot is one image, the box the middle half of its group. 1: everything the real images have in "
    "common is there; 0: nothing of it. The large mark is the average with its 95% interval.",
    "Dots: score of each image (in large groups evenly spaced ranks); box: quartiles; mark: mean with its "
    "percentile bootstrap interval over images.",
)
DOTS = 900
"""Dots in all, so that the figure stays quick."""


def score_rows(groups: Sequence[GroupScore], *, score: str, theme: Theme) -> Drawn:
    """Groups down, scores across from 0 to 1."""
    known = [group for group in groups if len(group.defined)]
    if not known:
        text = "No image has a score: there are no features to compare, or none that the real images share."
        return nothing(text, SCORES, theme=theme)
    traces, notes, shapes = [], [], []
    for row, group in enumerate(known):
        style = style_of(group.name, [each.name for each in groups], theme)
        values = np.sort(group.defined)
        most = min(len(values), max(DOTS // len(known), 20))
        kept = values[np.unique(np.linspace(0, len(values) - 1, most).round().astype(int))]
        # A fixed low-discrepancy sequence spreads equal scores over the row, the same way every time.
        above = row + 0.09 + 0.42 * ((np.arange(len(kept)) * 0.6180339887498949) % 1.0 - 0.5)
        hover = [f"{safe(group.name)}: {number(value)}" for value in kept.tolist()]
        dots = {"size": 5, "color": style.colour, "opacity": 0.45}
        about = f"<b>{safe(group.name)}</b><br>mean {number(group.mean)} ({span(group.low, group.high)})"
        traces += [
            marks.scatter(kept, above, "markers", hover, marker=dots),
            mark(Row(group.name, group.mean, group.low, group.high, style, hover=about, size=13), row, theme),
        ]
        # Above its row, so that narrow screens keep their width for the scores.
        name = safe(short(group.name, 32))
        notes += [
            marks.note(name, 0, row, theme.ink, size=13, xref="paper", xanchor="left", yshift=25),
            marks.beside(row, number(group.mean), pluralize(len(values), "image"), theme, width=BESIDE),
        ]
        _, first, _, third, _ = group.quartiles
        box = {"layer": "below", "fillcolor": faded(style.fill, 0.18)}
        shapes.append(marks.rectangle(first, row - 0.16, third, row + 0.34, {"width": 0}, **box))
    drawn = figure(
        theme=theme,
        height=72 * len(known),
        left=14,
        right=BESIDE,
        bottom=44,
        title="How similar to the real images?",
        subtitle=f"{score} of each image, mean and 95% interval",
        traces=traces,
        notes=notes,
        shapes=shapes,
        hoverdistance=12,
        x=axis(theme, title="→ more similar to the real images", range=[-0.02, 1.02], tickformat=".1f"),
        y=marks.row_axis([""] * len(known), theme, grid=False, automargin=False),
    )
    means = [f"{group.name} {number(group.mean)}" for group in known]
    return Drawn(drawn, f"Mean {score} of each group: {listed(means)}.", SCORES)


# Which features do generated images have? The range of the real images, and the share within it.

RANGE = Reading(
    "The band covers most real images, for each feature on its own scale. A mark is the median of a "
    "group: outside the band, most of its images are outside the range. An arrow marks a value further "
    "out than is drawn.",
    "Band: tolerance interval of the archetypes, scaled to 0 and 1; thin lines: bootstrap intervals of "
    "its ends; marks: medians of the groups, clipped to one interval beyond.",
)
PRESENCE = Reading(
    "Each square is the share of a group's images that have the feature. Strong colour: nearly all of "
    "them. Pale squares in a column show what a generator does not get right.",
    "Share of images within the tolerance of the archetypes, over the images with a known value; of the "
    "archetypes themselves about the width of the quantiles by construction.",
)
NO_FEATURE = "No feature has a tolerance interval: the real images have no values to take it from."
SIGNS = {
    "square": "■",
    "diamond": "◆",
    "triangle-up": "▲",
    "triangle-down": "▼",
    "cross": "✚",
    "x": "✖",
    "star": "★",
}
"""Markers as letters, below a plot."""
CLIP = 1.0
"""Intervals beyond the band that are drawn."""


def tolerance_rows(
    names: Sequence[str], bounds: Floats, intervals: Floats, medians: pd.DataFrame, *, of: str, theme: Theme
) -> Drawn:
    """Features down, the interval of each scaled to the same band, groups as marks.

    ``bounds``, ``intervals``: shapes (2, m) and (2, 2, m) as in an evaluation; ``medians``: a row per
    feature, a column per group; ``of``: what the interval is. Features of one value only have no width, and
    no row.
    """
    kept = np.flatnonzero(np.isfinite(bounds[0]) & (bounds[1] > bounds[0]))
    if not len(kept):
        return nothing(NO_FEATURE, RANGE, theme=theme)
    names, (low, high), groups = [names[int(j)] for j in kept], bounds[:, kept], list(medians)
    n, shown = len(kept), [short(name, NAME) for name in names]

    def scaled(values: Floats) -> Floats:
        return np.asarray(np.clip((values - low) / (high - low), -CLIP, 1 + CLIP))

    ends = [np.column_stack([*scaled(intervals[end][:, kept]), np.full(n, np.nan)]) for end in (0, 1)]
    rows = np.repeat(np.arange(n), 3)
    line = {"color": faded(theme.accent, 0.45), "width": 3}
    across, down = np.concatenate([end.ravel() for end in ends]), np.concatenate([rows, rows])
    traces = [marks.scatter(across, down, "lines", connectgaps=False, line=line)]
    outside = []
    for group in groups[: max(1, MOST_NUMBERS // n - 1)]:
        style, own = style_of(group, groups, theme), medians[group].to_numpy()[kept]
        place = scaled(own)
        at = np.flatnonzero(np.isfinite(place))
        symbols = [
            style.symbol if abs(x - 0.5) < 0.5 + CLIP else "triangle-right" if x > 0 else "triangle-left"
            for x in place[at]
        ]
        hover = [
            f"<b>{safe(group)}</b>, {safe(names[j])}<br>median {number(float(own[j]))}<br>real images "
            f"{span(float(low[j]), float(high[j]))}"
            for j in at
        ]
        look = style.marker(10) | {"symbol": symbols, "opacity": 0.9}
        traces.append(marks.scatter(place[at], at, "markers", hover, name=safe(group), marker=look))
    for group in groups:
        own = medians[group].to_numpy()[kept]
        outside.append(f"{group} {int((~((low <= own) & (own <= high))).sum())}")
    band = {"layer": "below", "fillcolor": faded(theme.accent, 0.14)}
    left = marks.room_for(shown)
    looks = [(group, style_of(group, groups, theme)) for group in groups]
    named = [(f"{SIGNS.get(style.symbol, '●')} {short(group, 32)}", style.colour) for group, style in looks]
    notes, n_lines = legend(named, theme.width - (0 if theme.narrow else left), theme, below=52)
    drawn = figure(
        theme=theme,
        height=max(ROW * n, 90),
        left=left,
        right=16,
        bottom=54 + LEGEND_LINE * n_lines,
        notes=notes,
        title="What the real images allow",
        subtitle=f"{of} · {pluralize(n, 'feature')}",
        traces=traces,
        shapes=[marks.rectangle(0, -0.5, 1, n - 0.5, {"width": 0}, **band)],
        hoverdistance=10,
        x=axis(
            theme,
            title="within the band: as in the real images",
            range=[-CLIP - 0.12, 1 + CLIP + 0.12],
            tickvals=[0, 1],
            ticktext=["lower end", "upper end"],
        ),
        y=marks.row_axis([safe(name) for name in shown], theme, grid=False, automargin=False),
    )
    alt = f"Features of {n} whose median is outside the real images' range: {listed(outside)}."
    return Drawn(drawn, alt, RANGE)


def presence_map(features: Sequence[str], groups: Sequence[str], shares: Floats, *, theme: Theme) -> Drawn:
    """Features down, groups across, the share of images that have the feature as colour.

    ``shares``: shape (features, groups), 0 to 1, NaN where no image has a known value.
    """
    if not len(features) or not np.isfinite(shares).any():
        return nothing(NO_FEATURE, PRESENCE, theme=theme)
    names, columns = [short(name, NAME) for name in features], [short(group, GROUP) for group in groups]
    n, m = shares.shape
    low = divmod(int(np.nanargmin(shares)), m)
    least = f"{features[low[0]]} in {share(float(shares[low]))} of {groups[low[1]]}"
    extent = f"{pluralize(n, 'feature')} in {pluralize(m, 'group')}"
    axes = {
        "height": max(ROW * n, 60),
        "left": marks.room_for(names),
        "right": 14,
        "bottom": 22 + 4.6 * max(map(len, columns)),
        "x": marks.column_axis([safe(column) for column in columns], theme, tickangle=-38 if m > 3 else 0),
        "y": marks.row_axis([safe(name) for name in names], theme, grid=False, automargin=False),
    }
    return matrix(
        shares,
        colours=(theme.surface, theme.up),
        low=0,
        high=1,
        axes=axes,
        title="Which features are there?",
        subtitle=f"share of images with each feature · {extent}",
        theme=theme,
        alt=f"Shares of images with each of {extent}; the least: {least}.",
        reading=PRESENCE,
        numbers=[(shares, share)] if shares.size <= MOST_NUMBERS else [],
        size=11,
        hover=_hover(shares, features, groups, lambda value: f"{share(value)} of the images"),
    )


def _hover(
    values: Floats, down: Sequence[str], across: Sequence[str], say: Callable[[float], str]
) -> list[list[str]]:
    """What each cell says, escaped."""
    return [
        [
            f"<b>{safe(x)}</b><br>{safe(y)}: {say(value) if isfinite(value) else 'not measured'}"
            for x, value in zip(across, row, strict=True)
        ]
        for y, row in zip(down, values.tolist(), strict=True)
    ]


# How much do the settings decide? Scores over both weights, tolerances, and without each feature.

MAP = Reading(
    "Each square is the average score of the group under one setting; the framed one is used on this "
    "page. If the colours hardly change, the result does not depend on the setting.",
    "Mean score over the images of the group at each setting, everything else as chosen; frame: the "
    "current setting.",
)
DROPPED = Reading(
    "How the average changes when a feature is left out. A bar to the right: the group does better "
    "without the feature, so this is where it loses; to the left: this feature speaks for the group.",
    "Mean score without the feature minus mean score with all, weights otherwise unchanged; largest first.",
)


def settings_map(
    values: pd.DataFrame,
    *,
    axes: tuple[str, str],
    group: str,
    now: tuple[str, str] | None,
    what: str,
    theme: Theme,
) -> Drawn:
    """Mean scores of one group over two settings, the first across.

    ``values``: a row and a column per setting; ``now``: those of the current one, None where it is not
    among them.
    """
    cells = values.to_numpy(float)
    if not np.isfinite(cells).any():
        text = "No setting gives a score: the images share no feature with a tolerance interval."
        return nothing(text, MAP, theme=theme)
    low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
    framed = []
    if now is not None and now[0] in values.index and now[1] in values.columns:
        framed.append((list(values.index).index(now[0]), list(values.columns).index(now[1])))
    down, across = list(values.index), list(values.columns)
    axes_of = {
        "height": max(34 * len(down), 80),
        "left": marks.room_for(down) + 30,
        "right": 14,
        "bottom": 52,
        "x": marks.column_axis([safe(x) for x in across], theme, colour=theme.muted, title=safe(axes[0])),
        "y": marks.column_axis([safe(y) for y in down], theme, colour=theme.muted, title=safe(axes[1])),
    }
    over = " and ".join(filter(None, axes))
    return matrix(
        cells,
        colours=(theme.surface, theme.up),
        low=0,
        high=high if high > low else low + 1.0,
        axes=axes_of,
        title=short(f"{group}: {what}", 60),
        subtitle=f"mean score from {number(low)} to {number(high)} · {pluralize(cells.size, 'setting')}",
        theme=theme,
        alt=f"Mean score of {group} over {over}: from {number(low)} to {number(high)}.",
        reading=MAP,
        numbers=[(cells, brief)],
        size=11,
        hover=_hover(cells, down, across, lambda value: f"mean {number(value)}"),
        framed=framed,
    )


def dropped_bars(
    features: Sequence[str], changes: Floats, *, group: str, theme: Theme, most: int = 25
) -> Drawn:
    """Changes of the mean score without each feature, the largest in size first; ``changes``: shape (m,)."""
    known = np.flatnonzero(np.isfinite(changes))
    if not len(known):
        return nothing("No feature can be left out: there is only one, or no score.", DROPPED, theme=theme)
    kept = known[np.argsort(-np.abs(changes[known]), kind="stable")][:most]
    values, names = changes[kept].tolist(), [features[i] for i in kept]
    texts = [f"{name} {signed(value)}" for name, value in zip(names, values, strict=True)]
    reach = max(float(np.abs(changes[kept]).max()) * 1.15, 1e-6)
    which = f"the {len(kept)} with the largest change of {len(known)}" if len(kept) < len(known) else "all"
    colours = [theme.up if value >= 0 else theme.down for value in values]
    return bar_rows(
        names,
        [Part("", colours, values, [f"without {safe(text)}" for text in texts])],
        title=short(f"{group}: each feature left out", 60),
        subtitle=f"change of the mean score · {which} features",
        theme=theme,
        reading=DROPPED,
        alt=f"{pluralize(len(known), 'feature')} of {group} left out in turn; largest changes: "
        f"{listed(texts[:3])}.",
        x={"title": "change of the mean score", "range": [-reach, reach], "zeroline": True},
        row=ROW,
    )


# Do generated images repeat themselves?

PAIRS = Reading(
    "How similar two images of the same group are, for all pairs. If the curve of the generated images is "
    "further right than that of the training images, the generator lacks variety.",
    "Shares of unordered pairs i < j by similarity, 25 bins; means: self-similarity.",
)
NO_PAIRS = "There are not enough images with scores to compare pairs of them."
BINS = 25


def pair_lines(
    training: Floats, generated: Floats, *, names: tuple[str, str], of: str, theme: Theme
) -> Drawn:
    """How similar pairs within each set are: shares by similarity, and the means.

    ``training``, ``generated``: similarities of unordered pairs; ``names``: of both sets, training first.
    """
    if not len(training) or not len(generated):
        return nothing(NO_PAIRS, PAIRS, theme=theme)
    both = np.concatenate([training, generated])
    edges = np.linspace(min(0.0, float(both.min())), max(1.0, float(both.max())), BINS + 1)
    sets = dict(zip(names, (training, generated), strict=True))
    shares = {name: np.histogram(values, edges)[0] / len(values) for name, values in sets.items()}
    means = [f"{name} {number(float(values.mean()))}" for name, values in sets.items()]
    curves = [
        Curve(
            name,
            np.repeat(edges, 2)[1:-1].tolist(),
            np.repeat(values, 2),
            style_of(name, names, theme),
            [f"{safe(name)}: {share(value)} of pairs" for value in np.repeat(values, 2).tolist()],
        )
        for name, values in shares.items()
    ]
    top = max(float(values.max()) for values in shares.values())
    return lines(
        curves,
        x={"title": "similarity of two images (1: the same)", "range": [edges[0], edges[-1]]},
        y={"title": "share of pairs", "range": [0, 1.08 * top], "tickformat": ".0%"},
        title="How similar are images of one group?",
        subtitle=f"{of} · means: {', '.join(means)}",
        theme=theme,
        reading=PAIRS,
        alt=f"Similarity of pairs of images within a group, means: {', '.join(means)}.",
        height=240,
    )


# How far is each group from the real images? One distance, beside that of halves of the real images.

DISTANCES = Reading(
    "The further right, the less a group as a whole looks like the real images. The dotted lines are "
    "how far apart two halves of the real images are: a group between or left of them is as near as real "
    "images are to each other.",
    "Distance between Gaussians fitted to the vectors; dotted: range over random halves of the "
    "archetypes (each half has fewer images, so it errs on the generous side); logarithmic beyond a "
    "factor of 50.",
)
WIDE = 50


def far(value: float) -> str:
    """A distance of any size: three digits, thousands separated.

    >>> far(0.0123), far(188074.6)
    ('0.0123', '188,075')
    """
    return count(round(value)) if abs(value) >= 10_000 else number(value)


def distance_rows(
    groups: Sequence[str], values: Sequence[float], halves: Sequence[float], *, distance: str, theme: Theme
) -> Drawn:
    """Groups down, their distance across; ``halves``: the distances of random halves of the real images."""
    rows = [
        Row(
            name,
            value,
            value,
            value,
            style_of(name, groups, theme),
            numbers=((far(value), ""),),
            hover=f"<b>{safe(name)}</b><br>{safe(distance)} {far(value)}",
        )
        for name, value in zip(groups, values, strict=True)
        if isfinite(value)
    ]
    known = [row.value for row in rows]
    positive = [value for value in (*known, *halves) if value > 0]
    log = min(known, default=0) > 0 and max(positive) > WIDE * min(positive)
    ends: Parts = {"type": "log"} if log else {"range": [0, 1.08 * max(positive, default=1.0)]}
    between = (min(halves), max(halves)) if halves else ()
    text = f" · halves of the real images {span(*between)} (dotted)" if between else ""
    return interval_rows(
        rows,
        title="How far from the real images?",
        subtitle=f"{distance}{text}",
        x={"title": "→ less like the real images", **ends},
        theme=theme,
        reading=DISTANCES,
        none="No group has a distance: see the message beside it.",
        lines=[(end, "") for end in between if end > 0 or not log],
    )
