"""Vectors of concepts from a graph alone: which concepts do short random walks meet together?

With A the links without regard to direction, D the degrees, P = D^-1 A and V the sum of all degrees,

    M = V / T (P + ... + P^T) D^-1        how much oftener than by chance a walk of up to T steps meets both
    M+ = ln max(M, 1),   vectors = U √S   of its largest singular values

which is what DeepWalk and node2vec (p = q = 1) approximate by sampling walks: Levy & Goldberg 2014; Qiu et
al. 2018, doi:10.1145/3159652.3159706. Nothing is sampled here but the start of the subspace iteration, from
a seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError, SettingError

if TYPE_CHECKING:
    from evalcore.graph.structure import ConceptGraph

MOST_MEETINGS = 60_000_000
"""Pairs of concepts that walks may meet, at most: they take some 16 bytes each, a few times over."""
ITERATIONS = 8
MORE = 10
"""Singular vectors that are found beside those wanted, so that the last wanted ones are right too."""


def graph_vectors(
    graph: ConceptGraph, *, dim: int = 64, window: int = 2, seed: int = 0
) -> tuple[tuple[str, ...], npt.NDArray[np.float32]]:
    """Concepts of a graph that have links, ascending, and their vectors, shape (n, dim).

    Parameters
    ----------
    dim
        Length of the vectors, at least 1; no more than concepts with links.
    window
        Steps of a walk that are looked at, 1 to 3.

    Raises
    ------
    InputError
        The graph is too large for walks of so many steps, or has fewer linked concepts than dimensions.
    """
    if not 1 <= window <= 3:
        raise SettingError("window", "1, 2 or 3", window)
    degrees = np.diff(graph.indptr)
    linked = np.flatnonzero(degrees)
    if not 1 <= dim <= len(linked):
        raise InputError(
            f"Vectors of {dim} numbers need a graph with at least as many linked concepts; this one has "
            f"{len(linked):,}. Ask for fewer dimensions."
        )
    meetings = _meetings(graph, window)
    if meetings > MOST_MEETINGS:
        raise InputError(
            f"Walks of {window} steps would meet up to {meetings:,.0f} pairs of concepts, more than "
            f"{MOST_MEETINGS:,}. Ask for a smaller window, or keep fewer links ([graph] in study.toml)."
        )
    left, values = _singular(_often(graph, linked, window), dim, seed)
    vectors = left * np.sqrt(values)
    strongest = np.abs(vectors).argmax(axis=0)
    vectors *= np.where(vectors[strongest, np.arange(dim)] < 0, -1.0, 1.0)
    kept = np.abs(vectors).max(axis=1) > 0
    cuis = tuple(graph.cuis[node] for node in linked[kept])
    return cuis, np.ascontiguousarray(vectors[kept], np.float32)


def _meetings(graph: ConceptGraph, window: int) -> float:
    """At most so many pairs are met: walks of the last step, every way counted."""
    degrees = np.diff(graph.indptr).astype(np.float64)
    ways = np.ones(graph.n_nodes)
    for _ in range(window):
        sums = np.append(0.0, np.cumsum(ways[graph.indices]))
        ways = sums[graph.indptr[1:]] - sums[graph.indptr[:-1]]
    return float(np.minimum(ways, float(len(degrees))).sum())


def _often(graph: ConceptGraph, linked: npt.NDArray[np.int64], window: int) -> Any:
    """M+ as a sparse table."""
    size = (graph.n_nodes, graph.n_nodes)
    links = sparse.csr_matrix((np.ones(len(graph.indices)), graph.indices, graph.indptr), size)
    links = links[linked][:, linked]
    degrees = np.asarray(links.sum(axis=1)).ravel()
    step = sparse.diags_array(1 / degrees) @ links
    walk, total = step, step
    for _ in range(window - 1):
        walk = walk @ step
        total = total + walk
    often = (total @ sparse.diags_array(degrees.sum() / (window * degrees))).tocsr()
    often.data = np.log(np.maximum(often.data, 1.0))
    often.eliminate_zeros()
    return often


def _singular(table: Any, dim: int, seed: int) -> tuple[Floats, Floats]:
    """The largest singular values and their left vectors, by subspace iteration (Halko et al. 2011)."""
    n = table.shape[0]
    start = np.random.default_rng(seed).standard_normal((n, min(dim + MORE, n)))
    basis = np.linalg.qr(table @ start)[0]
    for _ in range(ITERATIONS):
        basis = np.linalg.qr(table @ np.linalg.qr(table.T @ basis)[0])[0]
    left, values, _ = np.linalg.svd((table.T @ basis).T, full_matrices=False)
    return (basis @ left)[:, :dim], values[:dim]
