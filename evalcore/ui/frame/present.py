"""The panel in the sidebar from which the program is shown to others."""

from __future__ import annotations

import streamlit as st

from evalcore.evaluate.tour import tour
from evalcore.report.tour import PageView, views_of
from evalcore.ui.frame import cache, choices, stage, state
from evalcore.ui.frame.context import Choice, StudyEntry
from evalcore.ui.frame.stage import CORNERS
from evalcore.values.model import Study

_ASKED = "_present_asked"


def section(study: Study, entry: StudyEntry, choice: Choice) -> None:
    """How it is shown, and the two ways to begin."""
    st.caption("Hides this sidebar and the ids of images, and uses larger type.")
    covered = st.checkbox(
        "Cover the corners of pictures",
        value=bool(state.get(CORNERS, 0)),
        key="present-corners",
        help="Names and dates are often burnt into the corners of medical images. Whatever stands "
        "elsewhere stays visible: look through the pictures before you show them.",
    )
    state.put(CORNERS, int(covered), default=0)
    if study.systems:
        st.button(
            "Start the tour",
            icon=":material/slideshow:",
            width="stretch",
            on_click=_ask,
            args=("tour",),
            type="primary",
        )
    st.button(
        "Present this view", icon=":material/present_to_all:", width="stretch", on_click=_ask, args=("view",)
    )
    asked = str(st.session_state.pop(_ASKED, ""))
    if asked == "view":
        stage.begin(entry, (), stage.state_as_view())
    elif asked == "tour":
        stage.begin(entry, _made(study, choice), stage.state_as_view())


def _ask(what: str) -> None:
    """Callback."""
    state.set_plain(_ASKED, what)


def _made(study: Study, choice: Choice) -> tuple[PageView, ...]:
    """Five views of the open study under the choices of the sidebar."""
    with st.spinner("Preparing the tour …"):
        limited = cache.limited(study, choice, choice.systems)
        stops = tour(limited, metric=choice.metric, systems=choice.systems, settings=choice.settings)
    carried = {key: tuple(values) for key, values in state.link_params().items() if key in _SAID}
    return views_of(stops, base=carried, measure=choice.metric_shown)


_SAID = (
    choices.SYSTEMS,
    choices.BASELINE,
    state.MEASURE,
    state.METRIC,
    choices.K,
    choices.ALPHA,
    choices.THRESHOLD,
    choices.POOL,
    choices.WHERE,
    choices.SAME_GROUP,
    state.READING,
    *(key for key, *_ in choices.POLICIES),
)
"""Keys that every view of a tour says as they were when it was made."""
