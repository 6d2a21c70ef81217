"""How often a changed picture comes back first, as it is changed more and more: a figure per change."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.features.encode.augmented import LEVELS, N_RESAMPLES, AugmentedRow
from evalcore.figures.bands import LABEL_GAP, Line, band_and_line, end_names, room_for_names
from evalcore.figures.frame import Drawn, Reading, axis, figure, nothing
from evalcore.figures.marks import BETTER, Y_AXIS, n_of
from evalcore.figures.theme import Theme, style_of
from evalcore.values.model import Interval
from evalcore.values.writing import number

HOW_TO_READ = Reading(
    "Does a system find the same picture again when it was changed? The longer a line stays up, the less the "
    "change disturbs the system. No labels are needed.",
    "Share of changed pictures whose own picture is first among all by cosine, with a percentile bootstrap "
    "interval over pictures, pointwise.",
)
TITLES = {
    "rotated": ("Rotated", "degrees"),
    "cropped": ("Cropped", "share of each side that is cut off"),
    "darker": ("Darker", "share of the brightness that is taken away"),
}
HEIGHT, LABEL_WIDTH = 240, 18


def change_curves(
    rows: Sequence[AugmentedRow], change: str, *, systems: Sequence[str], theme: Theme
) -> Drawn:
    """The share that comes back first against the strength of a change, a line per system.

    ``systems``: all those that colours are fixed by.
    """
    own = [row for row in rows if row.change == change]
    if not own:
        return nothing("No picture was changed this way.", HOW_TO_READ, theme=theme)
    levels = list(LEVELS[change])
    names = list(dict.fromkeys(row.system for row in own))
    lines = [
        Line(name, [_interval(row) for row in own if row.system == name], style_of(name, systems, theme))
        for name in names
    ]
    height = max(HEIGHT, LABEL_GAP * len(lines))
    title, unit = TITLES[change]
    pad = 0.04 * (levels[-1] - levels[0])
    drawn = figure(
        theme=theme,
        height=height,
        title=f"{title}: does it find itself?",
        left=Y_AXIS,
        right=room_for_names(lines, LABEL_WIDTH),
        bottom=48,
        above=14,
        subtitle=f"Share that comes back first and its 95% interval · {n_of(row.n for row in own)}",
        traces=[trace for line in lines for trace in band_and_line(line, levels, lambda _: "", mark=8)],
        notes=end_names(lines, levels, width=LABEL_WIDTH, pixels=height, lowest=0),
        hovermode="x unified",
        x=axis(
            theme,
            title=unit,
            grid=False,
            range=[levels[0] - pad, levels[-1] + pad],
            tickvals=levels,
            automargin=False,
        ),
        y=axis(theme, title=f"share · {BETTER}", range=[0, 1], nticks=6, automargin=False),
    )
    best = max(lines, key=lambda line: line.row[-1].mean)
    text = (
        f"{title}: at {levels[-1]:g} ({unit}) {best.name} finds {number(best.row[-1].mean)} of the pictures "
        f"again, at {levels[0]:g} {number(best.row[0].mean)}."
    )
    return Drawn(drawn, text, HOW_TO_READ)


def _interval(row: AugmentedRow) -> Interval:
    return Interval(row.first, row.ci_low, row.ci_high, 0.95, "percentile", row.n, N_RESAMPLES, 0)
