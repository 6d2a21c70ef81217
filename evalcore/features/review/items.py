"""What a reader is shown, item after item, and how far each reader is.

Order follows from texts and a seed alone, by digest: the same on every machine and in every version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from evalcore.evaluate.systems import System, lists_under
from evalcore.evaluate.targets import pool_of
from evalcore.features.review.records import Judgment, Kind, Material, Place, Task, current
from evalcore.values.arrays import Ints
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.model import Study
from evalcore.values.settings import Settings

Lists = Mapping[str, tuple[str, ...]]


def shuffled(texts: Iterable[str], *key: object) -> list[str]:
    """Different texts in an order that only they and the key decide.

    >>> shuffled("abcd", 1) == shuffled("dcba", 1), sorted(shuffled("abcd", 1))
    (True, ['a', 'b', 'c', 'd'])
    """
    return sorted(texts, key=lambda text: (fingerprint(*key, text), text))


def fingerprint(*parts: object) -> str:
    """Parts of any kind as one short text; each follows its length, so that none runs into the next."""
    digest = blake2b(digest_size=16)
    for part in parts:
        text = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(text).to_bytes(8, "big") + text)
    return digest.hexdigest()


# The lists that are judged: the first results of each system, and the queries.

PRACTICE = "practice"
"""The task every study has without a file; its answers are not analysed."""


def practice_task(study: Study) -> Task | None:
    """A few results of each system, to try judging; None where no system has a run."""
    systems = systems_to_judge(study)[:6]
    if not systems:
        return None
    return Task(
        name=PRACTICE,
        title="Practice",
        form="graded",
        systems=systems,
        queries=4,
        depth=3,
        seed=1,
        instructions="Imagine you look at the query image and ask for similar cases. For each result, say "
        "how useful it would be to you. There is no right answer, and no time limit.",
    )


def systems_to_judge(study: Study) -> tuple[str, ...]:
    """The systems whose lists can be judged: those with a run of their own."""
    return tuple(name for name in study.systems if name in study.runs)


def lists_of(study: Study, task: Task) -> dict[str, dict[str, tuple[str, ...]]]:
    """{query: {system: ids of its first results}} of a task; of the form material, {image: {team: key}}.

    The results that count when the system is scored: of the study's candidates, without the query itself, and
    without images of its group where the study leaves those out. A system that does not answer a query has an
    empty list there.

    Raises
    ------
    InputError, UnknownName
        A query the study does not have, a system without a run, or no query with anything to judge.
    """
    lists = _material(study, task) if task.form == "material" else _results(study, task)
    if not any(results for by_system in lists.values() for results in by_system.values()):
        why = "its systems returned no result" if lists else "its systems answer no query of the study"
        message = f"The task {task.name!r} has nothing to judge: {why}."
        raise InputError(f"{message} Name other systems or queries.")
    return lists


def _results(study: Study, task: Task) -> dict[str, dict[str, tuple[str, ...]]]:
    place = {study.image_ids[query]: int(query) for query in study.queries}
    systems = _systems(study, task)
    if isinstance(task.queries, int):
        answered = {query for system in systems for query in _answered(system)}
        known = [name for name, query in place.items() if query in answered]
        chosen = shuffled(known, "queries", task.seed)[: task.queries]
    else:
        chosen = list(task.queries)
        for name in chosen:
            if name not in place:
                raise UnknownName("query", name, place)
    queries = np.array([place[name] for name in chosen], np.int32)
    returned = {system.name: _first(study, system, queries, task.depth) for system in systems}
    return {
        name: {system: results[n] for system, results in returned.items()} for n, name in enumerate(chosen)
    }


def _material(study: Study, task: Task) -> dict[str, dict[str, tuple[str, ...]]]:
    keys = {(each.image, each.team): key for key, each in material_by_key(task).items()}
    images = dict.fromkeys(each.image for each in task.material)
    named = () if isinstance(task.queries, int) else task.queries
    for image in (*images, *named):
        if image not in images or study.concepts.index(image) < 0:
            raise UnknownName("image", image, study.image_ids if image in images else images)
    chosen = named or shuffled(images, "queries", task.seed)[: task.drawn]
    return {
        image: {team: (keys[image, team],) if (image, team) in keys else () for team in task.systems}
        for image in chosen
    }


def material_by_key(task: Task) -> dict[str, Material]:
    """{key: material}; judgments name material by its key, which does not reveal the team."""
    return {_key(task, "material", each.image, each.team): each for each in task.material}


def _systems(study: Study, task: Task) -> list[System]:
    for name in task.systems:
        if name in study.embeddings and name not in study.runs:
            remedy = "Write one with `rank --relevance`, or name another system."
            raise InputError(f"The system {name!r} has no run, only vectors. {remedy}")
        if name not in study.runs:
            raise UnknownName("system with a run", name, study.runs)
    return [System(name, study.runs[name]) for name in task.systems]


def _answered(system: System) -> list[int]:
    """The queries to which a system returned anything but the query itself."""
    assert system.run is not None, "only systems with a run are judged"
    others = system.run.without_self()
    answered: list[int] = others.queries[np.diff(others.indptr) > 0].tolist()
    return answered


def _first(study: Study, system: System, queries: Ints, depth: int) -> list[tuple[str, ...]]:
    """What a system returned first for each of these queries, of the candidates that can be shown."""
    settings = Settings()
    pool = pool_of(study, None, queries, settings)
    (lists,) = lists_under(study, system, pool, queries, [settings], depth=None)
    lists = lists.keep(lists.candidates >= 0).first(depth)  # -1: not in the study, so nothing to show
    names = [study.image_ids[candidate] for candidate in lists.candidates]
    return [tuple(names[start:end]) for start, end in pairwise(lists.indptr)]


# Items.


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing to judge.

    ``key``: its id in the browser, which reveals nothing. ``left``: one image for graded and rating, the list
    for panel, the left list for preference, whose other list is ``right``. ``subjects``: the systems that
    each judgment of an answer is about; they are not sent to the browser.
    """

    key: str
    kind: Kind
    query: str
    left: tuple[str, ...]
    right: tuple[str, ...] = ()
    criterion: str = ""
    subjects: tuple[tuple[str, ...], ...] = ((),)

    @property
    def result(self) -> str:
        """The image that is judged by itself; "" where whole lists are."""
        return self.left[0] if self.kind in ("graded", "rating") else ""

    @property
    def lists(self) -> list[tuple[str, tuple[str, ...]]]:
        """(title, images) of what is judged, in the order of the screen."""
        if self.kind == "preference":
            return [("Left list", self.left), ("Right list", self.right)]
        return [("Result" if self.result else "The list", self.left)]

    @property
    def lists_digest(self) -> str:
        """A fingerprint of the lists, the same whichever is left; "" for a single result."""
        if self.result:
            return ""
        lists = sorted([self.left, self.right]) if self.kind == "preference" else [self.left]
        return fingerprint(*(part for images in lists for part in (len(images), *images)))

    def judgments(self, task: str, reader: str, *, id: str, at: datetime, **answer: Any) -> list[Judgment]:
        """An answer as it is stored: one judgment; of a list that several systems returned, one for each.

        ``answer``: its status, value, reasons and comment.
        """
        return [
            Judgment(
                id=f"{id}.{n}" if n else id,
                task=task,
                reader=reader,
                kind=self.kind,
                query=self.query,
                result=self.result,
                systems=systems,
                criterion=self.criterion,
                at=at,
                lists_digest=self.lists_digest,
                **answer,
            )
            for n, systems in enumerate(self.subjects)
        ]


def items_for(task: Task, lists: Mapping[str, Lists], reader: str) -> tuple[Item, ...]:
    """The items of a task in the order of a reader: query after query, each with all its items.

    The same reader always gets the same order, other readers get other orders. Whole lists come after single
    results. Two lists that are the same are not compared, and a list is shown once, however many systems
    returned it.
    """
    items: list[Item] = []
    for query in shuffled(lists, "order", task.name, task.seed, reader):
        for kind in task.kinds:
            items += _BUILDERS[kind](task, query, lists[query], reader)
    return tuple(items)


def _key(task: Task, *parts: str) -> str:
    return fingerprint(task.name, task.seed, *parts)[:16]


def _single_results(task: Task, query: str, lists: Lists, reader: str) -> Iterator[Item]:
    kind: Kind = "rating" if task.criteria else "graded"
    pool = {result for results in lists.values() for result in results}
    for result in shuffled(pool, "results", task.name, task.seed, reader, query):
        for criterion in task.criteria or ("",):
            key = _key(task, kind, query, result, criterion)
            yield Item(key=key, kind=kind, query=query, left=(result,), criterion=criterion)


def _two_lists(task: Task, query: str, lists: Lists, reader: str) -> Iterator[Item]:
    pairs = {_key(task, "preference", query, *pair): pair for pair in combinations(sorted(task.systems), 2)}
    for key in shuffled(pairs, "pairs", task.seed, reader):
        a, b = shuffled(pairs[key], "sides", task.name, task.seed, reader, query)
        if lists[a] != lists[b]:
            yield Item(
                key=key, kind="preference", query=query, left=lists[a], right=lists[b], subjects=((a, b),)
            )


def _whole_lists(task: Task, query: str, lists: Lists, reader: str) -> Iterator[Item]:
    returned: dict[tuple[str, ...], list[tuple[str]]] = defaultdict(list)
    for system in task.systems:
        if lists[system]:
            returned[lists[system]].append((system,))
    keys = {_key(task, "panel", query, *results): results for results in returned}
    for key in shuffled(keys, "lists", task.seed, reader):
        subjects = tuple(returned[keys[key]])
        yield Item(key=key, kind="panel", query=query, left=keys[key], subjects=subjects)


_BUILDERS = {
    "graded": _single_results,
    "rating": _single_results,
    "preference": _two_lists,
    "panel": _whole_lists,
}


def check_items(study: Study, task: Task) -> tuple[dict[str, dict[str, tuple[str, ...]]], tuple[Item, ...]]:
    """The lists of a task (`lists_of`) and its items; InputError too where all lists to compare are the
    same, so that nothing is left to judge."""
    lists = lists_of(study, task)
    items = items_for(task, lists, "")
    if not items:
        raise InputError(
            f"The task {task.name!r} has nothing to judge: the lists of its systems are the same. Name other "
            "systems or queries."
        )
    return lists, items


def same_lists(task: Task, lists: Mapping[str, Lists]) -> int:
    """How many pairs of lists of a preference are the same, and so are not judged."""
    pairs = combinations(task.systems, 2) if task.form == "preference" else ()
    return sum(of_query[a] == of_query[b] for a, b in pairs for of_query in lists.values())


# How far a reader is.


@dataclass(frozen=True, slots=True)
class Progress:
    """``answers``: {key of an item: what counts of it now}; ``open``: the others, in the reader's order."""

    answers: dict[str, Judgment]
    open: tuple[Item, ...]
    n: int

    @property
    def done(self) -> int:
        return self.n - len(self.open)


def progress(items: Sequence[Item], task: str, reader: str, judgments: Iterable[Judgment]) -> Progress:
    """How far a reader is with the items of a task.

    "Cannot say" is an answer; what was undone is open again, and so are lists that are no longer what the
    reader judged. ``judgments``: any history; those of others, and of other tasks, do not matter. The list of
    several systems is judged when each of them has its judgment.
    """
    places: dict[Place, Item] = {
        (item.kind, item.query, item.result, tuple(sorted(systems)), item.criterion): item
        for item in items
        for systems in item.subjects
    }
    by_key: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in current(judgments):
        item = places.get(judgment.place)
        if item is None or (judgment.task, judgment.reader) != (task, reader):
            continue
        if judgment.lists_digest in ("", item.lists_digest):
            by_key[item.key].append(judgment)
    done = (item for item in items if len(by_key[item.key]) == len(item.subjects))
    answers = {item.key: by_key[item.key][-1] for item in done}
    return Progress(answers, tuple(item for item in items if item.key not in answers), len(items))
