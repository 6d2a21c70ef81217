"""The is_a graph of concepts: built from edges, asked for neighbours, distances and paths.

``structure`` the graph itself, ``neighbour_lists`` which concepts of a vocabulary lie close to each other,
``paths`` how far and over which concepts two of them are connected,
``distances`` how far many are from each other, ``neighbourhood`` what lies around one, ``search`` concepts
by name, ``taxonomy`` how deep and how specific.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.values.lazy import lazy

if TYPE_CHECKING:
    from evalcore.graph.neighbour_lists import Neighbours, neighbours, neighbours_of_pairs
    from evalcore.graph.paths import Paths, Step, distance, shortest_paths, steps
    from evalcore.graph.structure import ConceptGraph, GraphFacts, build_graph

__all__ = [
    "ConceptGraph",
    "GraphFacts",
    "Neighbours",
    "Paths",
    "Step",
    "build_graph",
    "distance",
    "neighbours",
    "neighbours_of_pairs",
    "shortest_paths",
    "steps",
]

_HOME = {
    "evalcore.graph.neighbour_lists": ("Neighbours", "neighbours", "neighbours_of_pairs"),
    "evalcore.graph.paths": ("Paths", "Step", "distance", "shortest_paths", "steps"),
    "evalcore.graph.structure": ("ConceptGraph", "GraphFacts", "build_graph"),
}

__getattr__ = lazy(__name__, _HOME)
