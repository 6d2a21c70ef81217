"""The one call at the top of every page: title, style, sidebar, banner, and the open study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.errors import InputError
from evalcore.figures.numbers import count, short_count, things
from evalcore.figures.theme import THEMES
from evalcore.grouping import with_same_group
from evalcore.ui.components import messages
from evalcore.ui.components.text import md_escape
from evalcore.ui.frame import cache, look, memory, sidebar, state, studies
from evalcore.ui.frame.choices import systems_on_offer
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import PageInfo, page_info

if TYPE_CHECKING:
    from evalcore.model import Study
    from evalcore.ui.frame.context import StudyEntry
    from evalcore.ui.frame.state import Key


def start(key: str, *, shows: tuple[Key, ...] = ()) -> Context:
    """Set the page up and return the open study with the sidebar's choices.

    ``shows``: keys of systems chosen on the page itself; they too decide what can be compared.
    Stops with a message and the way out when the study of the link is not here or cannot be read.
    """
    context = start_without(key, shows=shows)
    if context is None:
        messages.go_to("data", label="Open or upload a study on the Data page")
        st.stop()
    return context


def start_without(key: str, *, shows: tuple[Key, ...] = ()) -> Context | None:
    """Like ``start``, but a page without a study goes on with None (the Data page)."""
    memory.thrifty()
    info = page_info(key)
    st.set_page_config(page_title=f"{info.title} · CUIscope", page_icon=look.MARK, layout="wide")
    st.logo(look.LOGO, size="large", icon_image=look.MARK)
    look.apply()
    state.begin(key)
    listed = studies.entries()
    asked = state.carry(state.STUDY, studies.default_slug(listed))
    entry = studies.find(asked, listed)
    study, error = _open(entry)
    also = _systems_of(study, shows)
    choice = sidebar.draw(listed, entry, study, also)
    messages.banner(_status(study, choice.systems if choice else ()))
    _heading(info, study)
    messages.refused(state.refused())
    if entry is None:
        _not_here(asked)
    elif study is None:
        why = f" {md_escape(str(error), limit=600)}" if error is not None else ""
        name = md_escape(entry.slug)
        st.error(f"The folder of study **{name}** cannot be used.{why}", icon=":material/error:")
        if error is not None and error.report is not None:
            messages.problems(error.report, key="unreadable")
    if entry is None or study is None or choice is None:
        return None
    _other_version(study)
    theme = THEMES["dark" if st.context.theme.type == "dark" else "light"]
    if not info.compares:
        return Context(with_same_group(study, choice.same_group), entry, choice, theme)
    over = cache.compared_over(study, choice, (*choice.systems, *also))
    limited = with_same_group(over.limit(study), choice.same_group)
    messages.pools(over)
    messages.groups(limited)
    return Context(limited, entry, choice, theme, over)


def _systems_of(study: Study | None, keys: tuple[Key, ...]) -> tuple[str, ...]:
    """The systems of the study that these keys name, before their widgets are drawn."""
    if study is None:
        return ()
    named = [state.get(key) or st.query_params.get(key) for key in keys]
    offered = systems_on_offer(study)
    return tuple(dict.fromkeys(name for name in named if name in offered))


def _open(entry: StudyEntry | None) -> tuple[Study | None, InputError | None]:
    if entry is None:
        return None, None
    try:
        return studies.opened(entry.path), None
    except InputError as error:
        return None, error


def _heading(info: PageInfo, study: Study | None) -> None:
    name = md_escape(study.name, limit=60) if study is not None and info.key == "home" else info.title
    with st.container(horizontal=True, vertical_alignment="bottom", key="heading"):
        st.title(name, anchor=False, width="content")
        st.caption(info.question, width="content")


def _status(study: Study | None, systems: tuple[str, ...]) -> str:
    """`5 systems · 300 common queries · graph 41 k concepts · study 9f3a12c0`."""
    if study is None:
        return "No study is open"
    common = len(cache.common_queries(study, systems)) if systems else 0
    graph = "neighbour dictionary" if study.knows_neighbours else "no graph"
    graph = f"graph {short_count(study.graph.n_nodes)} concepts" if study.graph else graph
    return " · ".join(
        [
            things(len(systems), "system"),
            f"{count(common)} common {'query' if common == 1 else 'queries'}",
            f"{count(len(study.image_ids))} images",
            graph,
            f"study {study.digest[:8]}",
        ]
    )


def _not_here(asked: str) -> None:
    st.warning(
        f"This link is to a study called **{md_escape(asked, limit=80)}**, which is not in this workspace. "
        "Choose another study on the left, or open its folder or zip file on the Data page.",
        icon=":material/link_off:",
    )


def _other_version(study: Study) -> None:
    told = st.query_params.get(state.DIGEST)
    if told and not study.digest.startswith(told):
        st.warning(
            f"This link was made with another version of the study ({md_escape(told, limit=16)}; "
            f"here it is {study.digest[:8]}). Numbers may differ.",
            icon=":material/difference:",
        )
