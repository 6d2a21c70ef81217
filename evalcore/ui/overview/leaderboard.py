"""The leaderboard as a table: values -> DataFrame and its column settings. Numbers stay numbers and sort."""

from __future__ import annotations

from functools import partial
from math import floor, isfinite, log10
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.figures.numbers import in_table, p_value, span
from evalcore.stats.effect import IS_LARGER, judgement
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.model import Comparison, Interval, Scores

Columns = dict[str, Any]
_SCORE = "%.3f"
_EXPERT = ["Wins", "Ties", "Losses", "Effect", "Short lists", "Tied at k"]
"""Columns that Simple leaves out."""


def table(
    scores: Sequence[Scores],
    intervals: Mapping[str, Interval],
    comparisons: Sequence[Comparison],
    *,
    baseline: str,
    plain_words: bool,
    correction: str = "Holm",
    smallest: float = 0.0,
    owed: Mapping[str, float] = MappingProxyType({}),
    group: str = "group",
    spread: Mapping[str, float] = MappingProxyType({}),
    reading: Mapping[str, str] = MappingProxyType({}),
) -> tuple[pd.DataFrame, Columns]:
    """One row per system, best first, the baseline marked.

    ``correction`` names that of the p-values; ``smallest``: the difference that matters, 0 for none named.
    ``owed``: what results of the query's own ``group`` would add to each average; a column of its own.
    ``spread``: standard deviation over seeds by system, for systems that have several. ``reading``: what is
    remarked of systems that read captions.
    """
    against = {c.system: c for c in comparisons}
    compared_with = baseline or next((c.baseline for c in comparisons), "")
    places = _difference_places(comparisons)
    own, over, p_head = f"Own {plain(group, limit=20)} would add", f"Over {smallest:g}?", f"p ({correction})"

    def row(s: Scores) -> dict[str, Any]:
        mean, c = intervals[s.system], against.get(s.system)
        remarks = ", ".join(filter(None, ("baseline" * (s.system == baseline), reading.get(s.system))))
        return {
            "System": plain(s.system) + (f" ({remarks})" if remarks else ""),
            "Score ↑": mean.mean,
            "95% interval": span(mean.low, mean.high, places=3),
            "Seeds": len(s.seeds) or None,
            "SD of seeds": spread.get(s.system),
            own: owed.get(s.system),
            "Difference": c.difference if c else None,
            "Interval of the difference": in_table(c.low, c.high, places=places) if c else "",
            over: IS_LARGER[judgement(c.low, c.high, smallest)] if c else "",
            p_head: p_value(c.p_corrected) if c else "",
            "Wins": c.wins if c else None,
            "Ties": c.ties if c else None,
            "Losses": c.losses if c else None,
            "Effect": c.effect_size if c else None,
            "Queries": s.n_scored,
            "Undefined": s.n_undefined,
            "Unanswered": s.missing,
            "Short lists": s.short,
            "Tied at k": s.tied,
        }

    rows = pd.DataFrame(map(row, sorted(scores, key=lambda s: -_at(intervals, s.system))))
    without = [] if any(s.seeds for s in scores) else ["Seeds", "SD of seeds"]
    without += ([] if owed else [own]) + ([] if smallest else [over]) + (_EXPERT if plain_words else [])
    return rows.drop(columns=without), _columns(compared_with, places, own=own, p_head=p_head)


def _at(intervals: Mapping[str, Interval], system: str) -> float:
    mean = intervals[system].mean
    return mean if mean == mean else float("-inf")


def _difference_places(comparisons: Sequence[Comparison]) -> int:
    """Decimals that show every difference with two digits at least: three, more where they are small."""
    sizes = [abs(c.difference) for c in comparisons if c.difference and isfinite(c.difference)]
    return min(6, max(3, 1 - floor(log10(min(sizes))))) if sizes else 3


def _columns(baseline: str, places: int, *, own: str, p_head: str) -> Columns:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    whole = partial(number, format="localized")
    return {
        "System": text(pinned=True),
        "Score ↑": number(
            format=_SCORE, help="Average over the queries that have a value. Higher is better."
        ),
        "95% interval": text(
            alignment="right", help="Where the average would probably lie with other queries."
        ),
        "Seeds": whole(help="Runs of one system whose values are averaged, query by query."),
        "SD of seeds": number(
            format=_SCORE, help="Standard deviation of the seeds' averages; one seed has none."
        ),
        own: number(format="%+.3f", help="How much higher the average is when these results count."),
        "Difference": number(
            format=f"%+.{places}f", help=f"Average of score minus that of {md_escape(baseline)}, per query."
        ),
        "Interval of the difference": text(
            alignment="right", help="If it excludes zero, the difference is unlikely to be due to chance."
        ),
        p_head: text(alignment="right", help="Paired permutation test, corrected for all rows together."),
        "Wins": whole(help="Queries on which the system beats the baseline."),
        "Ties": whole(),
        "Losses": whole(),
        "Effect": number(format="%.2f", help="Average difference in units of its spread over queries."),
        "Queries": whole(help="Queries with a value."),
        "Undefined": whole(help="Queries without concepts, or with nothing relevant to find."),
        "Unanswered": whole(help="Queries the system returned nothing for: they count as 0."),
        "Short lists": whole(help="Answered with fewer than k images."),
        "Tied at k": whole(help="Queries whose k-th place is shared by equal scores."),
    }
