"""Which measure to trust: agreement of relevance measures, ranking of systems, power to separate them."""

from evalcore.figures.measures.cloud import measure_cloud
from evalcore.figures.measures.matrix import agreement_matrix
from evalcore.figures.measures.power import power_bars, significance_curves
from evalcore.figures.measures.ratings import RatedRow, rated_concepts
from evalcore.figures.measures.slopes import rank_slopes

__all__ = [
    "RatedRow", "agreement_matrix", "measure_cloud", "power_bars", "rank_slopes", "rated_concepts",
    "significance_curves",
]  # fmt: skip
