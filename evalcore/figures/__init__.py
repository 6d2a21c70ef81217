"""Values to plotly figures: no streamlit, no files, no computation beyond layout.

Five families and the graph draw every figure: `rows`, `matrix`, `lines`, `bars`, `clouds`, `graph`. A figure
function says what is drawn, in which words, and what a click carries; the family knows phones, dark pages and
print. It returns a `Drawn`: plotly's figure, its take-away in a sentence and how to read it. Most need a
``theme``: LIGHT, DARK or PAPER.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.values.lazy import lazy

if TYPE_CHECKING:
    from evalcore.figures.curves import alpha_lines, leader_map, metric_curves
    from evalcore.figures.explain import contribution_bars, match_matrix
    from evalcore.figures.frame import Drawn
    from evalcore.figures.maps import overlap_matrix, pair_matrix, slice_map
    from evalcore.figures.printed import PAPER
    from evalcore.figures.queries import query_map
    from evalcore.figures.systems import difference_dots, leaderboard_dots, slice_forest
    from evalcore.figures.theme import DARK, LIGHT, Theme
    from evalcore.figures.two_systems import delta_bars, score_scatter

_HOME = {
    "evalcore.figures.curves": ("alpha_lines", "leader_map", "metric_curves"),
    "evalcore.figures.explain": ("contribution_bars", "match_matrix"),
    "evalcore.figures.frame": ("Drawn",),
    "evalcore.figures.maps": ("overlap_matrix", "pair_matrix", "slice_map"),
    "evalcore.figures.printed": ("PAPER",),
    "evalcore.figures.queries": ("query_map",),
    "evalcore.figures.systems": ("difference_dots", "leaderboard_dots", "slice_forest"),
    "evalcore.figures.theme": ("DARK", "LIGHT", "Theme"),
    "evalcore.figures.two_systems": ("delta_bars", "score_scatter"),
}
__all__ = [
    "DARK",
    "LIGHT",
    "PAPER",
    "Drawn",
    "Theme",
    "alpha_lines",
    "contribution_bars",
    "delta_bars",
    "difference_dots",
    "leader_map",
    "leaderboard_dots",
    "match_matrix",
    "metric_curves",
    "overlap_matrix",
    "pair_matrix",
    "query_map",
    "score_scatter",
    "slice_forest",
    "slice_map",
]

__getattr__ = lazy(__name__, _HOME)
"""On first use: plotly takes a third of a second."""
