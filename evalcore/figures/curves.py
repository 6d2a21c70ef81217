"""What a score depends on: the cutoff and alpha; a map over alpha and threshold of who leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, log10

from evalcore.evaluate.sweep import Standing, threshold_name
from evalcore.figures import marks
from evalcore.figures.frame import AccessibleFigure, Parts, Reading, axis, figure, nothing
from evalcore.figures.lines import Line, curve_of, lines
from evalcore.figures.theme import (
    DASHES,
    OKABE_ITO,
    SYMBOLS,
    SystemStyle,
    Theme,
    blend,
    ink_on,
    plain_style,
    style_of,
)
from evalcore.values.model import Interval
from evalcore.values.writing import number, pluralize, safe, short, span

# How does a score change further down the list? Lines with bands.

CUTOFFS = Reading(
    "How good do the results remain further down the list? Higher is better; bands show how "
    "sure the average is.",
    "Mean over the defined queries at each cutoff k with its bootstrap interval, pointwise and not "
    "corrected for the number of cutoffs; long ranges of k on a logarithmic axis.",
)


def metric_curves(
    curves: Mapping[str, Sequence[Interval]],
    ks: Sequence[int],
    *,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
    baseline: str | None = None,
    current: int | None = None,
) -> AccessibleFigure:
    """A metric against the cutoff k for each system, with interval bands.

    ``curves``: {system: one interval per entry of ``ks``}; NaN means leave a gap. ``ks``: cutoffs, ascending;
    a logarithmic axis from a ratio of 20 on. ``metric``: shown on the axis, for example "P(organ)@k".
    ``systems``: all systems of the study: they fix the colours. ``baseline``: its name is bold.
    ``current``: the cutoff used elsewhere on the page, marked by a dotted line.
    """
    every = (
        Line(name, row, style_of(name, systems, theme), name == baseline) for name, row in curves.items()
    )
    shown = [line for line in every if line.has_value]
    if not shown or not ks:
        return nothing(f"No system has a value under {metric}.", CUTOFFS, theme=theme)
    means = [i for line in shown for i in line.row]
    return lines(
        [curve_of(line, ks, lambda _: "", mark=8) for line in shown],
        x=_k_axis(ks),
        y={"title": f"mean · {marks.better()}", "range": [0, marks.ceiling(means)]},
        title=f"{metric} as k grows",
        subtitle=f"Mean over the queries and its {means[0].level:.0%} interval · "
        f"{marks.n_of(i.n for i in means)}",
        upright=None if current is None else (current, f"k = {current}"),
        theme=theme,
        reading=CUTOFFS,
        hovermode="x unified",
    )


def _k_axis(ks: Sequence[int]) -> Parts:
    """Ticks at the cutoffs themselves, at most eight of them."""
    log = max(ks) / max(1, min(ks)) >= 20
    ticks = sorted({*ks[:: -(-len(ks) // 8)], ks[-1]})
    low, high = (log10(ks[0]), log10(ks[-1])) if log else (float(ks[0]), float(ks[-1]))
    pad = 0.03 * (high - low) or 0.5
    return {
        "title": "k: how many results are counted",
        "type": "log" if log else "linear",
        "range": [low - pad, high + pad],
        "tickvals": ticks,
        "ticktext": [str(k) for k in ticks],
    }


# How does a score change as related concepts earn more? Lines against alpha, named at their right ends.

ALPHA = Reading(
    "Moving right gives more credit to related (not identical) concepts.",
    "Mean at each α with its bootstrap interval over queries, pointwise.",
)
RINGED = Reading(
    f"{ALPHA.plain} A ring marks where two lines cross.",
    f"{ALPHA.technical} Rings: linear interpolation between the values of α tried.",
)
ALPHA_AXIS = "Credit for related concepts (α)"


@dataclass(frozen=True, slots=True)
class Crossing:
    """A place where the order changes, marked by a ring; ``hover`` says what happens there."""

    alpha: float
    value: float
    hover: str


def threshold_style(threshold: int, theme: Theme) -> SystemStyle:
    """The fixed look of a threshold, 0 to 4, and its name in words; 0, which is IoU, is grey."""
    colours = (theme.neutral, OKABE_ITO[0], OKABE_ITO[1], OKABE_ITO[2], OKABE_ITO[4])
    style = plain_style(threshold_name(threshold), colours[threshold], theme, SYMBOLS[threshold])
    return replace(style, dash=DASHES[threshold])


def alpha_lines(
    shown: Sequence[Line],
    alphas: Sequence[float],
    *,
    title: str,
    metric: str,
    theme: Theme,
    current: float | None = None,
    crossings: Sequence[Crossing] = (),
    zero: bool = False,
    reach: tuple[float, float] | None = None,
) -> AccessibleFigure:
    """A score against alpha with interval bands, one line per threshold or per system.

    ``shown``: NaN means leave a gap; a line without any value is left out. ``alphas``: ascending, as many as
    every row has intervals. ``title``, ``metric``: what the lines are about, and the score on the axis.
    ``current``: the alpha in use, marked by a dotted line; the line in use has a larger mark there.
    ``crossings``: places where one line overtakes another. ``zero``: whether the axis starts at 0. It does
    not by default, so that small changes can be seen, and the subtitle says so. ``reach``: the axis itself,
    where figures share one.
    """
    known = [line for line in shown if line.has_value]
    if not known:
        return nothing(f"No query has a value under {metric}.", ALPHA, theme=theme, title=title)
    low, high = min(alphas), max(alphas)
    pad = 0.03 * (high - low) or 0.05
    over = [_in_use(line, alphas, current) for line in known if line.bold and current in alphas]
    sizes = marks.n_of(i.n for line in known for i in line.row)
    return lines(
        [curve_of(line, alphas, lambda a: f", α {a:g}:", mark=6) for line in known],
        height=260,
        x={"title": ALPHA_AXIS, "range": [low - pad, high + pad], "nticks": 6},
        y={"title": marks.better(), "range": list(reach or value_range(known, zero=zero))},
        title=title,
        subtitle=f"{metric} · {sizes}{'' if zero else ' · axis not from 0'}",
        over=[*over, *([_rings(crossings, theme)] if crossings else [])],
        upright=None if current is None else (current, "now"),
        theme=theme,
        reading=RINGED if crossings else ALPHA,
    )


def value_range(shown: Sequence[Line], *, zero: bool = False) -> tuple[float, float]:
    """The range of an axis that covers all intervals of the lines, with a margin."""
    every = [i for line in shown for i in line.row]
    if zero:
        return 0.0, marks.ceiling(every)
    ends = (x for i in every for x in (i.mean, i.low, i.high))
    low, high = marks.axis_range(ends, air=0.08, least=0.05)
    return low, high


def _in_use(line: Line, alphas: Sequence[float], current: float | None) -> Parts:
    """The setting in use, a larger mark on its line."""
    mean = line.row[list(alphas).index(current)].mean  # type: ignore[arg-type]
    hover, look = f"now: {safe(short(line.name, 24))}, {number(mean)}", line.style.marker(13, 2)
    return marks.scatter([current], [mean], "markers", [hover], name=safe(line.name), marker=look)


def _rings(crossings: Sequence[Crossing], theme: Theme) -> Parts:
    return marks.scatter(
        [c.alpha for c in crossings],
        [c.value for c in crossings],
        "markers",
        [safe(c.hover) for c in crossings],
        name="the order changes",
        marker={"size": 15, "color": "rgba(0,0,0,0)", "line": {"color": theme.ink, "width": 1.75}},
    )


# Who leads at which setting? A map over alpha and threshold.

LEADERS = Reading(
    "Each cell is one setting, its letter the best system there. Faint means too close to call. If most "
    "of the map has one letter, the result does not depend on the setting.",
    "Leader's mean minus the runner-up's, paired by query; faint where its 95% bootstrap interval "
    "includes 0. Leader and lead come from the same data: a description, not a test.",
)
ROW = 46
PALE = 0.86
"""How much of a cell's colour gives way to the page where the lead is too close to call."""


def leader_map(
    standings: Sequence[Standing],
    *,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
    current: tuple[float, int] | None = None,
) -> AccessibleFigure:
    """Which system leads at each alpha and threshold, by how much, and where that is too close to call.

    ``standings``: one per cell (see `evaluate.sweep`). ``systems``: all systems of the study: they
    fix the colours. The leaders' letters follow their names. ``current``: (alpha, threshold) in use, framed.
    """
    known = [standing for standing in standings if isfinite(standing.means[0].mean)]
    if not known:
        return nothing(f"No system has a value under {metric}.", LEADERS, theme=theme)
    letters = letters_of([standing.order[0] for standing in known if not standing.level])
    named = ", ".join(f"{letter} = {short(name, 24)}" for name, letter in letters.items())

    def fill_of(standing: Standing) -> str:
        if standing.level:
            return theme.raised
        colour = style_of(standing.order[0], systems, theme).fill
        return blend(colour, theme.surface, 0.25 if standing.clear else PALE)

    def text_of(standing: Standing) -> str:
        if standing.level:
            return "<b>=</b>"
        lead = f"{standing.lead:+.3f}".replace("+0.", "+.") if isfinite(standing.lead) else ""
        return f"<b>{letters[standing.order[0]]}</b>" + (f"<br>{lead}" if roomy else "")

    # Alphas from left to right, thresholds from bottom to top.
    alphas = sorted({cell.settings.alpha for cell in known})
    thresholds = sorted({cell.settings.threshold for cell in known})
    roomy = len(alphas) <= (5 if theme.narrow else 12)
    at = [(alphas.index(cell.settings.alpha), thresholds.index(cell.settings.threshold)) for cell in known]
    fills, edge = [fill_of(cell) for cell in known], {"color": theme.surface, "width": 2}
    shapes = [
        marks.rectangle(x - 0.5, y - 0.5, x + 0.5, y + 0.5, edge, fillcolor=fill, layer="below")
        for (x, y), fill in zip(at, fills, strict=True)
    ]
    if current is not None and current[0] in alphas and current[1] in thresholds:
        x, y = alphas.index(current[0]), thresholds.index(current[1])
        # A white line within a dark one is seen on every colour.
        for line in ({"color": "#17212B", "width": 5}, {"color": "#FFFFFF", "width": 2}):
            shapes.append(marks.rectangle(x - 0.46, y - 0.44, x + 0.46, y + 0.44, line))
    texts = marks.scatter(
        [x for x, _ in at],
        [y for _, y in at],
        "text",
        [_hover(cell) for cell in known],
        text=[text_of(cell) for cell in known],
        textfont={"size": 12, "color": [ink_on(fill) for fill in fills]},
    )
    every = -(-len(alphas) // (6 if theme.narrow else 11))
    drawn = figure(
        theme=theme,
        height=ROW * len(thresholds),
        title=f"Leader: {named or 'none, the first two are tied'}",
        subtitle=f"{metric} · below the letter: lead over the second · faint: too close to call"
        + (" · =: tied" if any(standing.level for standing in known) else ""),
        bottom=46,
        right=8,
        traces=[texts],
        shapes=shapes,
        x=axis(
            theme,
            title=ALPHA_AXIS,
            grid=False,
            range=[-0.5, len(alphas) - 0.5],
            tickvals=list(range(0, len(alphas), every)),
            ticktext=[f"{a:g}" for a in alphas[::every]],
        ),
        y=marks.column_axis([threshold_name(t) for t in thresholds], theme, colour=theme.muted),
    )
    return AccessibleFigure(drawn, _about_leaders(known, metric), LEADERS)


def _about_leaders(known: Sequence[Standing], metric: str) -> str:
    """Who leads in how many cells, and how many are too close to call."""
    known, every = [standing for standing in known if not standing.repeats], len(known)
    n = pluralize(len(known), "setting" if len(known) == every else "different setting")
    leaders = [standing.order[0] for standing in known if not standing.level]
    each = [f"{name} leads at {leaders.count(name):,}" for name in dict.fromkeys(leaders)]
    each += [f"the first two are tied at {tied:,}"] if (tied := len(known) - len(leaders)) else []
    close = sum(not standing.clear and not standing.level for standing in known)
    return f"{metric} over {n}: {', '.join(each)}; {close:,} of them too close to call."


def letters_of(names: Sequence[str]) -> dict[str, str]:
    """A letter for each different name, in the order they first appear: A, B, C ... then numbers."""
    different = dict.fromkeys(names)
    return {name: chr(65 + i) if i < 26 else str(i + 1) for i, name in enumerate(different)}


def _hover(cell: Standing) -> str:
    order = ", ".join(
        f"{safe(short(name, 24))} {number(mean.mean)}"
        for name, mean in zip(cell.order, cell.means, strict=True)
    )
    lead = (
        f"<br>lead {number(cell.lead, sign=True)} ({span(cell.low, cell.high, sign=True)})"
        if isfinite(cell.lead)
        else ""
    )
    return f"α {cell.settings.alpha:g}, {threshold_name(cell.settings.threshold)}{lead}<br>{order}"
