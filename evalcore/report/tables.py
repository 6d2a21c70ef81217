"""The tables of a report: the results that `score` prints, and what is said with each."""

from __future__ import annotations

from operator import itemgetter

from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.summary import method_of_differences
from evalcore.evaluate.systems import about_means
from evalcore.report.html import Table, drawn
from evalcore.report.results import Content, OfMetric
from evalcore.results.pairs import OWED, comparisons_table
from evalcore.results.rows import Column, also, whole
from evalcore.results.rows import Table as Rows
from evalcore.results.scores import ceilings_table, printed_scores, score_rows
from evalcore.results.study import returned_table
from evalcore.stats.effect import POWER


def leaderboard(result: Content, of: OfMetric) -> Table:
    """Mean, interval and counts of every system, best first."""

    def named(system: str) -> str:
        return f"{system} (baseline)" if system == result.view.baseline else system

    rows = score_rows(of.scores, [of.intervals[score.system] for score in of.scores])
    rows.sort(key=lambda row: (-_or_last(row.mean.merit), row.scores.system))
    scores = printed_scores(rows, result.view.settings).without("metric")
    columns = [
        column._replace(text=named) if column.name == "system" else column for column in scores.columns
    ]
    first = rows[0].mean
    drawn_by = f", {first.n_resamples:,} resamples, seed {first.seed}" if first.n_resamples else ""
    seeds = "".join(f" {line}" for line in about_means([row.scores for row in rows]))
    caption = (
        f"{of.metric}: means over n queries with a value. Intervals: {first.method}{drawn_by}. "
        "Undefined: queries without a value. Unanswered: counted as 0. Short lists: answered with fewer than "
        f"k results. Tied at k: results are tied across rank k.{seeds}"
    )
    return drawn(Rows(rows, columns), caption)


def comparisons(result: Content) -> Table | None:
    """Every system against the baseline or the leader."""
    rows = result.comparisons
    if not rows:
        return None
    against = result.view.baseline or "the leader of the measure"
    method = method_of_differences(result.view.settings)
    caption = (
        f"Each system minus {against}, paired by query. "
        f"Test: {rows[0].test}, {rows[0].n_resamples:,} resamples, seed {rows[0].seed}; {over_what(rows)}. "
        f"Intervals of differences: {method}. {at_the_floor(rows)}"
    ).strip()
    return drawn(_compared(result), caption)


def matters(result: Content) -> Table | None:
    """Whether each difference is larger than the smallest one that matters, where one was named."""
    smallest = result.view.smallest_difference
    if not smallest:
        return None
    caption = (
        f"Is the difference larger than {smallest:g}, the smallest that matters? Judged by its "
        f"interval. Detectable: the difference that this many queries find with {POWER:.0%} power, before "
        f"correction. n needed: queries to find {smallest:g}."
    )
    tests = ("p", "p_corrected", "n_pairs", "better", "equal", "worse", "effect_size")
    return drawn(_compared(result, smallest).without(*tests), caption)


def _compared(result: Content, smallest: float | None = None) -> Rows:
    """All differences; what they are from is a column where that is not one baseline."""
    table = comparisons_table(
        result.comparisons,
        method=method_of_differences(result.view.settings),
        grouped_by=result.metrics[0].scores[0].grouped_by,
        smallest=smallest,
    )
    return table.without("baseline") if result.view.baseline else table


def ceilings(result: Content) -> Table:
    """How high a mean can be at most, where lists are too short for a perfect one."""
    scores = [score for of in result.metrics for score in of.scores]
    caption = "The lists of these systems are too short for a perfect score: the highest mean they allow."
    return drawn(ceilings_table(scores, result.view.settings), caption)


def undefined(result: Content) -> Table:
    """Why queries have no value; one row for all systems where they are as many for each."""
    rows = []
    for of in result.metrics:
        why = {score.system: score.undefined_by_reason() for score in of.scores}
        same = len({tuple(sorted(reasons.items())) for reasons in why.values()}) == 1
        first = next(iter(why.values()))
        each = {"all systems" if len(why) > 1 else of.scores[0].system: first} if same else why
        rows += [(of.metric, system, reason, n) for system, by in each.items() for reason, n in by.items()]
    heads = ("measure", "system", "reason")
    columns = [
        *(also(head, itemgetter(place)) for place, head in enumerate(heads)),
        also("queries", itemgetter(3), whole),
    ]
    return drawn(Rows(rows, columns), "Queries without a value, by reason.")


def owed(result: Content) -> Table:
    """What results of the query's own group add to each system's score."""
    groups = result.study.groups
    caption = (
        f"What results of the query's own {groups.name if groups else 'group'} add to each system's "
        "score: its mean with these left out (reported) and counted."
    )
    return drawn(Rows([after for of in result.metrics for after in of.owed], OWED), caption)


def searched(result: Content) -> Table:
    """What each system answers and which images it searches."""
    names = {*result.view.systems}
    table = returned_table(
        result.study, [system for system in result.coverage.systems if system.system in names]
    )
    by: Column = also("as shown by", "searched_by")
    return drawn(
        table._replace(columns=(*table.columns, by)), "What each system returned, and what it searches."
    )


def _or_last(value: float) -> float:
    return value if value == value else float("-inf")
