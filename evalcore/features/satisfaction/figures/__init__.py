"""Satisfied users: which measure agrees with them, and what varying relevance has to do with it."""

from evalcore.features.satisfaction.figures.agreement import Pair, paired_agreement
from evalcore.features.satisfaction.figures.spread import satisfaction_by_spread

__all__ = ["Pair", "paired_agreement", "satisfaction_by_spread"]
