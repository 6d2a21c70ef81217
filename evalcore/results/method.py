"""How numbers were counted: in sentences below tables and in reports, and as columns of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.common_pool import describe_pools
from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.conditions import chosen_of
from evalcore.evaluate.summary import method_of_differences
from evalcore.ranking.metrics import centre_of, lower_is_better, parse_metric
from evalcore.values.grouping import describe
from evalcore.values.plugins import used_in
from evalcore.values.settings import Settings
from evalcore.values.version import __version__
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcore.evaluate.analysis import Analysis
    from evalcore.values.model import Comparison, Scores, Study, Way

# As columns beside numbers: a file says by itself what it holds.


def of_study(study: Study) -> dict[str, object]:
    """Which study, which of its queries, and the version of the program.

    ``where``: the conditions that chose queries, "" for none. ``same_group``: "drop" or "keep" for candidates
    of the query's own group; "" where the study names no groups.
    """
    groups = study.groups
    return {
        "where": "; ".join(study.where),
        "same_group": "" if groups is None else "drop" if groups.left_out else "keep",
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


# In words.

OVER: Mapping[Way, str] = {
    "all": "all queries of the study",
    "common": "queries all systems answer",
    "common-pool": "queries all systems answer, among the images all systems search",
    "given": "the queries given",
}
_USUAL = Settings().as_dict()


def pool(analysis: Analysis) -> str:
    """Which queries count, and by which conditions they were chosen."""
    which, study = analysis.over.which, analysis.study
    if not study.where:
        return OVER[which]
    return f"{'the chosen queries' if which == 'all' else OVER[which]} ({chosen_of(study)})"


def range_of(ns: set[int]) -> str:
    """A count that holds for all, or the smallest and the largest.

    >>> range_of({1200}), range_of({7, 9, 8})
    ('1,200', '7 to 9')
    """
    return f"{min(ns):,}" if len(ns) == 1 else f"{min(ns):,} to {max(ns):,}"


def method_of(
    analysis: Analysis, metrics: Sequence[str] = (), *, more: str = "More flips"
) -> tuple[str, ...]:
    """Queries, intervals, tests with their correction, groups, settings and study, a sentence each.

    ``metrics``: of the view, all where none are named. ``more``: what lowers the smallest p.
    """
    chosen = metrics or analysis.view.metrics
    rows = [row for row in zip(analysis.scores, analysis.means, strict=True) if row[0].metric in chosen]
    scores = [score for score, _ in rows]
    first, counts = rows[0][1], [mean.n for _, mean in rows]
    methods = _methods([(mean.method, mean.n_groups) for _, mean in rows])
    drawn = f", {first.n_resamples:,} resamples, seed {first.seed}" if first.n_resamples else ""
    used = used_in(text for score in scores for text in (score.metric, score.system))
    over = f"{_by_metric(scores, counts)}), of {pool(analysis)}"
    return (
        f"{_centres(chosen)} over the queries with a value ({over}.",
        *_left_out(scores, analysis.view.settings),
        f"{first.level:.0%} intervals: {methods}{drawn}.",
        *tests_in_words([row for row in analysis.comparisons if row.metric in chosen], more=more),
        *filter(
            None, [describe(analysis.study) if analysis.study.groups else "", *describe_pools(analysis.over)]
        ),
        *([f"Of the authors' own: {'; '.join(map(str, used))}."] if used else []),
        _origin(analysis),
    )


def method_of_pairs(analysis: Analysis, comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Intervals and tests of differences, settings and study, a sentence each."""
    first = comparisons[0]
    drawn = (
        f"{first.level:.0%} intervals: {method_of_differences(analysis.view.settings)}, seed {first.seed}."
    )
    return drawn, *tests_in_words(comparisons), _origin(analysis)


def _origin(analysis: Analysis) -> str:
    """Settings, version and study."""
    return (
        f"{_settings(analysis.view.settings)} CUIscope {__version__}, study {analysis.study.name}, digest "
        f"{analysis.study.content}."
    )


def tests_in_words(comparisons: Sequence[Comparison], *, more: str = "More flips") -> Iterator[str]:
    """How differences were tested, and over what p is corrected; ``more``: as of `at_the_floor`."""
    if not comparisons:
        return
    tests = _methods([(comparison.test, comparison.n_groups) for comparison in comparisons])
    flips = max(comparison.n_resamples for comparison in comparisons)
    drawn = f"{pluralize(flips, 'flip')}, seed {comparisons[0].seed}"
    yield f"Tested by {tests}, {drawn}; {over_what(comparisons)}."
    if floor := at_the_floor(comparisons, more=more):
        yield floor


def _centres(metrics: Sequence[str]) -> str:
    """What the scores are of the values per query."""
    medians = [metric for metric in metrics if centre_of(metric) == "median"]
    if not medians:
        return "Means"
    return "Medians" if len(medians) == len(metrics) else f"Means (medians of {', '.join(medians)})"


def _by_metric(scores: Sequence[Scores], counts: Sequence[int]) -> str:
    """A count that holds for all metrics, or those of each, as a range where systems differ."""
    by_metric: dict[str, set[int]] = {}
    for score, n in zip(scores, counts, strict=True):
        by_metric.setdefault(score.metric, set()).add(n)
    if len(set().union(*by_metric.values())) == 1:
        return f"n = {counts[0]:,}"
    return ", ".join(f"{metric}: {range_of(ns)}" for metric, ns in by_metric.items())


def _left_out(scores: Sequence[Scores], settings: Settings) -> Iterator[str]:
    """What became of queries without a value, and of those a system did not answer."""
    undefined = [score.n_undefined for score in scores]
    if any(undefined):
        fate = "are left out" if settings.undefined == "skip" else "count as 0"
        yield f"Queries without a value {fate} ({_by_metric(scores, undefined)})."
    missing: dict[str, set[int]] = {}
    for score in scores:
        if score.missing:
            missing.setdefault(score.system, set()).add(score.missing)
    if missing:
        named = ", ".join(f"{name}: {range_of(ns)}" for name, ns in missing.items())
        lower = [lower_is_better(score.metric) for score in scores]
        fate = "the last place" if all(lower) else f"0{', of ranks as the last place' * any(lower)}"
        yield f"Unanswered queries count as {fate} ({named})."


def _methods(methods: Sequence[tuple[str, int]]) -> str:
    """Names of methods, each once; where they end with a number of groups, with all of these as a range."""
    groups: dict[str, set[int]] = {}
    for method, n in methods:
        groups.setdefault(method.removesuffix(f" ({n:,} groups)"), set()).add(n)
    return ", ".join(
        name + (f" ({range_of(ns)} groups)" if (ns := numbers - {0}) else "")
        for name, numbers in groups.items()
    )


def _settings(settings: Settings) -> str:
    """Alpha, threshold and ties; the other settings where they are not as usual."""
    others = [
        f"{name} {value}"
        for name, value in settings.as_dict().items()
        if value != _USUAL[name] and name not in ("alpha", "threshold", "ties", "interval")
    ]
    usual = f"α {settings.alpha:g}, threshold {settings.threshold}, ties by {settings.ties}"
    return f"{', '.join([usual, *others])}."
