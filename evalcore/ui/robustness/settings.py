"""The systems under every setting: who leads, where the order changes, what the readings do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

import pandas as pd
import streamlit as st

from evalcore.evaluate.sweep import BY_NN_IOU, Stability, Standing, threshold_name
from evalcore.evaluate.systems import is_swept
from evalcore.figures import curves
from evalcore.figures.lines import Line
from evalcore.figures.theme import style_of
from evalcore.ranking.metrics import parse_metric
from evalcore.report import robustness
from evalcore.ui.components import figure, fold, follow, messages, select, table
from evalcore.ui.frame import cache
from evalcore.ui.frame.context import Context
from evalcore.ui.robustness import grids
from evalcore.ui.robustness.grids import Grid
from evalcore.values.model import Interval
from evalcore.values.writing import number, plain, pluralize

Both = tuple[tuple[Standing, ...], tuple[Standing, ...]]

# Scores of the systems against alpha: who is ahead of whom, or what each step of the reach adds.

BY_REACH, BY_SYSTEM = "Reach", "System"
WIDTH = 320
"""Pixels a panel needs at least: three fit beside the sidebar on a laptop."""


def lines_section(context: Context, grid: Grid, found: Stability) -> None:
    """One panel per threshold with a line per system, or the other way round."""
    chosen = select.segments(
        "One panel per",
        {BY_REACH: "Maximum distance", BY_SYSTEM: "System"},
        keep=grids.PANELS,
        help="Maximum distance: which system leads. System: what each further step adds to a system.",
    )
    if chosen == BY_REACH:
        by_panel = {
            _reach(threshold): (_systems(context, grid, found, threshold), _crossings(grid, found, threshold))
            for threshold in grid.thresholds
        }
    else:
        by_panel = {
            name: (_reaches(context, grid, found, name), list[curves.Crossing]())
            for name in context.choice.systems
        }
    columns = min(len(by_panel), 3)
    choice, panels = context.choice, st.grid(columns, min_column_width=WIDTH)
    theme = figure.within(context, columns, WIDTH).theme
    for title, (of, crossings) in by_panel.items():
        drawn = curves.alpha_lines(
            of,
            grid.alphas,
            title=title,
            metric=choice.metric_shown,
            theme=theme,
            current=choice.settings.alpha,
            crossings=crossings,
            zero=True,
        )
        with panels.container():
            figure.show(context, drawn, key=f"lines-{title}", file="alpha", note=False)
    figure.how_to_read(context, drawn)


def _reach(threshold: int) -> str:
    return f"Related within {threshold_name(threshold)}" if threshold else "Identical concepts only (IoU)"


def _systems(context: Context, grid: Grid, found: Stability, threshold: int) -> list[Line]:
    """A line per system at one threshold."""
    in_use = threshold == context.choice.settings.threshold
    return [
        Line(
            name,
            _row(grid, found, threshold, name),
            style_of(name, context.study.systems, context.theme),
            bold=in_use,
        )
        for name in context.choice.systems
    ]


def _reaches(context: Context, grid: Grid, found: Stability, name: str) -> list[Line]:
    """A line per threshold of one system."""
    return [
        Line(
            threshold_name(threshold),
            _row(grid, found, threshold, name),
            curves.threshold_style(threshold, context.theme),
            bold=threshold == context.choice.settings.threshold,
        )
        for threshold in grid.thresholds
    ]


def _row(grid: Grid, found: Stability, threshold: int, name: str) -> list[Interval]:
    at = (found.at(alpha, threshold) for alpha in grid.alphas)
    return [one.mean(name) for one in at if one is not None]


def _crossings(grid: Grid, found: Stability, threshold: int) -> list[curves.Crossing]:
    """Where two lines meet, on the winner's."""
    crossings = []
    for crossover in (crossover for crossover in found.crossovers if crossover.threshold == threshold):
        row = _row(grid, found, threshold, crossover.winner)
        before, after = (row[grid.alphas.index(end)].mean for end in crossover.between)
        share = (crossover.alpha - crossover.between[0]) / (crossover.between[1] - crossover.between[0])
        words = f"{crossover.winner} overtakes {crossover.loser} at α {number(crossover.alpha)}"
        crossings.append(curves.Crossing(crossover.alpha, before + share * (after - before), words))
    return crossings


PANEL = 380
"""Pixels a panel of lines needs at least."""
MAP_COLUMNS = 12
"""Alphas a map can name with a number in each cell."""


def section(context: Context, grid: Grid) -> None:
    """Finding and the curves of the setting in use; where the leader changes, where; the rest folded."""
    result = of_systems(context, grid)
    if result is None:
        return
    headline(context, result)
    in_use(context, grid, result)
    leaders = robustness.leader_changes(result.standings)
    if leaders:
        leaders_map(context, result)
    n, several = len(result.crossovers), len(context.choice.systems) > 1
    if n:
        title = f"Where the order changes ({n})"
        fold.section(title, overtakings, result, keep=grids.CHANGES, icon=":material/swap_vert:")
    title = f"All {pluralize(len(grid.thresholds), 'maximum distance')}, and system by system"
    shown_by = (grids.PANELS,)
    fold.section(
        title, lines_section, context, grid, result, keep=grids.DISTANCES, opened_by=shown_by, icon=LINES
    )
    if several:
        fold.section(MAPS, maps, context, result, leaders, keep=grids.MAPS, icon=":material/grid_on:")
    grids.standings(context, result.standings, "systems-by-setting")


LINES = ":material/show_chart:"
MAPS = "Lead and ranking at every setting"


def of_systems(context: Context, grid: Grid) -> Stability | None:
    """The standings over the grid, computed in the background where that takes long."""
    study, choice = context.study, context.choice
    settings = grids.shared(choice.settings)
    return grids.run(
        context,
        grid,
        (choice.metric, choice.systems, grid, settings),
        lambda progress: cache.analysis(study, choice.under(settings)).stability(
            alphas=grid.alphas, thresholds=grid.thresholds, progress=progress
        ),
        label="Scoring the systems at every setting",
    )


def headline(context: Context, found: Stability) -> None:
    """The result in one sentence, and every overtaking in words."""
    messages.lead(robustness.stable(found, context.choice, context.choice.settings))
    if same := robustness.identical(found):
        st.caption(same)
    messages.few([mean.n_independent for mean in found.standings[0].means])
    metric = parse_metric(context.choice.metric)
    moving = any(BY_NN_IOU in name for name in context.choice.systems)
    if not is_swept(metric.relevance) and not moving:
        st.info(
            "This measure does not look at related concepts, so α and the maximum distance change nothing. "
            "Select one that does under “Measure” on the left, or add @nn-iou to the systems.",
            icon=":material/info:",
        )


def overtakings(found: Stability) -> None:
    """Every place where one system overtakes another, in words."""
    st.markdown("\n".join(f"- {robustness.crossover(crossover)}" for crossover in found.crossovers))
    st.caption(
        "Scores are computed at the values of α tried; values in between are interpolated. “Clear”: "
        "the 95% interval of the difference excludes zero on both sides."
    )


NOW = "lines-now"
"""The key of the curves of the setting in use."""


def in_use(context: Context, grid: Grid, found: Stability) -> None:
    """Every system against alpha at the maximum distance in use; it follows the sliders at once."""
    choice, use = context.choice, context.choice.settings.threshold
    lines = {
        threshold: [
            replace(line, bold=True) for line in _systems(context, grid, found, threshold) if line.has_value
        ]
        for threshold in grid.thresholds
    }
    titles = {threshold: _reach(threshold) for threshold in grid.thresholds}
    every = [line for some in lines.values() for line in some]
    drawn = curves.alpha_lines(
        lines[use],
        grid.alphas,
        title=titles[use],
        metric=choice.metric_shown,
        theme=context.theme,
        current=choice.settings.alpha,
        crossings=_crossings(grid, found, use),
        zero=True,
        reach=curves.value_range(every, zero=True) if every else None,
    )
    if every:
        place = (choice.settings.alpha, use)
        follow.sliders(drawn, figure=NOW, alphas=grid.alphas, lines=lines, titles=titles, at=place)
    figure.show(context, drawn, key=NOW, file="alpha")


def maps(context: Context, found: Stability, leaders_shown: bool) -> None:
    """Who leads by how much, unless that is shown already, and how alike the whole ranking is to that of the
    setting in use. A map whose cells would all say the same is a sentence instead; without any value there
    is neither.
    """
    choice, theme, settings = context.choice, context.theme, context.choice.settings
    reference = found.at(settings.alpha, settings.threshold)
    assert reference is not None, "the setting in use is always in the grid"
    if isnan(reference.means[0].mean):
        return
    leaders_move = robustness.lead_moves(found.standings)
    order_moves = robustness.order_moves(found.standings, reference)
    if same := robustness.unchanged(lead=leaders_move, order=order_moves):
        st.markdown(f":material/drag_handle: {same}")
    if leaders_move and not leaders_shown:
        leaders_map(context, found)
    if order_moves:
        shown = thinned(found.standings, settings.alpha)
        taus = curves.tau_map(shown, reference, metric=choice.metric_shown, theme=theme)
        figure.show(context, taus, key="taus", file="tau")


def leaders_map(context: Context, found: Stability) -> None:
    """Who leads at each setting, and by how much."""
    choice, settings = context.choice, context.choice.settings
    leaders = curves.leader_map(
        thinned(found.standings, settings.alpha),
        metric=choice.metric_shown,
        systems=context.study.systems,
        theme=context.theme,
        current=(settings.alpha, settings.threshold),
    )
    figure.show(context, leaders, key="leaders")


def thinned(standings: Sequence[Standing], alpha: float) -> list[Standing]:
    """Every tenth of alpha and the one in use, where there are more than a map can hold."""
    alphas = {standing.settings.alpha for standing in standings}
    if len(alphas) <= MAP_COLUMNS:
        return list(standings)
    kept = {a for a in alphas if abs(10 * a - round(10 * a)) < 1e-9} | {alpha}
    return [standing for standing in standings if standing.settings.alpha in kept]


# Does it matter how the paper's Algorithm 1 is read? The systems under every count rule and direction.

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


def interpretations_section(context: Context, grid: Grid) -> None:
    """How far the readings of Algorithm 1 move the systems, and the mean of each under every one."""
    choice = context.choice
    if choice.settings.threshold == 0 or choice.settings.alpha == 0:
        st.info(
            "With no credit for related concepts (α 0 or 0 steps on the left) all interpretations are the "
            "same.",
            icon=":material/info:",
        )
        return
    result = _found(context, grid)
    if result is None:
        return
    rules: dict[str, Standing] = {one.settings.count_rule: one for one in result[0]}
    in_use = rules[choice.settings.count_rule]
    messages.lead(robustness.readings(result[0], in_use, "count rule"))
    steps = result[1][0].settings.threshold
    directions: dict[str, Standing] = {one.settings.direction: one for one in result[1]}
    st.markdown(robustness.readings(result[1], directions[choice.settings.direction], "direction"))
    _table(context, result[0], result[1])
    if steps != choice.settings.threshold:
        st.caption(f"Within 1 step all directions are the same, so they are shown at {steps} steps.")
    grids.standings(context, [*result[0], *result[1]], "readings", rules=True)


def _found(context: Context, grid: Grid) -> Both | None:
    study, choice = context.study, context.choice
    settings = choice.settings
    return grids.run(
        context,
        grid,
        (choice.metric, choice.systems, settings),
        lambda progress: cache.analysis(study, choice).readings(progress=progress),
        settings=N_READINGS,
        label="Scoring the systems under every interpretation",
    )


def _table(context: Context, rules: Sequence[Standing], directions: Sequence[Standing]) -> None:
    """The mean of every system under each reading, the one in use marked."""
    settings, plain_words = context.choice.settings, context.choice.plain
    in_use = (settings.count_rule, settings.direction)
    readings: list[tuple[str, Standing]] = [(one.settings.count_rule, one) for one in rules]
    readings += [(one.settings.direction, one) for one in directions]
    names = [
        f"{IN_WORDS[name] if plain_words else name}{' (in use)' if name in in_use else ''}"
        for name, _ in readings
    ]
    systems = {plain(name): [one.mean(name).mean for _, one in readings] for name in rules[0].order}
    alt = f"{pluralize(len(names), 'interpretation')}: mean of {context.choice.metric_shown} by system"
    table.bare(
        pd.DataFrame({"Interpretation": names, **systems}),
        key="readings",
        alt=alt,
        columns=table.numbers("%.3f", *systems),
    )
