"""How much do the settings decide? Scores over both weights, and without each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.figures.cells import heat, numbers_in_cells
from evalcore.figures.colour import blend
from evalcore.figures.drawn import Drawn, Reading
from evalcore.figures.frame import axis, figure, nothing
from evalcore.figures.marks import bars, column_axis, rectangle, room_for, row_axis
from evalcore.figures.numbers import brief, listed, number, signed, things
from evalcore.figures.words import safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.frame import Parts
    from evalcore.figures.theme import Theme
    from evalcore.values.arrays import Floats

MAP = Reading(
    "Each square is the average score of the group under one pair of settings; the framed one is used on "
    "this page. If the colours hardly change, the result does not depend on the setting.",
    "Mean score over the images of the group at each setting, everything else as chosen; frame: the current "
    "setting.",
)
DROPPED = Reading(
    "How the average changes when a feature is left out. A bar to the right: the group does better without "
    "the feature, so this is where it loses; to the left: this feature speaks for the group.",
    "Mean score without the feature minus mean score with all, weights otherwise unchanged; largest first.",
)
NO_MAP = "No setting gives a score: the images share no feature with a tolerance interval."
ROW, NAME, CELL = 26, 28, 34
MOST_NUMBERS = 200


def settings_map(
    across: Sequence[str], down: Sequence[str], values: Floats, *, axes: tuple[str, str], group: str,
    now: tuple[int, int] | None, theme: Theme, what: str = "what the settings change",
) -> Drawn:  # fmt: skip
    """Mean scores of one group over two settings, the first across.

    ``values``: shape (down, across); ``now``: row and column of the current setting, None when it is not
    among them.
    """
    if not np.isfinite(values).any():
        return nothing(NO_MAP, MAP, theme=theme)
    n, m = values.shape
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    end = high if high > low else low + 1.0
    hover = [
        [f"{safe(axes[0])} {safe(x)}, {safe(axes[1])} {safe(y)}<br>mean {number(value)}"
         for x, value in zip(across, row, strict=True)]
        for y, row in zip(down, values.tolist(), strict=True)
    ]  # fmt: skip
    numbers = numbers_in_cells(
        values, cell=lambda value: blend(theme.surface, theme.up, max(value / end, 0.0) if end else 0.0),
        text=brief, size=11, theme=theme,
    )  # fmt: skip
    drawn = figure(
        theme=theme, height=max(CELL * n, 80), left=room_for(down) + 30, right=14, bottom=52,
        title=short(f"{group}: {what}", 60),
        subtitle=f"mean score from {number(low)} to {number(high)} · {n * m} settings",
        traces=[
            heat(values, (theme.surface, theme.up), 0, end, hover=hover),
            *(numbers if n * m <= MOST_NUMBERS else []),
        ],
        shapes=[] if now is None else [_frame(*now, theme)],
        x=column_axis([safe(x) for x in across], theme, colour=theme.muted, title=safe(axes[0])),
        y=column_axis([safe(y) for y in down], theme, colour=theme.muted, title=safe(axes[1])),
    )  # fmt: skip
    alt = f"Mean score of {group} over {axes[0]} and {axes[1]}: from {number(low)} to {number(high)}."
    return Drawn(drawn, alt, MAP)


def _frame(row: int, column: int, theme: Theme) -> Parts:
    line = {"color": theme.ink, "width": 2}
    return rectangle(column - 0.5, row - 0.5, column + 0.5, row + 0.5, line)


def dropped_bars(
    features: Sequence[str], changes: Floats, *, group: str, theme: Theme, most: int = 25
) -> Drawn:
    """Changes of the mean score without each feature, the largest in size first; ``changes``: shape (m,)."""
    known = np.flatnonzero(np.isfinite(changes))
    if not len(known):
        return nothing("No feature can be left out: there is only one, or no score.", DROPPED, theme=theme)
    kept = known[np.argsort(-np.abs(changes[known]), kind="stable")][:most]
    values = changes[kept]
    names = [short(features[i], NAME) for i in kept]
    hover = [f"without {safe(features[i])}: {signed(float(changes[i]))}" for i in kept]
    colours = [theme.up if value >= 0 else theme.down for value in values.tolist()]
    reach = max(float(np.abs(values).max()) * 1.15, 1e-6)
    which = f"the {len(kept)} with the largest change of {len(known)}" if len(kept) < len(known) else "all"
    drawn = figure(
        theme=theme, height=max(ROW * len(kept), 90), left=room_for(names), right=16, bottom=48, bargap=0.35,
        title=short(f"{group}: each feature left out", 60),
        subtitle=f"change of the mean score · {which} features",
        traces=[bars(values.tolist(), hover, {"color": colours})],
        x=axis(theme, title="change of the mean score", range=[-reach, reach], zeroline=True,
               zerolinecolor=theme.muted),
        y=row_axis([safe(name) for name in names], theme, grid=False, automargin=False),
    )  # fmt: skip
    most_said = listed([f"{features[i]} {signed(float(changes[i]))}" for i in kept[:3]])
    alt = f"{things(len(known), 'feature')} of {group} left out in turn; largest changes: {most_said}."
    return Drawn(drawn, alt, DROPPED)
