"""How the numbers of a leaderboard came about, in one sentence of Markdown: pages and report say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.comparison import over_what
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.values.compared import Way
    from evalcore.values.model import Comparison, Interval
    from evalcore.values.settings import Settings

OVER: Mapping[Way, str] = {
    "all": "all queries of the study", "common": "queries all systems answer",
    "common-pool": "queries all systems answer, among the images all systems search",
    "given": "the queries given",
}  # fmt: skip


def pool(which: Way, chosen: str) -> str:
    """Which queries count; ``chosen``: by which conditions they were, in Markdown, "" for all."""
    return ("the chosen queries" if chosen and which == "all" else OVER[which]) + chosen


def method(
    metric: str, over: str, settings: Settings, mean: Interval, compared: Sequence[Comparison], digest: str
) -> str:
    """Measure, queries, settings, intervals, test with its correction, seeds, study."""
    s = settings
    seeds = f" Intervals: {mean.method}, {mean.n_resamples:,} resamples, seed {mean.seed}."
    if compared:
        seeds += (
            f" p: {md_escape(compared[0].test)}, {compared[0].n_resamples:,} resamples, seed "
            f"{compared[0].seed}; {md_escape(over_what(compared))}."
        )
    return (
        f"{md_escape(metric)} over {over}; α {s.alpha:g}, threshold {s.threshold}, "
        f"{md_escape(s.count_rule)}, {s.direction}, ties by {s.ties}, "
        f"undefined queries: {s.undefined}, {s.gain} gain.{seeds} Study {digest}."
    )
