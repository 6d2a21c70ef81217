"""What lies around a concept, how far concepts are apart, and which links are in use in a study."""

from evalcore.figures.concepts.around import distance_map, neighbourhood_tree
from evalcore.figures.concepts.kinds import distance_bars, kind_shares, results_by_kind
from evalcore.figures.concepts.routes import routes_figure

__all__ = [
    "distance_bars",
    "distance_map",
    "kind_shares",
    "neighbourhood_tree",
    "results_by_kind",
    "routes_figure",
]
