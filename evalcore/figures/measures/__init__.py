"""Which yardstick to trust: agreement of relevance measures, places of systems, power to tell them apart."""

from evalcore.figures.measures.cloud import measure_cloud, measure_cloud_alt
from evalcore.figures.measures.matrix import agreement_matrix, agreement_matrix_alt
from evalcore.figures.measures.power import (
    power_bars,
    power_bars_alt,
    significance_curves,
    significance_curves_alt,
)
from evalcore.figures.measures.slopes import rank_slopes, rank_slopes_alt

__all__ = [
    "agreement_matrix", "agreement_matrix_alt", "measure_cloud", "measure_cloud_alt", "power_bars",
    "power_bars_alt", "rank_slopes", "rank_slopes_alt", "significance_curves", "significance_curves_alt",
]  # fmt: skip
