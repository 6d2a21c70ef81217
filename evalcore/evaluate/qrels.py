"""What is relevant to each query, as judgments (qrels) that trec_eval and programs like it read.

A line is *query 0 image grade*. trec_eval knows whole grades only, so labels become 1, and relevances between
0 and 1 are multiplied and rounded (``scale``) or held against a threshold (``at``). Queries, candidates and
what counts for a query are those of `score`: pools, groups and the query itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore import engine
from evalcore.engine.space import slices
from evalcore.evaluate.scoring import query_blocks
from evalcore.evaluate.systems import lists_under, resolve_systems
from evalcore.evaluate.targets import PAIRS_AT_ONCE, labels_agree, metric_of, pool_of
from evalcore.stats.levels import SAME
from evalcore.values.arrays import ranks_of
from evalcore.values.errors import InputError, SettingError
from evalcore.values.grouping import may_find
from evalcore.values.model import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcore.evaluate.systems import Lists, Pool
    from evalcore.ranking.metrics import Metric
    from evalcore.values.arrays import Floats, Ints, Offsets
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings

SCALE = 1_000


class JudgmentCounts(NamedTuple):
    """``queries`` with a relevant image, ``queries_left_out`` without; ``judgments``, those ``relevant``;
    ``rounded_to_0``: pairs whose relevance is above 0 and whose grade is 0."""

    queries: int
    queries_left_out: int
    judgments: int
    relevant: int
    rounded_to_0: int

    @staticmethod
    def total(counts: Iterable[JudgmentCounts]) -> JudgmentCounts:
        """The sums over blocks."""
        return JudgmentCounts(*map(sum, zip((0,) * 5, *counts, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """Of a block of queries: images ``candidates`` judged for ``queries`` with ``grades``, shapes (m,).

    By query, then image. Queries without a relevant image have no rows.
    """

    queries: Ints
    candidates: Ints
    grades: Offsets
    counts: JudgmentCounts

    def lines(self, image_ids: tuple[str, ...]) -> Iterator[str]:
        """As qrels; InputError for an image id with a space, which the format cannot hold."""
        for image in np.unique(np.concatenate([self.queries, self.candidates])).tolist():
            if len(image_ids[image].split()) != 1:
                raise InputError(
                    f"The image id {image_ids[image]!r} contains a space, which qrels cannot. "
                    "Rename the image."
                )
        rows = zip(self.queries.tolist(), self.candidates.tolist(), self.grades.tolist(), strict=True)
        for query, candidate, grade in rows:
            yield f"{image_ids[query]} 0 {image_ids[candidate]} {grade}\n"


def judged_by(study: Study, relevance: str, settings: Settings) -> Metric:
    """A metric about this relevance or these labels: ``iou``, ``organ``, ``modality&organ,match=equal``.

    Raises UnknownName or SettingError where there is no such thing in the study.
    """
    return metric_of(study, f"nDCG({relevance})@1", settings)


def judgments(
    study: Study,
    relevance: str,
    *,
    settings: Settings,
    scale: int | None = None,
    at: float | None = None,
    zeros: bool = False,
) -> Iterator[Judgments]:
    """Which images are relevant to each query, and how much, block by block.

    Parameters
    ----------
    relevance
        See `judged_by`. Labels are 1 or 0; ``scale`` and ``at`` are for relevances only.
    scale
        Grades are the relevance times this, rounded half up; below 0 is 0. `SCALE` without ``at``.
    at
        Grades are 1 from this relevance on, else 0.
    zeros
        Also rows of grade 0: images that are judged and not relevant. By readers' judgments these are images
        somebody judged; by any other relevance all candidates are.

    Raises
    ------
    SettingError
        Both ``scale`` and ``at``, or one of them with labels.
    UnknownName
        No such relevance or label column.
    """
    about = judged_by(study, relevance, settings)
    if about.labels and (scale is not None or at is not None):
        name, value = ("at", at) if scale is None else ("scale", scale)
        raise SettingError(name, "left out for labels, which are 1 or 0", value)
    if scale is not None and at is not None:
        raise SettingError("scale", "left out where `at` is given", scale)
    pool = pool_of(study, about, study.queries, settings)
    for part in slices(len(pool.queries), PAIRS_AT_ONCE // max(len(pool.candidates), 1)):
        yield _of_block(study, about, pool, pool.queries[part], settings, scale, at, zeros=zeros)


def _of_block(
    study: Study,
    about: Metric,
    pool: Pool,
    block: Ints,
    settings: Settings,
    scale: int | None,
    at: float | None,
    *,
    zeros: bool,
) -> Judgments:
    queries = np.repeat(block, len(pool.candidates))
    candidates = np.tile(pool.candidates, len(block))
    offered = np.ones(len(queries), np.bool_) if settings.include_self else queries != candidates
    offered &= may_find(study, queries, candidates)
    if (judged := study.judged_by(about.relevance)) is not None:
        offered &= judged.has(queries, candidates)
    queries, candidates = queries[offered], candidates[offered]
    if about.labels:
        values = labels_agree(pool, queries, candidates, about.match).astype(np.float64)
        grades = values.astype(np.int64)
    else:
        name = str(about.relevance)
        (values,) = engine.relevance_of_pairs(study, name, queries, candidates, [settings])
        values = np.nan_to_num(values, nan=0.0)
        grades = graded(values, scale=scale, at=at)
    result = np.isin(queries, queries[grades > 0])
    kept = result if zeros else grades > 0
    n = len(np.unique(queries[result]))
    counts = JudgmentCounts(
        queries=n,
        queries_left_out=len(block) - n,
        judgments=int(np.count_nonzero(kept)),
        relevant=int(np.count_nonzero(grades > 0)),
        rounded_to_0=int(np.count_nonzero((values > 0) & (grades == 0))),
    )
    return Judgments(queries[kept], candidates[kept], grades[kept], counts)


def graded(values: Floats, *, scale: int | None, at: float | None) -> Offsets:
    """Relevances, shape (m,), as whole grades: times ``scale`` (1,000), rounded half up; below 0 as 0.

    With ``at`` 1 from there on, values equal to it included, else 0.

    >>> graded(np.array([0.0, 0.25, 0.5, 1.0, -0.2]), scale=10, at=None)
    array([ 0,  3,  5, 10,  0])
    >>> graded(np.array([0.0, 0.25, 0.5, 1.0]), scale=None, at=0.5)
    array([0, 0, 1, 1])
    """
    if at is not None:
        return (values >= at - SAME).astype(np.int64)
    return np.floor(np.maximum(values, 0) * (scale or SCALE) + 0.5 + SAME).astype(np.int64)


# What a system returned, as it is scored: within the pool, without the query itself and its own group.

DEPTH = 100
"""Results of a system without a run, unless another number is asked for."""
UNKNOWN = "unknown-image-"


def run_of(
    study: Study,
    name: str,
    *,
    settings: Settings,
    relevance: str | None = None,
    top: int | None = None,
    by_place: bool = False,
) -> Iterator[Run]:
    """A system's answers, block by block, as runs over `ids_of` the study.

    Parameters
    ----------
    relevance
        What the lists will be judged by (see `qrels.judged_by`): by labels, only queries and, with
        ``pool="labelled"``, images that carry them are left.
    top
        Results per query; None for all of a run, and for `DEPTH` of a system that ranks by itself. With
        ``ties="expected"`` the group of equal scores at the last rank is kept whole.
    by_place
        Scores are the number of results from a place on, so that no two are equal and any program keeps this
        order; else those of the system.

    Raises
    ------
    UnknownName
        No such system, relevance or label column.
    """
    (system,) = resolve_systems(study, [name])
    about = judged_by(study, relevance, settings) if relevance else None
    pool = pool_of(study, about, study.queries, settings)
    depth = top if system.run is not None else top or DEPTH
    for block, _ in query_blocks(pool, [system], depth, settings):
        (lists,) = lists_under(study, system, pool, block, [settings], depth=depth)
        if depth is not None and settings.ties != "expected":
            lists = lists.first(depth)
        scores = lists.scores
        if by_place:
            lengths = np.diff(lists.indptr)
            scores = (np.repeat(lengths, lengths) + 1 - ranks_of(lists.indptr)).astype(np.float64)
        named = _named(lists, len(study.image_ids))
        yield Run.from_arrays(system.name, lists.queries, lists.indptr, named, scores)


def ids_of(study: Study) -> tuple[str, ...]:
    """The ids of images, and after them names for those that are not in the study."""
    unknown = max((int(np.diff(run.indptr).max(initial=0)) for run in study.runs.values()), default=0)
    return (*study.image_ids, *(f"{UNKNOWN}{place + 1}" for place in range(unknown)))


def _named(lists: Lists, n_images: int) -> Ints:
    """The candidates; unknown ones by their place, so that each list names them differently."""
    unknown = lists.candidates < 0
    return np.where(unknown, n_images - 1 + ranks_of(lists.indptr), lists.candidates).astype(np.int32)
