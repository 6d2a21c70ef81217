"""Where do two systems differ: query by query, slice by slice, and who is better how often."""

from evalcore.figures.compare.forest import slice_forest, slice_map
from evalcore.figures.compare.scatter import delta_bars, score_scatter, win_tie_loss

__all__ = ["delta_bars", "score_scatter", "slice_forest", "slice_map", "win_tie_loss"]
