"""What a reader sees, one thing after the other, and what of it stays behind the page.

The page draws `Item`s. They name no system: who returned what is in the `Plan`, which stays with the program
and turns an answer into judgments.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evalcore.features.review.drawing import drawn, fingerprint
from evalcore.features.review.judgments import Answer, Judgment, Kind, Place, current
from evalcore.features.review.tasks import BY_CRITERIA
from evalcore.values.arrays import indptr_of
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.grouping import left_out, same_group

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from evalcore.features.review.tasks import Material, Task
    from evalcore.values.arrays import Ints
    from evalcore.values.model import Run, Study

# The lists that are judged: the first results of each system, and the queries drawn.


def queries_of(study: Study, task: Task) -> tuple[str, ...]:
    """The ids of the queries of a task: those it names, else as many as it draws from those answered.

    Raises
    ------
    InputError, UnknownName
        A query the study does not have; a system without a run.
    """
    queries = {study.image_ids[query]: int(query) for query in study.queries}
    if task.queries:
        for name in task.queries:
            if name not in queries:
                raise UnknownName("query", name, queries)
        return task.queries
    runs = runs_of(study, task).values()
    some = set(np.concatenate([_answered(run) for run in runs]).tolist()) if runs else {*queries.values()}
    answered = [name for name, query in queries.items() if query in some]
    return tuple(drawn(answered, "queries", task.seed)[: task.draw])


def lists_of(study: Study, task: Task) -> dict[str, dict[str, tuple[str, ...]]]:
    """{query: {system: ids of its first results}} of a task, queries in their drawn order.

    A query is not among its own results, and neither are images of its group where the study leaves those
    out. A system that does not answer a query has an empty list there. Raises as `queries_of`.
    """
    if task.form == "material":
        return _material(study, task)
    position = {study.image_ids[query]: int(query) for query in study.queries}
    runs = runs_of(study, task)
    return {
        name: {system: _first(study, run, position[name], task.depth) for system, run in runs.items()}
        for name in queries_of(study, task)
    }


def _material(study: Study, task: Task) -> dict[str, dict[str, tuple[str, ...]]]:
    """{image: {team: what stands for its material}}; the images that the task names or draws.

    UnknownName for an image that the study, or of those that are named the material, does not have.
    """
    of = {(one.image, one.team): key for key, one in by_key(task).items()}
    images = dict.fromkeys(one.image for one in task.material)
    for image in (*images, *task.queries):
        if image not in images or study.concepts.index(image) < 0:
            raise UnknownName("image", image, study.image_ids if image in images else images)
    chosen = task.queries or drawn(images, "queries", task.seed)[: task.draw]
    return {
        image: {team: (of[image, team],) if (image, team) in of else () for team in task.systems}
        for image in chosen
    }


def by_key(task: Task) -> dict[str, Material]:
    """{what stands for it in judgments and addresses: material}; the keys tell nothing of the team."""
    return {_key(task, "material", one.image, one.team): one for one in task.material}


def teams_of(task: Task) -> dict[str, str]:
    """{what stands for material: its team}."""
    return {key: one.team for key, one in by_key(task).items()}


def runs_of(study: Study, task: Task) -> dict[str, Run]:
    """The runs of the systems of a task, by the names the task has for them."""
    result = {}
    for system in task.systems:
        name = study.called(system)
        if name in study.seeds:
            some = ", ".join(study.seeds[name][:3])
            raise InputError(
                f"The system {system!r} was trained several times. Name one of its runs: {some}."
            )
        if name in study.embeddings and name not in study.runs:
            remedy = "Write one with `rank --relevance`, or name another system."
            raise InputError(f"The system {system!r} has no run, only vectors. {remedy}")
        if name not in study.runs:
            raise UnknownName("system with a run", system, study.runs)
        result[system] = study.runs[name]
    return result


def _answered(run: Run) -> Ints:
    """The queries to which a run returned anything but the query itself."""
    others = run.candidates != np.repeat(run.queries, np.diff(run.indptr))
    return run.queries[np.diff(indptr_of(others)[run.indptr]) > 0]


def _first(study: Study, run: Run, query: int, depth: int) -> tuple[str, ...]:
    candidates: Ints = run.answer(query, include_self=False)[0]
    candidates = candidates[candidates >= 0]  # -1: an image not in the study has nothing to show
    groups = left_out(study)
    if groups is not None:
        asked = np.full(len(candidates), query, np.int32)
        candidates = candidates[~same_group(groups, asked, candidates)]
    return tuple(study.image_ids[candidate] for candidate in candidates[:depth])


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing to judge, blind.

    ``key``: stands for it in addresses and widgets, and tells nothing. ``results``: one image for graded and
    rating, the list for panel, the left list for preference, whose right list is ``others``.
    """

    key: str
    kind: Kind
    query: str
    results: tuple[str, ...]
    others: tuple[str, ...] = ()
    criterion: str = ""

    @property
    def result(self) -> str:
        """The image that is judged by itself; "" where whole lists are."""
        return self.results[0] if self.kind in ("graded", "rating") else ""

    @property
    def shown(self) -> str:
        """A fingerprint of the lists, the same whichever stands left; "" for a single result."""
        if self.result:
            return ""
        lists = sorted([self.results, self.others]) if self.kind == "preference" else [self.results]
        return fingerprint(*(part for one in lists for part in (len(one), *one)))


@dataclass(frozen=True, slots=True)
class Plan:
    """All items of one reader, in the order they are shown, and who returned what.

    ``equal``: pairs of systems with the same list for a query; nobody is asked which of the two is better.
    """

    task: Task
    reader: str
    items: tuple[Item, ...]
    lists: Mapping[str, Mapping[str, tuple[str, ...]]]
    equal: tuple[tuple[str, str, str], ...]
    _systems: Mapping[str, tuple[str, ...]]

    def item(self, key: str) -> Item:
        """The item of a key; UnknownName when there is none."""
        for one in self.items:
            if one.key == key:
                return one
        raise UnknownName("item of this task", key, ())

    def subjects(self, item: Item) -> tuple[tuple[str, ...], ...]:
        """What systems an answer to an item is about: none for a result, a pair, or each with that list."""
        systems = self._systems[item.key]
        if item.kind == "panel":
            return tuple((system,) for system in systems)
        return (systems,) if item.kind == "preference" else ((),)

    def judgments(
        self,
        item: Item,
        *,
        id: str,
        at: datetime,
        said: Answer = "value",
        value: float | None = None,
        reasons: Sequence[str] = (),
        comment: str = "",
    ) -> tuple[Judgment, ...]:
        """An answer as it is stored: one judgment; of a list that several systems returned, one for each.

        ``id`` is of this answer, made once by the page; what comes of it is stored once.
        """
        return tuple(
            Judgment(
                id=f"{id}.{number}" if number else id,
                task=self.task.name,
                reader=self.reader,
                kind=item.kind,
                query=item.query,
                result=item.result,
                systems=systems,
                criterion=item.criterion,
                said=said,
                value=value,
                reasons=tuple(reasons),
                comment=comment,
                at=at,
                shown=item.shown,
            )
            for number, systems in enumerate(self.subjects(item))
        )

    def places(self) -> dict[Place, Item]:
        """What each item is about, to find items by `item_of`."""
        return {
            (item.kind, item.query, item.result, tuple(sorted(systems)), item.criterion): item
            for item in self.items
            for systems in self.subjects(item)
        }


def item_of(places: Mapping[Place, Item], judgment: Judgment) -> Item | None:
    """The item that a judgment is about; None for another one, and for lists that have changed since.

    ``places``: of `Plan.places`.
    """
    systems = tuple(sorted(judgment.systems))
    item = places.get((judgment.kind, judgment.query, judgment.result, systems, judgment.criterion))
    return item if item is not None and judgment.shown in ("", item.shown) else None


def plan_of(task: Task, lists: Mapping[str, Mapping[str, tuple[str, ...]]], *, reader: str) -> Plan:
    """The items of a task in the order of one reader: queries one after the other, each with all its items.

    ``lists``: as `pools.lists_of` gives them. The order follows from the task's name and seed and the reader
    alone: the same reader meets it again, another one meets another. Whole lists come after single results.
    """
    items, systems, equal = [], {}, []
    for query in drawn(lists, "order", task.name, task.seed, reader):
        for item, of in _of_query(task, query, lists[query], reader):
            items.append(item)
            systems[item.key] = of
        equal += [(query, a, b) for a, b in _pairs(task) if lists[query][a] == lists[query][b]]
    same = tuple(equal) if task.form == "preference" else ()
    return Plan(task, reader, tuple(items), lists, same, systems)


def _of_query(
    task: Task, query: str, lists: Mapping[str, tuple[str, ...]], reader: str
) -> Iterator[tuple[Item, tuple[str, ...]]]:
    if task.form in ("graded", *BY_CRITERIA):
        yield from _single(task, query, lists, reader)
    if task.form == "preference":
        yield from _two_lists(task, query, lists, reader)
    if task.asks_panel:
        yield from _whole_lists(task, query, lists, reader)


def _single(
    task: Task, query: str, lists: Mapping[str, tuple[str, ...]], reader: str
) -> Iterator[tuple[Item, tuple[str, ...]]]:
    """Each result once, however many systems returned it; its criteria in their order."""
    pool = {result for results in lists.values() for result in results}
    kind: Kind = "rating" if task.form in BY_CRITERIA else "graded"
    for result in drawn(pool, "results", task.name, task.seed, reader, query):
        for criterion in task.criteria if kind == "rating" else ("",):
            key = _key(task, kind, query, result, criterion)
            yield Item(key=key, kind=kind, query=query, results=(result,), criterion=criterion), ()


def _two_lists(
    task: Task, query: str, lists: Mapping[str, tuple[str, ...]], reader: str
) -> Iterator[tuple[Item, tuple[str, ...]]]:
    """Two lists, which of them left drawn anew for every item; two that are the same are not asked about."""
    of = {_key(task, "preference", query, *pair): pair for pair in _pairs(task)}
    for key in drawn(of, "pairs", task.seed, reader):
        a, b = drawn(of[key], "sides", task.name, task.seed, reader, query)
        if lists[a] != lists[b]:
            item = Item(key=key, kind="preference", query=query, results=lists[a], others=lists[b])
            yield item, (a, b)


def _whole_lists(
    task: Task, query: str, lists: Mapping[str, tuple[str, ...]], reader: str
) -> Iterator[tuple[Item, tuple[str, ...]]]:
    """Each list once, however many systems returned just that one; none that is empty."""
    same: dict[tuple[str, ...], list[str]] = {}
    for system in task.systems:
        if lists[system]:
            same.setdefault(lists[system], []).append(system)
    of = {_key(task, "panel", query, *results): results for results in same}
    for key in drawn(of, "lists", task.seed, reader):
        yield Item(key=key, kind="panel", query=query, results=of[key]), tuple(same[of[key]])


def _pairs(task: Task) -> list[tuple[str, str]]:
    return list(combinations(sorted(task.systems), 2))


def _key(task: Task, *parts: str) -> str:
    return fingerprint(task.name, task.seed, *parts)[:16]


# How far a reader is with a task: what is judged, what is open, where to go on.


@dataclass(frozen=True, slots=True)
class Progress:
    """``said``: {key of an item: what counts of it now}; ``open``: the others, in the reader's order."""

    said: dict[str, Judgment]
    open: tuple[Item, ...]
    n: int

    @property
    def done(self) -> int:
        return self.n - len(self.open)

    @property
    def next(self) -> Item | None:
        """The first open item; None when all is judged."""
        return self.open[0] if self.open else None


def progress(plan: Plan, judgments: Iterable[Judgment]) -> Progress:
    """How far the reader of a plan is. *Cannot say* is an answer; what was undone is open again, and so are
    lists that are no longer what the reader judged.

    ``judgments``: any history of the study; those of others, and of other tasks, do not matter. The list of
    several systems is judged when each of them has its judgment.
    """
    places = plan.places()
    wanted = {item.key: len(plan.subjects(item)) for item in plan.items}
    result: dict[str, list[Judgment]] = {}
    for one in current(judgments):
        if (one.task, one.reader) == (plan.task.name, plan.reader):
            item = item_of(places, one)
            if item is not None:
                result.setdefault(item.key, []).append(one)
    said = {key: ones[-1] for key, ones in result.items() if len(ones) == wanted[key]}
    return Progress(said, tuple(item for item in plan.items if item.key not in said), len(plan.items))
