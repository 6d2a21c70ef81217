"""Random edges, and those of the open graph beside the project."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from evalcore.graph import ConceptGraph, build_graph


@pytest.fixture(scope="session")
def real_edges(real_dir: Path) -> list[dict[str, str]]:
    with (real_dir / "kg/edges.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


NODES = [f"n{k:02d}" for k in range(14)]


def edges_of(seed: int) -> list[tuple[str, str]]:
    """Up to 24 edges, loops and repeated ones among them."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, len(NODES), (rng.integers(1, 25), 2)).tolist()
    return [(NODES[a], NODES[b]) for a, b in ends]


EDGES = st.integers(0, 2**32 - 1).map(edges_of)
DIRECTIONS = st.sampled_from(["undirected", "directed"])


def graph_of(edges: list[tuple[str, str]]) -> ConceptGraph:
    return build_graph([child for child, _ in edges], [parent for _, parent in edges])[0]
