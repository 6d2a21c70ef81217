"""Would another weight or distance of related concepts change the winner? Systems over a grid of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.sweep import THRESHOLDS, Stability, Standing, grid_points, with_setting_in_use
from evalcore.evaluate.systems import any_swept, resolve_systems
from evalcore.figures import curves
from evalcore.figures.frame import AccessibleFigure
from evalcore.ranking.metrics import lower_is_better, parse_metric
from evalcore.report import robustness
from evalcore.results.rows import Table
from evalcore.results.sweeps import identical, sweep_rows, sweep_table
from evalcore.ui.components import figure, fold, follow, messages, select, table
from evalcore.ui.frame import cache, jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.settings import Settings
from evalcore.values.writing import md_escape, pluralize

T = TypeVar("T")

ALPHA_STEP, DISTANCES = Key("step"), Key("reach")
CHANGES, PANELS, NUMBERS = Key("changes"), Key("distances"), Key("numbers")
STARTED = "started"
"""The expensive work that was begun by its button."""
STEPS = ("0.05", "0.1", "0.2", "0.25")
AT_ONCE = 150_000_000
"""Image pairs times settings that are computed without a click: some seconds."""
WIDTH = 320
"""Pixels a panel needs at least: three fit beside the sidebar on a laptop."""
MAP_COLUMNS = 12
"""Alphas a map can name with a number in each cell."""
NOW = "lines-now"
"""The key of the curves of the setting in use."""


class Grid(NamedTuple):
    """Alphas and maximum distances, ascending; those in use are always among them."""

    alphas: tuple[float, ...]
    thresholds: tuple[int, ...]


def can_vary(study: Study) -> bool:
    """Whether there are related concepts, whose weight and distance can be varied."""
    return study.knows_neighbours and bool(study.concepts.annotated.any())


def nothing_to_vary(context: Context) -> bool:
    """Whether no setting can change anything; then a message says so, with the way on."""
    if not can_vary(context.study):
        messages.empty(
            "Nothing to vary.",
            "This study has no related concepts. Add a graph on Data to try how much they should count.",
            label="Add a concept graph",
            key="graph",
        )
        return True
    if lower_is_better(context.choice.metric):
        st.info(
            f"“{md_escape(context.choice.metric_shown)}” looks at the place of the matched item only, "
            "which no setting of related concepts changes. Select a measure by concepts on the left.",
            icon=":material/info:",
        )
        return True
    return False


def grid_of(context: Context) -> Grid:
    """The settings tried, as selected in a fold."""
    study = context.study
    large = len(study.queries) * len(study.candidates) * 60 > AT_ONCE
    there = [str(threshold) for threshold in range(study.largest_threshold + 1)]
    first = [threshold for threshold in map(str, THRESHOLDS) if threshold in there]
    with fold.settings("Settings tried", key="tried"), select.row():
        step = select.selectbox("Step size of α", STEPS, param=ALPHA_STEP, first=STEPS[int(large)], width=170)
        reaches = select.multiselect(
            "Maximum distances for “related” (steps)", there, param=DISTANCES, first=first
        )
    alphas = [round(float(step) * i, 4) for i in range(round(1 / float(step)) + 1)]
    return Grid(*with_setting_in_use(alphas, sorted(map(int, reaches)), context.choice.settings))


def shared(settings: Settings) -> Settings:
    """What all points of a grid have in common: the settings without alpha and threshold."""
    return replace(settings, alpha=Settings().alpha, threshold=Settings().threshold)


def run(
    context: Context,
    grid: Grid,
    label: str,
    key: tuple[object, ...],
    work: Callable[[Progress], T],
    *,
    settings: int = 0,
) -> T | None:
    """The result of a work over the grid, as `jobs.run`; an expensive one waits for its button.

    ``settings``: how many different ones it computes, where they are not those of the grid.
    """
    study, named = context.study, repr((label, context.study.digest, *key))
    points = grid_points(context.choice.settings, alphas=grid.alphas, thresholds=grid.thresholds)
    n, pairs = settings or len(points), len(study.queries) * len(study.candidates)
    if pairs * n > AT_ONCE and st.session_state.get(STARTED) != named and not jobs.began(named):
        st.info(
            f"{label}: {pluralize(n, 'setting')} over {pairs:,} pairs of images take a while, so they "
            "wait for **Run**. You can leave the page meanwhile.",
            icon=":material/hourglass:",
        )
        st.button(
            "Run",
            icon=":material/play_arrow:",
            type="primary",
            key=f"run-{digest_of(named)[:8]}",
            on_click=state.set_plain,
            args=(STARTED, named),
        )
        return None
    return jobs.run(named, work, label=label, shared=True)


def numbers(context: Context, rows: Callable[[], Table], name: str) -> None:
    """All numbers of a grid, folded, and their file."""

    def listed() -> None:
        shown = rows()
        alt = f"Table of {pluralize(len(shown.rows), 'row')}"
        table.results_table(context, shown, key=f"numbers-{name}", file=name, height=320, alt=alt)

    fold.section("All numbers", listed, param=NUMBERS)


def panels(
    context: Context, drawn: Iterable[Callable[[Context], AccessibleFigure]], *, name: str, n: int
) -> None:
    """``n`` figures of one kind side by side, with one line on how to read them."""
    columns = min(n, 3)
    places, within = st.grid(columns, min_column_width=WIDTH), figure.within(context, columns, WIDTH)
    for place, draw in enumerate(drawn):
        with places.container():
            last = draw(within)
            figure.show(context, last, key=f"{name}-{place}", file=name, note=False)
    figure.how_to_read(context, last)


def section(context: Context) -> None:
    """Who leads at the settings tried, the curves of the one in use, and folded where the order changes."""
    if nothing_to_vary(context):
        return
    answer = st.container()
    grid = grid_of(context)
    with answer:
        study, choice, settings = context.study, context.choice, shared(context.choice.settings)
        result = run(
            context,
            grid,
            "Scoring the systems at every setting",
            (choice.metric, choice.systems, grid, settings),
            lambda progress: _stability(cache.analysis(study, choice.under(settings)), grid, progress),
        )
        if result is not None:
            _stable(context, grid, result)


def _stability(analysis: Analysis, grid: Grid, progress: Progress) -> Stability:
    points = grid_points(analysis.view.settings, alphas=grid.alphas, thresholds=grid.thresholds)
    return analysis.grid(points, progress=progress).stability(analysis.view.metrics[0])


def _stable(context: Context, grid: Grid, stability: Stability) -> None:
    choice = context.choice
    key = cache.key_of("stable", context.study, choice, grid, choice.words)
    messages.headline(cache.cached(key, lambda: robustness.stable(stability, choice.words, choice.settings)))
    if same := identical(*stability.tried):
        st.caption(same)
    messages.small_sample_warning([mean.n_independent for mean in stability.standings[0].means])
    systems = resolve_systems(context.study, choice.systems)
    if not any_swept([parse_metric(choice.metric)], systems):
        st.info(
            "This measure does not look at related concepts, so α and the maximum distance change nothing. "
            "Select one that does under “Measure” on the left, or add @nn-iou to the systems.",
            icon=":material/info:",
        )
    _in_use(context, grid, stability)
    if robustness.leader_changes(stability.standings):
        _leaders(context, stability)
    if n := len(stability.crossovers):
        fold.section(f"Where the order changes ({n})", _overtakings, stability, param=CHANGES)
    title = f"All {pluralize(len(grid.thresholds), 'maximum distance')}"
    fold.section(title, _panels, context, grid, stability, param=PANELS)
    numbers(context, lambda: sweep_table(sweep_rows(stability.standings)), "systems-by-setting")


def _in_use(context: Context, grid: Grid, stability: Stability) -> None:
    """Every system against alpha at the maximum distance in use; it follows the sliders at once."""
    choice, use, systems = context.choice, context.choice.settings.threshold, context.study.systems
    lines = {
        threshold: [
            line
            for line in robustness.lines_at(
                stability, threshold, choice.systems, systems, context.theme, bold=True
            )
            if line.has_value
        ]
        for threshold in grid.thresholds
    }
    titles = {threshold: robustness.reach_of(threshold) for threshold in grid.thresholds}
    every = [line for some in lines.values() for line in some]
    drawn = robustness.by_alpha(
        stability,
        use,
        choice.systems,
        study=systems,
        settings=choice.settings,
        metric=choice.metric_shown,
        theme=context.theme,
        reach=curves.value_range(every, zero=True) if every else None,
    )
    if every:
        place = (choice.settings.alpha, use)
        follow.sliders(drawn, figure=NOW, alphas=grid.alphas, lines=lines, titles=titles, at=place)
    figure.show(context, drawn, key=NOW, file="alpha")


def _panels(context: Context, grid: Grid, stability: Stability) -> None:
    """One panel per maximum distance with a line per system."""
    choice, study = context.choice, context.study.systems
    how: dict[str, Any] = {"study": study, "settings": choice.settings, "metric": choice.metric_shown}

    def draw(threshold: int) -> Callable[[Context], AccessibleFigure]:
        return lambda within: robustness.by_alpha(
            stability, threshold, choice.systems, **how, theme=within.theme
        )

    panels(context, map(draw, grid.thresholds), name="alpha", n=len(grid.thresholds))


def _overtakings(stability: Stability) -> None:
    """Every place where one system overtakes another, in words."""
    st.markdown("\n".join(f"- {robustness.crossover(crossover)}" for crossover in stability.crossovers))
    st.caption(
        "Scores are computed at the values of α tried; values in between are interpolated. “Clear”: "
        "the 95% interval of the difference excludes zero on both sides."
    )


def _leaders(context: Context, stability: Stability) -> None:
    """Who leads at each setting, and by how much."""
    choice, settings = context.choice, context.choice.settings
    leaders = curves.leader_map(
        _thinned(stability.standings, settings.alpha),
        metric=choice.metric_shown,
        systems=context.study.systems,
        theme=context.theme,
        current=(settings.alpha, settings.threshold),
    )
    figure.show(context, leaders, key="leaders")


def _thinned(standings: Sequence[Standing], alpha: float) -> list[Standing]:
    """Every tenth of alpha and the one in use, where there are more than a map can hold."""
    alphas = {standing.settings.alpha for standing in standings}
    if len(alphas) <= MAP_COLUMNS:
        return list(standings)
    kept = {a for a in alphas if abs(10 * a - round(10 * a)) < 1e-9} | {alpha}
    return [standing for standing in standings if standing.settings.alpha in kept]
