"""What a figure function returns: the figure, its take-away in a sentence, and how to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import plotly.graph_objects as go


class Reading(NamedTuple):
    """The line under a figure: in everyday words, and on the method."""

    plain: str
    technical: str

    def at(self, level: Literal["plain", "technical"]) -> str:
        """The line for one level of detail."""
        return self.plain if level == "plain" else self.technical


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A figure as a page shows it.

    ``alt`` is the take-away in one sentence, for those who do not see the figure; ``how_to_read`` stands
    under it. A figure without data says in its place, and in ``alt``, why there is none.
    """

    figure: go.Figure
    alt: str
    how_to_read: Reading
