"""The flow of readings as a diagram, and the value of each reader with each system."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalcore.figures.frame import NO_AXIS, Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import legend_entry, note, reach, row_axis, scatter
from evalcore.figures.theme import SYMBOLS, style_of
from evalcore.values.writing import count, listed, number, pluralize, safe, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.review.statement.flow import Flow, OfArm
    from evalcore.figures.theme import Theme
    from evalcore.stats.mrmc.analysis import ReaderStudy

FLOW_READING = Reading(
    "From top to bottom: what readers were asked, what they answered, and what of it is compared.",
    "Answers are those of readers to single questions; a reading is what is analysed of a reader, a system "
    "and a query, and is complete where every answer it is made of has a value.",
)
IN_A_ROW = 4
"""Boxes of systems side by side."""
HIGH, OF_ARM, GAP = 54, 98, 20
"""Pixels of a box, of one of a system, and between two."""


def flow_diagram(flow: Flow, *, theme: Theme) -> Drawn:
    """Boxes from the answers asked for to the readings analysed of each system."""
    if not flow.readers:
        return nothing("No reader has answered yet.", FLOW_READING, theme=theme)
    asked, answered, unsure = (flow.total(name) for name in ("asked", "answered", "cannot_say"))
    simulated = sum(one.simulated for one in flow.readers)
    who = pluralize(len(flow.readers), "reader") + (f", {count(simulated)} simulated" if simulated else "")
    changed = f"<br>{count(flow.changed)} on lists that changed since" if flow.changed else ""
    withdrawn = flow.total("opened") - answered
    back = f"<br>{count(withdrawn)} answered and withdrawn" if withdrawn else ""
    steps = [
        (
            f"<b>{count(asked)} answers asked for</b><br>{who}",
            f"Not answered: {count(asked - answered)}{back}{changed}",
        ),
        (f"<b>{count(answered)} answered</b>", f"Cannot say: {count(unsure)}"),
        (f"<b>{count(answered - unsure)} with a value</b>", ""),
    ]
    shapes: list[Parts] = []
    notes: list[Parts] = []
    top = 0.0
    for place, (text, beside) in enumerate(steps):
        _box(shapes, notes, 0.0, 46.0, top, text, theme)
        if beside:
            _box(shapes, notes, 56.0, 100.0, top, beside, theme, dashed=True)
            _line(shapes, (46.0, top + HIGH / 2), (56.0, top + HIGH / 2), theme)
        if place:
            _line(shapes, (23.0, top - GAP), (23.0, top), theme)
        top += HIGH + GAP
    _line(shapes, (23.0, top - GAP), (23.0, top - GAP / 2), theme)
    across = min(IN_A_ROW, len(flow.arms))
    wide = 102.0 / max(across, 1)
    for place, arm in enumerate(flow.arms):
        row, column = divmod(place, IN_A_ROW)
        above = top + row * (OF_ARM + GAP)
        left = column * wide
        if not row:
            middle = left + (wide - 2) / 2
            _line(shapes, (middle, above - GAP / 2), (middle, above), theme)
        _box(
            shapes,
            notes,
            left,
            left + wide - 2,
            above,
            _arm(arm, int(theme.width * wide / 100 / 7.5)),
            theme,
            high=OF_ARM,
        )
    if flow.arms:
        ends = [(wide - 2) / 2, (across - 1) * wide + (wide - 2) / 2, 23.0]
        _line(shapes, (min(ends), top - GAP / 2), (max(ends), top - GAP / 2), theme)
    height = top + -(-len(flow.arms) // IN_A_ROW) * (OF_ARM + GAP)
    drawn = figure(
        theme=theme,
        height=height,
        title="Flow of readings",
        left=2,
        right=2,
        notes=notes,
        shapes=shapes,
        x=NO_AXIS | {"range": [-0.5, 100.5]},
        y=NO_AXIS | {"range": [height, -2]},
    )
    each = listed([f"{one.arm} {count(one.analysed)} of {count(one.asked)}" for one in flow.arms], limit=8)
    text = (
        f"{who}: {count(asked)} answers asked for, {count(answered)} given, {count(unsure)} of them “cannot "
        f"say”. Readings analysed: {each}."
    )
    return Drawn(drawn, text, FLOW_READING)


def _arm(arm: OfArm, width: int) -> str:
    rows = [
        f"<b>{safe(short(arm.arm, max(width, 10)))}</b>",
        f"{count(arm.asked)} readings",
        f"Not complete: {count(arm.missing)}",
        f"Cannot say: {count(arm.cannot_say)}"
        + (f", no truth: {count(arm.no_truth)}" if arm.no_truth else ""),
        f"<b>Analysed: {count(arm.analysed)}</b>",
    ]
    return "<br>".join(rows)


def _box(
    shapes: list[Parts],
    notes: list[Parts],
    left: float,
    right: float,
    top: float,
    text: str,
    theme: Theme,
    *,
    high: float = HIGH,
    dashed: bool = False,
) -> None:
    line = {"color": theme.muted, "width": 1, "dash": "4px,3px" if dashed else "solid"}
    ends = {"x0": left, "x1": right, "y0": top, "y1": top + high}
    shapes.append({"type": "rect", "fillcolor": theme.raised, "line": line, "layer": "below", **ends})
    middle = (left + right) / 2, top + high / 2
    notes.append(note(text, *middle, theme.ink, align="center", xanchor="center", yanchor="middle"))


def _line(shapes: list[Parts], start: tuple[float, float], end: tuple[float, float], theme: Theme) -> None:
    ends = {"x0": start[0], "y0": start[1], "x1": end[0], "y1": end[1]}
    shapes.append({"type": "line", "line": {"color": theme.muted, "width": 1}, "layer": "below", **ends})


READERS_READING = Reading(
    "A row is a reader. Where the order of the marks is the same in all rows, readers agree on the systems.",
    "The mean of a reader's own readings with a system; readers differ in the queries they have read where "
    "readings are missing. The last row is the mean that is analysed.",
)
ROW = 30
SIGNS = dict(zip(SYMBOLS, "●■◆▲▼✚✖⬟★", strict=True))


def by_reader(study: ReaderStudy | None, *, name: str, systems: Sequence[str], theme: Theme) -> Drawn:
    """The value of each reader with each system, and of all; nothing without a study. ``name``: what a value
    is."""
    if study is None:
        return nothing("No reader has a complete reading yet.", READERS_READING, theme=theme)
    readers = [*study.readings.readers, "all"]
    traces, legend = [], []
    values: list[float] = []
    right = line = 0
    for system in study.rows:
        row = [*system.per_reader, system.of.value]
        known = [(value, at) for at, value in enumerate(row) if math.isfinite(value)]
        values += [value for value, _ in known]
        style = style_of(system.system, systems, theme)
        hover = [
            f"<b>{safe(readers[at])}</b><br>{safe(system.system)} {number(value)}" for value, at in known
        ]
        traces.append(
            scatter(
                [value for value, _ in known],
                [at for _, at in known],
                "markers",
                hover,
                name=safe(short(system.system, 24)),
                marker=style.marker(11),
            )
        )
        entry = f"{SIGNS.get(style.symbol, '●')} {short(system.system, 24)}"
        if right and right + 8 * len(entry) > theme.width - 120:
            right, line = 0, line + 1
        legend.append(legend_entry(entry, right, style.text) | {"yshift": 4 + 18 * line})
        right += 8 * len(entry) + 14
    best = max(study.rows, key=lambda row: row.of.value)
    first = sum(
        _leads(best.per_reader[at], [row.per_reader[at] for row in study.rows])
        for at in range(len(study.readings.readers))
    )
    drawn = figure(
        theme=theme,
        height=ROW * len(readers) + 8,
        title=f"{name[0].upper()}{name[1:]} by reader",
        left=8,
        right=8,
        bottom=48,
        above=12 + 18 * (line + 1),
        notes=legend,
        traces=traces,
        x=axis(theme, title=f"{safe(name)} · → better", nticks=6, range=reach(values, air=0.05, least=0.1)),
        y=row_axis([safe(short(reader, 20)) for reader in readers], theme),
    )
    n = len(study.readings.readers)
    text = (
        f"{name[0].upper()}{name[1:]} of {pluralize(n, 'reader')}: {best.system} is highest for "
        f"{count(first)} of them and over all, {number(best.of.value)}."
    )
    return Drawn(drawn, text, READERS_READING)


def _leads(value: float, of: Sequence[float]) -> bool:
    return math.isfinite(value) and value >= max(one for one in of if math.isfinite(one))
