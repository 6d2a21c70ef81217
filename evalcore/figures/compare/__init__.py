"""Where do two systems differ, query by query: sorted bars, a scatter, and who is better how often."""

from evalcore.figures.compare.deltas import delta_bars
from evalcore.figures.compare.scatter import score_scatter
from evalcore.figures.compare.wins import win_tie_loss

__all__ = [
    "delta_bars",
    "score_scatter",
    "win_tie_loss",
]
