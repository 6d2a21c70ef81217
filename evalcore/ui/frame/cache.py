"""What the pages compute, remembered by content.

The key of everything is the digest of the study and short texts; the study itself comes in a closure.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from evalcore.evaluate import common_pool
from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.scoring import score_under
from evalcore.evaluate.systems import common_queries as queries_in_common
from evalcore.evaluate.systems import lists_under, resolve_systems
from evalcore.evaluate.targets import metric_of, metrics_of, pool_of
from evalcore.report.parts import CUTOFFS
from evalcore.ui.frame.context import Choice
from evalcore.ui.frame.measures import MeasureChoice
from evalcore.values import plugins
from evalcore.values.arrays import Ints
from evalcore.values.errors import InputError
from evalcore.values.model import ComparedOver, Scores, SearchedPool, Study
from evalcore.values.progress import time_left
from evalcore.values.settings import Settings
from evalcore.values.stores import Store
from evalcore.values.writing import md_escape

T = TypeVar("T")

SCORING = "Scoring… The first run on a computer takes up to 30 s longer."
ROOM = 1 << 30
"""Bytes of open studies, of what was computed of them, and of their pictures as pages show them."""
_kept: Store[Any] = Store(ROOM)
_scored: set[str] = set()
"""Digests of the studies that were scored since the program was started."""
RANKED_DEPTH = 100
"""How many results a system without a run file is asked for."""


def cached(key: tuple[object, ...], work: Callable[[], T], *, spinner: str = "") -> T:
    """What ``work`` returned when this key was last requested: the same value for all sessions, to be read
    only. None is not kept.

    ``key`` says what is computed: a name, the digest of what it is computed from, every parameter (`key_of`
    where the sidebar decides). Who waits for it sees the ``spinner``'s words.
    """
    with stops_for_plugins(), st.spinner(spinner) if spinner and key not in _kept else nullcontext():
        value: T = _kept.get_or_compute(key, work)
        return value


@contextmanager
def stops_for_plugins() -> Iterator[None]:
    """End the page with a message where a function of a user fails, or gives what it must not."""
    try:
        yield
    except plugins.PluginError as error:
        st.error(f"{md_escape(str(error), limit=600)} Select another measure, or correct the function.")
        st.stop()


def key_of(what: str, study: Study, choice: Choice, *more: object) -> tuple[object, ...]:
    """The key of what the scores of the systems chosen decide, and ``more``: short texts, cheap to hash."""
    return (what, study.digest, choice.metric, repr(choice.settings), choice.systems, *more)


def scored_before(study: Study) -> bool:
    """Whether any page has scored this study since the program was started; True from now on."""
    known = study.digest in _scored
    _scored.add(study.digest)
    return known


@st.cache_resource(max_entries=8, show_spinner=False)
def _nothing_to_collect(digest: str) -> None:  # noqa: ARG001
    """Once per study: what is loaded by now stays, so the garbage collector need not walk it again.

    Streamlit collects after every run, which took 60 ms with all modules loaded, before the browser had
    the last of the page.
    """
    gc.freeze()


def common_queries(study: Study, systems: Sequence[str]) -> Ints:
    """Queries that every one of the systems answers; none is an empty array."""

    def work() -> Ints:
        try:
            return queries_in_common(study, systems)
        except InputError:
            return np.empty(0, np.int32)

    return cached(("common queries", study.digest, tuple(systems)), work)


def searched_pools(study: Study, systems: Sequence[str]) -> tuple[SearchedPool, ...]:
    """Which images each of these systems searches."""
    return tuple(
        cached(("searched pool", study.digest, name), partial(common_pool.searched_pool, study, name))
        for name in dict.fromkeys(systems)
    )


def compared_over(study: Study, choice: Choice, systems: Sequence[str]) -> ComparedOver:
    """What these systems are compared over, as the sidebar chooses; decided once for all who look."""
    systems = tuple(dict.fromkeys(systems))

    def work() -> ComparedOver:
        pools = searched_pools(study, systems)
        return common_pool.compared_over(study, systems, which=choice.chosen.queries or None, pools=pools)

    return cached(("compared over", study.digest, systems, choice.chosen.queries), work)


def limited(study: Study, choice: Choice, systems: Sequence[str]) -> Study:
    """The study with nothing in it but what these systems are compared over, and the groups as chosen."""
    over = compared_over(study, choice, systems).limit(study)
    return common_pool.limited(over, systems, same_group=choice.chosen.same_group)


def scores(
    study: Study, choice: Choice, systems: Sequence[str], *, measure: MeasureChoice | None = None
) -> list[Scores]:
    """The scores of these systems under a measure (the sidebar's, if none is named) at the sidebar's k."""
    by_k = scores_by_k(study, choice, systems, measure=measure or choice.measure)
    return by_k[choice.k if choice.k in by_k else 0]


def scores_by_k(
    study: Study, choice: Choice, systems: Sequence[str], *, measure: MeasureChoice
) -> dict[int, list[Scores]]:
    """The same for every cutoff of the curves and the sidebar's k: they all come from one ranking.

    A measure of the whole list has the one key 0.
    """
    ks = tuple(sorted({*CUTOFFS, choice.k})) if measure.cut else (0,)
    metrics = tuple(measure.label(k) for k in ks)

    def work(system: str) -> tuple[Scores, ...]:
        settings = choice.settings
        systems, wanted = resolve_systems(study, [system]), metrics_of(study, metrics, settings)
        return tuple(score_under(study, systems, wanted, study.queries, [settings]).values())

    key = (study.digest, metrics, repr(choice.settings))
    place, began, result = None, monotonic(), []
    with stops_for_plugins():
        for n, name in enumerate(systems, 1):
            result.append(cached(("scores", *key, name), partial(work, name), spinner=SCORING))
            if left := time_left(n / len(systems), monotonic() - began):
                place = place or st.empty()
                place.progress(n / len(systems), f"Scored {n} of {len(systems)} systems{left}")
    if place is not None:
        place.empty()
    _nothing_to_collect(study.digest)
    return {k: [values[i] for values in result] for i, k in enumerate(ks)}


SPINNERS = {
    "pairs": "Comparing every two systems…",
    "slices": "Comparing the systems group by group…",
    "overlap": "Comparing the results of every two systems…",
    "means at": SCORING,
}
"""What who waits for an answer of an analysis reads, by the answer."""


def analysis(
    study: Study, choice: Choice, *, systems: Sequence[str] = (), measures: Sequence[MeasureChoice] = ()
) -> Analysis:
    """The analysis of the systems chosen, or of these, under the sidebar's measure, or these.

    ``study``: limited to what is compared. Answers are kept by content.
    """
    names = tuple(dict.fromkeys(systems)) or choice.systems
    requested = tuple(measures) or (choice.measure,)

    def score() -> list[Scores]:
        by_measure = [scores(study, choice, names, measure=measure) for measure in requested]
        return [values[i] for i in range(len(names)) for values in by_measure]

    metrics = tuple(str(metric_of(study, measure.label(choice.k), choice.settings)) for measure in requested)
    view = replace(choice.among(names).chosen, metrics=metrics)

    def again(settings: Settings, _metric: str) -> Analysis:
        return analysis(study, choice.under(settings), systems=names, measures=requested)

    return Analysis(study, view, score, _kept_answer, again)


def _kept_answer(key: tuple[object, ...], work: Callable[[], Any]) -> Any:
    return cached(key, work, spinner=SPINNERS.get(str(key[0]), ""))


def retrieved_images(study: Study, system: str, query: int, settings: Settings) -> Ints:
    """What a system returned for a query, best first: from its run (of its first seed), else ranked now.

    Of a run also what is no candidate.
    """
    (result,) = resolve_systems(study, [system])
    block, depth = np.array([query], np.int32), None if result.relevance is None else RANKED_DEPTH
    pool = pool_of(study, None, block, settings)
    pool = replace(pool, inside=np.ones_like(pool.inside))
    (lists,) = lists_under(study, result, pool, block, [replace(settings, ties="id")], depth=depth)
    return lists.candidates[:depth]
