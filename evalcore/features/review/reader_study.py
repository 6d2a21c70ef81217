"""Judgments as a reader study: what each reader makes of each system's results for each query.

A reading is the mean grade, 0 to 1, that a reader gives to the first results of a system for a query; readers
and queries are samples of others. A reader who has not graded all of these results has no such reading: the
mean of some of them would depend on who else found them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.pools import pool_of
from evalcore.evaluate.systems import lists_of, resolve_lists
from evalcore.features.review.agreement.ratings import grades
from evalcore.features.review.read.task_files import read_tasks
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.readers import as_asked
from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.stats.mrmc.analysis import ReaderStudy, mrmc
from evalcore.stats.mrmc.readings import Readings
from evalcore.values.arrays import frozen, position
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study

RESAMPLES = 2_000


def readings_of(
    study: Study,
    judgments: Iterable[Judgment],
    *,
    k: int,
    systems: Sequence[str] | None = None,
    settings: Settings = Settings(),
) -> Readings:
    """The mean grade of each reader, system and query over the first ``k`` results.

    ``systems``: None for all of the study. Systems, readers and queries without a reading are left out.

    Raises
    ------
    InputError
        No reader has graded all the first ``k`` results of a system for a query.
    """
    table, ids = grades(judgments), study.image_ids
    places = {query: position(ids, query) for query in table.queries}
    known = {query: place for query, place in places.items() if place >= 0}
    queries = np.array(sorted(known.values()), np.int32)
    pool = pool_of(study, (), queries, settings)
    column = {item: j for j, item in enumerate(table.items)}
    rows, names = [], []
    for system in resolve_lists(study, systems) if study.systems or systems else ():
        lists = lists_of(study, system, pool, queries, depth=k, settings=settings)
        values = np.full((len(table.readers), len(queries)), np.nan)
        for j, (query, start, end) in enumerate(
            zip(queries, lists.indptr[:-1], lists.indptr[1:], strict=True)
        ):
            found = [ids[i] for i in lists.candidates[start:end].tolist() if i >= 0][:k]
            at = [column.get((ids[query], one), -1) for one in found]
            if at and min(at) >= 0:
                values[:, j] = table.values[:, at].mean(axis=1)
        rows.append(values)
        names.append(system.name)
    whole = np.array(rows).reshape(len(rows), len(table.readers), len(queries))
    there = ~np.isnan(whole)
    kept = [np.flatnonzero(there.any(axis=other)) for other in ((1, 2), (0, 2), (0, 1))]
    if not all(map(len, kept)):
        first = pluralize(k, "result")
        raise InputError(f"No reader has graded all of the first {first} of a system for a query.")
    order = np.argsort([names[i] for i in kept[0]], kind="stable")
    kept[0] = kept[0][order]
    return Readings(
        tuple(names[i] for i in kept[0]),
        tuple(table.readers[i] for i in kept[1]),
        tuple(ids[queries[i]] for i in kept[2]),
        frozen(whole[np.ix_(*kept)].copy()),
    )


def asked_systems(tasks: Iterable[Task]) -> tuple[str, ...] | None:
    """The systems whose results graded tasks show; None where there is no such task."""
    known = dict.fromkeys(system for task in tasks if task.form == "graded" for system in task.systems)
    return tuple(known) or None


@dataclass(frozen=True, slots=True)
class QueriesOnly:
    """A difference with the interval that draws other queries, for the same readers."""

    a: str
    b: str
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The reader study, and beside it the intervals for other queries and the same readers."""

    study: ReaderStudy
    queries_only: tuple[QueriesOnly, ...]


def analysed(readings: Readings, *, level: float = 0.95, seed: int = 0) -> Judged:
    """How the systems differ for other readers and queries, and for other queries alone.

    Pairs of readers without a common query are left out of the moments, which is unbiased.

    Raises
    ------
    InputError
        One reader, or one query.
    """
    if len(readings.readers) < 2 or len(readings.cases) < 2:
        few = "reader" if len(readings.readers) < 2 else "query"
        raise InputError(f"Only one {few} has all of these grades: nothing follows for others.")
    rng = np.random.default_rng(seed)
    only = []
    for i, j in combinations(range(len(readings.systems)), 2):
        apart = readings.ratings[i] - readings.ratings[j]
        read = ~np.isnan(apart)
        counts = read.sum(axis=0)
        means = np.nansum(apart, axis=0)[counts > 0] / counts[counts > 0]
        low = high = np.array([np.nan])
        if len(means) > 1:
            drawn = bootstrap_means(means[:, None], n_resamples=RESAMPLES, rng=rng)
            low, high = percentile_interval(drawn, level=level)
        only.append(QueriesOnly(readings.systems[i], readings.systems[j], float(low[0]), float(high[0])))
    return Judged(mrmc(readings, level=level, as_imrmc=False), tuple(only))


def readings_of_folder(study: Study, k: int | None) -> tuple[Readings, str]:
    """The readings of all judgments of a study folder, and a sentence that says of whom and what they are."""
    assert study.path is not None, "judgments are those of a folder"
    tasks, judgments = read_tasks(study.path)[0], judgments_of(study.path)
    graded = [task for task in tasks if task.form == "graded"]
    depth = k or as_asked(graded or tasks)[0]
    readings = readings_of(study, judgments, k=depth, systems=asked_systems(tasks))
    nobody = {judgment.reader for judgment in judgments if judgment.simulated} & {*readings.readers}
    simulated = f", {len(nobody)} of them simulated" if nobody else ""
    return readings, (
        f"Mean grade of the first {pluralize(depth, 'result')}, {pluralize(len(readings.cases), 'query')}, "
        f"{pluralize(len(readings.readers), 'reader')}{simulated}."
    )
