"""Scores as tidy rows: one per system and metric, numbers as numbers, and everything that decides them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore import __version__
from evalcore.evaluate.summary import ceiling_of, method_of_differences
from evalcore.evaluate.systems import seed_sd
from evalcore.ranking.metrics import parse_metric
from evalcore.study.naming import pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.model import Comparison, Interval, Scores, Study
    from evalcore.values.settings import Settings

# How numbers were counted, as columns beside them: a file says by itself what it holds.


def of_study(study: Study) -> dict[str, object]:
    """Which study, which of its queries, and the version of the program.

    ``where``: the conditions that chose queries, "" for none. ``same_group``: "drop" or "keep" for candidates
    of the query's own group; "" where the study names no groups. ``labels_left_out``: how many labels that
    readers judged wrong do not count, only where there are any.
    """
    groups = study.groups
    return {
        "where": "; ".join(study.where),
        "same_group": "" if groups is None else "drop" if groups.left_out else "keep",
        **({"labels_left_out": len(pairs(study))} if study.left_out else {}),
        "study": study.name,
        "digest": study.content,
        "version": __version__,
    }


def of_settings(study: Study, settings: Settings, *, queries: str = "all") -> dict[str, object]:
    """Every setting and the study; ``queries``: "all", "common" or "common-pool"."""
    return {**settings.as_dict(), "queries": queries, **of_study(study)}


def of_metric(metric: str) -> dict[str, object]:
    """A metric and its cutoff; None where it has none."""
    return {"metric": metric, "k": parse_metric(metric).cutoff}


def score_rows(
    study: Study,
    scores: Sequence[Scores],
    intervals: Sequence[Interval],
    comparisons: Sequence[Comparison],
    *,
    settings: Settings,
    queries: str = "all",
) -> list[dict[str, object]]:
    """Every row has every column; None where there is no value.

    ``intervals`` are aligned with the scores. ``n``: queries in the mean, of ``n_queries`` asked;
    ``ceiling``: the highest mean that lists of this length allow, None where they are long enough.
    ``n_seeds`` and ``seed_sd`` are there where a system has several seeds (see `evaluate.seeds`).
    ``compared_with`` is None, and so is all about the difference, for a system that was compared with none.
    """
    against = {(one.system, one.metric): one for one in comparisons}
    method = method_of_differences(settings)
    same = of_settings(study, settings, queries=queries)
    return [
        {
            "system": one.system,
            **of_metric(one.metric),
            "mean": mean.mean,
            "ci_low": mean.low,
            "ci_high": mean.high,
            "ci_level": mean.level,
            "ci_method": mean.method,
            "ci_resamples": mean.n_resamples,
            "n": mean.n,
            "n_groups": mean.n_groups or None,
            "n_queries": one.n_queries,
            "n_undefined": one.n_undefined,
            "n_unanswered": one.missing,
            "n_short": one.short,
            "n_tied": one.tied,
            "ceiling": ceiling_of(one, settings),
            **_spread(one, scores, settings),
            **_difference(against.get((one.system, one.metric)), method),
            "seed": mean.seed,
            **same,
        }
        for one, mean in zip(scores, intervals, strict=True)
    ]


def _spread(one: Scores, scores: Sequence[Scores], settings: Settings) -> dict[str, object]:
    if not any(other.seeds for other in scores):
        return {}
    return {"n_seeds": len(one.seeds) or None, "seed_sd": seed_sd(one, settings)}


_COMPARED = {
    "compared_with": "baseline",
    "difference": "difference",
    "difference_ci_low": "low",
    "difference_ci_high": "high",
    "difference_ci_method": "",
    "n_pairs": "n_pairs",
    "wins": "wins",
    "equal": "ties",
    "losses": "losses",
    "effect_size": "effect_size",
    "p": "p",
    "p_corrected": "p_corrected",
    "correction": "correction",
    "test": "test",
    "sign_flips": "n_resamples",
}
"""By column: the attribute of a comparison; "" for the method of its interval."""


def _difference(one: Comparison | None, method: str) -> dict[str, object]:
    if one is None:
        return dict.fromkeys(_COMPARED)
    return {name: getattr(one, attribute) if attribute else method for name, attribute in _COMPARED.items()}
