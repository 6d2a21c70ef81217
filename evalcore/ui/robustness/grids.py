"""The grid of settings the ablation page tries: its form, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

import streamlit as st

from evalcore.evaluate.sweep import Standing, effective, grid_points, with_setting_in_use
from evalcore.results.rows import Table
from evalcore.results.sweeps import places_table
from evalcore.ui.components import download, fold, table
from evalcore.ui.frame import jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.settings import MAX_THRESHOLD, Settings
from evalcore.values.writing import count, pluralize

T = TypeVar("T")

# Which settings are tried, and how they are drawn.

ALPHA_STEP = Key("step")
REACHES = Key("reach")
SUBSET = Key("subset")
LABELS = Key("labels")
PANELS = Key("panels")
TRIED, CHANGES, DISTANCES = Key("tried"), Key("changes"), Key("distances")
MAPS, NUMBERS, OTHERS, BY_QUERY = Key("maps"), Key("numbers"), Key("others"), Key("by_query")
"""The folds of the page."""

ASKED_FOR = "asked_for"

STEPS = ("0.05", "0.1", "0.2", "0.25")
THRESHOLDS = ("0", "1", "2", "3", "4")
FIRST_THRESHOLDS = ("0", "1", "2")
AT_ONCE = 150_000_000
"""Image pairs times settings that are computed without being asked for: some seconds."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Alphas and thresholds, ascending; the sidebar's own are always among them."""

    alphas: tuple[float, ...]
    thresholds: tuple[int, ...]

    @property
    def n(self) -> int:
        return len(self.alphas) * len(self.thresholds)

    def points(self, settings: Settings) -> tuple[Settings, ...]:
        """The settings of the grid, all else as in ``settings``."""
        return grid_points(settings, alphas=self.alphas, thresholds=self.thresholds)


def asked_for(context: Context) -> Grid:
    """The grid that the address and the form say."""
    study, settings = context.study, context.choice.settings
    large = len(study.queries) * len(study.candidates) * 60 > AT_ONCE
    step = state.read_param(ALPHA_STEP, STEPS[1] if large else STEPS[0], state.one_of(*STEPS))
    there = _thresholds(study)
    first = [threshold for threshold in FIRST_THRESHOLDS if threshold in there]
    reaches = state.read_param(REACHES, first, state.some_of(*there))
    return grid_of(float(step), [int(reach) for reach in reaches], settings)


def _thresholds(study: Study) -> tuple[str, ...]:
    """Those whose neighbours are known."""
    return THRESHOLDS[: study.largest_threshold + 1]


def form(context: Context) -> None:
    """Which settings are tried; another choice is computed on Run."""
    with st.form("grid", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        step = state.bind_widget(ALPHA_STEP, state.get(ALPHA_STEP))
        st.selectbox("Step size of α", STEPS, key=step, width=170)
        st.pills(
            "Maximum distance for “related” (steps)",
            _thresholds(context.study),
            selection_mode="multi",
            key=state.bind_widget(REACHES, list(state.get(REACHES))),
            width="stretch",
        )
        asked = st.form_submit_button(
            "Run", icon=":material/play_arrow:", type="primary", on_click=_take, width=110
        )
    if asked:
        st.session_state[ASKED_FOR] = signature(context, asked_for(context))
        st.rerun()


def _take() -> None:
    for key in (ALPHA_STEP, REACHES):
        chosen = st.session_state[key]
        state.set_value(key, sorted(chosen) if isinstance(chosen, list) else chosen)


def grid_of(step: float, thresholds: list[int], settings: Settings) -> Grid:
    """0 to 1 in these steps; alpha and threshold in use are added.

    >>> grid_of(0.25, [0, 2], Settings(alpha=0.6)).alphas
    (0.0, 0.25, 0.5, 0.6, 0.75, 1.0)
    """
    alphas = [round(step * i, 4) for i in range(round(1 / step) + 1)]
    reach = [threshold for threshold in thresholds if 0 <= threshold <= MAX_THRESHOLD]
    return Grid(*with_setting_in_use(alphas, reach, settings))


def shared(settings: Settings) -> Settings:
    """What all points of a grid have in common: the settings without alpha and threshold."""
    return replace(settings, alpha=Settings().alpha, threshold=Settings().threshold)


def signature(context: Context, grid: Grid) -> str:
    """Says what the reader asked for when pressing Run."""
    choice = context.choice
    asked = (grid, shared(choice.settings), choice.metric, choice.systems)
    return repr((context.study.digest, *asked))


def run(
    context: Context,
    grid: Grid,
    key: tuple[object, ...],
    work: Callable[[Progress], T],
    *,
    label: str,
    settings: int | None = None,
) -> T | None:
    """The result of a work over the grid, as `jobs.run`; an expensive one waits for the Run button.

    ``settings``: how many settings it computes, when they are not the grid's.
    """
    named = repr((label, context.study.digest, *key))
    n = grid.n if settings is None else settings
    computed = len(set(map(effective, grid.points(context.choice.settings)))) if settings is None else n
    pairs = len(context.study.queries) * len(context.study.candidates)
    asked = st.session_state.get(ASKED_FOR) == signature(context, grid)
    if pairs * n > AT_ONCE and not asked and not jobs.began(named):
        st.info(
            f"{label}: {pluralize(computed, 'different setting')} over {count(pairs)} pairs of images take a "
            "while, so they wait for **Run**. You can leave the page meanwhile.",
            icon=":material/hourglass:",
        )
        st.button(
            "Run",
            icon=":material/play_arrow:",
            type="primary",
            key="run-grid",
            on_click=state.set_plain,
            args=(ASKED_FOR, signature(context, grid)),
        )
        return None
    return jobs.run(named, work, label=label, shared=True)


# What the tabs of the page share: all numbers, and as a file.


def numbers(
    context: Context,
    rows: Callable[[], Table],
    name: str,
    *,
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """All numbers of a grid in a fold, and as CSV; ``renamed``: columns that it calls otherwise."""

    def listed() -> None:
        all_rows = rows()
        alt = f"Table of {pluralize(len(all_rows.rows), 'row')}"
        table.declared(context, all_rows, key=f"numbers-{name}", height=320, alt=alt)
        download.csv(table.in_file(context, all_rows, renamed=renamed), context.stem(name))

    fold.section("All numbers", listed, keep=NUMBERS, icon=":material/table:")


def standings(context: Context, found: Sequence[Standing], name: str, *, rules: bool = False) -> None:
    """The same of standings, one row per setting and system; ``rules``: with count rule and direction."""
    numbers(context, lambda: places_table(found, context.choice.metric, rules=rules), name)
