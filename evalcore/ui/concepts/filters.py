"""Which links may a path use: of which sources and relations, and in which direction?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.graph.links import kinds_of, only_links
from evalcore.ui.components import select
from evalcore.ui.concepts import keys
from evalcore.ui.frame import cache

if TYPE_CHECKING:
    from evalcore.graph import ConceptGraph
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.state import Key
    from evalcore.values.settings import Direction

EITHER, STRAIGHT = "either", "straight"
UNNAMED = "-"
"""In the address."""


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The part of the graph that paths may use."""

    graph: ConceptGraph
    direction: Direction
    filtered: bool


def choose(context: Context, graph: ConceptGraph) -> Links:
    """Sources, relations and direction, in a drawer of their own: most readers leave them alone."""
    kinds = kinds_of(graph)
    with st.popover("Filter links", icon=":material/filter_alt:"):
        st.caption("The terminology combines several sources. Leave a box empty to use all of them.")
        sources = _some("Sources", keys.SOURCES, sorted({kind.source for kind in kinds}))
        relations = _some("Relations", keys.RELATIONS, sorted({kind.relation for kind in kinds}))
        straight = select.switch(
            "Only straight up or down", keep=keys.WAY, on=STRAIGHT, off=EITHER,
            first=context.choice.settings.direction == "directed",
            help="One concept must be a kind of the other. Otherwise a path may go up to a more general "
            "concept that both share and down again.",
        )  # fmt: skip
    links = graph
    if sources or relations:
        links = cache.share(
            ("only links", graph.digest, sources, relations),
            lambda: only_links(graph, sources=sources, relations=relations),
        )
    return Links(links, "directed" if straight else "undirected", links is not graph or straight)


def _some(label: str, key: Key, offered: list[str]) -> tuple[str, ...] | None:
    """Some of these names; None for all."""
    names = {name or UNNAMED: name or "(none named)" for name in offered}
    chosen = select.some(label, names, keep=key, first=(), placeholder="All")
    return tuple("" if one == UNNAMED else one for one in chosen) or None
