"""Judgments as a relevance of the study, and what a measure of yes and no makes of them.

Queries without a judged result have no value (as trec_eval leaves out topics without judgments); a result
nobody judged counts as not relevant, unless only judged ones count: then lists are cut down to these first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.review.agreement.ratings import MIDDLE, consensus, grades
from evalcore.ranking.families import METRICS, Metric
from evalcore.relevance.registry import JUDGED
from evalcore.stats.levels import SAME
from evalcore.values.arrays import digest_of, frozen, position, rows_of, starts_of
from evalcore.values.grouping import left_out, same_group
from evalcore.values.model import Judged, Study

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.evaluate.pools import Pool
    from evalcore.evaluate.systems import Lists
    from evalcore.features.review.agreement.ratings import How, Ratings
    from evalcore.features.review.judgments import Judgment
    from evalcore.values.arrays import Floats, Ints, Offsets
    from evalcore.values.settings import Settings


def with_judgments(study: Study, judgments: Iterable[Judgment], how: How = "median") -> Study:
    """The study with its graded judgments as the relevance ``judged``; as it is where there are none.

    Of several readers the median or mean counts. Judgments of images the study does not know play no part.
    It is another study by its digest, which begins like that of its files.
    """
    judged = judged_of(study, grades(judgments), how)
    if judged is None:
        return study
    return _with(study, judged)


def _with(study: Study, judged: Judged) -> Study:
    whole = None if study.whole is None else _with(study.whole, judged)
    return replace(study, judged=judged, whole=whole, digest=f"{study.digest}+{judged.digest}")


def judged_of(study: Study, ratings: Ratings, how: How = "median") -> Judged | None:
    """The grades by image index; None where not one is about images of the study."""
    ids = study.image_ids
    merged = consensus(ratings, how)
    pairs = np.array([[position(ids, one) for one in item] for item in merged.items], np.int32).reshape(-1, 2)
    known = (pairs >= 0).all(axis=1)
    if not known.any():
        return None
    queries, candidates = pairs[known].T
    order = np.lexsort((candidates, queries))
    indptr = starts_of(np.bincount(queries, minlength=len(ids)))
    found, values = candidates[order].astype(np.int32), merged.values[known][order]
    return Judged(
        frozen(indptr),
        frozen(found),
        frozen(values),
        how,
        len(ratings.readers),
        len(ratings.simulated),
        digest_of(indptr, found, values, how),
    )


def yes_or_no(metric: Metric) -> bool:
    """Whether a metric takes judgments as relevant or not: those that otherwise ask for labels."""
    return metric.relevance == JUDGED and METRICS[metric.family].needs == "labels"


def condensed(metric: Metric) -> bool:
    """Whether results nobody judged are passed over."""
    return metric.relevance == JUDGED and (metric.only == JUDGED or METRICS[metric.family].judged_only)


def only_judged(study: Study, lists: Lists) -> Lists:
    """The lists without the results nobody judged."""
    assert study.judged is not None, "metrics were checked against the study"
    return lists.keep(study.judged.has(lists.query_of_row, lists.candidates))


def relevant(values: Floats) -> Floats:
    """1 for grades from the middle of the scale on, else 0."""
    return (values >= MIDDLE - SAME).astype(float)


def n_judged(study: Study, pool: Pool, block: Ints, settings: Settings) -> tuple[Offsets, Offsets]:
    """Judged candidates of each query of the block, shape (n,) each: the relevant ones, and all."""
    judged = study.judged
    assert judged is not None, "metrics were checked against the study"
    rows = rows_of(judged.indptr).astype(np.int32)
    counts = pool.inside[judged.candidates].copy()
    if not settings.include_self:
        counts &= rows != judged.candidates
    if (groups := left_out(study)) is not None:
        counts &= ~same_group(groups, rows, judged.candidates)
    n = len(judged.indptr) - 1
    every = np.bincount(rows[counts], minlength=n)
    good = np.bincount(rows[counts & (relevant(judged.values) > 0)], minlength=n)
    return good[block], every[block]
