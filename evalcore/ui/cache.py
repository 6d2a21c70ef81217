"""What the pages compute, remembered by content.

Every function takes the digest of what it depends on and plain parameters; the study itself comes
underscored, so that Streamlit never hashes (and never samples) big data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from evalcore import engine, evaluate
from evalcore.errors import InputError
from evalcore.ui.context import COMMON_QUERIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.model import Comparison, Interval, Ints, Scores, Study
    from evalcore.settings import Settings
    from evalcore.ui.context import Choice
    from evalcore.ui.measures import MeasureChoice

    Common = tuple[str, ...] | None

CUTOFFS = (1, 3, 5, 10, 20, 30, 50, 100)
"""Where the curves are computed."""
SCORING = "Scoring… Once on a machine the engine is compiled first, which takes up to half a minute."
RANKED_DEPTH = 100
"""How many results a system without a run file is asked for."""


def common_queries(study: Study, systems: Sequence[str]) -> Ints:
    """Queries that every one of the systems answers; none is an empty array."""
    return _common_queries(study.digest, tuple(systems), study)


@st.cache_data(max_entries=256, show_spinner=False)
def _common_queries(digest: str, systems: tuple[str, ...], _study: Study) -> Ints:  # noqa: ARG001
    try:
        return evaluate.common_queries(_study, systems)
    except InputError:
        return np.empty(0, np.int32)


def _limit(choice: Choice) -> Common:
    """The systems whose common queries count; None when all queries do."""
    return choice.systems if choice.queries == COMMON_QUERIES else None


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
    settings, limit = choice.settings, _limit(choice)
    found = [_scores(study.digest, name, metrics, repr(settings), limit, study, settings) for name in systems]
    return {k: [of[i] for of in found] for i, k in enumerate(ks)}


@st.cache_data(max_entries=512, max_size="300MB", show_spinner=SCORING)
def _scores(
    digest: str,  # noqa: ARG001
    system: str,
    metrics: tuple[str, ...],
    settings: str,  # noqa: ARG001
    common: Common,
    _study: Study,
    _settings: Settings,
) -> tuple[Scores, ...]:
    queries = None if common is None else common_queries(_study, common)
    return evaluate.score(_study, metrics=metrics, systems=[system], settings=_settings, queries=queries)


def intervals(study: Study, choice: Choice) -> dict[str, Interval]:
    """Mean and interval of every chosen system at the sidebar's k."""
    by_k = intervals_by_k(study, choice)
    return by_k[choice.k if choice.k in by_k else 0]


def intervals_by_k(study: Study, choice: Choice) -> dict[int, dict[str, Interval]]:
    """For every cutoff of the curves, and the sidebar's k, mean and interval of every chosen system."""
    return _intervals(study.digest, *_chosen(choice), choice.systems, study, choice)


@st.cache_data(max_entries=128, show_spinner=SCORING)
def _intervals(
    digest: str,  # noqa: ARG001
    metric: str,  # noqa: ARG001
    settings: str,  # noqa: ARG001
    queries: str,  # noqa: ARG001
    systems: tuple[str, ...],
    _study: Study,
    _choice: Choice,
) -> dict[int, dict[str, Interval]]:
    found = scores_by_k(_study, _choice, systems, measure=_choice.measure)
    flat = evaluate.summarise_all([one for k in found for one in found[k]], settings=_choice.settings)
    n = len(systems)
    return {k: dict(zip(systems, flat[i * n : (i + 1) * n], strict=True)) for i, k in enumerate(found)}


def leaderboard(study: Study, choice: Choice) -> tuple[Comparison, ...]:
    """Every chosen system against the baseline, corrected together."""
    return _leaderboard(study.digest, *_chosen(choice), choice.systems, study, choice)


@st.cache_data(max_entries=256, show_spinner=SCORING)
def _leaderboard(
    digest: str,  # noqa: ARG001
    metric: str,  # noqa: ARG001
    settings: str,  # noqa: ARG001
    queries: str,  # noqa: ARG001
    systems: tuple[str, ...],
    _study: Study,
    _choice: Choice,
) -> tuple[Comparison, ...]:
    found = scores(_study, _choice, systems)
    return evaluate.leaderboard(found, baseline=systems[0], settings=_choice.settings)


def comparison(study: Study, choice: Choice, a: str, b: str) -> Comparison:
    """System a minus system b over the queries both have a value for."""
    return _comparison(study.digest, *_chosen(choice), choice.systems, a, b, study, choice)


@st.cache_data(max_entries=256, show_spinner=False)
def _comparison(
    digest: str,  # noqa: ARG001
    metric: str,  # noqa: ARG001
    settings: str,  # noqa: ARG001
    queries: str,  # noqa: ARG001
    systems: tuple[str, ...],  # noqa: ARG001 -- they decide which queries are common
    a: str,
    b: str,
    _study: Study,
    _choice: Choice,
) -> Comparison:
    of_a, of_b = scores(_study, _choice, [a, b])
    return evaluate.compare(of_b, of_a, settings=_choice.settings)


def _chosen(choice: Choice) -> tuple[str, str, str]:
    """Metric, settings and queries as short texts: cheap to hash."""
    return choice.metric, repr(choice.settings), choice.queries


def answer(study: Study, system: str, query: int, settings: Settings) -> Ints:
    """What a system returned for a query, best first: from its run, else ranked now."""
    (found,) = evaluate.resolve_systems(study, [system])
    if found.run is not None:
        return found.run.answer(query)[0]
    assert found.relevance is not None, "a system has a run or a relevance"
    run = engine.rank(
        study, found.relevance, np.array([query], np.int32), candidates=study.candidates,
        depth=RANKED_DEPTH, settings=settings,
    )  # fmt: skip
    return run.answer(query)[0]
