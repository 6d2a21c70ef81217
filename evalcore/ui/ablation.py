"""The systems under every setting: who leads, where the order changes, what the readings do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.evaluate.isolated import BY_NN_IOU
from evalcore.evaluate.stability import Stability, stability
from evalcore.evaluate.variants import SWEPT
from evalcore.figures.ablation.lines import (
    AlphaLine,
    Crossing,
    alpha_lines,
    alpha_lines_alt,
    threshold_name,
)
from evalcore.figures.ablation.stability import leader_map, leader_map_alt, tau_map, tau_map_alt
from evalcore.figures.frame import modebar
from evalcore.figures.reading import how_to_read
from evalcore.figures.theme import style_of
from evalcore.ranking.metrics import parse_metric
from evalcore.ui import ablation_findings, ablation_grid, messages, state, tables
from evalcore.ui.format import number, things
from evalcore.ui.pages import page_info
from evalcore.ui.text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.flips import Flip
    from evalcore.evaluate.stability import Standing
    from evalcore.ui.ablation_grid import Grid
    from evalcore.ui.context import Context
    from evalcore.ui.workers import Progress

PANEL = 380
"""Pixels a panel of lines needs at least."""
FLIPS_SHOWN = 4
"""So many overtakings are shown unfolded."""
MAP_COLUMNS = 12
"""Alphas a map can name with a number in each cell."""


def section(context: Context, grid: Grid) -> None:
    """Finding, lines, maps, numbers."""
    found = of_systems(context, grid)
    if found is not None:
        headline(context, found)
        lines(context, grid, found)
        if len(context.choice.systems) > 1:
            maps(context, found)
        table(context, found)


def of_systems(context: Context, grid: Grid) -> Stability | None:
    """The standings over the grid, computed in the background where that takes long."""
    study, choice = context.study, context.choice
    settings, queries = ablation_grid.shared(choice.settings), ablation_grid.queries(context)

    def work(tell: Progress) -> Stability:
        return stability(
            study, metric=choice.metric, alphas=grid.alphas, thresholds=grid.thresholds,
            systems=choice.systems, settings=settings, queries=queries, progress=tell,
        )  # fmt: skip

    return ablation_grid.run(
        context, grid, (choice.metric, choice.systems, choice.queries, grid, settings), work,
        label="Scoring the systems at every setting",
    )  # fmt: skip


def headline(context: Context, found: Stability) -> None:
    """The finding in one sentence, and every overtaking in words."""
    messages.lead(ablation_findings.stable(found, context.choice))
    metric = parse_metric(context.choice.metric)
    if metric.relevance != SWEPT and BY_NN_IOU not in context.choice.systems:
        st.info(
            "This measure does not look at related findings, so α and their reach change nothing. Choose one "
            "that does under “Measure” on the left, or add @nn-iou to the systems.",
            icon=":material/info:",
        )
    told = ablation_findings.flips(found)
    if told:
        with st.expander(
            f"Where the order changes ({len(told)})",
            icon=":material/swap_vert:",
            expanded=len(told) <= FLIPS_SHOWN,
        ):
            st.markdown("\n".join(f"- {one}" for one in told))
            st.caption(
                "Scores are known at the values of α tried; between two of them the gap is taken as a "
                "straight line. “Clear”: the 95 % interval of the gap leaves out zero on both sides."
            )


def lines(context: Context, grid: Grid, found: Stability) -> None:
    """One panel per threshold, one line per system."""
    choice, theme = context.choice, context.theme
    panels = st.grid(min(len(grid.thresholds), 3), min_column_width=PANEL)
    for threshold in grid.thresholds:
        with panels.container():
            drawn = _lines(context, grid, found, threshold)
            words = {"title": _reach(threshold), "metric": choice.metric_shown}
            crossings = [_crossing(flip, drawn, grid) for flip in found.flips if flip.threshold == threshold]
            st.plotly_chart(
                alpha_lines(
                    drawn, grid.alphas, theme=theme, current=choice.settings.alpha, crossings=crossings,
                    zero=True, **words,
                ),
                theme=None, key=f"lines-{threshold}", config=modebar(f"cuiscope-alpha-{threshold}"),
                alt=alpha_lines_alt(drawn, grid.alphas, **words),
            )  # fmt: skip
    messages.how_to_read(how_to_read("alpha_lines", context.reading))


def _reach(threshold: int) -> str:
    return f"Related within {threshold_name(threshold)}" if threshold else "Identical findings only (IoU)"


def _lines(context: Context, grid: Grid, found: Stability, threshold: int) -> list[AlphaLine]:
    choice = context.choice
    at = [found.at(alpha, threshold) for alpha in grid.alphas]
    in_use = threshold == choice.settings.threshold
    return [
        AlphaLine(
            name, [one.mean(name) for one in at if one is not None],
            style_of(name, context.study.systems, context.theme), current=in_use,
        )
        for name in choice.systems
    ]  # fmt: skip


def _crossing(flip: Flip, drawn: list[AlphaLine], grid: Grid) -> Crossing:
    """Where the two lines meet, on the winner's line."""
    row = next(line.row for line in drawn if line.name == flip.winner)
    before, after = (grid.alphas.index(end) for end in flip.between)
    share = (flip.alpha - flip.between[0]) / (flip.between[1] - flip.between[0])
    value = row[before].mean + share * (row[after].mean - row[before].mean)
    return Crossing(flip.alpha, value, f"{flip.winner} overtakes {flip.loser} at α {number(flip.alpha)}")


def maps(context: Context, found: Stability) -> None:
    """Who leads by how much, and how alike the whole ranking is to that of the setting in use."""
    choice, theme, settings = context.choice, context.theme, context.choice.settings
    shown = thinned(found.standings, settings.alpha)
    reference = found.at(settings.alpha, settings.threshold)
    assert reference is not None, "the setting in use is always in the grid"
    panels = st.grid(2, min_column_width=PANEL + 80)
    with panels.container():
        st.plotly_chart(
            leader_map(
                shown, metric=choice.metric_shown, systems=context.study.systems, theme=theme,
                current=(settings.alpha, settings.threshold),
            ),
            theme=None, key="leaders", config=modebar("cuiscope-leaders"),
            alt=leader_map_alt(shown, metric=choice.metric_shown),
        )  # fmt: skip
        messages.how_to_read(how_to_read("leader_map", context.reading))
    with panels.container():
        st.plotly_chart(
            tau_map(shown, reference, metric=choice.metric_shown, theme=theme),
            theme=None, key="taus", config=modebar("cuiscope-tau"),
            alt=tau_map_alt(shown, reference, metric=choice.metric_shown),
        )  # fmt: skip
        messages.how_to_read(how_to_read("tau_map", context.reading))


def thinned(standings: Sequence[Standing], alpha: float) -> list[Standing]:
    """Every tenth of alpha and the one in use, where there are more than a map can hold."""
    alphas = {one.settings.alpha for one in standings}
    if len(alphas) <= MAP_COLUMNS:
        return list(standings)
    kept = {a for a in alphas if abs(10 * a - round(10 * a)) < 1e-9} | {alpha}
    return [one for one in standings if one.settings.alpha in kept]


def table(context: Context, found: Stability) -> None:
    """Every number of the grid, to read and to take away."""
    rows = pd.DataFrame(
        [
            {
                "α": one.settings.alpha, "Steps": one.settings.threshold, "System": plain(name),
                "Place": place, "Score ↑": mean.mean, "From": mean.low, "To": mean.high, "Queries": mean.n,
            }
            for one in found.standings
            for place, (name, mean) in enumerate(zip(one.order, one.means, strict=True), start=1)
        ]
    )  # fmt: skip
    numbers(context, rows, "systems-by-setting")


def numbers(context: Context, rows: pd.DataFrame, name: str) -> None:
    """All numbers of a grid behind a fold, and as CSV."""
    score = st.column_config.NumberColumn(format="%.4f")
    shown = [column for column in ("Score ↑", "From", "To") if column in rows.columns]
    with st.container(horizontal=True, vertical_alignment="top"):
        with st.expander("All numbers", icon=":material/table:"):
            st.dataframe(
                rows, hide_index=True, key=f"numbers-{name}", height="auto" if len(rows) < 10 else 320,
                column_config=dict.fromkeys(shown, score), alt=f"Table of {things(len(rows), 'row')}",
            )  # fmt: skip
        st.download_button(
            "CSV", tables.csv_safe(rows), f"{name}-{context.study.digest[:8]}.csv", "text/csv",
            icon=":material/download:", on_click="ignore", key=f"save-{name}",
        )  # fmt: skip


def open_clicked(clicked: Any, *, a: str, b: str) -> None:
    """Go to the query of a clicked mark, with the two systems it compares."""
    for point in clicked["selection"]["points"]:
        told = point.get("customdata")
        image = told[0] if isinstance(told, (list, tuple)) else told
        if image:
            also = {state.QUERY: str(image), state.SYSTEM_A: a, state.SYSTEM_B: b}
            for key, value in also.items():
                state.set_value(key, value)
            st.switch_page(page_info("query").file, query_params=state.link_params(**also))
