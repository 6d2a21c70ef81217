"""All pairs of images by nn-IoU: the top 100 per query, the sweep, and how both grow (T2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import sparse

from evalcore import engine, score
from evalcore.engine import interface, space
from evalcore.evaluate.summary import summarise
from evalcore.values.model import Run, Study
from evalcore.values.settings import Settings
from tests.benchmarks.measuring import Cost, Row, compare, cost_of, median
from tests.benchmarks.studies import synthetic
from tests.measured import sweep

DEPTH, QUERIES_BY_HAND = 100, 20
ALPHAS, THRESHOLDS = tuple(k / 10 for k in range(11)), (0, 1, 2)


def rows(n: int, large: int) -> Iterator[Row]:
    study = synthetic(n)
    yield compare(
        f"top {DEPTH} of {n:,} x {n:,}, default count rule",
        "Python sets and a dictionary",
        lambda: top(study),
        lambda: by_hand(study),
        goal=1 / 500,
        their_rounds=1,
        times=n / QUERIES_BY_HAND,
        note=f"peer extrapolated from {QUERIES_BY_HAND} queries",
    )
    full = Settings(count_rule="concepts_full")
    yield compare(
        f"top {DEPTH} of {n:,} x {n:,}",
        "scipy sparse products, dense blocks",
        lambda: top(study, full),
        lambda: by_products(study),
        goal=0.4,
        note="count rule concepts_full, which products can express; same answers",
    )
    yield sweep_row(study)
    yield growth_row(study, large)


def top(study: Study, settings: Settings = Settings()) -> Run:
    """What is measured: neighbours and rankings from the open study."""
    space.forget()
    (run,) = engine.rank(
        study, "nn-iou", study.queries, candidates=study.candidates, depth=DEPTH, settings=[settings]
    )
    return run


def by_hand(study: Study, n_queries: int = QUERIES_BY_HAND) -> list[list[tuple[float, int]]]:
    """The paper's way: for each pair two sets, and a dictionary of neighbours (default count rule)."""
    near = engine.neighbours_of(study, threshold=1, direction="undirected")
    neighbours = {i: set(near.of_concept(i)[0].tolist()) for i in range(len(near.vocabulary))}
    sets = [set(study.concepts.row(i).tolist()) for i in range(len(study.concepts))]
    lists = []
    for query in np.linspace(0, len(sets) - 1, n_queries).astype(int).tolist():
        values = []
        for candidate, other in enumerate(sets):
            if candidate != query:
                a, b = sets[query] - other, other - sets[query]
                matched = sum(not neighbours[c].isdisjoint(b) for c in a)
                matched += sum(not neighbours[c].isdisjoint(a) for c in b)
                union = len(sets[query] | other)
                shared = len(sets[query] & other)
                values.append(((shared + 0.5 * matched) / union if union else 0.0, -candidate))
        lists.append(sorted(values, reverse=True)[:DEPTH])
    return lists


def by_products(study: Study, block: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Sparse products: |A∩B|, and per side the concepts outside a set that are near to one in it."""
    near = engine.neighbours_of(study, threshold=1, direction="undirected")
    n, n_words = len(study.concepts), len(near.vocabulary)
    presence = np.ones(len(study.concepts.indices), np.float32)
    held = sparse.csr_array((presence, study.concepts.indices, study.concepts.indptr), shape=(n, n_words))
    links = sparse.csr_array(
        (np.ones(len(near.indices), np.float32), near.indices, near.indptr), shape=(n_words, n_words)
    )
    reached = ((held @ links) > 0).astype(np.float32)
    outside = (reached - reached.multiply(held)).tocsr()
    sizes = study.concepts.sizes.astype(np.float32)
    held_t, outside_t = held.T.tocsr(), outside.T.tocsr()
    best, values = np.empty((n, DEPTH), np.int32), np.empty((n, DEPTH), np.float32)
    for first in range(0, n, block):
        rows = slice(first, min(first + block, n))
        shared = (held[rows] @ held_t).toarray()
        matched = (held[rows] @ outside_t + outside[rows] @ held_t).toarray()
        union = sizes[rows, None] + sizes - shared
        value = np.divide(shared + 0.5 * matched, union, out=np.zeros_like(shared), where=union > 0)
        value[np.arange(len(value)), np.arange(rows.start, rows.stop)] = -1
        chosen = np.argpartition(-value, DEPTH, axis=1)[:, :DEPTH]
        chosen.sort(axis=1)
        order = np.argsort(-np.take_along_axis(value, chosen, 1), axis=1, kind="stable")
        best[rows] = np.take_along_axis(chosen, order, 1)
        values[rows] = np.take_along_axis(value, best[rows], 1)
    return best, values


def sweep_row(study: Study) -> Row:
    """33 settings at once against one by one: scores with intervals of a system with a run of 100 results."""
    (run,) = engine.rank(
        study, "iou", study.queries, candidates=study.candidates, depth=DEPTH, settings=[Settings()]
    )
    studied = replace(study, runs={"run": run})

    def at_once() -> object:
        interface.forget()
        return sweep(studied, alphas=ALPHAS, thresholds=THRESHOLDS, metrics=["nnCUI@10"], systems=["run"])

    def one_by_one() -> object:
        for threshold in THRESHOLDS:
            for alpha in ALPHAS:
                interface.forget()
                settings = Settings(alpha=alpha, threshold=threshold)
                (scores,) = score(studied, metrics=["nnCUI@10"], systems=["run"], settings=settings)
                summarise(scores)

    n = len(study.concepts)
    return compare(
        f"nn-CUI@10 under 33 settings, {n:,} queries",
        "33 single passes",
        at_once,
        one_by_one,
        goal=0.15,
        rounds=3,
        their_rounds=1,
    )


def growth_row(study: Study, large: int) -> Row:
    """Six times the images should cost 36 times as much, not more."""
    n, other = len(study.concepts), synthetic(large)
    small: list[Cost] = []
    big: list[Cost] = []
    for _ in range(3):
        small.append(cost_of(lambda: top(study)))
        big.append(cost_of(lambda: top(other)))
    times = (large / n) ** 2
    return Row(
        f"top {DEPTH} of {large:,} x {large:,}",
        f"{times:.0f} x the same at {n:,}",
        median(big),
        median(small) * times,
        1.3,
    )
