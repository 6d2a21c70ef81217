"""What the overview's figure shows at other settings, so that it follows the sliders before the page does."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from evalcore.evaluate.sweep.variants import is_swept
from evalcore.evaluate.targets import metric_of
from evalcore.ui.components import follow
from evalcore.ui.components.follow import Frames, Setting
from evalcore.ui.frame import cache, choices
from evalcore.ui.frame.context import Choice, Context
from evalcore.values.model import Interval
from evalcore.values.settings import MAX_THRESHOLD

ALPHAS = tuple(round(0.05 * step, 2) for step in range(21))
"""Where the slider stops."""
PAIRS = 50_000_000
"""Pairs of images times settings that are computed ahead of a slider: some tenths of a second."""


def setting(choice: Choice) -> Setting:
    """What the sliders say."""
    return Setting(choice.k, choice.settings.alpha, choice.settings.threshold)


def send(context: Context, figure: str) -> None:
    """Send the values for the figure with this key; call last, when all else is on its way to the browser."""
    place = st.empty()
    weights = _weights_count(context)
    key = cache.key_of("frames", context.study, context.choice, weights, cache.VALUES_AT_ONCE)
    frames = cache.share(key, lambda: _frames(context, weights=weights, pause=place.empty))
    if frames.rows:
        with place:
            follow.dots(figure, frames)


def _frames(context: Context, *, weights: bool, pause: Callable[[], object]) -> Frames:
    """What the figure shows at each k and, where these count, each alpha and maximum distance."""
    study, choice, at = context.study, context.choice, setting(context.choice)
    means: dict[Setting, dict[str, Interval]] = {}
    if choice.measure.cut:
        ks = range(1, choices.MAX_K + 1)
        by_k = cache.means_by_k(study, choice, ks, pause=pause)
        means |= {at._replace(k=k): of for k, of in by_k.items()}
    if weights:
        for alphas, thresholds in ((ALPHAS, (at.threshold,)), ((at.alpha,), range(MAX_THRESHOLD + 1))):
            pause()
            by_weight = cache.means_by_weight(study, choice, alphas, tuple(thresholds))
            means |= {at._replace(alpha=a, threshold=t): of for (a, t), of in by_weight.items()}
    return follow.frames(means)


def _weights_count(context: Context) -> bool:
    """Whether alpha and maximum distance are on screen, change anything, and soon computed."""
    study, choice = context.study, context.choice
    if not study.knows_neighbours or not choices.weights_shown(choice):
        return False
    metric = metric_of(study, choice.metric, choice.settings)
    pairs = len(study.queries) * len(study.candidates) * len(ALPHAS)
    return is_swept(metric.relevance) and pairs <= PAIRS
