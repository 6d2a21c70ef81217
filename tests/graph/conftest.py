"""The open graph beside the project, read and built once."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx as nx
import pytest

from evalcore.graph import ConceptGraph
from tests.graph.links import graph_of


@pytest.fixture(scope="session")
def real_edges(real_dir: Path) -> list[dict[str, str]]:
    with (real_dir / "kg/edges.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def real_graph(real_edges: list[dict[str, str]]) -> tuple[ConceptGraph, nx.Graph]:
    """Ours, and that of networkx."""
    edges = [(row["child_cui"], row["parent_cui"]) for row in real_edges]
    return graph_of(edges), nx.Graph(edges)
