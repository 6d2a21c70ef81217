"""Values to plotly figures: no streamlit, no files, no computation beyond layout.

Five families and the graph draw every figure: `rows`, `matrix`, `lines`, `bars`, `clouds`, `graph`. A figure
function says what is drawn, in which words, and what a click carries; the family knows phones, dark pages and
print. It returns a `Drawn`: plotly's figure, its take-away in a sentence and how to read it. Most need a
``theme``: LIGHT, DARK or PAPER.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcore.figures.ablation import alpha_lines, leader_map
    from evalcore.figures.clouds import score_scatter
    from evalcore.figures.curves import metric_curves, precision_recall
    from evalcore.figures.deltas import delta_bars
    from evalcore.figures.explain import contribution_bars, match_matrix
    from evalcore.figures.frame import Drawn
    from evalcore.figures.maps import overlap_matrix, pair_matrix, slice_map
    from evalcore.figures.measures import leaderboard_multiples
    from evalcore.figures.printed import PAPER
    from evalcore.figures.queries import query_map
    from evalcore.figures.systems import difference_dots, leaderboard_dots, rank_dots, slice_forest
    from evalcore.figures.theme import DARK, LIGHT, Theme

_HOME = {
    "ablation": ("alpha_lines", "leader_map"),
    "clouds": ("score_scatter",),
    "curves": ("metric_curves", "precision_recall"),
    "deltas": ("delta_bars",),
    "explain": ("contribution_bars", "match_matrix"),
    "frame": ("Drawn",),
    "measures": ("leaderboard_multiples",),
    "maps": ("overlap_matrix", "pair_matrix", "slice_map"),
    "printed": ("PAPER",),
    "queries": ("query_map",),
    "systems": ("difference_dots", "leaderboard_dots", "rank_dots", "slice_forest"),
    "theme": ("DARK", "LIGHT", "Theme"),
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
    "leaderboard_multiples",
    "match_matrix",
    "metric_curves",
    "overlap_matrix",
    "pair_matrix",
    "precision_recall",
    "query_map",
    "rank_dots",
    "score_scatter",
    "slice_forest",
    "slice_map",
]


def __getattr__(name: str) -> Any:
    """These on first use: plotly takes a third of a second."""
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"evalcore.figures.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
