"""Who leads at which setting, and is the ranking the same? Maps over alpha and threshold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalcore.evaluate.sweep.stability import tau_of
from evalcore.figures.ablation.lines import threshold_name
from evalcore.figures.colour import CIVIDIS_6, blend, ink_on
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import HOVER, column_axis, rectangle
from evalcore.figures.numbers import number, signed, signed_span, things
from evalcore.figures.theme import style_of
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import plotly.graph_objects as go

    from evalcore.evaluate.sweep.stability import Standing
    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme

HOW_TO_READ_LEADERS = Reading(
    "Each cell is one setting, its letter the best system there. Faint means too close to call. If most "
    "of the map has one letter, the result does not depend on the setting.",
    "Leader's mean minus the runner-up's, paired by query; faint where its 95% bootstrap interval "
    "includes 0. Leader and lead come from the same data: a description, not a test.",
)
HOW_TO_READ_TAUS = Reading(
    "1: same ranking as now; lower means more systems have swapped ranks.",
    "Kendall's tau-b of the systems' means with those at the setting in use (framed); cividis, negative "
    "values drawn like 0.",
)
ROW = 46
FRAME = (("#17212B", 5), ("#FFFFFF", 2))
_PALE = 0.86
"""How much of a cell's colour gives way to the page where the lead is too close to call."""


def leader_map(
    standings: Sequence[Standing], *, metric: str, systems: Sequence[str], theme: Theme,
    current: tuple[float, int] | None = None,
) -> Drawn:  # fmt: skip
    """Which system leads at each alpha and threshold, by how much, and where that is too close to call.

    Parameters
    ----------
    standings
        One per cell (see `evaluate.sweep.stability`).
    systems
        All systems of the study: they fix the colours. The leaders' letters follow their names.
    current
        (alpha, threshold) in use, framed.
    """
    known = [one for one in standings if math.isfinite(one.means[0].mean)]
    if not known:
        return nothing(f"No system has a value under {metric}.", HOW_TO_READ_LEADERS, theme=theme)
    letters = letters_of([one.order[0] for one in known if not one.level])
    named = ", ".join(f"{letter} = {short(name, 24)}" for name, letter in letters.items())

    def filled(one: Standing) -> str:
        if one.level:
            return theme.raised
        colour = style_of(one.order[0], systems, theme).fill
        return blend(colour, theme.surface, 0.25 if one.clear else _PALE)

    def text(one: Standing) -> str:
        if one.level:
            return "<b>=</b>"
        lead = f"{one.lead:+.3f}".replace("+0.", "+.") if math.isfinite(one.lead) else ""
        return f"<b>{letters[one.order[0]]}</b><br>{lead}"

    drawn = _map(
        known, filled, text, _hover_of_lead, theme, current,
        title=f"Leader: {named or 'none, the first two are tied'}",
        subtitle=f"{metric} · below the letter: lead over the second · faint: too close to call"
        + (" · =: tied" if any(one.level for one in known) else ""),
    )  # fmt: skip
    return Drawn(drawn, _leaders(known, metric), HOW_TO_READ_LEADERS)


def _leaders(known: Sequence[Standing], metric: str) -> str:
    """The take-away: who leads in how many cells, and how many are too close to call."""
    n, known = _counted(known), [one for one in known if not one.repeats]
    leaders = [one.order[0] for one in known if not one.level]
    summary = ", ".join(f"{name} leads at {leaders.count(name):,}" for name in dict.fromkeys(leaders))
    if len(leaders) < len(known):
        summary += f"{', ' if summary else ''}the first two are tied at {len(known) - len(leaders):,}"
    close = sum(not one.clear and not one.level for one in known)
    return f"{metric} over {n}: {summary}; {close:,} of them too close to call."


def tau_map(
    standings: Sequence[Standing], reference: Standing, *, metric: str, theme: Theme
) -> Drawn:  # fmt: skip
    """How alike the whole ranking is to that of the reference: Kendall's tau at each cell."""
    taus = {one: tau_of(reference, one) for one in standings if math.isfinite(one.means[0].mean)}
    if not any(map(math.isfinite, taus.values())):
        message = "There are fewer than two systems to put in order, or all score the same."
        return nothing(message, HOW_TO_READ_TAUS, theme=theme)

    def filled(one: Standing) -> str:
        return cividis(max(taus[one], 0.0)) if math.isfinite(taus[one]) else theme.raised

    drawn = _map(
        list(taus), filled, lambda one: _two(taus[one]), lambda one: _hover_of_tau(one, taus[one]), theme,
        (reference.settings.alpha, reference.settings.threshold),
        title="Is the whole ranking the same?",
        subtitle=f"{metric} · Kendall's τ with the ranking in use: 1 the same order, 0 unrelated"
        + ("" if all(map(math.isfinite, taus.values())) else " · =: tied"),
    )  # fmt: skip
    return Drawn(drawn, _orders(taus, metric), HOW_TO_READ_TAUS)


def _orders(taus: Mapping[Standing, float], metric: str) -> str:
    """The take-away: at how many settings the order is unchanged, and the lowest tau."""
    known = [(one, tau) for one, tau in taus.items() if math.isfinite(tau) and not one.repeats]
    same = sum(tau > 1 - 1e-12 for _, tau in known)
    worst, lowest = min(known, key=lambda pair: pair[1])
    least = f"; the lowest Kendall's tau is {number(lowest)} at {_where(worst)}" if same < len(known) else ""
    return (
        f"{metric}: the order of the systems is that of the setting in use at {same:,} of "
        f"{_counted(list(taus))}{least}."
    )


def _counted(standings: Sequence[Standing]) -> str:
    """``63 settings``, or ``41 different settings`` where others are identical by definition."""
    n = sum(not one.repeats for one in standings)
    return things(n, "setting" if n == len(standings) else "different setting")


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
    cells: Sequence[Standing], filled: Callable[[Standing], str], text: Callable[[Standing], str],
    hover: Callable[[Standing], str], theme: Theme, current: tuple[float, int] | None, *, title: str,
    subtitle: str,
) -> go.Figure:  # fmt: skip
    """A cell per standing: alphas from left to right, thresholds from bottom to top."""
    alphas = sorted({one.settings.alpha for one in cells})
    thresholds = sorted({one.settings.threshold for one in cells})
    at = [(alphas.index(one.settings.alpha), thresholds.index(one.settings.threshold)) for one in cells]
    fills = [filled(one) for one in cells]
    shapes = [_cell(x, y, fill, theme) for (x, y), fill in zip(at, fills, strict=True)]
    if current is not None and current[0] in alphas and current[1] in thresholds:
        shapes += _frame(alphas.index(current[0]), thresholds.index(current[1]))
    texts = {
        "type": "scatter", "mode": "text", "x": [x for x, _ in at], "y": [y for _, y in at],
        "text": [text(one) if len(alphas) <= 12 else text(one).split("<br>")[0] for one in cells],
        "textfont": {"size": 12, "color": [ink_on(fill) for fill in fills]},
        "hovertext": [hover(one) for one in cells], "hovertemplate": HOVER,
    }  # fmt: skip
    every = -(-len(alphas) // 11)
    return figure(
        theme=theme, height=ROW * len(thresholds), title=title, subtitle=subtitle, bottom=46, right=8,
        traces=[texts], shapes=shapes,
        x=axis(
            theme, title="Credit for related concepts (α)", grid=False, range=[-0.5, len(alphas) - 0.5],
            tickvals=list(range(0, len(alphas), every)), ticktext=[f"{a:g}" for a in alphas[::every]],
        ),
        y=column_axis([threshold_name(t) for t in thresholds], theme, colour=theme.muted),
    )  # fmt: skip


def _cell(x: int, y: int, fill: str, theme: Theme) -> Parts:
    line = {"color": theme.surface, "width": 2}
    return rectangle(x - 0.5, y - 0.5, x + 0.5, y + 0.5, line, fillcolor=fill, layer="below")


def _frame(x: int, y: int) -> list[Parts]:
    """A white line within a dark one: seen on every colour."""
    lines: list[Parts] = [{"color": colour, "width": width} for colour, width in FRAME]
    return [rectangle(x - 0.46, y - 0.44, x + 0.46, y + 0.44, line) for line in lines]


def _where(one: Standing) -> str:
    return f"α {one.settings.alpha:g}, {threshold_name(one.settings.threshold)}"


def _hover_of_lead(one: Standing) -> str:
    order = ", ".join(
        f"{safe(short(name, 24))} {number(mean.mean)}"
        for name, mean in zip(one.order, one.means, strict=True)
    )
    lead = ""
    if math.isfinite(one.lead):
        lead = f"<br>lead {signed(one.lead)} ({signed_span(one.low, one.high)})"
    return f"{_where(one)}{lead}<br>{order}"


def _hover_of_tau(one: Standing, tau: float) -> str:
    order = ", ".join(safe(short(name, 24)) for name in one.order)
    if not math.isfinite(tau):
        return f"{_where(one)}: all tied, so there is no order"
    return f"{_where(one)}: τ {number(tau)}<br>{order}"


def _two(tau: float) -> str:
    if not math.isfinite(tau):
        return "<b>=</b>"
    return "1" if tau > 1 - 1e-12 else f"{tau:.2f}".replace("-", "−")
