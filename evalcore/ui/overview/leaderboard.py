"""The leaderboard as a table: values -> DataFrame and its column settings. Numbers stay numbers and sort."""

from __future__ import annotations

from math import floor, isfinite, log10
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.figures.numbers import in_table, p_value, span
from evalcore.stats.effect import IS_LARGER, judgement
from evalcore.ui.components.text import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.model import Comparison, Interval, Scores

Columns = dict[str, Any]
_SCORE = "%.3f"


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
    ordered = sorted(scores, key=lambda s: -_at(intervals, s.system))
    places = _difference_places(comparisons)
    p_head = f"p ({correction})"
    remarks = {
        s.system: [word for word in ("baseline" * (s.system == baseline), reading.get(s.system, "")) if word]
        for s in ordered
    }
    rows = [
        _row(s, intervals[s.system], against.get(s.system), remarks[s.system], places, p_head)
        for s in ordered
    ]
    table = pd.DataFrame(rows)
    columns = _leaderboard_columns(baseline, places, p_head)
    if owed:
        name = f"Own {plain(group, limit=20)} would add"
        table.insert(3, name, [owed[s.system] for s in ordered])
        columns[name] = st.column_config.NumberColumn(
            format="%+.3f", help="How much higher the average is when these results count."
        )
    if any(s.seeds for s in scores):
        table.insert(3, "Seeds", [len(s.seeds) or None for s in ordered])
        table.insert(4, "SD of seeds", [spread.get(s.system) for s in ordered])
        columns["Seeds"] = st.column_config.NumberColumn(
            format="localized", help="Runs of one system whose values are averaged, query by query."
        )
        columns["SD of seeds"] = st.column_config.NumberColumn(
            format=_SCORE, help="Standard deviation of the seeds' averages; one seed has none."
        )
    if plain_words:
        table = table.drop(columns=["Wins", "Ties", "Losses", "Effect", "Short lists", "Tied at k"])
    if smallest:
        judged = [_matters(against.get(s.system), smallest) for s in ordered]
        table.insert(list(table.columns).index(p_head), f"Over {smallest:g}?", judged)
    return table, columns


def _matters(c: Comparison | None, smallest: float) -> str:
    return IS_LARGER[judgement(c.low, c.high, smallest)] if c else ""


def _at(intervals: Mapping[str, Interval], system: str) -> float:
    mean = intervals[system].mean
    return mean if mean == mean else float("-inf")


def _difference_places(comparisons: Sequence[Comparison]) -> int:
    """Decimals that show every difference with two digits at least: three, more where they are small."""
    sizes = [abs(c.difference) for c in comparisons if c.difference and isfinite(c.difference)]
    return min(6, max(3, 1 - floor(log10(min(sizes))))) if sizes else 3


def _row(
    s: Scores, mean: Interval, c: Comparison | None, remarks: Sequence[str], places: int, p_head: str
) -> dict[str, Any]:
    return {
        "System": plain(s.system) + (f" ({', '.join(remarks)})" if remarks else ""),
        "Score ↑": mean.mean,
        "95 % interval": span(mean.low, mean.high, places=3),
        "Difference": c.difference if c else None,
        "Interval of the difference": in_table(c.low, c.high, places=places) if c else "",
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


def _leaderboard_columns(baseline: str, places: int, p_head: str) -> Columns:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "System": text(pinned=True),
        "Score ↑": number(
            format=_SCORE, help="Average over the queries that have a value. Higher is better."
        ),
        "95 % interval": text(
            alignment="right", help="Where the average would probably lie with other queries."
        ),
        "Difference": number(
            format=f"%+.{places}f", help=f"Average of score minus that of {md_escape(baseline)}, per query."
        ),
        "Interval of the difference": text(
            alignment="right", help="If it excludes zero, the difference is unlikely to be due to chance."
        ),
        p_head: text(alignment="right", help="Paired permutation test, corrected for all rows together."),
        "Wins": number(format="localized", help="Queries on which the system beats the baseline."),
        "Ties": number(format="localized"),
        "Losses": number(format="localized"),
        "Effect": number(format="%.2f", help="Average difference in units of its spread over queries."),
        "Queries": number(format="localized", help="Queries with a value."),
        "Undefined": number(
            format="localized", help="Queries without concepts, or with nothing relevant to find."
        ),
        "Unanswered": number(
            format="localized", help="Queries the system returned nothing for: they count as 0."
        ),
        "Short lists": number(format="localized", help="Answered with fewer than k images."),
        "Tied at k": number(format="localized", help="Queries whose k-th place is shared by equal scores."),
    }
