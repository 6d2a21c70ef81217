"""Judgments as a reader study: what each reader makes of each system's results for each query.

Readers and queries are samples of others. What a reading is, from 0 to 1, depends on what was asked:

| kind | a reading |
|---|---|
| graded | mean grade of the first results of a system for a query |
| rating | the same by one criterion, or the mean over all; of material that of a team about an image |
| panel | satisfaction with the whole list of a system for a query |
| preference | share of the other systems whose list the reader likes less, no difference as a half |

A reader who has not judged all that a reading is made of has no such reading: the mean of some results would
depend on who else found them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate.systems import lists_of, resolve_lists
from evalcore.evaluate.targets import pool_of
from evalcore.features.review.agreement.ratings import grades
from evalcore.features.review.items import item_of, plan_of
from evalcore.features.review.items import lists_of as lists_of_task
from evalcore.features.review.judgments import current
from evalcore.features.review.read.task_files import read_task, read_tasks
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.readers import as_asked
from evalcore.features.review.tasks import BY_CRITERIA
from evalcore.stats.bootstrap import bootstrap_means, percentile_interval
from evalcore.stats.levels import SAME
from evalcore.stats.mrmc.analysis import ReaderStudy, mrmc
from evalcore.stats.mrmc.readings import Readings
from evalcore.values.arrays import position, readonly
from evalcore.values.errors import InputError, SettingError
from evalcore.values.settings import Settings
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.features.review.judgments import Judgment, Kind, Place
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
        readonly(whole[np.ix_(*kept)].copy()),
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


# The readings of one task, of any kind.


@dataclass(frozen=True, slots=True)
class What:
    """What a reading is: its ``kind``; ``criterion`` of a rating, "" for the mean of all criteria."""

    kind: Kind
    criterion: str = ""

    @property
    def name(self) -> str:
        """The value of a system, in two or three words."""
        of_criterion = f"mean rating, {self.criterion}" if self.criterion else "mean rating"
        return {"graded": "mean grade", "panel": "satisfaction", "preference": "win share"}.get(
            self.kind, of_criterion
        )

    def sentence(self, task: Task, k: int | None = None) -> str:
        """What a reading is, in a sentence."""
        first = f"the first {pluralize(k or task.depth, 'result')} of a system for a query"
        if self.kind == "panel":
            return f"A reading is a reader's satisfaction with {first} as a whole, 0 to 1."
        if self.kind == "preference":
            return (
                "A reading is the share of the other systems whose list a reader likes less than that of the "
                "system for a query, 0 to 1; no difference, and lists that are the same, count as a half."
            )
        by = (
            f"by “{self.criterion}”"
            if self.criterion
            else f"over {pluralize(len(task.criteria), 'criterion', 'criteria')}"
        )
        if task.form == "material":
            return f"A reading is a reader's rating {by} of what a team says of an image, 0 to 1."
        if self.kind == "rating":
            return f"A reading is a reader's mean rating {by} of {first}, all of them rated, 0 to 1."
        return f"A reading is a reader's mean grade of {first}, all of them graded, 0 to 1."


def kinds_of(task: Task) -> tuple[Kind, ...]:
    """The kinds of judgment that a task asks for."""
    first: Kind = (
        "rating"
        if task.form in BY_CRITERIA
        else "panel"
        if task.form == "panel"
        else ("preference" if task.form == "preference" else "graded")
    )
    return (first, "panel") if task.panel and first != "panel" else (first,)


def what_of(task: Task, kind: str = "", criterion: str = "") -> What:
    """What a reading of a task is; SettingError for a kind or criterion that it does not ask for."""
    kinds = kinds_of(task)
    if kind and kind not in kinds:
        raise SettingError("kind", f"one of those the task {task.name} asks for: {', '.join(kinds)}", kind)
    result = What(next((one for one in kinds if one == kind), kinds[0]), criterion)
    if criterion and result.kind != "rating":
        raise SettingError("criterion", "left out: the task is not judged by criteria", criterion)
    if criterion and criterion not in task.criteria:
        raise SettingError("criterion", f"one of {', '.join(task.criteria)}", criterion)
    return result


def readings_of_task(
    study: Study, task: Task, judgments: Iterable[Judgment], what: What | None = None, *, k: int | None = None
) -> Readings:
    """The readings of a task, systems, readers and queries without any left out.

    ``judgments``: any history; those of other tasks, and on lists that have changed since, do not matter.
    ``k``: results of a list that are averaged, of grades and ratings; None for the depth of the task.

    Raises
    ------
    InputError, UnknownName
        There is no reading; the queries or systems of the task are not in the study.
    """
    what = what_of(task) if what is None else what
    plan = plan_of(task, lists_of_task(study, task), reader="")
    own = [one for one in judgments if one.task == task.name]
    everywhere = plan.places()
    said: dict[tuple[str, Place], Judgment] = {}
    for one in current(own):
        if item_of(everywhere, one) is not None:
            place = (one.kind, one.query, one.result, tuple(sorted(one.systems)), one.criterion)
            said[one.reader, place] = one
    every_reader = {one.reader for one in own}
    values: dict[tuple[str, str, str], float] = {}
    for query, lists in plan.lists.items():
        for system in task.systems:
            parts = _parts(task, what, query, system, lists, k)
            for reader in every_reader if any(part is not None for part in parts) else ():
                given = [None if part is None else said.get((reader, part)) for part in parts]
                asked = [one for one, part in zip(given, parts, strict=True) if part is not None]
                if all(one is not None and one.value is not None for one in asked):
                    values[system, reader, query] = float(np.mean([_value(one, system) for one in given]))
    if not values:
        raise InputError(f"No reader has a complete reading yet. {what.sentence(task)}")
    systems, readers, queries = (tuple(sorted({key[i] for key in values})) for i in range(3))
    table = np.array([values.get(key, np.nan) for key in product(systems, readers, queries)])
    shape = (len(systems), len(readers), len(queries))
    return Readings(systems, readers, queries, readonly(table.reshape(shape)))


def _parts(
    task: Task, what: What, query: str, system: str, lists: Mapping[str, tuple[str, ...]], k: int | None
) -> list[Place | None]:
    """The judgments that a reading is made of; None for two lists that are the same, which are not judged."""
    results = lists[system]
    if what.kind == "panel":
        return [("panel", query, "", (system,), "")] if results else []
    if what.kind == "preference":
        two = (tuple(sorted((system, other))) for other in task.systems if other != system)
        return [
            None if lists[pair[0]] == lists[pair[1]] else ("preference", query, "", pair, "") for pair in two
        ]
    if what.kind == "graded":
        return [("graded", query, result, (), "") for result in results[:k]]
    criteria = (what.criterion,) if what.criterion else task.criteria
    return [("rating", query, result, (), name) for result in results[:k] for name in criteria]


def _value(judgment: Judgment | None, system: str) -> float:
    """What a judgment adds to the reading of a system; a half for lists that are the same."""
    if judgment is None:
        return 0.5
    assert judgment.value is not None, "a judgment without a value is no reading"
    if judgment.kind != "preference":
        return judgment.value
    side = 0.0 if abs(judgment.value) <= SAME else float(np.sign(judgment.value))
    return 0.5 + side / 2 if judgment.systems[1] == system else 0.5 - side / 2


def readings_of_folder(
    study: Study, *, k: int | None = None, task: str = "", kind: str = "", criterion: str = ""
) -> tuple[Readings, str]:
    """The readings of a study folder, and a sentence that says of whom and what they are.

    Without a task, kind and criterion the grades of all tasks together, where there are any. Else those of
    the task, or of the only task that asks for the kind.

    Raises
    ------
    InputError, UnknownName, SettingError
        There are no such readings; several tasks could be meant; see `what_of`.
    """
    assert study.path is not None, "judgments are those of a folder"
    judgments = judgments_of(study.path)
    if task:
        chosen = read_task(study.path, task)
        return _of_task(study, chosen, judgments, what_of(chosen, kind, criterion), k)
    tasks = read_tasks(study.path)[0]
    if not (kind or criterion) and any(one.kind == "graded" for one in judgments):
        graded = [one for one in tasks if one.form == "graded"]
        depth = k or as_asked(graded or tasks)[0]
        readings = readings_of(study, judgments, k=depth, systems=asked_systems(tasks))
        return readings, _of_whom(What("graded"), readings, judgments, f"first {pluralize(depth, 'result')}")
    wanted = kind or ("rating" if criterion else "")
    judged = {one.task for one in judgments}
    some = [one for one in tasks if one.name in judged and (not wanted or wanted in kinds_of(one))]
    if len(some) != 1:
        names = ", ".join(one.name for one in some)
        raise InputError(
            f"Several tasks have such judgments. Name one: --task NAME, of {names}."
            if some
            else "No task has such judgments. `review tasks STUDY` lists the tasks."
        )
    return _of_task(study, some[0], judgments, what_of(some[0], kind, criterion), k)


def _of_task(
    study: Study, task: Task, judgments: Iterable[Judgment], what: What, k: int | None
) -> tuple[Readings, str]:
    own = [one for one in judgments if one.task == task.name]
    readings = readings_of_task(study, task, own, what, k=k)
    return readings, f"{_of_whom(what, readings, own, f'task {task.name}')} {what.sentence(task, k)}"


def _of_whom(what: What, readings: Readings, judgments: Iterable[Judgment], of: str) -> str:
    nobody = {one.reader for one in judgments if one.simulated} & {*readings.readers}
    simulated = f", {len(nobody)} of them simulated" if nobody else ""
    return (
        f"{what.name[0].upper()}{what.name[1:]}, {of}, {pluralize(len(readings.cases), 'query')}, "
        f"{pluralize(len(readings.readers), 'reader')}{simulated}."
    )
