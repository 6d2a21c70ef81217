"""What stands under a table of results: over how many queries, how sure, by which test and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore import __version__
from evalcore.evaluate.comparison import over_what
from evalcore.evaluate.seeds import about_means
from evalcore.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.model import Comparison, Interval, Scores, Study

_OVER = {
    "all": "all queries", "common": "the queries that all systems answer",
    "common-pool": "the queries that all systems answer, among the images that all systems search",
}  # fmt: skip
_BOUND = "Bound: the highest mean that lists of this length allow, a range where those of the systems differ."
_DEFAULTS = Settings().as_dict()


def caption_of(
    study: Study, scores: Sequence[Scores], intervals: Sequence[Interval], comparisons: Sequence[Comparison],
    *, baseline: str | None, settings: Settings, queries: str, bound: bool, notes: Sequence[str] = (),
) -> tuple[str, ...]:  # fmt: skip
    """The sentences, as plain text, in the order to be read; ``notes`` before the settings."""
    return (
        _counted(study, scores, intervals, queries),
        *_left_out(scores, settings),
        _intervals(intervals),
        *about_means(scores),
        "Bold: the highest of a column, and all that are equal to it at the decimals shown.",
        *_marks(comparisons, baseline),
        *([_BOUND] if bound else []),
        *_groups(study),
        *notes,
        f"{_settings(settings)} CUIscope {__version__}, study {study.name}, digest {study.content}.",
    )


def _counted(study: Study, scores: Sequence[Scores], intervals: Sequence[Interval], queries: str) -> str:
    n, over = _by_metric(scores, [mean.n for mean in intervals]), _OVER[queries]
    if study.where:
        conditions = " and ".join(study.where)
        over = f"those with {conditions}" if queries == "all" else f"{over}, and only those with {conditions}"
    return f"Means over the queries with a value ({n}), of {over}."


def _by_metric(scores: Sequence[Scores], counts: Sequence[int]) -> str:
    """A count that holds for all metrics, or those of each, as a range where systems differ."""
    found: dict[str, set[int]] = {}
    for one, n in zip(scores, counts, strict=True):
        found.setdefault(one.metric, set()).add(n)
    if len(set().union(*found.values())) == 1:
        return f"n = {counts[0]:,}"
    return ", ".join(f"{metric}: {_range(ns)}" for metric, ns in found.items())


def _range(ns: set[int]) -> str:
    return f"{min(ns):,}" if len(ns) == 1 else f"{min(ns):,} to {max(ns):,}"


def _left_out(scores: Sequence[Scores], settings: Settings) -> Iterator[str]:
    """What became of queries without a value, and of those a system did not answer."""
    undefined = [one.n_undefined for one in scores]
    if any(undefined):
        fate = "are left out" if settings.undefined == "skip" else "count as 0"
        yield f"Queries without a value {fate} ({_by_metric(scores, undefined)})."
    missing: dict[str, set[int]] = {}
    for one in scores:
        if one.missing:
            missing.setdefault(one.system, set()).add(one.missing)
    if missing:
        named = ", ".join(f"{name}: {_range(ns)}" for name, ns in missing.items())
        yield f"Unanswered queries count as 0 ({named})."


def _intervals(intervals: Sequence[Interval]) -> str:
    first = intervals[0]
    methods = _methods([(one.method, one.n_groups) for one in intervals])
    drawn = f", {first.n_resamples:,} resamples, seed {first.seed}" if first.n_resamples else ""
    return f"In parentheses: the {first.level:.0%} interval ({methods}{drawn})."


def _methods(found: Sequence[tuple[str, int]]) -> str:
    """Names of methods, each once; where they end with a number of groups, with all of these as a range."""
    groups: dict[str, set[int]] = {}
    for method, n in found:
        groups.setdefault(method.removesuffix(f" ({n:,} groups)"), set()).add(n)
    return ", ".join(
        name + (f" ({_range(ns)} groups)" if (ns := numbers - {0}) else "")
        for name, numbers in groups.items()
    )


def _marks(comparisons: Sequence[Comparison], baseline: str | None) -> Iterator[str]:
    if not comparisons:
        return
    than = f"the baseline {baseline}" if baseline else "the best of the column"
    marks = f"† significantly higher, ‡ significantly lower than {than}"
    tests = _methods([(one.test, one.n_groups) for one in comparisons])
    flips = max(one.n_resamples for one in comparisons)
    yield (
        f"{marks}: p < .05 by {tests}, {flips:,} flips, seed {comparisons[0].seed}; {over_what(comparisons)}."
    )


def _groups(study: Study) -> Iterator[str]:
    """What became of candidates of the query's own group."""
    if study.groups is not None:
        fate = "are left out" if study.groups.left_out else "count"
        yield f"Candidates of the query's own {study.groups.name} {fate}."


def _settings(settings: Settings) -> str:
    """Alpha, threshold and ties; the other settings where they are not as usual."""
    named = settings.as_dict()
    others = [
        f"{name} {value}"
        for name, value in named.items()
        if value != _DEFAULTS[name] and name not in ("alpha", "threshold", "ties", "interval")
    ]
    usual = f"α {settings.alpha:g}, threshold {settings.threshold}, ties by {settings.ties}"
    return f"{', '.join([usual, *others])}."
