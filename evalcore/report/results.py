"""Parts about the scores of systems: which is best, how they differ, what limits and makes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from evalcore.evaluate import score, summarise_all
from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.by_kind import FromKinds, from_kinds
from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.conditions import chosen_of
from evalcore.evaluate.summary import method_of_differences
from evalcore.evaluate.systems import about_means
from evalcore.figures.counts import kind_shares, results_by_kind
from evalcore.figures.curves import metric_curves, precision_recall
from evalcore.figures.systems import difference_dots, leaderboard_dots
from evalcore.figures.theme import Theme
from evalcore.ranking.binary import LEVELS
from evalcore.ranking.metrics import parse_metric
from evalcore.relevance.registry import RELEVANCE, parse_relevance
from evalcore.report import verdicts
from evalcore.report.part import Named, Part
from evalcore.report.verdicts import Choice
from evalcore.results.board import by_score
from evalcore.results.pairs import OWED, comparisons_table
from evalcore.results.rows import Table, also, whole
from evalcore.results.scores import ceilings_table, printed_scores, score_rows
from evalcore.stats.effect import POWER
from evalcore.values.grouping import label_types
from evalcore.values.model import Comparison, Interval, Way
from evalcore.values.plugins import used_in
from evalcore.values.writing import pluralize


def compared(analysis: Analysis, metric: str) -> list[Comparison]:
    """The comparisons of one metric with the baseline, or with the leader where none is fixed."""
    return [comparison for comparison in analysis.comparisons if comparison.metric == metric]


def best_first(analysis: Analysis, metric: str) -> tuple[str, ...]:
    """The systems by their mean under a metric."""
    return by_score({name: mean.merit for name, mean in analysis.means_of(metric).items()})


def _look(analysis: Analysis, theme: Theme) -> dict[str, Any]:
    """What figures of systems share."""
    baseline = analysis.view.baseline or None
    return {"systems": analysis.study.systems, "theme": theme, "baseline": baseline}


# Which system finds the better images?

OVER: Mapping[Way, str] = {
    "all": "all queries of the study",
    "common": "queries all systems answer",
    "common-pool": "queries all systems answer, among the images all systems search",
    "given": "the queries given",
}


def pool(analysis: Analysis) -> str:
    """Which queries count, and by which conditions they were chosen."""
    which, study = analysis.over.which, analysis.study
    if not study.where:
        return OVER[which]
    return f"{'the chosen queries' if which == 'all' else OVER[which]} ({chosen_of(study)})"


def _verdict(analysis: Analysis, metric: str, *, words: Choice | None = None) -> str:
    return verdicts.of_board(analysis, metric, words)


def _means(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    drawn = leaderboard_dots(analysis.means_of(metric), metric=metric, **_look(analysis, theme))
    yield Named("means", drawn)


def _leaderboard(analysis: Analysis, metric: str) -> Table:
    """Mean, interval and counts of every system, best first."""

    def named(system: str) -> str:
        return f"{system} (baseline)" if system == analysis.view.baseline else system

    rows = score_rows(analysis.of(metric), list(analysis.means_of(metric).values()))
    rows.sort(key=lambda row: (math.isnan(row.mean.merit), -row.mean.merit, row.scores.system))
    scores = printed_scores(rows, analysis.view.settings).without("metric")
    columns = [
        column._replace(text=named) if column.name == "system" else column for column in scores.columns
    ]
    return Table(rows, columns)


def _of_leaderboard(analysis: Analysis, metric: str) -> str:
    seeds = "".join(f" {line}" for line in about_means(analysis.of(metric)))
    return (
        f"{metric}: means over n queries with a value. Unanswered queries count as 0; short lists contain "
        f"fewer than k results; tied at k: results share their score across rank k.{seeds}"
    )


def _method(analysis: Analysis, metric: str) -> str:
    """Measure, queries, settings, intervals, test with its correction, seeds, study."""
    settings, rows = analysis.view.settings, compared(analysis, metric)
    first = next(iter(analysis.means_of(metric).values()))
    drawn = f", {first.n_resamples:,} resamples, seed {first.seed}" if first.n_resamples else ""
    tested = (
        f" p: {rows[0].test}, {pluralize(rows[0].n_resamples, 'flip')}, seed {rows[0].seed}; "
        f"{over_what(rows)}."
        if rows
        else ""
    )
    own = f" Own: {'; '.join(map(str, used))}." if (used := used_in([metric])) else ""
    return (
        f"{metric} over {pool(analysis)}; α {settings.alpha:g}, threshold {settings.threshold}, "
        f"{settings.count_rule}, {settings.direction}, ties by {settings.ties}, undefined queries: "
        f"{settings.undefined}, {settings.gain} gain. Intervals: {first.method}{drawn}.{tested}{own} "
        f"Study {analysis.study.digest}."
    )


SYSTEMS = Part(
    key="systems",
    question="Which system finds the better images?",
    answer=_verdict,
    figures=_means,
    table=_leaderboard,
    caption=_of_leaderboard,
    method=_method,
    in_report=True,
)

# How do the systems differ, and do the differences matter?


def alone(analysis: Analysis, _metric: str) -> str:
    """Why nothing is compared; "" where there are two systems."""
    return "" if len(analysis.view.systems) > 1 else "There is one system: nothing to compare it with."


def _differences(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    rows = sorted(compared(analysis, metric), key=lambda row: (math.isnan(row.difference), -row.lead))
    yield Named("differences", difference_dots(rows, systems=analysis.study.systems, theme=theme))


def _comparisons(analysis: Analysis, metric: str, smallest: float | None = None) -> Table:
    """The differences of a metric; its caption says what they are from."""
    table = comparisons_table(
        compared(analysis, metric),
        method=method_of_differences(analysis.view.settings),
        grouped_by=analysis.scores[0].grouped_by,
        smallest=smallest,
    )
    return table.without("baseline", "metric")


def _of_comparisons(analysis: Analysis, metric: str) -> str:
    rows = compared(analysis, metric)
    return f"{metric}: each system minus {rows[0].baseline}, paired by query; {over_what(rows)}."


def _tested(analysis: Analysis, metric: str) -> str:
    rows = compared(analysis, metric)
    intervals = method_of_differences(analysis.view.settings)
    return f"Intervals of differences under {metric}: {intervals}. {at_the_floor(rows)}".strip()


DIFFERENCES = Part(
    key="comparisons",
    question="How do the systems differ?",
    figures=_differences,
    table=_comparisons,
    caption=_of_comparisons,
    method=_tested,
    missing=alone,
    in_report=True,
)


def _sizes(analysis: Analysis, metric: str) -> Table:
    tests = ("p", "p_corrected", "n_pairs", "better", "equal", "worse", "effect_size")
    return _comparisons(analysis, metric, analysis.view.smallest_difference).without(*tests)


def _of_sizes(analysis: Analysis, metric: str) -> str:
    smallest = analysis.view.smallest_difference
    return (
        f"{metric}: is the difference larger than {smallest:g}, the smallest that matters? Judged by its "
        f"interval. Detectable: the difference that this many queries find with {POWER:.0%} power, before "
        f"correction. n needed: queries to find {smallest:g}."
    )


def _no_smallest(analysis: Analysis, metric: str) -> str:
    named = analysis.view.smallest_difference
    return alone(analysis, metric) if named else "No smallest difference that matters was named."


SIZES = Part(
    key="sizes",
    question="Are the differences large enough to matter?",
    table=_sizes,
    caption=_of_sizes,
    missing=_no_smallest,
    in_report=True,
)

# What limits the scores?


def _ceilings(analysis: Analysis, _metric: str) -> Table:
    return ceilings_table(analysis.scores, analysis.view.settings)


def _undefined(analysis: Analysis, _metric: str) -> Table:
    """Why queries have no value; one row for all systems where they are as many for each."""
    rows: list[tuple[str, str, str, int]] = []
    for metric in analysis.view.metrics:
        why = {score.system: score.undefined_by_reason() for score in analysis.of(metric)}
        same = len({tuple(sorted(reasons.items())) for reasons in why.values()}) == 1
        first, by = next(iter(why.items()))
        each = {"all systems" if len(why) > 1 else first: by} if same else why
        rows += [(metric, system, reason, n) for system, of in each.items() for reason, n in of.items()]
    heads = ("measure", "system", "reason")
    columns = [also(head, itemgetter(place)) for place, head in enumerate(heads)]
    return Table(rows, [*columns, also("queries", itemgetter(3), whole)])


def _own_group(analysis: Analysis, _metric: str) -> str:
    groups = analysis.study.groups
    name = groups.name if groups else "group"
    return (
        f"What results of the query's own {name} add to each system's score: its mean with these "
        " left out (reported) and counted."
    )


CEILINGS = Part(
    key="ceilings",
    question="How good could these lists be at most?",
    table=_ceilings,
    caption=lambda *_: (
        "The lists of these systems are too short for a perfect score: the highest mean they allow."
    ),
    missing=lambda analysis, metric: "" if _ceilings(analysis, metric).rows else "Every list is long enough.",
    once=True,
    in_report=True,
)
OWN_GROUP = Part(
    key="owed",
    question="What would results of the query's own group add?",
    table=lambda analysis, _: Table(analysis.owed(), OWED),
    caption=_own_group,
    missing=lambda analysis, _: "" if analysis.owed() else "No result is left out.",
    once=True,
    in_report=True,
)
UNDEFINED = Part(
    key="undefined",
    question="Which queries have no value?",
    table=_undefined,
    caption=lambda *_: "Queries without a value, by reason.",
    missing=lambda analysis, metric: "" if _undefined(analysis, metric).rows else "Every query has a value.",
    once=True,
    in_report=True,
)

# The same further down the list, and by precision and recall.

CUTOFFS = (1, 3, 5, 10, 20, 30, 50, 100)


def _summarised(analysis: Analysis, metrics: Sequence[str]) -> dict[str, list[Interval]]:
    """The means of other metrics, by system."""
    view = analysis.view
    scores = score(analysis.study, metrics=metrics, systems=view.systems, settings=view.settings)
    means = summarise_all(scores, settings=view.settings, level=view.level, seed=view.seed)
    by_system: dict[str, list[Interval]] = {}
    for of, mean in zip(scores, means, strict=True):
        by_system.setdefault(of.system, []).append(mean)
    return by_system


def _curve(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    cutoff = parse_metric(metric).cutoff
    assert cutoff is not None, "else the part is missing"
    ks, family = sorted({*CUTOFFS, cutoff}), metric.removesuffix(f"@{cutoff}")
    means = _summarised(analysis, [f"{family}@{k}" for k in ks])
    drawn = metric_curves(means, ks, metric=f"{family}@k", current=cutoff, **_look(analysis, theme))
    yield Named("curve", drawn)


def _label_targets(analysis: Analysis) -> list[str]:
    """The labels of each measure, of all others the first label column."""
    first = label_types(analysis.study.label_columns)[:1]
    targets = ("&".join(parse_metric(metric).labels or first) for metric in analysis.view.metrics)
    return list(dict.fromkeys(filter(None, targets)))


def _precision_recall(analysis: Analysis, _metric: str, *, theme: Theme) -> Iterator[Named]:
    """Interpolated precision by labels."""
    for target in _label_targets(analysis):
        means = _summarised(analysis, [f"IPrec({target},recall={level:g})" for level in LEVELS])
        drawn = precision_recall(means, LEVELS, target=target.replace("&", " and "), **_look(analysis, theme))
        yield Named(f"precision-recall-{re.sub(r'[^A-Za-z0-9]+', '-', target)}", drawn)


def _no_recall(analysis: Analysis, _metric: str) -> str:
    if analysis.view.settings.ties != "id":
        return "Precision and recall are by the order of image ids, not averaged over ties."
    return "" if _label_targets(analysis) else "This study has no labels."


CURVE = Part(
    key="curve",
    question="What are the scores further down the list?",
    figures=_curve,
    missing=lambda _, metric: "" if parse_metric(metric).cutoff else "This measure has no cutoff.",
)
PRECISION_RECALL = Part(
    key="precision_recall",
    question="How much precision is left at each recall?",
    figures=_precision_recall,
    missing=_no_recall,
    once=True,
)

# Which kinds of concepts do the scores come from?


def kinds_of(analysis: Analysis, metric: str) -> tuple[FromKinds, ...]:
    """What kinds of concepts the relevance of a metric by concepts comes from, best system first."""
    known, view, order = parse_metric(metric), analysis.view, best_first(analysis, metric)
    assert known.relevance is not None, "else the part is missing"
    how: Any = {"systems": view.systems, "k": known.cutoff or 10, "settings": view.settings}
    rows = from_kinds(analysis.study, relevance=known.relevance, **how)
    return tuple(sorted(rows, key=lambda row: order.index(row.system)))


def _kinds(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    if rows := kinds_of(analysis, metric):
        yield Named("kinds-results", results_by_kind(rows, theme=theme), wide=True)
        yield Named("kinds-shares", kind_shares(rows, theme=theme), wide=True)


def _no_kinds(analysis: Analysis, metric: str) -> str:
    if analysis.study.kinds is None:
        return "The concepts of this study have no kinds."
    relevance = parse_metric(metric).relevance
    by_concepts = relevance is not None and parse_relevance(relevance).kind in RELEVANCE
    return "" if by_concepts else "This measure does not look at concepts."


KINDS = Part(
    key="kinds",
    question="Which kinds of concepts do the scores come from?",
    figures=_kinds,
    missing=_no_kinds,
)
