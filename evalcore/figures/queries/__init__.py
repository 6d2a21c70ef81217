"""Figures of the page Queries."""

from evalcore.figures.queries.heat import COLUMNS, query_map

__all__ = ["COLUMNS", "query_map"]
