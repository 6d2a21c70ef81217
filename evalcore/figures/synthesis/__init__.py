"""Figures on machine-generated images: scores, features, sensitivity, copies, distances."""

from evalcore.figures.synthesis.distances import distance_rows
from evalcore.figures.synthesis.features import presence_map, tolerance_rows
from evalcore.figures.synthesis.likeness import likeness_square, nearest_cloud, pair_lines
from evalcore.figures.synthesis.scores import score_rows
from evalcore.figures.synthesis.settings import dropped_bars, settings_map

__all__ = [
    "distance_rows", "dropped_bars", "likeness_square", "nearest_cloud", "pair_lines", "presence_map",
    "score_rows", "settings_map", "tolerance_rows",
]  # fmt: skip
