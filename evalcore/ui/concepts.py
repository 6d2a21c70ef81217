"""What the views of the concepts page share: which view, finding a concept by name, how often it is used."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore import concept_search
from evalcore.graph import distance
from evalcore.naming import is_known
from evalcore.ui import messages, state
from evalcore.ui.format import things
from evalcore.ui.shared import shared
from evalcore.ui.text import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.concept_search import FoundConcept
    from evalcore.graph import ConceptGraph
    from evalcore.graph.search import NameIndex
    from evalcore.model import Study
    from evalcore.ui.context import Context

PATH, AROUND, DISTANCES, EFFECT = "Path", "Around a concept", "Distances", "What the graph does"
VIEWS = (PATH, AROUND, DISTANCES, EFFECT)
MATCHES = 12
FREQUENT = 30
"""Concepts among which a first example is looked for."""


def graph_or_stop(context: Context) -> ConceptGraph:
    """The graph of the study; without one, what this page would show and the way there."""
    if context.study.graph is None:
        messages.empty(
            "Paths between findings.", "This study has no concept graph, so nothing connects its findings. "
            "Add a file of links (child, parent) on the Data page.",
            page="data", label="Add a graph", key="no-graph",
        )  # fmt: skip
        st.stop()
    return context.study.graph


def view() -> str:
    """Which of the four questions is on view."""
    chosen = str(state.carry(state.VIEW, PATH, state.one_of(*VIEWS)))
    st.segmented_control(
        "View", VIEWS, required=True, key=state.seed(state.VIEW, chosen), on_change=state.take_widget,
        args=(state.VIEW,), label_visibility="collapsed",
    )  # fmt: skip
    return chosen


# --------------------------------------------------------------------------- what is remembered


@shared(spinner="Reading the names of all concepts…")
def _index(digest: str, _study: Study) -> NameIndex:  # noqa: ARG001
    return concept_search.index_of(_study)


@st.cache_data(max_size="20MB", show_spinner=False)
def _used(digest: str, _study: Study) -> dict[str, int]:  # noqa: ARG001
    return concept_search.images_by_concept(_study)


def used(study: Study) -> dict[str, int]:
    """{CUI: images that hold it}."""
    return _used(study.concepts.digest, study)


@st.cache_data(max_size="20MB", show_spinner=False)
def _matches(digest: str, text: str, _study: Study) -> list[FoundConcept]:
    return concept_search.search_concepts(
        _study, text, limit=MATCHES, index=_index(digest, _study), images=used(_study)
    )


@st.cache_data(max_size="1MB", show_spinner=False)
def example(digest: str, _study: Study) -> tuple[str, str]:  # noqa: ARG001
    """Two frequent concepts a few steps apart, to begin with; "" where the study has none in its graph."""
    graph = _study.graph
    assert graph is not None, "asked for studies with a graph only"
    images = used(_study)
    known = [c for c in sorted(images, key=lambda c: (-images[c], c)) if graph.index(c) >= 0 and images[c]]
    for k, one in enumerate(known[:FREQUENT]):
        for other in known[:k]:
            steps = distance(graph, other, one)
            if steps is not None and 2 <= steps <= 4:
                return other, one
    return (known[0], known[-1]) if known else ("", "")


# --------------------------------------------------------------------------- pickers


def pick(context: Context, label: str, key: str, default: str) -> str:
    """A concept by name or CUI: a text to search with, and its best matches to choose from; "" for none.

    An address may hold a name instead of a CUI: its best match is meant.
    """
    study = context.study
    cui = str(state.carry(key, default, partial(_meant, study)))
    text_key = f"{key}_text"
    typed = st.text_input(
        f"{label}: name or CUI", key=text_key, icon=":material/search:", max_chars=200,
        placeholder="Type a finding, for example pneumonia", on_change=_searched, args=(study, key, text_key),
    )  # fmt: skip
    text = str(typed or "")
    found = {one.cui: one for one in _matches(study.digest, text, study)} if text.strip() else {}
    options = list(dict.fromkeys([*found, *([cui] if cui else [])]))
    st.selectbox(
        f"{label}: best matches" if found else f"{label}: chosen", options, key=state.seed(key, cui or None),
        format_func=partial(_shown, study, found), on_change=_chosen, args=(key,),
        placeholder="Nothing chosen yet", label_visibility="collapsed",
    )  # fmt: skip
    if text.strip() and not found:
        st.caption(
            f":orange[Nothing here is called “{md_escape(text, limit=60)}”, or nearly so.] Try another name."
        )
    return cui


def _meant(study: Study, told: list[str]) -> str | None:
    if is_known(study, told[-1]):
        return told[-1]
    found = _matches(study.digest, told[-1], study)
    return found[0].cui if found else None


def _searched(study: Study, key: str, text_key: str) -> None:
    """Callback: what the text means becomes the choice; nothing changes when it means nothing."""
    found = _matches(study.digest, str(st.session_state[text_key]), study)
    if found:
        state.set_value(key, found[0].cui)


def _chosen(key: str) -> None:
    if st.session_state[key]:
        state.take_widget(key)


def set_concept(key: str, cui: str) -> None:
    """Callback: put a concept into a picker; what was typed there is out of date."""
    st.session_state[f"{key}_text"] = ""
    state.set_value(key, cui)


def _shown(study: Study, found: dict[str, FoundConcept], cui: str) -> str:
    """`Lung · C0024109 · 24 images`, and under which other name it was found."""
    name = study.names.get(cui)
    images = used(study).get(cui, 0)
    parts = [plain(name, limit=60), cui] if name else [cui]
    one = found.get(cui)
    if one and one.name and one.name != one.preferred:
        parts.append(f"“{plain(one.name, limit=40)}”")
    parts.append(things(images, "image") if images else "not in the images")
    if study.graph is not None and study.graph.index(cui) < 0:
        parts.append("not in the graph")
    return " · ".join(parts)


def named(study: Study, cui: str, *, technical: bool = False) -> str:
    """A concept's name in bold, ready for Markdown; with its CUI in the technical reading."""
    name = study.names.get(cui)
    if name is None:
        return f"**{md_escape(cui)}**"
    return f"**{md_escape(name)}**" + (f" ({md_escape(cui)})" if technical else "")


# --------------------------------------------------------------------------- clicks


def pressed(key: str) -> list[Any]:
    """What the marks pressed in a figure carry, as the figure was given it."""
    chosen = st.session_state.get(key)
    points = chosen["selection"]["points"] if chosen else []
    told = [point.get("customdata") for point in points]
    return [one for one in told if one]


def on_press(key: str, act: Callable[[Any], None]) -> Callable[[], None]:
    """A callback for a figure: do something with what the first pressed mark carries."""

    def changed() -> None:
        for told in pressed(key)[:1]:
            single = isinstance(told, (list, tuple)) and len(told) == 1
            act(told[0] if single else told)

    return changed
