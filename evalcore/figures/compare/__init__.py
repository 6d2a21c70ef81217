"""Where do two systems differ, query by query: sorted bars, a scatter, and who is better how often."""

from evalcore.figures.compare.deltas import delta_bars, delta_bars_alt
from evalcore.figures.compare.scatter import score_scatter, score_scatter_alt
from evalcore.figures.compare.wins import win_tie_loss, win_tie_loss_alt

__all__ = [
    "delta_bars",
    "delta_bars_alt",
    "score_scatter",
    "score_scatter_alt",
    "win_tie_loss",
    "win_tie_loss_alt",
]
