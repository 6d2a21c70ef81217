"""What readers say of labels and links where a page shows them; a feature may take their verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore import extensions
from evalcore.graph import ConceptGraph, Step
from evalcore.ui.frame.context import Context


class Verdicts:
    """The verdicts of a study on one page; a feature may put its own class in the place of this mute one."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def invite(self) -> None:
        """Who judges here, or the form that asks for the reader's code; why the last verdict failed."""

    def labels(self, image: int, *, key: str) -> None:
        """What readers say of the labels of an image, and the way to judge them."""

    def links(self, along: Sequence[Step], *, key: str) -> None:
        """The question about each link of a path, and its votes."""

    def leave_out(self) -> None:
        """The way to the study without the links rejected by readers, where there are any."""

    def senseless(self, graph: ConceptGraph) -> list[str]:
        """The links judged senseless that the graph has, as addresses name them."""
        del graph
        return []


def verdicts(context: Context) -> Verdicts:
    """The verdicts of the open study."""
    made: type[Verdicts] = extensions.addition("verdicts") or Verdicts
    return made(context)
