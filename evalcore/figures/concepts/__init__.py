"""What lies around a concept, how far concepts are apart, and which links are in use in a study."""

from evalcore.figures.concepts.around import neighbourhood_tree
from evalcore.figures.concepts.histogram import distance_bars
from evalcore.figures.concepts.kinds import kind_shares, results_by_kind
from evalcore.figures.concepts.links_at_work import working_pair_bars
from evalcore.figures.concepts.map import distance_map
from evalcore.figures.concepts.routes import routes_figure

__all__ = [
    "distance_bars", "distance_map", "kind_shares", "neighbourhood_tree", "results_by_kind", "routes_figure",
    "working_pair_bars",
]  # fmt: skip
