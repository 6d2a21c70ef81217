"""What people say: measures held against readers."""

from evalcore.features.review.figures.readers import MeasureRow, measures_against_readers

__all__ = ["MeasureRow", "measures_against_readers"]
