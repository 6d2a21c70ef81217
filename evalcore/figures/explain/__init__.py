"""Why does a result count as relevant: which concepts match, and what each match adds to the score."""

from evalcore.figures.explain.contributions import contribution_bars
from evalcore.figures.explain.matrix import match_matrix

__all__ = ["contribution_bars", "match_matrix"]
