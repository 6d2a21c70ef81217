"""The lists that are judged: the first results of each system, and the queries drawn."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from evalcore.values.errors import InputError, UnknownName
from evalcore.values.grouping import left_out, same_group

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.features.review.tasks import Task
    from evalcore.values.arrays import Ints
    from evalcore.values.model import Run, Study


def drawn(texts: Iterable[str], *key: object) -> list[str]:
    """Different texts in an order that only they and the key decide, on every machine and in every version.

    >>> drawn("abcd", 1) == drawn("dcba", 1), sorted(drawn("abcd", 1))
    (True, ['a', 'b', 'c', 'd'])
    """
    return sorted(texts, key=lambda text: (fingerprint(*key, text), text))


def fingerprint(*parts: object) -> str:
    """Parts of any kind as one short text; each is given with its length, so that none runs into the next."""
    digest = blake2b(digest_size=16)
    for part in parts:
        text = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(text).to_bytes(8, "big") + text)
    return digest.hexdigest()


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
    runs = runs_of(study, task)
    answered = [name for name, query in queries.items() if any(_answers(run, query) for run in runs.values())]
    return tuple(drawn(answered, "queries", task.seed)[: task.draw])


def lists_of(study: Study, task: Task) -> dict[str, dict[str, tuple[str, ...]]]:
    """{query: {system: ids of its first results}} of a task, queries in their drawn order.

    A query is not among its own results, and neither are images of its group where the study leaves those
    out. A system that does not answer a query has an empty list there. Raises as `queries_of`.
    """
    position = {study.image_ids[query]: int(query) for query in study.queries}
    runs = runs_of(study, task)
    return {
        name: {system: _first(study, run, position[name], task.depth) for system, run in runs.items()}
        for name in queries_of(study, task)
    }


def runs_of(study: Study, task: Task) -> dict[str, Run]:
    """The runs of the systems of a task, by the names the task has for them."""
    found = {}
    for system in task.systems:
        name = study.called(system)
        if name in study.seeds:
            some = ", ".join(study.seeds[name][:3])
            raise InputError(
                f"The system {system!r} was trained several times. Name one of its runs: {some}."
            )
        if name in study.embeddings and name not in study.runs:
            remedy = "Write one with `export run --relevance`, or name another system."
            raise InputError(f"The system {system!r} has no run, only vectors. {remedy}")
        if name not in study.runs:
            raise UnknownName("system with a run", system, study.runs)
        found[system] = study.runs[name]
    return found


def _answers(run: Run, query: int) -> bool:
    return len(run.answer(query, include_self=False)[0]) > 0


def _first(study: Study, run: Run, query: int, depth: int) -> tuple[str, ...]:
    candidates: Ints = run.answer(query, include_self=False)[0]
    candidates = candidates[candidates >= 0]  # -1: an image not in the study has nothing to show
    groups = left_out(study)
    if groups is not None:
        asked = np.full(len(candidates), query, np.int32)
        candidates = candidates[~same_group(groups, asked, candidates)]
    return tuple(study.image_ids[one] for one in candidates[:depth])
