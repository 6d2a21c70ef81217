"""The tables of a report: what `score` prints, and nothing left out."""

from __future__ import annotations

from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.summary import method_of_differences
from evalcore.evaluate.systems import about_means, seed_sd
from evalcore.report.html import Table
from evalcore.report.results import Found, OfMetric
from evalcore.stats.effect import IS_LARGER, POWER, detectable, judgement, pairs_needed
from evalcore.values.model import Comparison
from evalcore.values.writing import NOTHING, count, fixed, number, p_value, span


def leaderboard(found: Found, of: OfMetric) -> Table:
    """Mean, interval and counts of every system, best first."""
    order = sorted(of.scores, key=lambda one: (-_or_last(of.intervals[one.system].mean), one.system))
    first = of.intervals[order[0].system]
    rows = [
        (
            one.system + (" (baseline)" if one.system == found.view.baseline else ""),
            fixed(mean.mean),
            span(mean.low, mean.high, places=4),
            count(mean.n),
            count(one.n_undefined),
            count(one.missing),
            count(one.short),
            count(one.tied),
        )
        for one in order
        for mean in (of.intervals[one.system],)
    ]
    drawn = f", {first.n_resamples:,} resamples, seed {first.seed}" if first.n_resamples else ""
    seeds = "".join(f" {line}" for line in about_means(order))
    for one in order:
        if len(one.seeds) > 1:
            seeds += f" Standard deviation of the means of {one.system}'s {len(one.seeds)} seeds: "
            seeds += f"{fixed(seed_sd(one, found.view.settings))}."
    head = ("System", "Mean", f"{first.level:.0%} interval", "n", "Undefined", "Unanswered", "Short", "Tied")
    caption = (
        f"{of.metric}: means over n queries with a value. Intervals: {first.method}{drawn}. "
        "Undefined: queries without a value. Unanswered: counted as 0. Short: answered with fewer than k "
        f"results. Tied: the k-th place is shared by equal scores.{seeds}"
    )
    return Table(head, rows, caption=caption)


def comparisons(found: Found) -> Table | None:
    """Every system against the baseline."""
    rows = found.comparisons
    if not rows:
        return None
    head = (
        "System",
        "Measure",
        "Difference",
        f"{rows[0].level:.0%} interval",
        "p",
        f"p ({rows[0].correction})",
        "n",
        "Better",
        "Equal",
        "Worse",
        "Effect size",
    )
    method = method_of_differences(found.view.settings)
    against = found.view.baseline or "the leader of the measure"
    caption = (
        f"Each system minus {against}, paired by query; n is the number of pairs. "
        f"Test: {rows[0].test}, {rows[0].n_resamples:,} resamples, seed {rows[0].seed}; {over_what(rows)}. "
        f"Intervals of differences: {method}. {at_the_floor(rows)}"
    ).strip()
    body = [
        (
            one.system if found.view.baseline else f"{one.system} − {one.baseline}",
            one.metric,
            signed(one.difference),
            span(one.low, one.high, places=4),
            p_value(one.p),
            p_value(one.p_corrected),
            count(one.n_pairs),
            count(one.wins),
            count(one.ties),
            count(one.losses),
            number(one.effect_size),
        )
        for one in rows
    ]
    return Table(head, body, caption=caption, words=2)


def matters(found: Found) -> Table | None:
    """Whether each difference is larger than the smallest one that matters, where one was named."""
    smallest = found.view.smallest_difference
    if not smallest:
        return None
    caption = (
        f"Is the difference larger than {smallest:g}, the smallest that was said to matter? Judged by its "
        f"interval. Detectable: the difference that so many queries find with {POWER:.0%} power, before "
        f"correction. Needed: queries to find {smallest:g}."
    )
    head = (
        "System",
        "Measure",
        "Difference",
        "Interval",
        f"Larger than {smallest:g}?",
        "Detectable",
        "Needed",
    )
    body = [
        (
            one.system,
            one.metric,
            signed(one.difference),
            span(one.low, one.high, places=4),
            IS_LARGER[judgement(one.low, one.high, smallest)],
            number(detectable(one.spread, one.n_pairs, level=one.level, design_effect=one.design_effect)),
            _needed(one, smallest),
        )
        for one in found.comparisons
    ]
    return Table(head, body, caption=caption, words=2)


def _needed(one: Comparison, smallest: float) -> str:
    needed = pairs_needed(one.spread, smallest, level=one.level, design_effect=one.design_effect)
    return NOTHING if needed is None else count(needed)


def ceilings(found: Found) -> Table:
    """How high a mean can be at most, where lists are too short for a perfect one."""
    rows = [(name, of.metric, fixed(top)) for of in found.metrics for name, top in of.ceilings.items()]
    caption = "The lists of these systems are too short for a perfect score: the highest mean they allow."
    return Table(("System", "Measure", "At most"), rows, caption=caption, words=2)


def undefined(found: Found) -> Table:
    """Why queries have no value; one row for all systems where they are as many for each."""
    rows = []
    for of in found.metrics:
        why = {one.system: one.undefined_by_reason() for one in of.scores}
        same = len({tuple(sorted(one.items())) for one in why.values()}) == 1
        first = next(iter(why.values()))
        each = {"all systems" if len(why) > 1 else of.scores[0].system: first} if same else why
        rows += [
            (of.metric, system, reason, count(n)) for system, by in each.items() for reason, n in by.items()
        ]
    caption = "Queries without a value, by reason."
    return Table(("Measure", "System", "Reason", "Queries"), rows, caption=caption, words=3)


def owed(found: Found) -> Table:
    """What results of the query's own group add to each system's score."""
    rows = [
        (
            one.system,
            of.metric,
            fixed(one.before.mean),
            fixed(one.after.mean),
            signed(one.change.difference),
            span(one.change.low, one.change.high, places=4),
            p_value(one.change.p_corrected),
            count(one.change.n_pairs),
        )
        for of in found.metrics
        for one in of.owed
    ]
    groups = found.study.groups
    caption = (
        f"What results of the query's own {groups.name if groups else 'group'} add to each system's score: "
        "its mean with these left out, which is the one reported, and counted."
    )
    head = ("System", "Measure", "Left out", "Counted", "Difference", "Interval", "p (Holm)", "n")
    return Table(head, rows, caption=caption, words=2)


def searched(found: Found) -> Table:
    """What each system answers and which images it searches."""
    names = {*found.view.systems}
    rows = [
        (
            one.system,
            count(one.answered),
            _depth(one.shortest, one.longest),
            count(one.embedded),
            f"{count(one.searched)} ({one.searched_by})",
            count(one.tied),
        )
        for one in found.coverage.systems
        if one.system in names
    ]
    caption = (
        "Systems: queries answered, results per query, images with a vector, images searched and what shows "
        "that, queries with equal scores somewhere in the list."
    )
    head = ("System", "Answered", "Results", "Vectors", "Searched", "With ties")
    return Table(head, rows, caption=caption)


def _depth(shortest: int, longest: int) -> str:
    return count(longest) if shortest == longest else f"{count(shortest)} to {count(longest)}"


def _or_last(value: float) -> float:
    return value if value == value else float("-inf")


def signed(value: float) -> str:
    """A difference with its sign."""
    return f"+{fixed(value)}" if value > 0 else fixed(value)
