"""Which links may a path use: of which sources and relations, and in which direction?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.graph.links import kinds_of, only_links
from evalcore.ui import state
from evalcore.ui.shared import shared
from evalcore.ui.text import plain

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.settings import Direction
    from evalcore.ui.context import Context

EITHER, STRAIGHT = "either", "straight"
NOTHING_NAMED = "(none named)"


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The part of the graph that paths may use."""

    graph: ConceptGraph
    direction: Direction
    filtered: bool


def choose(context: Context, graph: ConceptGraph) -> Links:
    """Sources, relations and direction, in a drawer of their own: most readers leave them alone."""
    kinds = kinds_of(graph)
    usual = STRAIGHT if context.choice.settings.direction == "directed" else EITHER
    with st.popover("Which links", icon=":material/filter_alt:"):
        st.caption(
            "The dictionary is put together from several sources. Leave a box empty to use all of them."
        )
        sources = _some("Sources", state.SOURCES, sorted({kind.source for kind in kinds}))
        relations = _some("Relations", state.RELATIONS, sorted({kind.relation for kind in kinds}))
        way = str(state.carry(state.WAY, usual, state.one_of(EITHER, STRAIGHT)))
        st.toggle(
            "Only straight up or down", key=state.seed("way_on", way == STRAIGHT), on_change=_take_way,
            help="One finding must be a kind of the other. Else a path may go up to a common, more general "
            "finding and down again.",
        )  # fmt: skip
    links = _only(graph.digest, sources, relations, graph) if sources or relations else graph
    return Links(
        links, "directed" if way == STRAIGHT else "undirected", links is not graph or way == STRAIGHT
    )


def _take_way() -> None:
    state.set_value(state.WAY, STRAIGHT if st.session_state["way_on"] else EITHER)


def _some(label: str, key: str, offered: list[str]) -> tuple[str, ...] | None:
    """Some of these names; None for all. The address says "-" for the unnamed one."""
    shown = {name or "-": name for name in offered}
    chosen: list[str] = state.carry(key, [], state.some_of(*shown))
    st.multiselect(
        label, list(shown), key=state.seed(key, chosen), on_change=state.take_widget, args=(key,),
        format_func=lambda name: plain(shown[name]) or NOTHING_NAMED, placeholder="All",
    )  # fmt: skip
    return tuple(shown[name] for name in chosen) or None


@shared()
def _only(
    digest: str,  # noqa: ARG001
    sources: tuple[str, ...] | None,
    relations: tuple[str, ...] | None,
    _graph: ConceptGraph,
) -> ConceptGraph:
    return only_links(_graph, sources=sources, relations=relations)
