"""How numbers were counted: in sentences below tables and in reports, and as columns of files."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from evalcore.evaluate.summary import METHODS
from evalcore.ranking.metrics import centre_of, lower_is_better, parse_metric
from evalcore.stats.correction import CLEAR
from evalcore.stats.permutation import RANDOM
from evalcore.values.grouping import describe
from evalcore.values.plugins import used_in
from evalcore.values.settings import Settings
from evalcore.values.version import __version__
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evalcore.evaluate.analysis import Analysis
    from evalcore.values.model import ComparedOver, Comparison, Scores, Study, Way

# As columns beside numbers: a file describes itself.


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


def of_settings(study: Study, settings: Settings, *, queries: str) -> dict[str, object]:
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


def chosen_of(study: Study) -> str:
    """Which queries count, in words, with how many of all; "" when all do.

    Such as "organ=chest, modality!=CT: 120 of 1,102 queries".
    """
    if study.unfiltered is None:
        return ""
    return f"{', '.join(study.where)}: {len(study.queries):,} of {len(study.unfiltered.queries):,} queries"


def range_of(ns: set[int]) -> str:
    """The count that all share, or the smallest and the largest.

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
    drawn = f"{first.level:.0%} intervals: {METHODS[analysis.view.settings.interval]}, seed {first.seed}."
    return drawn, *tests_in_words(comparisons), _origin(analysis)


def _origin(analysis: Analysis) -> str:
    """Settings, version and study."""
    return (
        f"{_settings(analysis)} CUIscope {__version__}, study {analysis.study.name}, digest "
        f"{analysis.study.content}."
    )


def tests_in_words(comparisons: Sequence[Comparison], *, more: str = "More flips") -> Iterator[str]:
    """How differences were tested, and over what p is corrected; ``more``: as of `p_value_floor_note`."""
    if not comparisons:
        return
    tests = _methods([(comparison.test, comparison.n_groups) for comparison in comparisons])
    flips = max(comparison.n_resamples for comparison in comparisons)
    drawn = f"{pluralize(flips, 'flip')}, seed {comparisons[0].seed}"
    yield f"Tested by {tests}, {drawn}; {over_what(comparisons)}."
    if floor := p_value_floor_note(comparisons, more=more):
        yield floor


def _centres(metrics: Sequence[str]) -> str:
    """What the scores are of the values per query."""
    medians = [metric for metric in metrics if centre_of(metric) == "median"]
    if not medians:
        return "Means"
    return "Medians" if len(medians) == len(metrics) else f"Means (medians of {', '.join(medians)})"


def _by_metric(scores: Sequence[Scores], counts: Sequence[int]) -> str:
    """The count that all metrics share, or those of each, as a range where systems differ."""
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


def _settings(analysis: Analysis) -> str:
    """Alpha and threshold, where the study knows related concepts, and ties; others where not as usual."""
    settings = analysis.view.settings
    others = [
        f"{name} {value}"
        for name, value in settings.as_dict().items()
        if value != _USUAL[name] and name not in ("alpha", "threshold", "ties", "interval")
    ]
    shown = f"Ties by {settings.ties}"
    if analysis.study.knows_neighbours:
        shown = f"α {settings.alpha:g}, threshold {settings.threshold}, ties by {settings.ties}"
    return f"{', '.join([shown, *others])}."


# Which images were searched.


def describe_pools(compared: ComparedOver) -> list[str]:
    """Which images each system searches, and what is compared; nothing where all search the same."""
    if not compared.differ:
        return []
    smaller = [pool for pool in compared.pools if pool.n < compared.n_all]
    sizes = ", ".join(f"{pool.system} {pool.n:,}" for pool in smaller)
    first = f"The systems search different images: {sizes} of {compared.n_all:,} candidates"
    rest = "the others all" if len(smaller) < len(compared.pools) else ""
    lines = [f"{first}{', ' * bool(rest)}{rest}."]
    if any(pool.source == "members" for pool in compared.pools):
        lines.append("A fused system searches what any of its members searches.")
    if compared.n_shared < 2:
        return [*lines, f"{too_few_shared(compared)}, so no fair comparison is possible."]
    if compared.which != "common-pool":
        over = {"all": "all queries", "common": "common queries", "given": "the queries given"}[
            compared.which
        ]
        return [
            *lines,
            f"Compared over {over}, but not over the same candidates: a system with fewer has other chances.",
        ]
    queries, candidates = len(compared.queries), len(compared.candidates)
    lines.append(
        f"Compared over {queries:,} queries that all answer and {candidates:,} candidates that all search; "
        "ideals and numbers of relevant images are those of these candidates."
    )
    if compared.by_vectors:
        lines.append(f"Ranked again by their vectors: {', '.join(compared.by_vectors)}.")
    if compared.filtered:
        lines.append(
            f"Runs without the other candidates, where lists may be shorter: {', '.join(compared.filtered)}."
        )
    return lines


def too_few_shared(compared: ComparedOver) -> str:
    """How many images systems share that cannot be compared over a common pool."""
    return f"They have {'only one image' if compared.n_shared else 'no images'} in common"


# How sure: what p was corrected over, the lowest p there can be, too few queries.


def over_what(comparisons: Sequence[Comparison]) -> str:
    """How and over which family the p-values of comparisons were corrected, in words.

    Comparisons without a p (no query in common) are not counted.
    """
    tested = [comparison for comparison in comparisons if not isnan(comparison.p)]
    if not tested or max(comparison.n_family for comparison in tested) < 2:
        return "p of one comparison, not corrected"
    largest = max(tested, key=lambda c: c.n_family)
    over = {
        "": f"{largest.n_family:,} comparisons",
        "baseline": (
            f"the {largest.n_family:,} comparisons with the baseline {largest.fixed or largest.baseline}"
        ),
        "pairs": f"all {largest.n_family:,} pairs of the systems compared",
        "slices": f"all {largest.n_family:,} differences in slices",
    }[largest.family]
    if largest.family and len({c.metric for c in tested}) > 1:
        over += ", each metric by itself"
    by = next((c.correction for c in tested if c.correction != "none"), "none")
    return f"p not corrected, {over}" if by == "none" else f"p corrected by {by} over {over}"


def p_value_floor_note(comparisons: Sequence[Comparison], *, more: str) -> str:
    """What to say beside p-values that are the lowest that so many flips can give; "" where no p is.

    For random flips only: where all patterns are tried, p is exact. ``more``: how to get more of them.
    """
    tested = [comparison for comparison in comparisons if not isnan(comparison.p)]
    low = [c for c in tested if is_least(c.p, c.test, c.n_resamples)]
    if not low:
        return ""
    n, flips = len(low), max(comparison.n_resamples for comparison in low)
    these = f"{n:,} of {len(tested):,} p-values {'are' if n > 1 else 'is'}" if len(tested) > 1 else "p is"
    text = f"{these} the lowest that {flips:,} flips can give: 1/{flips + 1:,}. "
    text += f"{more} can lower {'them' if n > 1 else 'it'}."
    if min(comparison.p_corrected for comparison in low) < CLEAR:
        return text
    return f"{text} With so few flips no difference can be clear (p < {f'{CLEAR:g}'.removeprefix('0')})."


def is_least(p: float, test: str, flips: int) -> bool:
    """Whether no random flip came as far as the difference itself, so that p is 1 / (flips + 1)."""
    return test.startswith(RANDOM) and p * (flips + 1) < 1.5


FEW = 50
"""Below so many queries a bootstrap interval is too narrow."""


def too_narrow(counts: Iterable[int], *, units: str = "queries") -> str:
    """What to say beside bootstrap intervals of means and differences over so many queries; "" if enough."""
    if not any(2 <= n < FEW for n in counts):
        return ""
    return (
        f"Intervals from fewer than {FEW} {units} are too narrow: where each of 20 succeeds with a chance of "
        "5%, only 64 of 100 such 95% intervals contain that chance."
    )
