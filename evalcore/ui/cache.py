"""What the pages compute, remembered by content.

Every function takes the digest of what it depends on and plain parameters; the study itself comes
underscored, so that Streamlit never hashes (and never samples) big data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from evalcore import evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.model import Comparison, Interval, Ints, Scores, Study
    from evalcore.settings import Settings
    from evalcore.ui.context import Choice

COMMON = "common"


def common_queries(study: Study, systems: Sequence[str]) -> Ints:
    """Queries that every one of the systems answers."""
    return _common_queries(study.digest, tuple(systems), study)


@st.cache_data(max_entries=256, show_spinner=False)
def _common_queries(digest: str, systems: tuple[str, ...], _study: Study) -> Ints:  # noqa: ARG001
    return evaluate.common_queries(_study, systems)


def scores(
    study: Study, choice: Choice, metrics: Sequence[str], systems: Sequence[str]
) -> list[list[Scores]]:
    """For each metric the scores of each system, under the sidebar's settings and queries."""
    common = tuple(choice.systems) if choice.queries == COMMON else None
    per_system = [
        _scores(study.digest, name, tuple(metrics), choice.settings, common, study) for name in systems
    ]
    return [list(of_metric) for of_metric in zip(*per_system, strict=True)]


@st.cache_data(max_entries=1024, max_size="200MB", show_spinner="Scoring…")
def _scores(
    digest: str,  # noqa: ARG001
    system: str,
    metrics: tuple[str, ...],
    settings: Settings,
    common: tuple[str, ...] | None,
    _study: Study,
) -> tuple[Scores, ...]:
    queries = None if common is None else np.asarray(evaluate.common_queries(_study, common))
    return evaluate.score(_study, metrics=metrics, systems=[system], settings=settings, queries=queries)


def intervals(study: Study, choice: Choice, metric: str) -> dict[str, Interval]:
    """Mean and interval of every chosen system."""
    (found,) = scores(study, choice, [metric], choice.systems)
    return {s.system: _interval(study.digest, metric, *_key(choice, s.system), s) for s in found}


@st.cache_data(max_entries=2048, show_spinner=False)
def _interval(
    digest: str,  # noqa: ARG001
    metric: str,  # noqa: ARG001
    system: str,  # noqa: ARG001
    settings: Settings,
    common: tuple[str, ...] | None,  # noqa: ARG001
    _scores: Scores,
) -> Interval:
    return evaluate.summarise(_scores, settings=settings)


def _key(choice: Choice, system: str) -> tuple[str, Settings, tuple[str, ...] | None]:
    return system, choice.settings, tuple(choice.systems) if choice.queries == COMMON else None


def leaderboard(study: Study, choice: Choice, metric: str) -> tuple[Comparison, ...]:
    """Every chosen system against the baseline, corrected together."""
    (found,) = scores(study, choice, [metric], choice.systems)
    common = choice.queries == COMMON
    return _leaderboard(study.digest, metric, choice.systems, choice.baseline, choice.settings, common, found)


@st.cache_data(max_entries=256, show_spinner="Comparing…")
def _leaderboard(
    digest: str,  # noqa: ARG001
    metric: str,  # noqa: ARG001
    systems: tuple[str, ...],  # noqa: ARG001
    baseline: str,
    settings: Settings,
    common: bool,  # noqa: ARG001
    _scores: list[Scores],
) -> tuple[Comparison, ...]:
    return evaluate.leaderboard(_scores, baseline=baseline, settings=settings)


def comparison(study: Study, choice: Choice, metric: str, a: str, b: str) -> Comparison:
    """System a minus system b over the queries both have a value for."""
    (found,) = scores(study, choice, [metric], [a, b])
    key = _key(choice, a)[1:]
    return _comparison(study.digest, metric, a, b, *key, *found)


@st.cache_data(max_entries=256, show_spinner=False)
def _comparison(
    digest: str,  # noqa: ARG001
    metric: str,  # noqa: ARG001
    a: str,  # noqa: ARG001
    b: str,  # noqa: ARG001
    settings: Settings,
    common: tuple[str, ...] | None,  # noqa: ARG001
    _a: Scores,
    _b: Scores,
) -> Comparison:
    return evaluate.compare(_a, _b, settings=settings)
