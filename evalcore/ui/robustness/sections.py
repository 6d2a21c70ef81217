"""The page Robustness: its tabs, and the parts of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from evalcore.ranking.metrics import lower_is_better
from evalcore.ui.components import fold, messages, select
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.ui.robustness import (
    agree,
    by_measure,
    grids,
    judgments,
    ratings,
    retrieval,
    search,
    settings,
    work,
)
from evalcore.values.writing import listed, md_escape, pluralize

SETTINGS, MEASURES, PAPER = "settings", "measures", "paper"
TITLES = {SETTINGS: "Settings", MEASURES: "Measures", PAPER: "As in the paper"}
"""The tabs, by their names in the address."""


def show(context: Context) -> None:
    """The tabs, that which can answer the question first."""
    tabs = {SETTINGS: _settings, MEASURES: _measures, PAPER: _paper}
    if not _can_vary(context):
        tabs = {MEASURES: _measures, SETTINGS: _settings, PAPER: _paper}
    select.parts(tabs, context, keep=state.TAB, shown=TITLES.__getitem__, opened_by=KEYS)


def _can_vary(context: Context) -> bool:
    """Whether there are related concepts, whose weight and distance can be varied."""
    return context.study.knows_neighbours and bool(context.study.concepts.annotated.any())


def _settings(context: Context) -> None:
    """The systems at every weight and distance of related concepts, and which of these are tried."""
    if not _nothing_to_vary(context):
        grid = grids.asked_for(context)
        settings.section(context, grid)
        steps = listed([str(threshold) for threshold in grid.thresholds])
        tried = f"Settings tried: {pluralize(len(grid.alphas), 'value')} of α, distances {steps}"
        fold.section(tried, grids.form, context, keep=grids.TRIED, icon=":material/tune:")


def _nothing_to_vary(context: Context) -> bool:
    """Whether no setting can change anything, which is then said, with the way on."""
    if not _can_vary(context):
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


def _measures(context: Context) -> None:
    """Whether the winner depends on the measure, and what each measure is; the measures are chosen below."""
    draw: Mapping[str, Callable[..., None]] = {
        work.RANKING: by_measure.ranking,
        work.AGREE: agree.section,
        work.POWER: by_measure.power,
        work.RATED: ratings.section,
        **({work.JUDGMENTS: judgments.section} if context.study.qrels else {}),
        work.ABOUT: search.about_section,
    }
    if not work.systems(context):
        draw = {work.AGREE: agree.section, **draw}
    _one_of(context, draw, keep=work.PART, compared=True)


def _paper(context: Context) -> None:
    """Table 1 of the paper, its curves, and the readings of its formula, on this study."""

    def of_settings(draw: Callable[[Context, grids.Grid], None], context: Context, _: object) -> None:
        if not _nothing_to_vary(context):
            draw(context, grids.asked_for(context))

    draw: dict[str, Callable[..., None]] = {
        work.SEARCH: search.section,
        work.RETRIEVAL: partial(of_settings, retrieval.section),
        work.READINGS: partial(of_settings, settings.interpretations_section),
    }
    _one_of(context, draw, keep=work.OF_PAPER, compared=False)


def _one_of(
    context: Context, draw: Mapping[str, Callable[..., None]], *, keep: state.Key, compared: bool
) -> None:
    """One of the parts of a tab, with the measures compared where it has any."""
    plain = context.choice.plain
    titles = {name: work.title(name, plain=plain) for name in draw}
    chosen = select.segments("Part", titles, keep=keep, label_visibility="collapsed")
    # At Simple the answer comes first; the measures it is about are chosen below it.
    answer = st.container() if plain else None
    measures = work.measures(context) if compared or chosen == work.SEARCH else {}
    with answer or st.container():
        draw[chosen](context, measures)


KEYS = {
    SETTINGS: (grids.CHANGES, grids.DISTANCES, grids.MAPS, grids.PANELS),
    MEASURES: (work.PART, work.LEVEL, work.REFERENCE, work.MEANS, work.CROSSINGS),
    PAPER: (work.OF_PAPER, work.COLUMN, grids.SUBSET, grids.LABELS),
}
"""What a link asks of each tab."""
