"""The concept graph: its arrays, cycles and odd edges against networkx; the real graph."""

import csv
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from evalcore.graph import ConceptGraph, build_graph
from evalcore.graph.structure import parts_in_cycles

NAMES = st.sampled_from(["C0000001", "C0000002", "C0000003", "C0000004", "ä", "CL:0000001", ""])
EDGES = st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["", "MESH", "UBERON isa"])), max_size=25)


def columns(edges: list[tuple[str, str, str]]) -> tuple[list[str], list[str], list[str]]:
    return [e[0] for e in edges], [e[1] for e in edges], [e[2] for e in edges]


def rows(graph: ConceptGraph, indptr: NDArray, indices: NDArray) -> dict[str, list[str]]:
    return {
        cui: [graph.cuis[k] for k in indices[indptr[i] : indptr[i + 1]]] for i, cui in enumerate(graph.cuis)
    }


@given(EDGES, st.randoms())
def test_the_arrays_equal_the_edges(edges: list[tuple[str, str, str]], chance: object) -> None:
    graph, facts = build_graph(*columns(edges))
    oracle = nx.DiGraph((child, parent) for child, parent, _ in edges)
    assert graph.cuis == tuple(sorted(oracle))
    loops = sum(child == parent for child, parent, _ in edges)
    oracle.remove_edges_from(list(nx.selfloop_edges(oracle)))
    assert rows(graph, *graph.up) == {n: sorted(oracle.succ[n]) for n in oracle}
    assert rows(graph, *graph.down) == {n: sorted(oracle.pred[n]) for n in oracle}
    both = oracle.to_undirected()
    assert rows(graph, *graph.both) == {n: sorted(both[n]) for n in both}
    for child, parent in oracle.edges:
        words = {label for c, p, label in edges if (c, p) == (child, parent)} - {""}
        assert graph.label(graph.index(child), graph.index(parent)) == "; ".join(sorted(words))
    proper = [edge for edge in edges if edge[0] != edge[1]]
    assert (facts.n_self_loops, facts.n_duplicates) == (loops, len(proper) - len(set(proper)))
    assert (graph.n_edges, graph.index("head")) == (oracle.number_of_edges(), -1)
    cyclic = {tuple(sorted(group)) for group in nx.strongly_connected_components(oracle) if len(group) > 1}
    assert set(facts.cyclic) == cyclic and len(facts.cyclic) == len(cyclic)
    of_part = parts_in_cycles(graph)
    assert all(of_part[graph.index(cui)] == graph.index(min(group)) for group in cyclic for cui in group)
    shuffled = list(edges)
    chance.shuffle(shuffled)
    assert build_graph(*columns(shuffled))[0].digest == graph.digest


def test_lists_numpy_and_arrow_give_the_same_graph() -> None:
    child, parent = ["C0000002", "C0000003"], ["C0000001", "C0000001"]
    forms = (list, tuple, np.array, pa.array, lambda x: np.array(x, object), lambda x: pa.array(["", *x])[1:])
    digests = {build_graph(make(child), make(parent))[0].digest for make in forms}
    assert len(digests) == 1
    assert build_graph(child, ["C0000001", "C0000002"])[0].digest not in digests


def test_the_real_graph_has_its_published_sizes_and_cycles(real_dir: Path, real_edges) -> None:
    edges = [(row["child_cui"], row["parent_cui"], row["source"]) for row in real_edges]
    graph, facts = build_graph(*columns(edges))
    assert (len(edges), graph.n_nodes, graph.n_edges) == (67_394, 27_295, 54_688)
    with (real_dir / "kg/cycles.csv").open(encoding="utf-8", newline="") as file:
        stated: dict[str, set[str]] = {}
        for row in csv.DictReader(file):
            stated.setdefault(row["component"], set()).add(row["cui"])
    assert {frozenset(group) for group in facts.cyclic} == {frozenset(group) for group in stated.values()}
    assert len(facts.cyclic) == 18


def test_a_cycle_of_many_concepts_with_a_way_in_and_a_way_out() -> None:
    n = 5_000  # more than Python calls may be nested
    circle = [(f"n{k:04d}", f"n{(k + 1) % n:04d}", "") for k in range(n)]
    graph, facts = build_graph(*columns([*circle, ("below", "n0000", ""), ("n0007", "top", "")]))
    assert [len(group) for group in facts.cyclic] == [n]
    assert len(np.unique(parts_in_cycles(graph))) == 3
