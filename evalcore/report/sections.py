"""What the sections of a report say: sentences, tables, and pairs of a name and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from evalcore.evaluate.common_pool import in_words
from evalcore.evaluate.comparison import over_what
from evalcore.evaluate.conditions import LABEL, chosen_of
from evalcore.evaluate.slices import over_slices
from evalcore.evaluate.summary import too_narrow
from evalcore.evaluate.sweep import Stability, Standing, covered
from evalcore.ranking.metrics import METRICS, Metric, parse_metric
from evalcore.relevance.registry import RELEVANCE, describe, own_measures, parse_relevance
from evalcore.report import tables, verdicts
from evalcore.report.html import Table, drawn
from evalcore.report.results import THRESHOLDS, Content, OfMetric
from evalcore.results.board import by_score
from evalcore.results.pairs import slice_differences_table
from evalcore.results.rows import Column, also, decimals, signed, whole
from evalcore.results.rows import Table as Rows
from evalcore.results.rows import span as interval_of
from evalcore.study import reads
from evalcore.values.grouping import in_words as groups_in_words
from evalcore.values.model import Comparison, Interval, Way
from evalcore.values.plugins import used_in
from evalcore.values.settings import Settings
from evalcore.values.writing import count, fixed, md_escape, percent, pluralize

# The tables of a report that are asked for: systems slice by slice, and their order under other settings.


def tables_slices(result: Content) -> Iterator[Table]:
    """Of every way of slicing and measure: means of systems x slices, and differences from the baseline."""
    for by in dict.fromkeys(row.by for row in result.slices.means) if result.slices else ():
        for of in result.metrics:
            yield from _of_way(result, by, of)


def _of_way(result: Content, by: str, of: OfMetric) -> Iterator[Table]:
    assert result.slices is not None, "slices were asked for"
    parts = [row for row in result.slices.means if (row.by, row.scores.metric) == (by, of.metric)]
    means = {(row.scores.system, row.name): row.mean for row in parts}
    systems = by_score({name: mean.mean for name, mean in of.intervals.items()})
    names = dict.fromkeys(row.name for row in parts)
    way = by.removeprefix(LABEL)
    remarks = " ".join(remark for name, remark in result.slices.remarks if name == by)
    caption = (
        f"{of.metric} by {way}: means, best system first; n is the number of queries with a value. {remarks}"
    )

    def mean_of(system: str) -> Column:
        return also(system, lambda name: means[system, name].mean, decimals).on_page(system)

    def largest(name: str) -> int:
        return max(means[system, name].n for system in systems)

    columns = (also(way, str).on_page(way), also("n", largest, whole), *map(mean_of, systems))
    yield drawn(Rows(list(names), columns), caption.strip())
    against = [row for row in result.slices.differences if (row.by, row.found.metric) == (by, of.metric)]
    text = f"{of.metric} by {way}: each system minus {result.view.baseline}; {over_slices(against)}."
    yield drawn(slice_differences_table(against, method="").without("by", "metric"), text)


def standings(of: Stability) -> Table:
    """The order of the systems at each \u03b1 and maximum distance."""

    def order(standing: Standing) -> str:
        return ", ".join(
            f"{name} {fixed(mean.mean)}" for name, mean in zip(standing.order, standing.means, strict=True)
        )

    columns = (
        also("maximum distance", "settings.threshold"),
        also("\u03b1", "settings.alpha", "{:g}".format),
        also("order", order),
        also("lead", "lead", signed),
        interval_of(),
    )
    caption = (
        f"{of.metric} at other weights of related concepts: the systems in order of their mean, and the lead "
        "of the first over the second with its interval."
    )
    return drawn(Rows(of.standings, columns), caption)


# How the numbers of a leaderboard came about, in one sentence of Markdown: pages and report say the same.

OVER: Mapping[Way, str] = {
    "all": "all queries of the study",
    "common": "queries all systems answer",
    "common-pool": "queries all systems answer, among the images all systems search",
    "given": "the queries given",
}


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
        f"undefined queries: {s.undefined}, {s.gain} gain.{seeds}{_own(metric)} Study {digest}."
    )


def _own(metric: str) -> str:
    """The functions of users that a measure is computed by."""
    used = used_in([metric])
    return f" Own: {md_escape('; '.join(map(str, used)))}." if used else ""


def answers(result: Content) -> list[str]:
    """The answer for each measure, in Markdown."""
    return [verdicts.of_board(result.analysis, of.metric) for of in result.metrics]


def notes(result: Content) -> list[str]:
    """What limits the answers."""
    limits = [*in_words(result.over), groups_in_words(result.study)]
    narrow = too_narrow(
        [interval.n_independent for of in result.metrics for interval in of.intervals.values()],
        differences=[comparison.n_independent for comparison in result.comparisons],
        settings=result.view.settings,
    )
    virtual = [name for name in result.view.systems if name.startswith("@")]
    ideal = "Systems that begin with @ rank by the concepts themselves: a reference, not competitors."
    reading = reads.in_words(result.view.systems, result.study.looks)
    systems = used_in(virtual)
    own = f"Rankings by plugins: {'; '.join(map(str, systems))}." if systems else ""
    left_out = covered(result.study, THRESHOLDS)[1] if result.sweeps else ""
    return [note for note in (*limits, narrow, ideal if virtual else "", own, reading, left_out) if note]


def metric(of: OfMetric) -> Metric:
    """The measure as the program knows it."""
    return parse_metric(of.metric)


def results(result: Content) -> list[Table]:
    """Every table of numbers."""
    tables_ = [
        *(tables.leaderboard(result, of) for of in result.metrics),
        tables.comparisons(result),
        tables.matters(result),
        *tables_slices(result),
        *map(standings, result.sweeps),
        tables.ceilings(result),
        tables.owed(result),
        tables.undefined(result),
    ]
    return [table for table in tables_ if table is not None]


def data(result: Content) -> list[tuple[str, object]]:
    """What was compared: the study and what it covers, the queries and candidates that count."""
    study, covered = result.study, result.coverage
    annotated = covered.images - covered.not_annotated
    graph = study.graph
    errors, remarks = study.report.kinds("error"), study.report.kinds("warning")
    return [
        ("Study", study.name),
        ("Description", study.description),
        ("Images", count(covered.images)),
        ("Queries that count", f"{count(len(study.queries))} of {count(len(result.whole.queries))}"),
        ("Filter", chosen_of(study) if study.where else "none: every query of the study"),
        ("Candidates", f"{count(len(study.candidates))} of {count(result.over.n_all)}"),
        ("Compared over", pool(result.over.which, "")),
        ("Annotated images", f"{count(annotated)} ({percent(annotated, covered.images)})"),
        ("Without a concept", count(covered.without_concepts)),
        ("Concepts", count(covered.concepts)),
        (
            "Concepts of an image",
            f"{covered.concepts_per_image_mean:.1f} on average, median "
            f"{covered.concepts_per_image_median:g}, at most {count(covered.concepts_per_image_max)}",
        ),
        ("Graph", f"{count(graph.n_nodes)} concepts" if graph else "none"),
        (
            "Concepts in the graph",
            f"{count(covered.concepts_in_graph)} of {count(covered.concepts)}; "
            f"{percent(covered.occurrences_in_graph, covered.occurrences)} of their uses"
            if graph
            else "",
        ),
        ("Captions", count(covered.captions)),
        ("Pictures", count(covered.pictures)),
        ("Labels", "; ".join(f"{name}: {pluralize(n, 'image')}" for name, n in covered.labelled) or "none"),
        ("Groups", f"{study.groups.name}: {pluralize(study.groups.n, 'group')}" if study.groups else "none"),
        ("Problems found in the files", f"{pluralize(errors, 'error')}, {pluralize(remarks, 'remark')}"),
    ]


def methods(result: Content) -> list[str]:
    """How each number came about: the sentences of the pages, in Markdown."""
    chosen = f" ({md_escape(chosen_of(result.study))})" if result.study.where else ""
    over, first = pool(result.over.which, chosen), result.view.systems[0]
    return [
        method(
            of.metric,
            over,
            result.view.settings,
            of.intervals[first],
            result.comparisons,
            result.study.digest,
        )
        for of in result.metrics
    ]


def measures(result: Content) -> Table:
    """The measures, and the relevances they use, by formula and source."""
    heads = ("measure", "what it is", "formula", "source")
    columns = [also(head, itemgetter(place)) for place, head in enumerate(heads)]
    caption = "The measures, and the relevances they use, by formula and source."
    return drawn(Rows(list(_measures(result)), columns), caption)


def _measures(result: Content) -> Iterator[tuple[str, str, str, str]]:
    relevances: list[str] = []
    for of in result.metrics:
        known = metric(of)
        family = METRICS[known.family]
        yield of.metric, family.plain, family.formula, family.reference
        if known.relevance and parse_relevance(known.relevance).kind in (*RELEVANCE, *own_measures()):
            relevances.append(known.relevance)
    for name in dict.fromkeys(relevances):
        measure = describe(name)
        yield name, measure.title, measure.formula, measure.reference


def settings(result: Content) -> list[tuple[str, object]]:
    """Every setting, those at their usual value too."""
    return [
        (name.replace("_", " "), ", ".join(value) if isinstance(value, list) else _written(value))
        for name, value in result.view.as_dict().items()
    ]


def _written(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value}"
