"""Figures on machine-generated images: scores, features, sensitivity, copies, distances."""

from evalcore.features.synthetic.figures.distances import distance_rows
from evalcore.features.synthetic.figures.features import presence_map, tolerance_rows
from evalcore.features.synthetic.figures.likeness import likeness_square, nearest_cloud, pair_lines
from evalcore.features.synthetic.figures.scores import score_rows
from evalcore.features.synthetic.figures.settings import dropped_bars, settings_map

__all__ = [
    "distance_rows", "dropped_bars", "likeness_square", "nearest_cloud", "pair_lines", "presence_map",
    "score_rows", "settings_map", "tolerance_rows",
]  # fmt: skip
