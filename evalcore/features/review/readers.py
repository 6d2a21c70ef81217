"""Judgments in the evaluation: as a relevance, and what automatic measures are held against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.measures import Disagreement, PairSample, PairValues, disagreements, pair_values
from evalcore.evaluate.scoring import score
from evalcore.evaluate.systems import lists_of, resolve_lists
from evalcore.evaluate.targets import pool_of
from evalcore.features.review.agreement.between import ReaderAgreement, agreement
from evalcore.features.review.agreement.measures import (
    Coverage,
    MeasureAgreement,
    Voted,
    coverage,
    measure_agreement,
)
from evalcore.features.review.agreement.measures import Judged as Graded
from evalcore.features.review.agreement.ratings import consensus, grades, votes
from evalcore.features.review.read.together import judgments_of
from evalcore.relevance.registry import available, parse_relevance
from evalcore.values.arrays import digest_of, indptr_of, position, readonly, rows_of
from evalcore.values.model import Judged, Study
from evalcore.values.progress import part_of
from evalcore.values.settings import FLIPS, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.features.review.agreement.ratings import How, Ratings
    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.tasks import Task
    from evalcore.stats.agreement import Level
    from evalcore.values.progress import Progress

# Judgments as a relevance of the study, and what a measure of yes and no makes of them.
#
# Queries without a judged result have no value (as trec_eval leaves out topics without judgments); a result
# nobody judged counts as not relevant, unless only judged ones count: then lists are cut down to these
# first.


def with_judgments(study: Study, judgments: Iterable[Judgment], how: How = "median") -> Study:
    """The study with its graded judgments as the relevance ``judged``; as it is where there are none.

    Of several readers the median or mean counts. Judgments of images not in the study play no part.
    It is another study by its digest, which begins like that of its files.
    """
    judged = judged_of(study, grades(judgments), how)
    if judged is None:
        return study
    return _with(study, judged)


def _with(study: Study, judged: Judged) -> Study:
    whole = None if study.unfiltered is None else _with(study.unfiltered, judged)
    return replace(study, judged=judged, unfiltered=whole, digest=f"{study.digest}+{judged.digest}")


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
    indptr = indptr_of(np.bincount(queries, minlength=len(ids)))
    result, values = candidates[order].astype(np.int32), merged.values[known][order]
    return Judged(
        readonly(indptr),
        readonly(result),
        readonly(values),
        how,
        len(ratings.readers),
        len(ratings.simulated),
        digest_of(indptr, result, values, how),
    )


def judged_study(study: Study) -> Study:
    """A study with all its judgments, of the database and of its folder, as the relevance ``judged``.

    Raises
    ------
    InputError
        The database cannot be read.
    """
    if study.path is None:
        return study
    return with_judgments(study, judgments_of(study.path))


# What the judgments of a study say: about readers, about what they have not seen, and about measures.

READERS = "readers"
"""The column of the readers' grades among those of the measures."""
USUAL = ("iou", "nn-iou", "dice", "cosine", "overlap", "best-match:path", "best-match:lin-seco")
"""Measures compared with readers when none are named, as far as a study has them; and its embeddings."""
K = 10
MOST = 0.9
"""Share of the images that an embedding must know to be among the usual measures."""


@dataclass(frozen=True, slots=True, eq=False)
class ReaderResults:
    """All that the judgments of a study say.

    ``between``: agreement on grades, ``between_votes`` on votes between two lists. ``measures``: in the order
    asked, none where nothing was graded. ``pairs``: the graded results and their values, the readers' own in
    the column `READERS`. ``no_preference``, ``not_comparable``: votes without a side, and on systems or
    queries that the study does not have. ``elsewhere``: graded results it does not.
    ``without``: how many graded results a measure has no value for, where there are any; they are left out
    under all measures.
    """

    grades: Ratings
    votes: Ratings
    between: ReaderAgreement
    between_votes: ReaderAgreement
    coverage: tuple[Coverage, ...]
    measures: tuple[MeasureAgreement, ...]
    pairs: PairValues | None
    how: How
    k: int
    seed: int
    n_votes: int
    no_preference: int
    not_comparable: int
    elsewhere: int
    without: Mapping[str, int]

    @property
    def readers(self) -> tuple[str, ...]:
        return tuple(sorted({*self.grades.readers, *self.votes.readers}))

    @property
    def simulated(self) -> tuple[str, ...]:
        """Readers nobody is behind."""
        return tuple(sorted({*self.grades.simulated, *self.votes.simulated}))


def usual_measures(study: Study) -> tuple[str, ...]:
    """The measures held against readers when none are named.

    Not among them: embeddings of few images, as results they do not know are left out under all measures.
    """
    there = available(study)
    by_looks = (
        f"cosine:{system}"
        for system, vectors in study.embeddings.items()
        if np.count_nonzero(vectors.rows >= 0) >= MOST * len(vectors.rows)
    )
    return (*(name for name in USUAL if name in there), *by_looks)


def as_asked(tasks: Iterable[Task]) -> tuple[int, Level | None]:
    """How deep the lists of these tasks go (`K` without any), and the level of measurement of grades."""
    known = tuple(tasks)
    scales = {task.scale for task in known if task.form == "graded"}
    level: Level | None = None if not scales else "interval" if scales == {100} else "ordinal"
    return max((task.depth for task in known), default=K), level


def reader_results(
    study: Study,
    judgments: Iterable[Judgment],
    *,
    measures: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    reference: str | None = None,
    level: Level | None = None,
    how: How = "median",
    k: int = K,
    settings: Settings = Settings(),
    seed: int = 0,
    n_flips: int = FLIPS,
    progress: Progress | None = None,
) -> ReaderResults:
    """What the judgments say.

    Parameters
    ----------
    measures
        Relevances to hold against the readers; None: `usual_measures`.
    systems
        Whose lists were judged, for coverage; None for all of the study.
    reference
        The measure the others are compared with; None: the one that agrees best.
    level
        Of measurement of the grades; None as their values say.
    how
        What several readers of a result come to.
    k
        Results of a list that count for coverage and for votes (nDCG@k of the two lists).
    """
    said = tuple(judgments)
    table, ballots = grades(said), votes(said)
    names = tuple(dict.fromkeys(measures or usual_measures(study)))
    judged = judged_of(study, table, how)
    parts = [part_of(progress, place, 3) for place in range(3)]
    agreements: tuple[MeasureAgreement, ...] = ()
    pairs = None if judged is None else _pairs(study, judged, names, settings, seed, parts[0])
    voted, n_known = _votes(study, ballots, names, k, settings, parts[1])
    if pairs is not None and len(pairs.queries):
        numbers, cluster = np.unique(pairs.queries, return_inverse=True)
        graded = Graded(
            names, pairs.column(READERS), pairs.values[:, 1:], cluster.astype(np.int32), len(numbers)
        )
        agreements = measure_agreement(graded, voted, reference=reference, seed=seed, n_flips=n_flips)
    covered: tuple[Coverage, ...] = ()
    if judged is not None:
        covered = _coverage(study, judged, table, systems, k, settings, parts[2])
    sides = ballots.values[~np.isnan(ballots.values)]
    on_grades, on_votes = agreement(table, level=level, seed=seed), agreement(ballots, seed=seed)
    if progress is not None:
        progress(1.0, "done")
    without = {} if judged is None else _without(study, judged, names)
    n_there = 0 if judged is None else len(judged.values)
    return ReaderResults(
        table,
        ballots,
        on_grades,
        on_votes,
        covered,
        agreements,
        pairs,
        how,
        k,
        seed,
        0 if voted is None else len(voted.sides),
        int((sides == 0).sum()),
        int((sides != 0).sum()) - n_known,
        len(table.items) - n_there,
        without,
    )


def differ_most(results: ReaderResults, measure: str, *, n: int = 12) -> tuple[Disagreement, ...]:
    """The results that readers and a measure place most differently; one of each query.

    ``value_a`` is the readers' grade, ``value_b`` the measure's value.
    """
    return () if results.pairs is None else disagreements(results.pairs, READERS, measure, n=n)


def _pairs(
    study: Study,
    judged: Judged,
    names: Sequence[str],
    settings: Settings,
    seed: int,
    progress: Progress | None,
) -> PairValues:
    """The judged results with a value under every measure, the readers' first."""
    queries = rows_of(judged.indptr).astype(np.int32)
    n = len(np.unique(queries))
    sample = PairSample(queries, judged.candidates, "results", len(queries), n, seed)
    result = pair_values(study, names, sample, settings=settings, progress=progress)
    own = judged.values[judged.places(result.queries, result.candidates)]
    values = readonly(np.column_stack([own, result.values]))
    return PairValues((READERS, *result.measures), result.queries, result.candidates, values, result.left_out)


def _without(study: Study, judged: Judged, names: Sequence[str]) -> dict[str, int]:
    """How many judged results each measure has no value for, those with any."""
    queries = rows_of(judged.indptr)
    result = {}
    for name in names:
        system = parse_relevance(name).system
        if system is not None:
            rows = study.embeddings[system].rows
            missing = (rows[queries] < 0) | (rows[judged.candidates] < 0)
        else:
            missing = ~study.concepts.annotated[queries]
        if missing.any():
            result[name] = int(np.count_nonzero(missing))
    return result


def _votes(
    study: Study,
    ballots: Ratings,
    names: Sequence[str],
    k: int,
    settings: Settings,
    progress: Progress | None,
) -> tuple[Voted | None, int]:
    """The votes for one side with the scores of both lists, and how many of them the study knows."""
    rows: list[tuple[int, tuple[str, str]]] = []
    sides: list[float] = []
    for j, (name, a, b) in enumerate(ballots.items):
        query, first, second = position(study.image_ids, name), study.called(a), study.called(b)
        if query >= 0 and study.holds(first) and study.holds(second):
            lines = [side for side in ballots.values[:, j].tolist() if side in (-1.0, 1.0)]
            rows += [(query, (first, second))] * len(lines)
            sides += lines
    if not rows:
        return None, 0
    systems = sorted({name for _, two in rows for name in two})
    queries = np.unique(np.array([query for query, _ in rows], np.int32))
    metrics = [f"nDCG({name})@{k}" for name in names]
    scores = score(
        study, metrics=metrics, systems=systems, settings=settings, queries=queries, progress=progress
    )
    table = np.stack([one.values for one in scores]).reshape(len(systems), len(names), len(queries))
    cluster = np.searchsorted(queries, [query for query, _ in rows]).astype(np.int32)
    of = {name: i for i, name in enumerate(systems)}
    lists = [np.array([of[two[i]] for _, two in rows]) for i in (0, 1)]
    both = np.stack([table.transpose(0, 2, 1)[one, cluster] for one in lists], axis=2)
    return Voted(np.array(sides), both, cluster, len(queries)), len(rows)


def _coverage(
    study: Study,
    judged: Judged,
    table: Ratings,
    systems: Sequence[str] | None,
    k: int,
    settings: Settings,
    progress: Progress | None,
) -> tuple[Coverage, ...]:
    """How much of the first k of each system was judged, over the queries with a grade."""
    ids = study.image_ids
    queries = np.flatnonzero(np.diff(judged.indptr) > 0).astype(np.int32)
    pool, known = pool_of(study, (), queries, settings), set(table.items)
    result = []
    for system in resolve_lists(study, systems) if study.systems or systems else ():
        lists = lists_of(study, system, pool, queries, depth=k, settings=settings, progress=progress)
        of = {
            ids[query]: [ids[i] if i >= 0 else "" for i in lists.candidates[start:end].tolist()]
            for query, start, end in zip(queries.tolist(), lists.indptr[:-1], lists.indptr[1:], strict=True)
        }
        result.append(coverage(system.name, of, known, set(table.cannot_say), k=k))
    return tuple(result)
