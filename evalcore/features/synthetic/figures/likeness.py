"""Do generated images repeat themselves or the training images? Pairs, nearest images, and all with all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import numpy as np

from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import above_line, level_line, rectangle, room_for, row_axis, scatter
from evalcore.figures.matrix import heat
from evalcore.figures.theme import Theme, faded, style_of
from evalcore.values.arrays import Bools, Floats, Offsets
from evalcore.values.writing import count, listed, number, pluralize, safe, share, short, span

PAIRS = Reading(
    "How similar two images of the same group are, for all pairs. If the curve of the generated "
    "images is further right than that of the training images, the generator lacks variety.",
    "Shares of unordered pairs i < j by similarity, 25 bins; vertical lines: means (self-similarity).",
)
NEAREST = Reading(
    "Each dot is a generated image: how similar it is to the nearest training image, by features "
    "upwards and by vectors to the right. Rings are training images, each with the nearest other one. Dots "
    "at the top right, beyond the rings, may be copies.",
    "Largest WSI and largest cosine to any training image; for training images to any other one (leave one "
    "out). Both maxima are taken on their own and can be of different images.",
)
SQUARE = Reading(
    "All images with all images, similar ones side by side; strong colour: similar. Blocks of it "
    "are groups of near-identical images. The strip on the left marks generated images.",
    "Similarity matrix in the order of an average-linkage tree with optimal leaf ordering; diagonal "
    "included.",
)
BINS = 25
DOTS = 700
NOTHING = "There are not enough images with scores to compare pairs of them."


def pair_lines(
    training: Floats, generated: Floats, *, names: tuple[str, str], of: str, theme: Theme
) -> Drawn:
    """How alike pairs within each set are: shares by similarity, and the means.

    ``training``, ``generated``: similarities of unordered pairs; ``names``: of both sets, training first.
    """
    if not len(training) or not len(generated):
        return nothing(NOTHING, PAIRS, theme=theme)
    low = min(0.0, float(training.min()), float(generated.min()))
    edges = np.linspace(low, max(1.0, float(training.max()), float(generated.max())), BINS + 1)
    traces: list[Parts] = []
    notes: list[Parts] = []
    shapes, tops = [], []
    for values, name, dash in ((training, names[0], "7px,3px"), (generated, names[1], "solid")):
        style = style_of(name, names, theme)
        shares = np.histogram(values, edges)[0] / len(values)
        tops.append(float(shares.max()))
        mean = float(values.mean())
        traces.append(
            scatter(
                np.repeat(edges, 2)[1:-1],
                np.repeat(shares, 2),
                "lines",
                [f"{safe(name)}: {share(float(one))} of pairs" for one in np.repeat(shares, 2)],
                fill="tozeroy",
                fillcolor=faded(style.fill, 0.14),
                name=safe(name),
                line={"color": style.colour, "width": 2.5, "dash": dash},
            )
        )
        shapes.append(level_line(mean, theme, colour=style.colour, dash=dash))
        label = above_line(f"{short(name, 20)} {number(mean)}", mean, theme)
        notes.append(label | {"font": {"size": 12, "color": style.text}, "yshift": 16 * (len(notes))})
    drawn = figure(
        theme=theme,
        height=240,
        left=58,
        right=20,
        bottom=48,
        above=38,
        traces=traces,
        notes=notes,
        shapes=shapes,
        title="How similar are images of one group?",
        subtitle=f"{of} · {count(len(training))} and {count(len(generated))} pairs",
        x=axis(theme, title="similarity of two images (1: the same)", range=[edges[0], edges[-1]]),
        y=axis(theme, title="share of pairs", range=[0, 1.08 * max(tops)], tickformat=".0%"),
    )
    alt = (
        f"Similarity of pairs within {names[0]}: mean {number(float(training.mean()))}; within {names[1]}: "
        f"{number(float(generated.mean()))}."
    )
    return Drawn(drawn, alt, PAIRS)


def nearest_cloud(
    ids: Sequence[str],
    features: Floats,
    vectors: Floats,
    *,
    training: tuple[Floats, Floats],
    group: str,
    theme: Theme,
) -> Drawn:
    """Generated images by how near the nearest training image is, by features and by vectors.

    ``training``: the same two values of the training images among themselves. A click carries an id.
    """
    known = np.flatnonzero(np.isfinite(features) & np.isfinite(vectors))
    if not len(known):
        return nothing(NOTHING, NEAREST, theme=theme)
    style = style_of(group, [group], theme)
    own = np.flatnonzero(np.isfinite(training[0]) & np.isfinite(training[1]))[:DOTS]
    rings = scatter(
        training[1][own],
        training[0][own],
        "markers",
        name="training images",
        marker={"size": 8, "symbol": "circle-open", "color": theme.neutral, "line": {"width": 1.5}},
    )
    order = known[np.argsort(-vectors[known], kind="stable")][:DOTS]
    dots = scatter(
        vectors[order],
        features[order],
        "markers",
        [
            f"<b>{safe(ids[i])}</b><br>features {number(float(features[i]))}<br>vectors "
            f"{number(float(vectors[i]))}"
            for i in order
        ],
        name=safe(group),
        customdata=[ids[i] for i in order],
        marker=style.marker(8, 1) | {"opacity": 0.75},
    )
    cut = f", the nearest {DOTS} drawn" if len(known) > DOTS else ""
    drawn = figure(
        theme=theme,
        height=360,
        left=62,
        right=20,
        bottom=50,
        traces=[rings, dots],
        hoverdistance=12,
        title="How near is the nearest training image?",
        subtitle=f"{safe(short(group, 30))}, {pluralize(len(known), 'image')}{cut} · rings: training images",
        x=axis(theme, title="→ nearer by vectors (cosine)"),
        y=axis(theme, title="↑ nearer by features (WSI)", range=[-0.03, 1.05]),
    )
    beyond = int((vectors[known] > np.max(training[1][own], initial=-np.inf)).sum())
    alt = (
        f"{pluralize(len(known), 'image')} of {group} by their nearest training image; {count(beyond)} "
        "nearer "
        "by vectors than any two training images are."
    )
    return Drawn(drawn, alt, NEAREST)


def likeness_square(similarity: Floats, order: Offsets, generated: Bools, *, of: str, theme: Theme) -> Drawn:
    """All images with all, in the order given; a strip at the left marks the generated ones.

    ``similarity``: shape (n, n), at most 1; NaN cells stay empty. Beyond 300 images draw a sample.
    """
    n = len(order)
    if n < 3 or not np.isfinite(similarity).any():
        return nothing(NOTHING, SQUARE, theme=theme)
    values, marked = similarity[np.ix_(order, order)], generated[order]
    low = min(0.0, float(np.nanmin(values)))
    cells = heat(
        np.round(values, 3),
        (theme.surface, theme.up),
        low,
        1,
        xgap=0,
        ygap=0,
        showscale=True,
        colorbar={
            "thickness": 10,
            "outlinewidth": 0,
            "nticks": 5,
            "tickfont": {"size": 11, "color": theme.muted},
        },
    )
    strip = heat(
        np.column_stack([marked]).astype(float),
        (theme.grid, theme.down),
        0,
        1,
        xgap=0,
        ygap=0,
        x=[-0.055 * n - 0.5, -0.015 * n - 0.5],
    )
    both = f"{pluralize(int(marked.sum()), 'generated image')} (orange on the left)"
    rest = n - int(marked.sum())
    drawn = figure(
        theme=theme,
        height=440,
        left=8,
        right=60,
        bottom=8,
        traces=[cells, strip],
        title="All images with all images",
        subtitle=f"{of} · {both}{f', {count(rest)} training' if rest else ''}",
        x=axis(theme, grid=False, showticklabels=False, range=[-0.06 * n - 0.5, n - 0.5]),
        y=axis(theme, grid=False, showticklabels=False, range=[n - 0.5, -0.5]),
    )
    off = values[~np.eye(n, dtype=bool)]
    same = share(float((off[np.isfinite(off)] >= 1 - 1e-9).mean())) if np.isfinite(off).any() else "none"
    alt = f"Similarity of {pluralize(n, 'image')} with each other; {same} of pairs are identical."
    return Drawn(drawn, alt, SQUARE)


# How far is each group from the real images? One distance, beside that of halves of the real images.

HOW_TO_READ = Reading(
    "The further right, the less a group as a whole looks like the real images. The band is how far apart "
    "two halves of the real images are: a group within it is as near as real images are to each other.",
    "Distance between Gaussians fitted to the vectors; band: range over random halves of the archetypes "
    "(each half has fewer images, so the band errs on the generous side); logarithmic beyond a factor of 50.",
)
ROW, NAME = 44, 26
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
    known = {name: value for name, value in zip(groups, values, strict=True) if isfinite(value)}
    if not known:
        return nothing("No group has a distance: see the message beside it.", HOW_TO_READ, theme=theme)
    names = [short(name, NAME) for name in known]
    positive = [one for one in (*known.values(), *halves) if one > 0]
    log = min(known.values()) > 0 and max(positive) > WIDE * min(positive)
    ends: Parts = {"type": "log"} if log else {"range": [0, 1.08 * max(positive, default=1.0)]}
    ends_at = listed([f"{name} {far(value)}" for name, value in known.items()])
    subtitle, take_away, shapes = distance, f"{distance} from the real images: {ends_at}", []
    if halves:
        low, high = min(halves), max(halves)
        band = f"halves of the real images {span(low, high)}"
        subtitle, take_away = f"{subtitle} · {band}", f"{take_away}; {band}"
        shapes = [
            rectangle(
                max(low, 1e-12) if log else low,
                0,
                high,
                1,
                {"width": 0},
                yref="paper",
                layer="below",
                fillcolor=faded(theme.accent, 0.18),
            )
        ]
    drawn = figure(
        theme=theme,
        height=ROW * len(known) + 20,
        left=room_for(names),
        right=24,
        bottom=48,
        shapes=shapes,
        traces=[_dots(known, groups, distance, theme)],
        title="How far from the real images?",
        subtitle=subtitle,
        x=axis(theme, title="→ less like the real images", **ends),
        y=row_axis([safe(name) for name in names], theme, automargin=False),
    )
    return Drawn(drawn, f"{take_away}.", HOW_TO_READ)


def _dots(known: Mapping[str, float], groups: Sequence[str], distance: str, theme: Theme) -> Parts:
    styles = [style_of(name, groups, theme) for name in known]
    return scatter(
        list(known.values()),
        list(range(len(known))),
        "markers",
        [f"<b>{safe(name)}</b><br>{safe(distance)} {far(at)}" for name, at in known.items()],
        marker={
            "size": 13,
            "color": [style.fill for style in styles],
            "symbol": [style.symbol for style in styles],
            "line": {"color": [style.colour for style in styles], "width": 2},
        },
    )
