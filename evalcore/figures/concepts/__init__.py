"""What lies around a concept, how far concepts are apart, and which links are at work in a study."""

from evalcore.figures.concepts.around import neighbourhood_tree, neighbourhood_tree_alt
from evalcore.figures.concepts.histogram import distance_bars, distance_bars_alt
from evalcore.figures.concepts.links_at_work import working_pair_bars, working_pair_bars_alt
from evalcore.figures.concepts.map import distance_map, distance_map_alt
from evalcore.figures.concepts.routes import routes_alt, routes_figure

__all__ = [
    "distance_bars",
    "distance_bars_alt",
    "distance_map",
    "distance_map_alt",
    "neighbourhood_tree",
    "neighbourhood_tree_alt",
    "routes_alt",
    "routes_figure",
    "working_pair_bars",
    "working_pair_bars_alt",
]
