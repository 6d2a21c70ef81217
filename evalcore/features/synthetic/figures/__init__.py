"""Figures on machine-generated images: scores, features, sensitivity, copies, distances."""

from evalcore.features.synthetic.figures.likeness import (
    distance_rows,
    likeness_square,
    nearest_cloud,
    pair_lines,
)
from evalcore.features.synthetic.figures.scores import (
    dropped_bars,
    presence_map,
    score_rows,
    settings_map,
    tolerance_rows,
)

__all__ = [
    "distance_rows",
    "dropped_bars",
    "likeness_square",
    "nearest_cloud",
    "pair_lines",
    "presence_map",
    "score_rows",
    "settings_map",
    "tolerance_rows",
]
