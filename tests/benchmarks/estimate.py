"""What would a study of millions of images need? An estimate from the measured cost of blocks of queries.

Queries do not depend on each other, and a block's cost grows with the number of candidates: both are
measured here at two sizes, which also shows how far the growth is a straight line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from evalcore import engine
from evalcore.values.model import Study
from evalcore.values.settings import Settings
from tests.benchmarks.measuring import cost_of, median
from tests.benchmarks.studies import synthetic

DEPTH, QUERIES, ROUNDS = 100, (64, 1088), 3
RESULT_BYTES = 12
"""A place of a ranking: candidate and score."""


def lines(measured: Sequence[int], asked: Sequence[int]) -> Iterator[str]:
    """The measured costs, then the estimates from the largest size as a table."""
    yield f"Top {DEPTH} by nn-IoU, default settings, blocks of queries (synthetic, 3.4 concepts an image):"
    nanoseconds, held = 0.0, 0.0
    for n in measured:
        nanoseconds, held = _per_pair(synthetic(n), n)
        yield f"- {n:,} candidates: {nanoseconds:.2f} ns CPU a pair of images; {held:,.0f} bytes an image"
    yield ""
    yield "| images | pairs | CPU hours, estimated | processors for one hour | memory of a worker | answers |"
    yield "|---|---|---|---|---|---|"
    for n in asked:
        hours = nanoseconds * n**2 / 3.6e12
        yield (
            f"| {n:,} | {n**2:.2g} | {hours:,.3g} | {max(1, np.ceil(hours)):,.0f} "
            f"| {held * n / 2**30:,.2g} GiB | {RESULT_BYTES * DEPTH * n / 2**30:,.3g} GiB |"
        )


def _per_pair(study: Study, n: int) -> tuple[float, float]:
    """CPU nanoseconds of a pair of images and bytes of an image, from few and from many queries."""
    few, many = (
        median([cost_of(lambda q=queries: _ranked(study, q)) for _ in range(ROUNDS)]) for queries in QUERIES
    )
    sets = study.concepts
    arrays = sum(one.nbytes for one in (sets.indptr, sets.indices, sets.annotated))
    held = arrays + sum(sys.getsizeof(image) + 8 for image in sets.image_ids)
    return 1e9 * (many.cpu - few.cpu) / (QUERIES[1] - QUERIES[0]) / n, (many.peak * 2**20 + held) / n


def _ranked(study: Study, n_queries: int) -> object:
    """The first call also prepares the study: concepts, neighbours, compiled loops."""
    queries = np.linspace(0, len(study.queries) - 1, n_queries).astype(np.int32)
    return engine.rank(
        study, "nn-iou", queries, candidates=study.candidates, depth=DEPTH, settings=Settings()
    )
