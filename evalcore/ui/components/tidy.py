"""What a file takes along: beside its rows everything that decides their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.results.recorded import of_metric, of_settings, of_study
from evalcore.ui.frame.cache import WHICH

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Comparison, Interval


def scored(context: Context, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows about the sidebar's measure: with metric, k, every setting, the filter and the study."""
    return _beside(rows, {**of_metric(context.choice.metric), **settings_of(context)})


def counted(context: Context, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows that name their measure themselves, or have none: with every setting, the filter and the study."""
    return _beside(rows, settings_of(context))


def studied(context: Context, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows about the images, the graph or the concepts: with the steps of the graph, and the study."""
    s = context.choice.settings
    return _beside(rows, {"threshold": s.threshold, "direction": s.direction, **of_study(context.study)})


def of_interval(mean: Interval) -> dict[str, object]:
    """A mean with its interval, and how that was found."""
    return {
        "mean": mean.mean, "ci_low": mean.low, "ci_high": mean.high, "ci_level": mean.level,
        "ci_method": mean.method, "ci_resamples": mean.n_resamples, "n": mean.n, "seed": mean.seed,
    }  # fmt: skip


def of_comparison(one: Comparison) -> dict[str, object]:
    """A difference with its interval, and how it was tested."""
    return {
        "difference": one.difference, "difference_ci_low": one.low, "difference_ci_high": one.high,
        "difference_ci_level": one.level, "n_pairs": one.n_pairs, "p": one.p,
        "p_corrected": one.p_corrected, "correction": one.correction, "test": one.test,
        "sign_flips": one.n_resamples, "seed": one.seed,
    }  # fmt: skip


def settings_of(context: Context) -> dict[str, object]:
    """Every setting of the sidebar, the filter and the study."""
    choice = context.choice
    return of_settings(context.study, choice.settings, queries=WHICH[choice.queries])


def _beside(rows: pd.DataFrame, facts: Mapping[str, object]) -> pd.DataFrame:
    """The rows, which win, and then the facts they do not have."""
    return rows.assign(**{name: value for name, value in facts.items() if name not in rows.columns})
