"""How often are readers right with results and alone? Arms on their intervals, readers as thin lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evalcore.features.review.diagnosis.reading import ALONE
from evalcore.features.review.diagnosis.tables import arm_name
from evalcore.figures.frame import NO_AXIS, Drawn, Reading, axis, figure, nothing
from evalcore.figures.marks import BETTER, muted, note, on_interval, scatter
from evalcore.figures.theme import MARK_CONTRAST, Theme, faded, readable
from evalcore.values.writing import pluralize, safe, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.review.diagnosis.analysis import Analysis

READING = Reading(
    "Each thin line is a reader. Further right: more answers were right. Thick bars: where the share is "
    "probably with other readers and cases.",
    "Share of right answers by arm, its interval by U-statistics (Gallas), readers and cases random; thin "
    "lines: readers, over the cases that each read in that arm. Differences are tested in the table.",
)
ROW, NAME, MOST = 62, 34, 200


class ArmRow(NamedTuple):
    """An arm: its name, share of right answers with its interval (NaN for none), by reader, and answers."""

    name: str
    value: float
    low: float
    high: float
    per_reader: Mapping[str, float]
    n: int


def arm_rows(analysis: Analysis) -> list[ArmRow]:
    """The right answers of each arm, alone first."""
    rows = [row for row in analysis.values if row.outcome == "right"]
    return [
        ArmRow(
            arm_name(row.arm).capitalize() if row.arm == ALONE else arm_name(row.arm),
            row.value.value,
            row.value.low,
            row.value.high,
            row.per_reader,
            row.n,
        )
        for row in sorted(rows, key=lambda row: row.arm != ALONE)
    ]


def arms_and_readers(rows: Sequence[ArmRow], *, readers: str, theme: Theme) -> Drawn:
    """The arms from top to bottom in the order given. ``readers``: who, such as "36 readers"."""
    known = [row for row in rows if math.isfinite(row.value)]
    if not known:
        return nothing("No answer has a known truth, so none is right or wrong.", READING, theme=theme)
    lift = ROW // 4 + 8
    drawn = figure(
        theme=theme,
        height=ROW * len(known) + 8,
        left=8,
        right=8,
        bottom=48,
        above=14,
        title="Right answers with results and alone",
        subtitle=f"share of right answers and its interval · {short(safe(readers), 60)}",
        traces=[_readers(known, theme), *(_arm(row, place, theme) for place, row in enumerate(known))],
        notes=[text for place, row in enumerate(known) for text in _words(row, place, lift, theme)],
        x=axis(
            theme,
            title=f"right answers · {BETTER.replace('↑', '→')}",
            range=[-0.02, 1.02],
            tickformat=".0%",
            nticks=6,
            automargin=False,
        ),
        y=NO_AXIS | {"range": [len(known) - 0.6, -0.75]},
    )
    parts = "; ".join(f"{row.name} {_share(row.value)}{_ends(row)}" for row in known)
    return Drawn(drawn, f"Right answers of {readers}: {parts}.", READING)


def _readers(rows: Sequence[ArmRow], theme: Theme) -> dict[str, object]:
    """One trace, a gap after each reader: a line through the arms that the reader worked in."""
    x: list[float | None] = []
    y: list[float | None] = []
    for reader in sorted({reader for row in rows for reader in row.per_reader})[:MOST]:
        at = [(row.per_reader[reader], place) for place, row in enumerate(rows) if reader in row.per_reader]
        x += [value for value, _ in at] + [None]
        y += [place for _, place in at] + [None]
    return scatter(x, y, "lines", name="readers", line={"color": faded(theme.muted, 0.45), "width": 1})


def _arm(row: ArmRow, place: int, theme: Theme) -> dict[str, object]:
    hover = f"<b>{safe(row.name)}</b><br>{_share(row.value)}{_ends(row)}<br>{pluralize(row.n, 'answer')}"
    low, high = (row.low, row.high) if math.isfinite(row.low) else (row.value, row.value)
    return on_interval(
        low,
        row.value,
        high,
        at=place,
        name=row.name,
        hover=hover,
        colour=readable(theme.accent, theme.surface, MARK_CONTRAST),
        fill=theme.accent,
        width=5,
        size=13,
    )


def _words(row: ArmRow, place: int, lift: int, theme: Theme) -> list[dict[str, object]]:
    ends = muted(_ends(row).strip(), theme)
    return [
        note(
            text, x, place, theme.ink, size=13, xanchor=side, xref="paper", yshift=lift, bgcolor=theme.surface
        )
        for text, x, side in (
            (safe(short(row.name, NAME)), 0, "left"),
            (f"<b>{_share(row.value)}</b> {ends}", 1, "right"),
        )
    ]


def _share(value: float) -> str:
    return f"{100 * value:.0f}%"


def _ends(row: ArmRow) -> str:
    return f" ({100 * row.low:.0f} to {100 * row.high:.0f}%)" if math.isfinite(row.low) else ""
