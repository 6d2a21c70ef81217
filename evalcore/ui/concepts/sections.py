"""The views of the Concepts page, and the way to one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.ui.components import messages, select
from evalcore.ui.concepts import around, distances, effect, images, keys, path

if TYPE_CHECKING:
    from evalcore.ui.frame.context import Context

VIEWS = {
    keys.PATH: "Path",
    keys.AROUND: "Around a concept",
    keys.DISTANCES: "Distances",
    keys.EFFECT: "Effect of the terminology",
}
"""{as the address names it: as the screen does}."""


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
    view = select.segments(
        "View", tuple(VIEWS), keep=keys.VIEW, first=keys.PATH, shown=VIEWS.__getitem__,
        label_visibility="collapsed",
    )  # fmt: skip
    if view == keys.PATH:
        path.show(context, graph)
    elif view == keys.AROUND:
        around.show(context, graph)
    elif view == keys.DISTANCES:
        distances.show(context, graph)
        images.show(context, graph)
    else:
        effect.show(context, graph)
