"""Does it matter how the paper's Algorithm 1 is read? The systems under every count rule and direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.evaluate.sweep.stability import readings
from evalcore.figures.ablation.readings import reading_lines
from evalcore.ui.ablation import grids, parts, sentences
from evalcore.ui.ablation import systems as ablation
from evalcore.ui.components import figure, messages

if TYPE_CHECKING:
    from evalcore.evaluate.sweep.stability import Standing
    from evalcore.ui.ablation.grids import Grid
    from evalcore.ui.frame.context import Context

    Both = tuple[tuple[Standing, ...], tuple[Standing, ...]]

IN_WORDS = {
    "concepts": "each concept once",
    "concepts_full": "also next to shared ones",
    "pairs": "every related pair",
    "pairs_all": "every pair, shared ones too",
    "matching": "one to one",
    "matching2": "one to one, both ends",
    "query": "the query's concepts",
    "candidate": "the result's concepts",
    "undirected": "up and down",
    "directed": "only up or only down",
}
"""Count rules and directions for a reader who has not read the paper."""
N_READINGS = 10
"""Count rules and directions: settings to score."""


def section(context: Context, grid: Grid) -> None:
    """Both figures, each with its sentence, and the table."""
    choice = context.choice
    if choice.settings.threshold == 0 or choice.settings.alpha == 0:
        st.info(
            "With no credit for related concepts (α 0 or 0 steps on the left) all interpretations are the "
            "same.",
            icon=":material/info:",
        )
        return
    found = _found(context, grid)
    if found is None:
        return
    rules: dict[str, Standing] = {one.settings.count_rule: one for one in found[0]}
    in_use = rules[choice.settings.count_rule]
    messages.lead(sentences.readings(found[0], in_use, "count rule"))
    panels = st.grid(2, min_column_width=ablation.PANEL)
    with panels.container():
        _figure(context, rules, choice.settings.count_rule, "Count rule")
    with panels.container():
        steps = found[1][0].settings.threshold
        directions: dict[str, Standing] = {one.settings.direction: one for one in found[1]}
        _figure(context, directions, choice.settings.direction, f"Direction at {steps} steps")
        if steps != choice.settings.threshold:
            st.caption(f"Within 1 step all directions are the same, so they are shown at {steps} steps.")
        st.markdown(sentences.readings(found[1], directions[choice.settings.direction], "direction"))
    parts.standings(context, [*found[0], *found[1]], "readings", rules=True)


def _found(context: Context, grid: Grid) -> Both | None:
    study, choice = context.study, context.choice
    settings = choice.settings
    return grids.run(
        context, grid, (choice.metric, choice.systems, settings),
        lambda progress: readings(
            study, metric=choice.metric, systems=choice.systems, settings=settings, progress=progress
        ),
        settings=N_READINGS, label="Scoring the systems under every interpretation",
    )  # fmt: skip


def _figure(context: Context, found: dict[str, Standing], in_use: str, what: str) -> None:
    if context.choice.plain:
        found, in_use = {IN_WORDS[name]: one for name, one in found.items()}, IN_WORDS[in_use]
    words = {"in_use": in_use, "what": what, "metric": context.choice.metric_shown}
    drawn = reading_lines(found, systems=context.study.systems, theme=context.theme, **words)
    figure.show(context, drawn, key=f"readings-{what}", file="readings")
