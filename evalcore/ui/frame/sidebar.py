"""The sidebar all pages share: pages, study, comparison, weights, reading level, link."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

import streamlit as st

import evalcore
from evalcore import extensions
from evalcore.evaluate.tour import tour
from evalcore.extensions import Page
from evalcore.report.tour import PageView, views_of
from evalcore.study.folder.settings_toml import parse_settings, settings_text
from evalcore.ui.components import download
from evalcore.ui.frame import cache, choices, stage, state, view
from evalcore.ui.frame.context import Choice, StudyEntry
from evalcore.ui.frame.pages import PAGES
from evalcore.ui.frame.stage import CORNERS
from evalcore.ui.frame.state import Key
from evalcore.values.bundled import bundled
from evalcore.values.markdown import md_escape
from evalcore.values.model import Study

# The panel in the sidebar from which the program is shown to others.

_ASKED = "_present_asked"


def section(study: Study, entry: StudyEntry, choice: Choice) -> None:
    """How it is shown, and the two ways to begin."""
    st.caption("Hides this sidebar and the ids of images, and uses larger type.")
    covered = st.checkbox(
        "Cover the corners of pictures",
        value=bool(state.get(CORNERS, 0)),
        key="present-corners",
        help="Names and dates are often burnt into the corners of medical images. Text "
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

# A button that copies the address of the view, in the browser, without a rerun.

_HTML = '<button type="button" id="copy"></button>'


def copy_link(
    *,
    also: Mapping[str, str],
    label: str = "Copy link to this view",
    alone: bool = False,
    key: str = "copy_link",
    width: Literal["stretch"] | int = "stretch",
) -> None:
    """Draw the button; ``also`` is added to the address (the study and its digest). ``alone``: to the page
    without anything else its address says."""
    component = st.components.v2.component(
        "cuiscope_copy_link",
        html=_HTML,
        css=bundled(__package__, "copylink.css"),
        js=bundled(__package__, "copylink.js"),
    )
    component(
        data={"also": dict(also), "label": label, "alone": alone}, key=key, height="content", width=width
    )


# The view as a settings file: saved from the sidebar, and opened there again.

_UPLOAD = "settings-file"
MOST = 1 << 18
"""Bytes of a settings file."""


def settings_file_section(study: Study, choice: Choice) -> None:
    """A small panel: save, open."""
    text = settings_text(
        view.view_of(choice), study=study.name, digest=study.content, program=evalcore.__version__
    )
    download.file(
        "Save settings.toml",
        text,
        "settings.toml",
        "application/toml",
        key="save-settings",
        width="stretch",
        help="Every setting here that affects a number. Opens on the pages, and with any command: "
        "--settings settings.toml",
    )
    widget = state.emptied(_UPLOAD)
    st.file_uploader(
        "Open a settings file",
        type="toml",
        key=widget,
        max_upload_size=1,
        on_change=_opened,
        args=(study, widget),
    )


def _opened(study: Study, widget: str) -> None:
    """Callback: show what the file says, or say what is wrong with it."""
    given = st.session_state.get(widget)
    if given is not None:
        take(study, given.getvalue()[: MOST + 1])
        state.empty(_UPLOAD)


def take(study: Study, data: bytes) -> None:
    """Let the sidebar say what a settings file says; what cannot be is noted below the title."""
    result, report = parse_settings(data, file="settings.toml")
    problems = report.of_severity("error")
    for problem in problems[:10]:
        state.note(str(problem))
    if problems:
        state.note("The settings file is not used.")
        return
    for note in view.show(result, study):
        state.note(note)
    if result.digest and result.digest != study.content:
        other = "another version of this study" if result.study == study.name else f"the study {result.study}"
        state.note(
            f"The settings were saved for {other} ({result.digest[:8]}; here it is {study.content[:8]})."
        )


def draw(
    listed: Mapping[str, StudyEntry],
    entry: StudyEntry | None,
    study: Study | None,
    info: Page,
    also: tuple[str, ...] = (),
) -> Choice | None:
    """Draw what the page uses; the choices when a study is open, None otherwise.

    ``also``: systems the page shows beside those chosen here.
    The page links come first but are drawn last, so that they carry what the widgets say now.
    """
    with st.sidebar:
        links = st.container(key="pages", gap=None)
        choices.study_picker(listed, entry.slug if entry else None)
        plain = choices.reading()
        choice = None
        if study is not None and entry is not None:
            choice = choices.read(study, plain=plain, also=also)
            rest = choices.draw(study, choice, info, also=also)
            if rest is not None:
                with rest:
                    _more(study, entry, choice)
        _of_features()
    with links:
        _links()
    return choice


def _of_features() -> None:
    for _, show in extensions.additions("sidebar part"):
        show()


def _more(study: Study, entry: StudyEntry, choice: Choice) -> None:
    """The link to the view, the settings as a file, and presenting."""
    copy_link(also={state.STUDY: entry.slug, state.DIGEST: study.digest[:8]})
    for title, icon, key, draw in (
        ("Settings as a file", ":material/tune:", "as-file", partial(settings_file_section, study, choice)),
        ("Present", ":material/co_present:", "present-panel", partial(section, study, entry, choice)),
    ):
        if choice.plain:
            st.divider()
            st.markdown(f"**{title}**")
            draw()
        elif place := choices.panel(title, icon, key=key):
            with place:
                draw()


def _links() -> None:
    """The pages under their headings."""
    params, group = state.link_params(), ""
    for page in PAGES:
        if page.group != group:
            group = page.group
            st.caption(md_escape(group, limit=40))
        st.page_link(page.file, label=page.title, icon=page.icon, width="stretch", query_params=params)


def draw_blind(study: Study | None, kept: tuple[Key, ...]) -> Choice | None:
    """While a reader judges: no pickers, no page links, and no system in the address; the usual choices."""
    state.say_only((state.STUDY, state.DIGEST, *kept))
    with st.sidebar:
        st.markdown("**Judging blind**")
        st.caption("The systems are hidden here until you leave the judging.")
        _of_features()
    return None if study is None else choices.at_first(study)
