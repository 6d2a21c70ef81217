"""What does a relevance cost? The time of its neighbour dictionary and of scoring, measured here and now.

arXiv 2506.13509 (Figure 4) says that nn-IoU takes longer than IoU and that a dictionary of neighbours,
computed beforehand, saves the repeated searches. Its figures are not published as numbers; these are
those of the machine at hand.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, replace
from timeit import repeat
from typing import TYPE_CHECKING

import numpy as np

from evalcore import engine, graph
from evalcore.engine.space import cores
from evalcore.evaluate.measures import some_of
from evalcore.values.errors import InputError, SettingError
from evalcore.values.progress import part_of, silent
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.arrays import Ints
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress

SAMPLE = 2_000
"""Queries timed at most by default; what more would take is proportional to their number."""
DEPTH = 30
"""The paper's deepest cutoff."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The time of one relevance: the fastest of ``repeats``, in seconds of the clock.

    ``dictionary``: finding all neighbours within ``threshold`` among the study's concepts; 0 for IoU,
    which needs none. ``scoring``: the value of ``pairs`` (query, candidate) pairs and the first results
    of each query.
    """

    relevance: str
    threshold: int
    dictionary: float
    scoring: float
    pairs: int
    n_queries: int
    repeats: int


def machine() -> str:
    """What the times depend on, without naming the machine: processors and Python.

    >>> machine().split()[1]
    'processors,'
    """
    n = cores()
    n_cores = f" of {os.cpu_count()}" if os.cpu_count() != n else ""
    return f"{n}{n_cores} processors, {platform.machine()}, Python {platform.python_version()}"


def measure_cost(
    study: Study,
    *,
    thresholds: Sequence[int] = (1, 2),
    settings: Settings = Settings(),
    n_queries: int = SAMPLE,
    repeats: int = 5,
    progress: Progress = silent,
) -> tuple[Cost, ...]:
    """How long IoU, and nn-IoU at each threshold, take on this study and this machine.

    Parameters
    ----------
    thresholds
        Of nn-IoU; IoU comes first and by itself.
    settings
        Count rule and direction; their alpha changes no time.
    n_queries
        At most so many queries, drawn with seed 0; all candidates. Loops are compiled and the
        dictionary for scoring is at hand before the clock starts, so that both parts are timed separately.
    repeats
        Measurements of each part, at least 1; the fastest counts, because other work only adds time.

    Raises
    ------
    InputError
        The study has no graph, so nn-IoU has no neighbours to find.
    SettingError
        ``n_queries`` or ``repeats`` below 1, a threshold outside its range.
    """
    if study.graph is None:
        raise InputError("The study has no concept graph: nn-IoU would find no neighbours to spend time on.")
    for name, value in (("n_queries", n_queries), ("repeats", repeats)):
        if value < 1:
            raise SettingError(name, "an integer >= 1", value)
    annotated = study.queries[study.concepts.annotated[study.queries]]
    queries = some_of(annotated, n_queries, np.random.default_rng(0))
    plans = [("iou", 0), *(("nn-iou", threshold) for threshold in thresholds)]
    result = []
    for place, (relevance, threshold) in enumerate(plans):
        at = replace(settings, threshold=threshold)
        part = part_of(progress, place, len(plans), name=relevance)
        part(0.0, "")
        result.append(_timed(study, relevance, at, queries, repeats, part))
    progress(1.0, "done")
    return tuple(result)


def _timed(
    study: Study, relevance: str, settings: Settings, queries: Ints, repeats: int, progress: Progress
) -> Cost:
    def find() -> None:
        assert study.graph is not None, "asked before"
        graph.neighbours(
            study.graph, study.concepts.vocabulary, threshold=settings.threshold, direction=settings.direction
        )

    def score(some: Ints = queries) -> None:
        engine.rank(
            study,
            relevance,
            some,
            candidates=study.candidates,
            depth=DEPTH,
            settings=[settings],
            progress=lambda _done, _doing: progress(0.0, ""),
        )

    dictionary = min(repeat(find, number=1, repeat=repeats)) if settings.threshold else 0.0
    score(queries[:1])
    return Cost(
        relevance,
        settings.threshold,
        dictionary,
        min(repeat(score, number=1, repeat=repeats)),
        len(queries) * len(study.candidates),
        len(queries),
        repeats,
    )
