"""What the overview's figure shows at other settings, so that it follows the sliders before the page does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

import streamlit as st

from evalcore.evaluate.systems import is_swept
from evalcore.evaluate.targets import metric_of
from evalcore.figures.systems import Rows, rows_at
from evalcore.ui.components import follow
from evalcore.ui.components.follow import Setting
from evalcore.ui.frame import cache, choices, state
from evalcore.ui.frame.context import Choice, Context
from evalcore.values.model import Interval, Study

At = TypeVar("At")

ALPHAS = tuple(round(0.05 * step, 2) for step in range(21))
"""Where the slider stops."""
PAIRS = 50_000_000
"""Pairs of images times settings that are computed ahead of a slider: some tenths of a second."""


def setting(choice: Choice) -> Setting:
    """What the sliders say."""
    return Setting(choice.k, choice.settings.alpha, choice.settings.threshold)


@state.fragment()
def send(context: Context, figure: str) -> None:
    """Send the values for the figure with this key; call last, when all else is on its way to the browser.

    Those at each k take longest. After a click here they come a moment later, when the browser asks for them.
    """
    study, choice, place = context.study, context.choice, st.empty()
    at, later = setting(choice), False
    settings, systems = choice.settings, choice.systems
    rows: dict[Setting, Rows] = {}
    if choice.measure.cut:
        key = (
            "rows by k",
            study.digest,
            choice.measure.family,
            repr(settings),
            systems,
            cache.VALUES_AT_ONCE,
        )
        later = state.acting() and not follow.asks(figure) and not cache.is_shared(key)
        if not later:
            ks = range(1, choices.MAX_K + 1)
            by_k = cache.share(key, lambda: _rows(cache.means_by_k(study, choice, ks, pause=place.empty)))
            rows |= {at._replace(k=k): of for k, of in by_k.items()}
    if _weights_count(context):
        rest = repr(replace(settings, alpha=0.0, threshold=0))
        every = tuple(range(study.largest_threshold + 1))
        for alphas, thresholds in ((ALPHAS, (at.threshold,)), ((at.alpha,), every)):
            place.empty()
            by_weight = cache.share(
                ("rows by weight", study.digest, choice.metric, rest, systems, alphas, thresholds),
                partial(_by_weight, study, choice, alphas, thresholds),
            )
            rows |= {at._replace(alpha=a, threshold=t): of for (a, t), of in by_weight.items()}
    if rows or later:
        with place:
            follow.dots(figure, systems, rows, later=later)


def _by_weight(
    study: Study, choice: Choice, alphas: tuple[float, ...], thresholds: tuple[int, ...]
) -> dict[tuple[float, int], Rows]:
    return _rows(cache.means_by_weight(study, choice, alphas, thresholds))


def _rows(means: Mapping[At, Mapping[str, Interval]]) -> dict[At, Rows]:
    return {at: rows_at(of) for at, of in means.items()}


def _weights_count(context: Context) -> bool:
    """Whether alpha and maximum distance are on screen, change anything, and soon computed."""
    study, choice = context.study, context.choice
    if not study.knows_neighbours or not choices.weights_shown(choice):
        return False
    metric = metric_of(study, choice.metric, choice.settings)
    pairs = len(study.queries) * len(study.candidates) * len(ALPHAS)
    return is_swept(metric.relevance) and pairs <= PAIRS
