"""All that a reader study says of itself: flow, agreement, what follows for others, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.review.adaptive.design import State, design_of, state_of
from evalcore.features.review.agreement.between import ReaderAgreement, agreement
from evalcore.features.review.agreement.ratings import Ratings
from evalcore.features.review.diagnosis.conversion import diagnoses_from
from evalcore.features.review.diagnosis.evidence import analysis_of
from evalcore.features.review.diagnosis.truth import truths_of
from evalcore.features.review.items import item_of
from evalcore.features.review.judgments import current
from evalcore.features.review.read.registered import hashes_of, registered_text
from evalcore.features.review.reader_study import Judged, Outcome, What, analysed, outcome_of
from evalcore.features.review.statement.flow import Flow, flow_of
from evalcore.features.review.statement.protocol import Registered, against
from evalcore.stats.levels import SAME
from evalcore.values.arrays import digest_of, frozen
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from evalcore.features.review.diagnosis.analysis import Analysis
    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.tasks import Task
    from evalcore.stats.agreement import Level
    from evalcore.values.model import Study


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """``judged``: None where nothing follows for other readers and queries; ``why_none`` then says why.

    ``agreement``: by what was judged: "" for all, else a criterion. ``files``: {file: SHA-256}; ``answers``:
    a digest of all answers. ``diagnosis``: accuracy, time, changes and help, of a task of that form with
    answers; else None. ``adaptive``: how far a task is that asks what decides; None for another.
    ``registered``: what became of a protocol registered before; None without one.
    """

    study: Study
    task: Task
    what: What
    outcome: Outcome
    flow: Flow
    judged: Judged | None
    why_none: str
    agreement: tuple[tuple[str, ReaderAgreement], ...]
    files: dict[str, str]
    answers: str
    registered: Registered | None
    diagnosis: Analysis | None = None
    adaptive: State | None = None

    @property
    def simulated(self) -> int:
        """Readers nobody is behind."""
        return sum(one.simulated for one in self.flow.readers)


def statement_of(
    study: Study,
    task: Task,
    judgments: Sequence[Judgment],
    what: What | None = None,
    *,
    protocol: str = "",
    seed: int = 0,
) -> Statement:
    """All that the judgments of a task say, and what they rest on.

    ``judgments``: the history of the study. ``protocol``: the text registered before; "" for the one kept
    beside the file of the task, if there is one.

    Raises
    ------
    InputError, UnknownName
        The task cannot be used with this study; a file cannot be read; the protocol is not one.
    """
    own = [one for one in judgments if one.task == task.name]
    outcome = outcome_of(study, task, own, what)
    judged, why = None, ""
    try:
        judged = analysed(outcome.readings(), seed=seed)
    except InputError as problem:
        why = str(problem)
    files = hashes_of(study, task, shown_images(outcome))
    design = design_of(study, task, outcome.plan.lists)
    text = protocol or registered_text(study, task)
    return Statement(
        study,
        task,
        outcome.what,
        outcome,
        flow_of(outcome, own),
        judged,
        why,
        tuple(_agreements(outcome, own, seed)),
        files,
        digest_of([f"{one.id} {one.said} {one.value}" for one in own]),
        against(text, files, task=task.name) if text else None,
        _diagnosis(study, task, own),
        None if design is None else state_of(design, own),
    )


def _diagnosis(study: Study, task: Task, judgments: Sequence[Judgment]) -> Analysis | None:
    if task.diagnosis is None:
        return None
    diagnoses = diagnoses_from(judgments, task, truths_of(study, task))
    return analysis_of(study, task, diagnoses)[0] if diagnoses else None


def shown_images(outcome: Outcome) -> tuple[str, ...]:
    """The ids of all pictures that readers of a task see."""
    if outcome.task.form == "material":
        return tuple(outcome.plan.lists)
    of = {name for lists in outcome.plan.lists.values() for results in lists.values() for name in results}
    return tuple(sorted(of | {*outcome.plan.lists}))


def _agreements(
    outcome: Outcome, judgments: Sequence[Judgment], seed: int
) -> Iterable[tuple[str, ReaderAgreement]]:
    what, task = outcome.what, outcome.task
    by_name = what.kind in ("preference", "diagnosis")
    level: Level = "nominal" if by_name else "interval" if task.scale == 100 else "ordinal"
    if what.kind == "panel":
        level = "ordinal"
    criteria = ("",) if what.kind != "rating" else (what.criterion,) if what.criterion else task.criteria
    for criterion in criteria:
        yield criterion, agreement(ratings_of(outcome, judgments, criterion), level=level, seed=seed)


def ratings_of(outcome: Outcome, judgments: Iterable[Judgment], criterion: str = "") -> Ratings:
    """The answers of readers to each item of a kind: (query, key of the item); votes as -1, 0 and 1,
    diagnoses as numbers of their answers."""
    if outcome.what.kind == "diagnosis":
        return _of_diagnoses(outcome, judgments)
    places = outcome.plan.places()
    values: dict[tuple[str, tuple[str, str]], float] = {}
    simulated = set()
    for one in current(judgments):
        item = item_of(places, one)
        fits = one.kind == outcome.what.kind and one.criterion == criterion and not one.adjudicated
        if item is None or not fits or one.value is None:
            continue
        value = one.value
        if one.kind == "preference":
            side = 0.0 if abs(value) <= SAME else float(np.sign(value))
            value = side if one.systems == tuple(sorted(one.systems)) else -side
        values[one.reader, (one.query, item.key)] = value
        simulated |= {one.reader} if one.simulated else set()
    return _table(values, simulated)


def _of_diagnoses(outcome: Outcome, judgments: Iterable[Judgment]) -> Ratings:
    every = diagnoses_from(judgments, outcome.task, {})
    answers = sorted({one.concept or one.answer for one in every})
    values = {
        (one.reader, (one.case, one.arm)): float(answers.index(one.concept or one.answer)) for one in every
    }
    return _table(values, {one.reader for one in every if one.simulated})


def _table(values: Mapping[tuple[str, tuple[str, str]], float], simulated: Set[str]) -> Ratings:
    readers = tuple(sorted({reader for reader, _ in values}))
    items = tuple(sorted({item for _, item in values}))
    table = np.full((len(readers), len(items)), np.nan)
    row = {name: i for i, name in enumerate(readers)}
    column = {place: j for j, place in enumerate(items)}
    for (reader, place), value in values.items():
        table[row[reader], column[place]] = value
    numbers = {query: i for i, query in enumerate(dict.fromkeys(query for query, _ in items))}
    cluster = np.array([numbers[query] for query, _ in items], np.int32)
    return Ratings(readers, items, frozen(table), frozen(cluster), {}, tuple(sorted(simulated)))
