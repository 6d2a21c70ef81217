"""What the settings of nn-IoU do: scores against alpha, and maps over alpha and threshold of who leads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from evalcore.evaluate.sweep import Standing, tau_of
from evalcore.figures import marks
from evalcore.figures.bands import LABEL_GAP, Line, band_and_line, end_names, room_for_names
from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.theme import (
    CIVIDIS_6,
    DASHES,
    MARK_CONTRAST,
    OKABE_ITO,
    SYMBOLS,
    TEXT_CONTRAST,
    SystemStyle,
    Theme,
    blend,
    ink_on,
    readable,
    style_of,
)
from evalcore.stats.levels import SAME
from evalcore.values.writing import number, pluralize, safe, short, signed, signed_span

# How does a score change as related concepts earn more? Lines against alpha, named at their right ends.

HOW_TO_READ = Reading(
    "Moving right gives more credit to related (not identical) concepts. A ring marks where two lines "
    "cross; the dotted line is the setting in use.",
    "Mean at each α with its bootstrap interval over queries, pointwise; rings: linear "
    "interpolation between the values of α tried.",
)
HEIGHT = 260
LABEL_WIDTH = 15
"""Characters of a name at a line's end at most."""
_OF_THRESHOLD = (None, OKABE_ITO[0], OKABE_ITO[1], OKABE_ITO[2], OKABE_ITO[4])
"""Colours of the thresholds 0 to 4; the first, which is IoU, is grey."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A place where the order changes, marked by a ring; ``hover`` says what happens there."""

    alpha: float
    value: float
    hover: str


def threshold_style(threshold: int, theme: Theme) -> SystemStyle:
    """The fixed look of a threshold, 0 to 4, and its name in words."""
    fill = _OF_THRESHOLD[threshold] or theme.neutral
    line = readable(fill, theme.surface, MARK_CONTRAST)
    return SystemStyle(
        threshold_name(threshold),
        line,
        fill,
        readable(fill, theme.surface, TEXT_CONTRAST),
        SYMBOLS[threshold],
        DASHES[threshold],
    )


def threshold_name(threshold: int) -> str:
    """ "0 steps = IoU", "1 step", "2 steps"."""
    return "0 steps = IoU" if threshold == 0 else pluralize(threshold, "step")


def alpha_lines(
    lines: Sequence[Line],
    alphas: Sequence[float],
    *,
    title: str,
    metric: str,
    theme: Theme,
    current: float | None = None,
    crossings: Sequence[Crossing] = (),
    zero: bool = False,
    reach: tuple[float, float] | None = None,
) -> Drawn:
    """A score against alpha with interval bands, one line per threshold or per system.

    ``lines``: NaN means leave a gap; a line without any value is left out. ``alphas``: ascending, as many as
    every row has intervals. ``title``, ``metric``: what the lines are about, and the score on the axis.
    ``current``: the alpha in use, marked by a dotted line; the line in use has a larger mark there.
    ``crossings``: places where one line overtakes another. ``zero``: whether the axis starts at 0. It does
    not by default, so that small changes can be seen, and the subtitle says so. ``reach``: the axis itself,
    where figures share one.
    """
    shown = [line for line in lines if line.has_value]
    if not shown:
        return nothing(f"No query has a value under {metric}.", HOW_TO_READ, theme=theme, title=title)
    low, high = reach or value_range(shown, zero=zero)
    height = max(HEIGHT, LABEL_GAP * len(shown))
    shapes, notes = [], end_names(shown, alphas, width=LABEL_WIDTH, pixels=height / (high - low))
    if current is not None:
        shapes.append(marks.level_line(current, theme))
        notes.append(marks.above_line("now", current, theme))
    traces = [
        trace for line in shown for trace in band_and_line(line, alphas, lambda a: f", α {a:g}:", mark=6)
    ]
    traces += [_mark(line, alphas, current) for line in shown if line.bold and current in alphas]
    traces += [_rings(crossings, theme)] if crossings else []
    drawn = figure(
        theme=theme,
        height=height,
        title=title,
        bottom=46,
        above=14,
        right=room_for_names(shown, LABEL_WIDTH),
        subtitle=f"{metric} · {marks.n_of(i.n for line in shown for i in line.row)}"
        f"{'' if zero else ' · axis not from 0'}",
        traces=traces,
        notes=notes,
        shapes=shapes,
        x=_alpha_axis(alphas, theme),
        y=axis(theme, title=marks.BETTER, range=[low, high], nticks=6),
    )
    return Drawn(drawn, _take_away(shown, alphas, title, metric), HOW_TO_READ)


def _take_away(shown: Sequence[Line], alphas: Sequence[float], title: str, metric: str) -> str:
    """The best place on each line, held against where the line begins."""
    summary = []
    for line in shown:
        means = [i.mean for i in line.row]
        best = int(np.nanargmax(means))
        summary.append(
            f"{line.name}: {number(means[0])} at α {alphas[0]:g}, "
            + (
                "the same throughout"
                if max(means) - min(means) <= SAME
                else f"highest {number(means[best])} at α {alphas[best]:g}, {number(means[-1])} at the end"
            )
        )
    return f"{title}, {metric} against α. {'; '.join(summary)}."


def value_range(lines: Sequence[Line], *, zero: bool = False) -> tuple[float, float]:
    """The range of an axis that holds all intervals of the lines, with some air."""
    every = [i for line in lines for i in line.row]
    if zero:
        return 0.0, marks.ceiling(every)
    low, high = marks.reach(marks.ends_of(every), air=0.08, least=0.05)
    return low, high


def _mark(line: Line, alphas: Sequence[float], current: float | None) -> Parts:
    """The setting in use, a larger mark on its line."""
    i = line.row[list(alphas).index(current)]  # type: ignore[arg-type]
    return marks.scatter(
        [current],
        [i.mean],
        "markers",
        [f"now: {safe(short(line.name, 24))}, {number(i.mean)}"],
        name=safe(line.name),
        marker=line.style.marker(13, 2),
    )


def _rings(crossings: Sequence[Crossing], theme: Theme) -> Parts:
    return marks.scatter(
        [c.alpha for c in crossings],
        [c.value for c in crossings],
        "markers",
        [safe(c.hover) for c in crossings],
        name="the order changes",
        marker={"size": 15, "color": "rgba(0,0,0,0)", "line": {"color": theme.ink, "width": 1.75}},
    )


def _alpha_axis(alphas: Sequence[float], theme: Theme) -> Parts:
    low, high = min(alphas), max(alphas)
    pad = 0.03 * (high - low) or 0.05
    return axis(
        theme, title="Credit for related concepts (α)", grid=False, range=[low - pad, high + pad], nticks=6
    )


# Who leads at which setting, and is the ranking the same? Maps over alpha and threshold.

LEADERS_READING = Reading(
    "Each cell is one setting, its letter the best system there. Faint means too close to call. If most "
    "of the map has one letter, the result does not depend on the setting.",
    "Leader's mean minus the runner-up's, paired by query; faint where its 95% bootstrap interval "
    "includes 0. Leader and lead come from the same data: a description, not a test.",
)
TAUS_READING = Reading(
    "1: same ranking as now; lower means more systems have swapped ranks.",
    "Kendall's tau-b of the systems' means with those at the setting in use (framed); cividis, negative "
    "values drawn like 0.",
)
ROW = 46
FRAME = (("#17212B", 5), ("#FFFFFF", 2))
_PALE = 0.86
"""How much of a cell's colour gives way to the page where the lead is too close to call."""


def leader_map(
    standings: Sequence[Standing],
    *,
    metric: str,
    systems: Sequence[str],
    theme: Theme,
    current: tuple[float, int] | None = None,
) -> Drawn:
    """Which system leads at each alpha and threshold, by how much, and where that is too close to call.

    ``standings``: one per cell (see `evaluate.sweep`). ``systems``: all systems of the study: they
    fix the colours. The leaders' letters follow their names. ``current``: (alpha, threshold) in use, framed.
    """
    known = [standing for standing in standings if math.isfinite(standing.means[0].mean)]
    if not known:
        return nothing(f"No system has a value under {metric}.", LEADERS_READING, theme=theme)
    letters = letters_of([standing.order[0] for standing in known if not standing.level])
    named = ", ".join(f"{letter} = {short(name, 24)}" for name, letter in letters.items())

    def filled(standing: Standing) -> str:
        if standing.level:
            return theme.raised
        colour = style_of(standing.order[0], systems, theme).fill
        return blend(colour, theme.surface, 0.25 if standing.clear else _PALE)

    def text(standing: Standing) -> str:
        if standing.level:
            return "<b>=</b>"
        lead = f"{standing.lead:+.3f}".replace("+0.", "+.") if math.isfinite(standing.lead) else ""
        return f"<b>{letters[standing.order[0]]}</b><br>{lead}"

    drawn = _map(
        known,
        filled,
        text,
        _hover_of_lead,
        theme,
        current,
        title=f"Leader: {named or 'none, the first two are tied'}",
        subtitle=f"{metric} · below the letter: lead over the second · faint: too close to call"
        + (" · =: tied" if any(standing.level for standing in known) else ""),
    )
    return Drawn(drawn, _leaders(known, metric), LEADERS_READING)


def _leaders(known: Sequence[Standing], metric: str) -> str:
    """The take-away: who leads in how many cells, and how many are too close to call."""
    n, known = _counted(known), [standing for standing in known if not standing.repeats]
    leaders = [standing.order[0] for standing in known if not standing.level]
    summary = ", ".join(f"{name} leads at {leaders.count(name):,}" for name in dict.fromkeys(leaders))
    if len(leaders) < len(known):
        summary += f"{', ' if summary else ''}the first two are tied at {len(known) - len(leaders):,}"
    close = sum(not standing.clear and not standing.level for standing in known)
    return f"{metric} over {n}: {summary}; {close:,} of them too close to call."


def tau_map(standings: Sequence[Standing], reference: Standing, *, metric: str, theme: Theme) -> Drawn:
    """How alike the whole ranking is to that of the reference: Kendall's tau at each cell."""
    taus = {
        standing: tau_of(reference, standing)
        for standing in standings
        if math.isfinite(standing.means[0].mean)
    }
    if not any(map(math.isfinite, taus.values())):
        message = "There are fewer than two systems to put in order, or all score the same."
        return nothing(message, TAUS_READING, theme=theme)

    def filled(standing: Standing) -> str:
        return cividis(max(taus[standing], 0.0)) if math.isfinite(taus[standing]) else theme.raised

    drawn = _map(
        list(taus),
        filled,
        lambda one: _two(taus[one]),
        lambda one: _hover_of_tau(one, taus[one]),
        theme,
        (reference.settings.alpha, reference.settings.threshold),
        title="Is the whole ranking the same?",
        subtitle=f"{metric} · Kendall's τ with the ranking in use: 1 the same order, 0 unrelated"
        + ("" if all(map(math.isfinite, taus.values())) else " · =: tied"),
    )
    constant = marks.all_same(np.array(list(taus.values())))
    return Drawn(drawn, _orders(taus, metric), TAUS_READING, constant)


def _orders(taus: Mapping[Standing, float], metric: str) -> str:
    """The take-away: at how many settings the order is unchanged, and the lowest tau."""
    known = [(one, tau) for one, tau in taus.items() if math.isfinite(tau) and not one.repeats]
    same = sum(tau > 1 - 1e-12 for _, tau in known)
    if same == len(known):
        return f"{metric}: the ranking is the same at all {_counted(list(taus))}."
    worst, lowest = min(known, key=lambda pair: pair[1])
    return (
        f"{metric}: the ranking stays the same at {same:,} of "
        f"{_counted(list(taus))}; the lowest Kendall's tau is {number(lowest)} at {_where(worst)}."
    )


def _counted(standings: Sequence[Standing]) -> str:
    """``63 settings``, or ``41 different settings`` where others are identical by definition."""
    n = sum(not standing.repeats for standing in standings)
    return pluralize(n, "setting" if n == len(standings) else "different setting")


def letters_of(names: Sequence[str]) -> dict[str, str]:
    """A letter for each different name, in the order they first appear: A, B, C ... then numbers."""
    different = list(dict.fromkeys(names))
    return {name: chr(65 + i) if i < 26 else str(i + 1) for i, name in enumerate(different)}


def cividis(share: float) -> str:
    """The colour of a share from 0 (dark blue) to 1 (yellow)."""
    place = min(max(share, 0.0), 1.0) * (len(CIVIDIS_6) - 1)
    below = min(int(place), len(CIVIDIS_6) - 2)
    return blend(CIVIDIS_6[below], CIVIDIS_6[below + 1], place - below)


def _map(
    cells: Sequence[Standing],
    filled: Callable[[Standing], str],
    text: Callable[[Standing], str],
    hover: Callable[[Standing], str],
    theme: Theme,
    current: tuple[float, int] | None,
    *,
    title: str,
    subtitle: str,
) -> go.Figure:
    """A cell per standing: alphas from left to right, thresholds from bottom to top."""
    alphas = sorted({standing.settings.alpha for standing in cells})
    thresholds = sorted({standing.settings.threshold for standing in cells})
    at = [
        (alphas.index(standing.settings.alpha), thresholds.index(standing.settings.threshold))
        for standing in cells
    ]
    fills = [filled(standing) for standing in cells]
    shapes = [_cell(x, y, fill, theme) for (x, y), fill in zip(at, fills, strict=True)]
    if current is not None and current[0] in alphas and current[1] in thresholds:
        shapes += _frame(alphas.index(current[0]), thresholds.index(current[1]))
    most = 5 if theme.narrow else 12
    texts = marks.scatter(
        [x for x, _ in at],
        [y for _, y in at],
        "text",
        [hover(standing) for standing in cells],
        text=[
            text(standing) if len(alphas) <= most else text(standing).split("<br>")[0] for standing in cells
        ],
        textfont={"size": 12, "color": [ink_on(fill) for fill in fills]},
    )
    every = -(-len(alphas) // (6 if theme.narrow else 11))
    return figure(
        theme=theme,
        height=ROW * len(thresholds),
        title=title,
        subtitle=subtitle,
        bottom=46,
        right=8,
        traces=[texts],
        shapes=shapes,
        x=axis(
            theme,
            title="Credit for related concepts (α)",
            grid=False,
            range=[-0.5, len(alphas) - 0.5],
            tickvals=list(range(0, len(alphas), every)),
            ticktext=[f"{a:g}" for a in alphas[::every]],
        ),
        y=marks.column_axis([threshold_name(t) for t in thresholds], theme, colour=theme.muted),
    )


def _cell(x: int, y: int, fill: str, theme: Theme) -> Parts:
    line = {"color": theme.surface, "width": 2}
    return marks.rectangle(x - 0.5, y - 0.5, x + 0.5, y + 0.5, line, fillcolor=fill, layer="below")


def _frame(x: int, y: int) -> list[Parts]:
    """A white line within a dark one: seen on every colour."""
    lines: list[Parts] = [{"color": colour, "width": width} for colour, width in FRAME]
    return [marks.rectangle(x - 0.46, y - 0.44, x + 0.46, y + 0.44, line) for line in lines]


def _where(standing: Standing) -> str:
    return f"α {standing.settings.alpha:g}, {threshold_name(standing.settings.threshold)}"


def _hover_of_lead(standing: Standing) -> str:
    order = ", ".join(
        f"{safe(short(name, 24))} {number(mean.mean)}"
        for name, mean in zip(standing.order, standing.means, strict=True)
    )
    lead = ""
    if math.isfinite(standing.lead):
        lead = f"<br>lead {signed(standing.lead)} ({signed_span(standing.low, standing.high)})"
    return f"{_where(standing)}{lead}<br>{order}"


def _hover_of_tau(standing: Standing, tau: float) -> str:
    order = ", ".join(safe(short(name, 24)) for name in standing.order)
    if not math.isfinite(tau):
        return f"{_where(standing)}: all tied, so there is no order"
    return f"{_where(standing)}: τ {number(tau)}<br>{order}"


def _two(tau: float) -> str:
    if not math.isfinite(tau):
        return "<b>=</b>"
    return "1" if tau > 1 - 1e-12 else f"{tau:.2f}".replace("-", "−")
