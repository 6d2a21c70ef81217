"""Results in one sentence of Markdown, at Simple and at Expert. Names are escaped here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING, NamedTuple

from evalcore.evaluate.comparison import flipped
from evalcore.evaluate.summary import leading
from evalcore.results.method import is_least, over_what
from evalcore.stats.correction import CLEAR
from evalcore.stats.effect import POWER, detectable, judgement, pairs_needed
from evalcore.values.model import Comparison, Interval, Scores, count_reasons
from evalcore.values.writing import (
    listed,
    md_escape,
    number,
    p_equals,
    p_value,
    pluralize,
    pluralize_all,
    span,
)

if TYPE_CHECKING:
    from evalcore.evaluate.analysis import Analysis
    from evalcore.evaluate.overlap import Overlaps
    from evalcore.evaluate.per_query import PerQuery


class Words(NamedTuple):
    """How a sentence is worded: what it calls the measure, in Markdown; whether for everybody; which
    difference matters to the reader, 0 for none named."""

    measure: str
    plain: bool = False
    smallest: float = 0.0


def in_terms(label: str, smallest: float = 0.0) -> Words:
    """How sentences about a metric are worded for those who know its label."""
    return Words(md_escape(label), smallest=smallest)


def as_text(sentence: str) -> str:
    """A sentence of Markdown as plain text."""
    return re.sub(r"\\(.)|\*\*|\u2060", r"\1", sentence)


def of_board(analysis: Analysis, metric: str) -> str:
    """Which system is best under a metric of an analysis, and how sure is that? In Markdown."""
    gap, words = analysis.gap(metric), in_terms(metric, analysis.view.smallest_difference)
    return _whole(analysis, best_system(analysis.means_of(metric), gap, words), gap, metric)


def of_pair(analysis: Analysis, comparison: Comparison) -> str:
    """Is one system of an analysis better than another, and how sure is that? In Markdown."""
    words = in_terms(comparison.metric, analysis.view.smallest_difference)
    return _whole(analysis, estimate(comparison, words), comparison, comparison.metric)


def _whole(analysis: Analysis, verdict: str, comparison: Comparison | None, metric: str) -> str:
    """A verdict, how far the order of ties decides it, and whether the study has errors."""
    ties = about_ties(analysis, comparison, metric=metric, plain=False) if comparison else ""
    return " ".join(filter(None, (verdict, ties, md_escape(analysis.study.report.faults(), limit=400))))


def about_ties(analysis: Analysis, comparison: Comparison, *, metric: str = "", plain: bool) -> str:
    """How far a verdict depends on the order of results with equal scores; "" where no number shows it.

    ``metric``: of the analysis, its first by default.
    """
    a, b = comparison.system, comparison.baseline
    averaged = analysis.averaged_over_ties(a, b, metric)
    if averaged is None or isnan(averaged.difference):
        return ""
    if number(averaged.difference) == number(comparison.difference) and clear(averaged) == clear(comparison):
        return ""
    first, second = (a, b) if averaged.lead >= 0 else (b, a)
    direction = "lower" if averaged.lower_is_better else "higher"
    p = f", {p_equals(averaged.p_corrected)}" if not plain else ""
    outcome = "which is unlikely to be chance" if clear(averaged) else "which may be due to chance"
    return (
        "This depends on the order of results with equal scores: averaged over all their orders, "
        f"**{md_escape(first)}** scores {number(abs(averaged.difference))} {direction} than "
        f"**{md_escape(second)}**{p}, {outcome}."
    )


def clear(comparison: Comparison) -> bool:
    """Whether two systems differ clearly: p, corrected over the family of the comparison, is below .05."""
    return comparison.p_corrected < CLEAR


def best_system(intervals: Mapping[str, Interval], gap: Comparison | None, words: Words) -> str:
    """The verdict of the overview: best system, runner-up, gap with interval, n."""
    order = leading(intervals)
    best = intervals[order[0]]
    name = f"**{md_escape(order[0])}**"
    if isnan(best.mean):
        return "No query has a value under this measure, so no system can be called better."
    if gap is None or isnan(gap.difference):
        return f"{name} scores **{number(best.mean)}** on {words.measure} over {pluralize(best.n, 'query')}."
    second = f"**{md_escape(order[1])}**"
    over = f"over {pluralize(gap.n_pairs, 'query')}"
    if not clear(gap):
        return (
            f"{name} and {second} are too close to call on {words.measure}: "
            f"{number(best.mean)} and {number(intervals[order[1]].mean)} {over}. {_range(gap, words)}"
        )
    end = "lowest, which is best," if best.lower_is_better else "highest"
    return (
        f"{name} scores {end} on {words.measure}: {number(best.mean)}, ahead of {second} by "
        f"**{number(abs(gap.difference))}** {over}. {_range(gap, words)}"
    )


def estimate(comparison: Comparison, words: Words) -> str:
    """The verdict on the comparison of two systems: the better one minus the other, with its interval."""
    c = flipped(comparison) if comparison.lead < 0 else comparison
    a, b = f"**{md_escape(c.system)}**", f"**{md_escape(c.baseline)}**"
    if not c.n_pairs or isnan(c.difference):
        return f"No query has a value for both {a} and {b}, so they cannot be compared under this measure."
    over = f"over {pluralize(c.n_pairs, 'query')}"
    if c.difference == 0:
        return f"{a} and {b} score the same on average {over}. {_range(c, words)}"
    average = "On average" if c.centre == "mean" else "In the median"
    direction = "lower, which is better," if c.lower_is_better else "higher"
    return (
        f"{average} {a} scores **{number(abs(c.difference))}** {direction} than {b} {over}. "
        f"{_range(c, words)}"
    )


def _range(c: Comparison, words: Words) -> str:
    """The uncertainty of a difference in words, and whether it matters."""
    return " ".join(filter(None, (_uncertainty(c, words), matters(c, words), _reach(c, words))))


def matters(c: Comparison, words: Words) -> str:
    """The difference against the smallest one that matters to the reader."""
    if not words.smallest or not isfinite(c.low):
        return ""
    named = f"**{words.smallest:g}**"
    if (judged := judgement(c.low, c.high, words.smallest)) == "larger":
        return f"That is larger than {named}, the smallest difference that matters to you."
    if judged == "smaller":
        return f"That is too small to matter: within {named} in either direction."
    return f"It may or may not be larger than {named}, the smallest difference that matters to you."


def _reach(c: Comparison, words: Words) -> str:
    """Which difference so many queries can detect, and how many the one that matters takes."""
    if words.plain or not c.standard_error > 0:
        return ""
    seen = number(detectable(c.spread, c.n_pairs, level=c.level, design_effect=c.design_effect))
    queries = pluralize(c.n_pairs, "query") + (f" in {pluralize(c.n_groups, 'group')}" if c.n_groups else "")
    sentence = f"{queries} can detect a difference of {seen} with {POWER:.0%} power"
    if not words.smallest:
        return f"{sentence}."
    needed = pairs_needed(c.spread, words.smallest, level=c.level, design_effect=c.design_effect)
    assert needed is not None, "there is a spread"
    return f"{sentence}; {words.smallest:g} needs {pluralize(needed, 'query')}."


def _uncertainty(c: Comparison, words: Words) -> str:
    if not isfinite(c.low):
        return "There are too few queries for an interval."
    if not words.plain:
        corrected = f" ({md_escape(over_what([c]))}: {p_value(c.p_corrected)})" if c.n_family > 1 else ""
        p, least = p_equals(c.p), ""
        if is_least(c.p, c.test, c.n_resamples):
            p = f"p < {1 / c.n_resamples:g}"
            least = f", the smallest value that {c.n_resamples:,} permutations can give"
        return (
            f"{c.level:.0%} interval {span(c.low, c.high, sign=True)} (paired bootstrap, "
            f"seed {c.seed}); {p} by {md_escape(c.test)}{least}{corrected}; "
            f"effect size {number(c.effect_size)}."
        )
    if c.low <= 0 <= c.high:
        ends = span(c.low, c.high, sign=True)
        return f"The true difference probably lies within {ends}: it may be due to chance."
    low, high = sorted((abs(c.low), abs(c.high)))
    likely = f"The true difference probably lies between {span(low, high, joint='and')}."
    if clear(c):
        return f"{likely} A gap this large is unlikely to be chance."
    if c.n_family > 1:
        return f"{likely} Among {pluralize(c.n_family, 'comparison')}, a gap like this may be due to chance."
    return f"{likely} It may still be due to chance."


_WHY = {
    "not annotated": "no concepts",
    "no concepts": "no concepts",
    "no embedding": "no vector",
    "no relevant candidate": "nothing relevant",
    "outside the pool": "no label",
    "not judged": "not judged",
}
NOT_COMMON = "not answered by every system"


def count_queries(scored: Scores, n_queries: int) -> str:
    """How many of the study's ``n_queries`` queries have a value, and why the others are left out."""
    why: dict[str, int] = {NOT_COMMON: n_queries - len(scored.queries)}
    for reason, n in count_reasons(scored.reasons).items():
        why[_WHY[reason]] = why.get(_WHY[reason], 0) + n
    why = {reason: n for reason, n in why.items() if n}
    if not why:
        return f"All {pluralize(n_queries, 'query')} count." if n_queries > 1 else "The one query counts."
    each = [f"{n:,} {reason}" for reason, n in why.items()] if len(why) > 1 else list(why)
    share = f"{scored.n_scored:,} of {pluralize(n_queries, 'query')} count"
    return f"{share}; {sum(why.values()):,} left out ({listed(each)})."


# All systems at once.


def of_pairs(comparisons: Sequence[Comparison]) -> str:
    """How many of every two systems differ clearly, and which do not; of one metric."""
    tested = [comparison for comparison in comparisons if not isnan(comparison.p_corrected)]
    if not tested:
        return "No two systems share a query with a value, so none can be compared."
    close = [
        f"{md_escape(comparison.system)} and {md_escape(comparison.baseline)}"
        for comparison in tested
        if not clear(comparison)
    ]
    apart = len(tested) - len(close)
    systems = {name for comparison in comparisons for name in (comparison.system, comparison.baseline)}
    sentence = (
        f"Of the {pluralize(len(tested), 'pair')} of {pluralize(len(systems), 'system')}, **{apart:,}** "
        f"{'differs' if apart == 1 else 'differ'} clearly."
    )
    return f"{sentence} Not clearly different: {listed(close)}." if close else sentence


def of_equals(groups: Sequence[Sequence[str]]) -> str:
    """Which systems do not differ clearly."""
    several = [listed([md_escape(name) for name in group], limit=8) for group in groups if len(group) > 1]
    return f"Not clearly different from each other: {'; '.join(several)}." if several else ""


def of_overlaps(overlaps: Overlaps) -> str:
    """Which two systems return the most similar results, and which the least."""
    known = sorted(
        (pair for pair in overlaps.pairs if not isnan(pair.rbo.mean)), key=lambda pair: pair.rbo.mean
    )
    if not known:
        return "No two systems answer the same query."
    most, least = known[-1], known[0]
    sentence = (
        f"**{md_escape(most.a)}** and **{md_escape(most.b)}** overlap most: "
        f"{number(overlaps.k * most.shared.mean)} of the first {overlaps.k:,} shared "
        f"(overlap {number(most.rbo.mean)}, {span(most.rbo.low, most.rbo.high)})."
    )
    if least is most:
        return sentence
    return (
        f"{sentence} **{md_escape(least.a)}** and **{md_escape(least.b)}** overlap least: "
        f"{number(overlaps.k * least.shared.mean)} of {overlaps.k:,} ({number(least.rbo.mean)})."
    )


def of_queries(result: PerQuery) -> str:
    """How many queries are poor and good for all systems, and who is best most often."""
    m = len(result.systems)
    everyone = pluralize_all(m, "system") if m > 1 else "the one system shown"
    each = {1: "it", 2: "both"}.get(m, "all")
    hard, good = result.count("hard"), result.count("good")
    (name, most), (_, next_most) = (*best_alone(result), ("", 0))[:2]
    often = "" if most == next_most or m < 2 else f"**{md_escape(name)}** is best most often ({most:,})."
    return (
        f"Of **{pluralize(int(result.known.sum()), 'query')}**, **{hard:,}** "
        f"{'is' if hard == 1 else 'are'} poor for {everyone} and **{good:,}** good for {each}. "
        f"{often}"
    ).rstrip()


def best_alone(result: PerQuery) -> list[tuple[str, int]]:
    """On how many queries each system alone is best, the most first."""
    return sorted(result.best_alone().items(), key=lambda item: -item[1])
