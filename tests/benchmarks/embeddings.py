"""Cosine top 100 over all embeddings of a system, against faiss' exact index (T4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import numpy as np

from evalcore import engine
from evalcore.values.arrays import digest_of, readonly
from evalcore.values.model import Embeddings, Run, Study
from evalcore.values.settings import Settings
from tests.benchmarks.measuring import Row, compare
from tests.benchmarks.studies import synthetic

DEPTH, WIDTH = 100, 512


def rows(n: int) -> Iterator[Row]:
    import faiss

    task, peer = f"cosine top {DEPTH} of {n:,} x {WIDTH} float32", "faiss IndexFlatIP"

    def theirs() -> object:
        units = vectors(n).copy()
        faiss.normalize_L2(units)
        index = faiss.IndexFlatIP(WIDTH)
        index.add(units)
        return index.search(units, DEPTH + 1)

    _, neighbours = theirs()
    same = [np.isin(ranked(n).answer(q)[0], neighbours[q]).mean() for q in range(0, n, max(n // 20, 1))]
    assert np.mean(same) > 0.999, "the same lists, but for rounding in float32"
    note = "CUIscope decides by float64 sums"
    yield compare(task, peer, lambda: ranked(n), theirs, goal=1.1, rounds=3, note=note)


@cache
def vectors(n: int) -> np.ndarray:
    return np.random.default_rng(11).standard_normal((n, WIDTH), np.float32)


@cache
def studied(n: int) -> Study:
    study = synthetic(n)
    system = Embeddings("net", study.queries, study.queries, readonly(vectors(n)), digest_of(n))
    return replace(study, embeddings=MappingProxyType({"net": system}))


def ranked(n: int) -> Run:
    study = studied(n)
    (run,) = engine.rank(
        study, "cosine:net", study.queries, candidates=study.candidates, depth=DEPTH, settings=[Settings()]
    )
    return run
