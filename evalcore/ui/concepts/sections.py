"""The views of the Concepts page, and the way to one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.ui.components import messages, select
from evalcore.ui.concepts import around, distances, effect, keys, path

if TYPE_CHECKING:
    from evalcore.ui.frame.context import Context

VIEWS = {
    keys.PATH: ("Path", path.show),
    keys.AROUND: ("Around a concept", around.show),
    keys.DISTANCES: ("Distances", distances.show),
    keys.EFFECT: ("Effect of the terminology", effect.show),
}
"""{as the address names it: as the screen does, and what draws it}."""


def show(context: Context) -> None:
    """The view that is selected; without a graph, what this page would show and the way there."""
    graph = context.study.graph
    if graph is None:
        messages.empty(
            "Paths between concepts.", "This study has no concept graph, so nothing connects its concepts. "
            "Add a file of links (child, parent) on the Data page.",
            label="Add a graph", key="no-graph",
        )  # fmt: skip
        return
    called = {view: words for view, (words, _) in VIEWS.items()}
    view = select.segments("View", called, keep=keys.VIEW, label_visibility="collapsed")
    VIEWS[view][1](context, graph)
