"""Why does a result count as relevant: which concepts match, and what each match adds to the score."""

from evalcore.figures.explain.contributions import contribution_bars, contribution_bars_alt
from evalcore.figures.explain.matrix import match_matrix, match_matrix_alt

__all__ = ["contribution_bars", "contribution_bars_alt", "match_matrix", "match_matrix_alt"]
