"""Which measure to trust: agreement of relevance measures, ranking of systems, power to separate them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from evalcore.figures import marks
from evalcore.figures.bands import LABEL_GAP, Mark, against_chance, spread, tied
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.theme import CIVIDIS_6, SystemStyle, Theme, blend, style_of
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.writing import number, pluralize, safe, share, short, span

# Two measures on the same pairs of images: where do they fall, and which pairs do they disagree on?

CLOUD_READING = Reading(
    "Each square contains pairs of images. At the left edge the measure named below the figure finds nothing "
    "in common where the other one does. The rings are the pairs listed below; select one to see why.",
    "26 x 26 cells, colour by the logarithm of the number of pairs; rings by the largest difference of "
    "mid-ranks.",
)
CELLS = 26
SIDE = 340
SHADES = {"light": CIVIDIS_6, "dark": ("#575C6E", "#75746F", "#948E77", "#B4A76F", "#D9C75A", "#FEE838")}
"""The whole scale on a light page; on a dark one its lighter two thirds, so that single pairs show."""
NAME_CLOUD = 26


class Marked(NamedTuple):
    """A pair worth opening: where it lies, the text a click carries, and what it is called."""

    x: float
    y: float
    carries: str
    name: str


def measure_cloud(
    x: Floats,
    y: Floats,
    *,
    a: str,
    b: str,
    theme: Theme,
    marked: Sequence[Marked] = (),
    of: str = "",
    rho: float = np.nan,
) -> Drawn:
    """Value of every pair under measure ``a`` (across) and ``b`` (upwards), counted in cells.

    ``x``, ``y``: shape (n,), no NaN. The plane is cut into 26 x 26 cells; their colour is the number of pairs
    on a logarithmic scale, because most pairs have nothing in common. ``marked``: pairs drawn as numbered
    rings that a click opens. ``of``: what the pairs are, for the subtitle. ``rho``: Spearman's correlation of
    the two, for the take-away; NaN where there is none.
    """
    if not len(x):
        message = f"No pair of images has a value under both {a} and {b}."
        return nothing(message, CLOUD_READING, theme=theme)
    drawn = figure(
        theme=theme,
        height=SIDE,
        title=f"{short(b, NAME_CLOUD)} against {short(a, NAME_CLOUD)}",
        bottom=44,
        right=64,
        subtitle=(f"{of} · " if of else "")
        + "colour: how many pairs share a cell, in steps of ten"
        + (" · rings: the pairs listed below" if marked else ""),
        traces=[_cloud_cells(x, y, a, b, theme), *([_rings(marked, theme)] if marked else [])],
        x=_side(a, x, theme),
        y=_side(b, y, theme),
    )
    return Drawn(drawn, _cloud_take_away(x, y, a, b, rho), CLOUD_READING)


def _cloud_take_away(x: Floats, y: Floats, a: str, b: str, rho: float) -> str:
    """How many pairs, how many have nothing under one measure only, the correlation."""
    only_a, only_b = int(np.sum((x > 0) & (y <= 0))), int(np.sum((y > 0) & (x <= 0)))
    alike = f"; Spearman's rho {number(rho)}" if np.isfinite(rho) else ""
    return (
        f"{pluralize(len(x), 'pair')} of images under {a} and {b}: {only_a:,} are relevant under {a} only, "
        f"{only_b:,} under {b} only{alike}."
    )


def _ends(values: Floats) -> tuple[float, float]:
    """The range of an axis: 0 to 1 widened to what there is."""
    return min(0.0, float(values.min())), max(1.0, float(values.max()))


def _side(name: str, values: Floats, theme: Theme) -> Parts:
    low, high = _ends(values)
    pad = 0.03 * (high - low)
    title = f"{safe(short(name, NAME_CLOUD))} · → closer"
    return axis(theme, title=title, grid=False, nticks=6, range=[low - pad, high + pad])


def _cloud_cells(x: Floats, y: Floats, a: str, b: str, theme: Theme) -> Parts:
    """The number of pairs of every cell that holds any; edges lie half a cell outside the range."""
    centres = [np.linspace(*_ends(values), CELLS) for values in (x, y)]
    at = [
        np.clip(np.rint((values - c[0]) / (c[1] - c[0])).astype(int), 0, CELLS - 1)
        for values, c in zip((x, y), centres, strict=True)
    ]
    counts = np.bincount(at[1] * CELLS + at[0], minlength=CELLS * CELLS).reshape(CELLS, CELLS)
    with np.errstate(divide="ignore"):
        shade = np.where(counts > 0, np.log10(counts), np.nan)
    hover = [
        [
            f"{safe(short(a, NAME_CLOUD))} about {number(cx)}<br>"
            f"{safe(short(b, NAME_CLOUD))} about {number(cy)}<br>"
            f"{pluralize(int(counts[j, i]), 'pair')}"
            for i, cx in enumerate(centres[0])
        ]
        for j, cy in enumerate(centres[1])
    ]
    top = max(1, int(np.ceil(np.nanmax(shade))))
    bar = {
        "thickness": 10,
        "len": 1,
        "y": 0.5,
        "outlinewidth": 0,
        "tickvals": list(range(top + 1)),
        "ticktext": [f"{10**i:,}" for i in range(top + 1)],
        "tickfont": {"size": 11, "color": theme.muted},
    }
    return marks.heat(
        shade,
        SHADES[theme.name],
        0,
        top,
        hover=hover,
        x=centres[0],
        y=centres[1],
        xgap=1,
        ygap=1,
        showscale=True,
        colorbar=bar,
    )


def _rings(marked: Sequence[Marked], theme: Theme) -> Parts:
    return marks.scatter(
        [m.x for m in marked],
        [m.y for m in marked],
        "markers",
        [safe(m.name) for m in marked],
        customdata=[m.carries for m in marked],
        cliponaxis=False,
        marker={"size": 15, "color": "rgba(0,0,0,0)", "line": {"color": theme.down, "width": 2.5}},
    )


# How alike do measures order things? Rank correlations of every two as a heat map with numbers.

MATRIX_READING = Reading(
    "Each square compares two measures. Strong blue and near 1: they put things in the same order, so either "
    "will do. Faint: they look at different things. Orange: one rises where the other falls.",
    "Spearman's rho above the diagonal and Kendall's tau-b below it (ties corrected); empty where a measure "
    "does not vary.",
)
NAME_MATRIX = 28
NOTHING_MATRIX = "Fewer than two measures order these at all, so there is no agreement to show."


def agreement_matrix(
    labels: Sequence[str], spearman: Floats, kendall: Floats, *, of: str, theme: Theme, both: bool = True
) -> Drawn:
    """Measures against measures: blue where two order alike, orange where they order the other way.

    ``labels``: names of the m measures, in the order of rows and columns. ``spearman``, ``kendall``: shape
    (m, m); NaN cells stay empty. ``of``: what was ordered and how many, for the subtitle: "10,000 pairs of
    images". ``both``: Spearman above the diagonal and Kendall below; else Kendall in both halves.
    """
    m = len(labels)
    shown = np.where(np.triu(np.ones((m, m), bool), 1) & both, spearman, kendall)
    shown[np.diag_indices(m)] = np.nan
    pairs = [(float(kendall[i, j]), j, i) for i in range(m) for j in range(i) if np.isfinite(kendall[i, j])]
    if not pairs:
        return nothing(NOTHING_MATRIX, MATRIX_READING, theme=theme)
    kinds = "above the diagonal Spearman’s ρ, below Kendall’s τ" if both else "Kendall’s τ"
    drawn = figure(
        theme=theme,
        title="Do the measures agree?",
        subtitle=f"{of} · {kinds} · 1 same order, 0 unrelated, −1 reversed",
        traces=[_cells(labels, shown, theme, both), *_numbers(shown, theme)],
        **marks.square(labels, theme, width=NAME_MATRIX),
    )
    return Drawn(drawn, _matrix_take_away(labels, pairs, of), MATRIX_READING, marks.all_same(shown))


def _matrix_take_away(labels: Sequence[str], pairs: Sequence[tuple[float, int, int]], of: str) -> str:
    """The two that agree most and the two that agree least, by Kendall's tau."""
    (low, i, j), (high, k, m) = min(pairs), max(pairs)
    return (
        f"Agreement of {len(labels)} measures on {of}, Kendall's tau: most similar {labels[k]} and "
        f"{labels[m]} ({_two(high)}), least similar {labels[i]} and {labels[j]} ({_two(low)})."
    )


def _cells(labels: Sequence[str], shown: Floats, theme: Theme, both: bool) -> Parts:
    hover = [
        [
            f"{safe(a)} and {safe(b)}<br>{'Spearman’s ρ' if both and j > i else 'Kendall’s τ'} "
            f"{_two(shown[i, j], 3)}"
            for j, b in enumerate(labels)
        ]
        for i, a in enumerate(labels)
    ]
    return marks.heat(shown, (theme.down, theme.surface, theme.up), -1, 1, hover=hover)


def _numbers(shown: Floats, theme: Theme) -> list[Parts]:
    def cell(value: float) -> str:
        return blend(theme.surface, theme.up if value > 0 else theme.down, abs(value))

    size = 13 if len(shown) <= 10 else 11
    return marks.numbers_in_cells(shown, cell=cell, text=_two, size=size, theme=theme)


def _two(value: float, places: int = 2) -> str:
    """A correlation: two decimals, "1" only when it is exactly that.

    >>> _two(0.997), _two(1.0), _two(-0.25)
    ('>0.99', '1', '−0.25')
    """
    if not np.isfinite(value):
        return ""
    if value == 1:
        return "1"
    written = f"{value:.{places}f}"
    if float(written) == 1:
        return ">0." + "9" * places
    return written.replace("-", "−")


# Which similarity of concepts orders pairs as people do? A dot on its interval for each, best first.

RATINGS_READING = Reading(
    "Further right: the measure puts pairs of concepts in an order more like that of the people who rated "
    "them. At the dotted line it does no better than chance. Filled: similarity by the hierarchy. Open: "
    "relatedness, which also counts what merely belongs together. If two lines overlap a lot, do not call "
    "one better.",
    "Spearman’s rho between the measure and the mean ratings over the pairs with two known concepts, "
    "unconnected ones 0; percentile bootstrap over pairs, the same draws wherever n agrees. Filled: "
    "similarity; open: relatedness. Overlap of intervals is no test.",
)
NAME_RATINGS = 30
ROW_RATINGS = 40


class RatedRow(NamedTuple):
    """A similarity of concepts: its name, whether it is relatedness, rho with its interval, and the pairs."""

    name: str
    relatedness: bool
    rho: float
    low: float
    high: float
    n: int


def rated_concepts(rows: Sequence[RatedRow], *, ratings: str, level: float, theme: Theme) -> Drawn:
    """The similarities in the order given; those without a value are named without a mark.

    ``ratings``: what they are held against, such as the name of a file; ``level`` of the intervals.
    """
    known = [row for row in rows if math.isfinite(row.rho)]
    if not known:
        return nothing("No measure covers enough of the rated concepts.", RATINGS_READING, theme=theme)
    drawn = against_chance(
        [_mark(row, level) for row in rows],
        statistic="agreement in order",
        chance=0.0,
        theme=theme,
        row=ROW_RATINGS,
        width=NAME_RATINGS,
        title=f"Measures against {short(ratings, 40)}",
        subtitle=f"Agreement in order (Spearman’s rho) and its {level:.0%} interval · "
        f"{marks.n_of((row.n for row in known), 'pair')}",
    )
    best = max(known, key=lambda row: row.rho)
    text = (
        f"{pluralize(len(known), 'measure')} against {ratings}: {best.name} agrees most, rho "
        f"{number(best.rho)} "
        f"({span(best.low, best.high)}) over {pluralize(best.n, 'pair')}."
    )
    return Drawn(drawn, text, RATINGS_READING)


def _mark(row: RatedRow, level: float) -> Mark:
    kind = "relatedness" if row.relatedness else "similarity"
    text = f"<b>{safe(row.name)}</b> ({kind})<br>{number(row.rho)}, {level:.0%} interval "
    text += f"{span(row.low, row.high)}<br>{pluralize(row.n, 'pair')}"
    return Mark(row.name, row.rho, row.low, row.high, text, row.relatedness)


# Does the winner depend on the measure? Ranks of the systems under each, joined by lines.

SLOPES_READING = Reading(
    "Follow one line from left to right. Lines that cross mean that the better system depends on how "
    "“relevant” is defined.",
    "Ranks by mean over the common queries; equal means in the order of names. A crossing need not be "
    "significant: see the p-values.",
)
ROW_SLOPES = 38
NAME_SLOPES, MEASURE = 20, 28
UPRIGHT, UPRIGHT_ON_PHONE, NAME_ON_PHONE, LINE = 5, 3, 12, 12
"""Names of measures that have room side by side, on a phone too; characters there of a system's name, and of
a line of a measure's."""


def rank_slopes(
    places: Offsets,
    means: Floats,
    *,
    names: Sequence[str],
    labels: Sequence[str],
    systems: Sequence[str],
    theme: Theme,
    of: str = "",
) -> Drawn:
    """One line per system through its ranks under the measures, best on top.

    ``places``, ``means``: shape (systems, measures); ranks from 1. ``names``, ``labels``: of the rows and the
    columns. ``systems``: all systems of the study: they fix the colours. ``of``: what the means are over, for
    the subtitle.
    """
    if len(names) < 2 or not np.isfinite(means).any():
        message = "A ranking takes two systems with a value. Add rankings or vectors on the Data page."
        return nothing(message, SLOPES_READING, theme=theme)
    styles = [style_of(name, systems, theme) for name in names]
    shown = NAME_ON_PHONE if theme.narrow else NAME_SLOPES
    widest = max(len(short(name, shown)) for name in names)
    last = len(labels) - 1
    ticks = [[short(label, MEASURE)] for label in labels]
    upright = len(labels) <= (UPRIGHT_ON_PHONE if theme.narrow else UPRIGHT)
    if theme.narrow and upright:
        ticks = [wrap(label, LINE) for (label,) in ticks]
    drawn = figure(
        theme=theme,
        height=ROW_SLOPES * len(names),
        title="Ranking of the systems under each measure",
        subtitle=f"1 is best{f' · {of}' if of else ''} · systems whose lines cross swap ranks",
        right=28 + 7.2 * widest,
        bottom=14 + 17 * max(map(len, ticks))
        if upright
        else marks.slanted_room([label for (label,) in ticks]),
        traces=[_line(places[i], means[i], style, labels) for i, style in enumerate(styles)],
        notes=[_name(style, last, int(places[i, last]), shown) for i, style in enumerate(styles)],
        x=marks.column_axis(
            ["<br>".join(map(safe, lines)) for lines in ticks],
            theme,
            grid=True,
            range=[-0.2, last + 0.12],
            tickangle=0 if upright else -38,
        ),
        y=axis(
            theme,
            title="rank",
            grid=False,
            range=[len(names) + 0.5, 0.5],
            tickvals=list(range(1, len(names) + 1)),
        ),
    )
    return Drawn(drawn, _take_away(places, names, labels), SLOPES_READING)


def _take_away(places: Offsets, names: Sequence[str], labels: Sequence[str]) -> str:
    """Who is first under how many measures, and who moves most."""
    firsts = [names[int(np.argmin(places[:, j]))] for j in range(len(labels))]
    leaders = sorted(set(firsts), key=lambda name: (-firsts.count(name), name))
    first = ", ".join(f"{name} under {firsts.count(name)}" for name in leaders)
    moves = places.max(axis=1) - places.min(axis=1)
    most = int(np.argmax(moves))
    moved = (
        f"; {names[most]} moves most, by {pluralize(int(moves[most]), 'rank')}"
        if moves[most]
        else "; no two swap ranks"
    )
    return f"Rank 1 over {pluralize(len(labels), 'measure')}: {first}{moved}."


def _line(places: Offsets, means: Floats, style: SystemStyle, labels: Sequence[str]) -> Parts:
    hover = [
        f"{safe(style.name)}<br>{safe(label)}: rank {place}, mean {number(mean)}"
        for label, place, mean in zip(labels, places, means, strict=True)
    ]
    return marks.scatter(
        list(range(len(labels))),
        places.tolist(),
        "lines+markers",
        hover,
        name=safe(style.name),
        cliponaxis=False,
        line=style.line(2.5),
        marker=style.marker(11),
    )


def _name(style: SystemStyle, x: int, y: int, shown: int) -> Parts:
    return marks.note(safe(short(style.name, shown)), x, y, style.text, size=13, xanchor="left", xshift=12)


# Which measure separates systems? Shares of separated pairs, and the curves of their p-values.

POWER_READING = Reading(
    "A longer bar means that more pairs of systems are clearly different under this measure with "
    "these queries. It does "
    "not mean that the measure is right.",
    "Discriminative power (Sakai 2006): pairs with a corrected p below the level, paired permutation "
    "test; common queries for all measures.",
)
CURVES_READING = Reading(
    "Each line is a measure. The longer it stays low, the more pairs of systems it separates.",
    "Achieved significance levels of all pairs, ascending (Sakai draws them descending); values at the "
    "bottom are limited by the number of resamples.",
)
ROW_POWER = 34
HEIGHT = 320
NAME_POWER = 24
P_TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 1)
NOTHING_POWER = "There must be at least two systems with a value to separate."


class Separated(NamedTuple):
    """One measure: how many of the pairs of systems it separates, and all p-values in ascending order."""

    label: str
    separated: int
    pairs: int
    p: Floats


def power_bars(rows: Sequence[Separated], *, theme: Theme, of: str = "", level: float = 0.05) -> Drawn:
    """Share of the pairs of systems that each measure separates, largest first."""
    rows = sorted((row for row in rows if row.pairs), key=lambda row: -row.separated)
    if not rows:
        return nothing(NOTHING_POWER, POWER_READING, theme=theme)
    hover = [
        f"{safe(row.label)}: {row.separated} of {pluralize(row.pairs, 'pair')} of systems separated"
        for row in rows
    ]
    shares = [row.separated / row.pairs for row in rows]
    drawn = figure(
        theme=theme,
        height=ROW_POWER * len(rows),
        title="Pairs of systems each measure separates",
        right=112,
        bottom=44,
        subtitle=f"{of + ' · ' if of else ''}corrected p below {level:g}",
        traces=[marks.bars(shares, hover, {"color": theme.accent}, width=0.55)],
        notes=[
            marks.beside(i, f"{row.separated} of {row.pairs}", "", theme, width=88)
            for i, row in enumerate(rows)
        ],
        x=axis(
            theme,
            title="share of all pairs of systems",
            range=[0, 1.0],
            tickformat=".0%",
            tickvals=[0, 0.5, 1],
            tickangle=0,
        ),
        y=marks.row_axis([safe(short(row.label, NAME_POWER)) for row in rows], theme, grid=False),
    )
    of_all = [
        f"{row.label} {row.separated} of {row.pairs} ({share(part)})"
        for row, part in zip(rows, shares, strict=True)
    ]
    return Drawn(drawn, f"Pairs of systems separated, most first: {', '.join(of_all)}.", POWER_READING)


def significance_curves(
    rows: Sequence[Separated],
    *,
    measures: Sequence[str],
    theme: Theme,
    floor: float,
    level: float = 0.05,
    of: str = "",
) -> Drawn:
    """Each measure's p-values in ascending order: a curve that stays low longer separates more pairs.

    ``measures``: all labels that could be shown: they fix the colours. ``floor``: the smallest p the test can
    give, 1/(resamples + 1); the axis begins there.
    """
    rows = [row for row in rows if row.pairs and np.isfinite(row.p).all()]
    if not rows:
        return nothing(NOTHING_POWER, CURVES_READING, theme=theme)
    n = max(row.pairs for row in rows)
    styles = [style_of(row.label, measures, theme) for row in rows]
    low = math.log10(floor) - 0.1
    drawn = figure(
        theme=theme,
        height=max(HEIGHT, LABEL_GAP * len(rows)),
        title="p-values of all pairs of systems",
        subtitle=f"{of + ' · ' if of else ''}uncorrected, smallest first · dotted: {level:g}",
        right=30 + 7.2 * max(len(short(row.label, NAME_POWER)) for row in rows),
        bottom=46,
        traces=[_curve(row, style, floor) for row, style in zip(rows, styles, strict=True)],
        notes=_labels(rows, styles, max(HEIGHT, LABEL_GAP * len(rows)), low, floor),
        shapes=[
            {
                "type": "line",
                "x0": 0,
                "x1": 1,
                "xref": "x domain",
                "y0": level,
                "y1": level,
                "layer": "below",
                "line": {"color": theme.muted, "width": 1.5, "dash": "2px,3px"},
            }
        ],
        x=axis(
            theme, title="pairs of systems, by p", grid=False, range=[0.5, n + 0.5], tickformat="d", nticks=8
        ),
        y=axis(
            theme,
            title="p · ↓ separated",
            type="log",
            range=[low, 0.05],
            tickvals=P_TICKS,
            ticktext=[f"{p:g}" for p in P_TICKS],
        ),
    )
    below = ", ".join(f"{row.label} {int(np.sum(row.p < level))} of {row.pairs}" for row in rows)
    return Drawn(drawn, f"Uncorrected p-values below {level:g}: {below}.", CURVES_READING)


def _curve(row: Separated, style: SystemStyle, floor: float) -> Parts:
    hover = [
        f"{safe(row.label)}<br>pair {i} of {row.pairs}: p {'≤' if p <= floor else '='} {number(p)}"
        for i, p in enumerate(row.p, start=1)
    ]
    return marks.scatter(
        list(range(1, row.pairs + 1)),
        np.maximum(row.p, floor),
        "lines+markers" if row.pairs <= 30 else "lines",
        hover,
        name=safe(row.label),
        line=style.line(2),
        marker=style.marker(7, 1),
    )


def _labels(
    rows: Sequence[Separated], styles: Sequence[SystemStyle], height: float, low: float, floor: float
) -> list[Parts]:
    """Names at the right ends, moved apart, each tied to its end."""
    ends = [math.log10(max(float(row.p[-1]), floor)) for row in rows]
    wanted = [height / (0.05 - low) * (end - low) for end in ends]
    placed = spread(wanted, LABEL_GAP, 0, height)
    return [
        tied(safe(short(row.label, NAME_POWER)), (row.pairs, end), here - there, style)
        for row, style, end, here, there in zip(rows, styles, ends, wanted, placed, strict=True)
    ]
