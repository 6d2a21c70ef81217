"""Judgments as a relevance of the study, and what a measure of yes and no makes of them.

Queries without a judged result have no value (as trec_eval leaves out topics without judgments); a result
nobody judged counts as not relevant, unless only judged ones count: then lists are cut down to these first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.review.agreement.ratings import consensus, grades
from evalcore.features.review.read.together import judgments_of
from evalcore.values.arrays import digest_of, frozen, position, starts_of
from evalcore.values.model import Judged, Study

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.features.review.agreement.ratings import How, Ratings
    from evalcore.features.review.judgments import Judgment


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


def judged_study(study: Study) -> Study:
    """A study with all its judgments, of the database and of its folder, as the relevance ``judged``.

    Raises
    ------
    InputError
        The database cannot be read.
    """
    return study if study.path is None else with_judgments(study, judgments_of(study.path))
