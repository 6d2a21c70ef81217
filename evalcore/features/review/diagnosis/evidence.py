"""What the results of each case showed and how they score: what diagnoses are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.evaluate.scoring import score
from evalcore.features.review.diagnosis.analysis import Analysis, Shown, analyse, kinds_of
from evalcore.features.review.diagnosis.truth import truths_of
from evalcore.features.review.items import lists_of
from evalcore.results.board import offered_measures
from evalcore.values.arrays import position
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.review.diagnosis.reading import Diagnosis
    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress


class Evidence(NamedTuple):
    """``shown``, ``scores``: as `analysis.analyse` takes them."""

    shown: dict[str, dict[str, list[bool | None]]]
    scores: dict[str, dict[str, dict[str, float]]]

    def kinds(self, diagnoses: Sequence[Diagnosis]) -> dict[str, dict[str, Shown]]:
        """{arm: {case: what its results showed}}."""
        return {arm: kinds_of(diagnoses, of) for arm, of in self.shown.items()}


def analysis_of(
    study: Study,
    task: Task,
    diagnoses: Sequence[Diagnosis],
    *,
    measures: Sequence[str] = (),
    settings: Settings = Settings(),
    level: float = 0.95,
    progress: Progress | None = None,
) -> tuple[Analysis, Evidence]:
    """The diagnoses of a task, with what its results showed and their scores under ``measures``.

    ``measures``: labels of metrics, each case a query; none: `measures_of`.

    Raises
    ------
    InputError, UnknownName
        A case, a system or a measure that the study does not have; a case without its truth.
    """
    assert task.diagnosis is not None, "a task of this form"
    measures = measures or measures_of(study, task)
    evidence = evidence_of(study, task, diagnoses, measures=measures, settings=settings, progress=progress)
    shown, scores = evidence
    positive = positive_of(task)
    return analyse(diagnoses, positive=positive, shown=shown, scores=scores, level=level), evidence


def positive_of(task: Task) -> str:
    """The first of two choices, "" for another number of them; the area is the same of either."""
    choices = task.diagnosis.choices if task.diagnosis is not None else ()
    return choices[0] if len(choices) == 2 else ""


def measures_of(study: Study, task: Task) -> tuple[str, ...]:
    """The measures offered for a study, by concepts and by labels, over as many results as readers see.

    Without those by weights of concepts and by vectors: with every measure more, p corrected gets larger.
    """
    offered = offered_measures(study).items()
    return tuple(
        f"{name}@{task.depth}" if cut else name
        for name, cut in offered
        if "cosine:" not in name and "[" not in name
    )


def evidence_of(
    study: Study,
    task: Task,
    diagnoses: Sequence[Diagnosis],
    *,
    measures: Sequence[str],
    settings: Settings = Settings(),
    progress: Progress | None = None,
) -> Evidence:
    """For every arm with results and every case: which results have its diagnosis, and its scores.

    A result has the diagnosis of the case where its truth is the same, or, where it has none, where the
    truth of the case is a concept that the result has; not known (None) for others.
    """
    assert task.diagnosis is not None, "a task of this form"
    arms = [arm for arm in task.diagnosis.systems if any(one.arm == arm for one in diagnoses)]
    if not arms:
        return Evidence({}, {})
    truths = truths_of(study, task)
    cases = sorted({one.case for one in diagnoses})
    lists = lists_of(study, task)
    shown = {
        arm: {
            case: [_same(study, truths, truths.get(case, ""), image) for image in lists[case].get(arm, ())]
            for case in cases
            if case in lists
        }
        for arm in arms
    }
    places = {case: position(study.image_ids, case) for case in cases}
    queries = np.array(sorted(place for place in places.values() if place >= 0), np.int32)
    names = {place: case for case, place in places.items()}
    scores: dict[str, dict[str, dict[str, float]]] = {arm: {} for arm in arms}
    for one in score(study, measures, systems=arms, queries=queries, settings=settings, progress=progress):
        by_case = zip(one.queries.tolist(), one.values.tolist(), strict=True)
        scores[one.system][one.metric] = {names[query]: value for query, value in by_case}
    return Evidence(shown, scores)


def _same(study: Study, truths: Mapping[str, str], truth: str, image: str) -> bool | None:
    if not truth:
        return None
    if image in truths:
        return truths[image] == truth
    concepts, place = study.concepts, position(study.image_ids, image)
    if place < 0 or not concepts.annotated[place] or truth not in concepts.vocabulary:
        return None
    return truth in concepts.of_image(place)
