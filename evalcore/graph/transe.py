"""Vectors of concepts from a graph by TransE: a link of a relation r leads from h to t where h + r is near t.

    loss = sum over links and a corrupted copy of each of  max(0, margin + |h + r - t|² - |h' + r - t'|²)

Bordes et al. 2013, "Translating Embeddings for Modeling Multi-relational Data". Relations are the labels of
the links (MeSH, UBERON isa, ...), each leading from child to parent. Stochastic gradient descent in numpy:
the same seed gives the same vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.values.arrays import Floats, Offsets
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from evalcore.graph.structure import ConceptGraph
    from evalcore.values.progress import Progress

EPOCHS, BATCH = 200, 512
RATE, MARGIN = 0.05, 1.0


def transe_vectors(
    graph: ConceptGraph,
    *,
    dim: int = 64,
    seed: int = 0,
    epochs: int = EPOCHS,
    progress: Progress | None = None,
) -> tuple[tuple[str, ...], npt.NDArray[np.float32]]:
    """Concepts of a graph that have links, ascending, and their vectors, shape (n, dim), of length 1.

    Raises
    ------
    InputError
        The graph has fewer linked concepts than dimensions.
    """
    linked = np.flatnonzero(np.diff(graph.indptr))
    if not 1 <= dim <= len(linked):
        raise InputError(
            f"Vectors of {dim} numbers need a graph with at least as many linked concepts; this one has "
            f"{len(linked):,}. Ask for fewer dimensions."
        )
    place = np.zeros(len(graph.cuis), np.int64)
    place[linked] = np.arange(len(linked))
    heads = place[np.repeat(np.arange(len(graph.cuis)), np.diff(graph.up_indptr))]
    tails, relations = place[graph.up_indices], np.asarray(graph.up_labels, np.int64)
    rng = np.random.default_rng(seed)
    ends = 6 / np.sqrt(dim)
    of_concepts = rng.uniform(-ends, ends, (len(linked), dim))
    of_relations = rng.uniform(-ends, ends, (int(relations.max(initial=0)) + 1, dim))
    of_relations /= np.linalg.norm(of_relations, axis=1, keepdims=True)
    for epoch in range(epochs):
        of_concepts /= np.linalg.norm(of_concepts, axis=1, keepdims=True)
        order = rng.permutation(len(heads))
        for first in range(0, len(order), BATCH):
            links = order[first : first + BATCH]
            other = rng.integers(0, len(linked), len(links))
            swap = rng.random(len(links)) < 0.5
            batch = (heads[links], relations[links], tails[links])
            wrong = (np.where(swap, other, batch[0]), np.where(swap, batch[2], other))
            step(of_concepts, of_relations, batch, wrong, rate=RATE, margin=MARGIN)
        if progress is not None:
            progress((epoch + 1) / epochs, "learning vectors")
    of_concepts /= np.linalg.norm(of_concepts, axis=1, keepdims=True)
    return tuple(graph.cuis[node] for node in linked), np.ascontiguousarray(of_concepts, np.float32)


def step(
    concepts: Floats,
    relations: Floats,
    links: tuple[Offsets, Offsets, Offsets],
    wrong: tuple[Offsets, Offsets],
    *,
    rate: float,
    margin: float,
) -> float:
    """Move vectors, shape (n, dim) each, by one step down the gradient of the loss; the loss before it.

    ``links``: head, relation and tail of each link, shape (m,) each. ``wrong``: head and tail of its
    corrupted copy.
    """
    h, r, t = links
    true = concepts[h] + relations[r] - concepts[t]
    false = concepts[wrong[0]] + relations[r] - concepts[wrong[1]]
    loss = margin + (true * true).sum(axis=1) - (false * false).sum(axis=1)
    # Links that are far enough below their copies have no gradient.
    on = (loss > 0)[:, np.newaxis]
    true, false = 2 * rate * np.where(on, true, 0.0), 2 * rate * np.where(on, false, 0.0)
    for table, rows, moved in (
        (concepts, h, -true),
        (concepts, t, true),
        (concepts, wrong[0], false),
        (concepts, wrong[1], -false),
        (relations, r, false - true),
    ):
        np.add.at(table, rows, moved)
    return float(np.maximum(loss, 0).sum())
