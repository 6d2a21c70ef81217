"""What is written with a table of results: a caption of a few words, and a note on how it was counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.summary import method_of_differences
from evalcore.evaluate.systems import about_means
from evalcore.ranking.metrics import lower_is_better
from evalcore.values.plugins import used_in
from evalcore.values.settings import Settings
from evalcore.values.version import __version__
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.analysis import Analysis
    from evalcore.results.scores import Scoring
    from evalcore.values.model import Comparison, Interval, Scores, Study

_OVER = {
    "all": "all queries",
    "common": "the queries that all systems answer",
    "common-pool": "the queries that all systems answer, among the images that all systems search",
}
_BOUND = "Bound: the highest mean that lists of this length allow, a range where those of the systems differ."
_DEFAULTS = Settings().as_dict()


MOST_WORDS = 60
"""Of a caption."""
SHORTEST = 25
"""Words of a caption's first sentence at most: a longer name is cut."""
IN_PARENTHESES = "In parentheses: "
"""Begins the sentences about intervals, which a table can be written without."""


def caption_of(of: Scoring, *, bound: bool, by: str = "") -> tuple[str, tuple[str, ...]]:
    """(what the table shows in a few words, the sentences of its caption), `MOST_WORDS` at most together.

    Sentences that do not fit are left out, the last ones first: `note_of` says all of it. ``by``: what the
    columns slice the queries by.
    """
    study, scores, intervals, comparisons, baseline = of[:5]
    metrics = list(dict.fromkeys(score.metric for score in scores))
    systems = len(dict.fromkeys(score.system for score in scores))
    under = metrics[0] if len(metrics) == 1 else f"{len(metrics)} measures"
    what = f"Mean {under}" if len(metrics) == 1 else f"Means under {under}"
    short = cut(f"{what} of {number(systems, 'system')}{f' by {by}' if by else ''}, {study.name}", SHORTEST)
    ns = {mean.n for mean in intervals}
    than = f"the baseline {baseline}" if baseline else "the best of the column"
    wanted = [
        f"{short}; n = {_range(ns)} queries.",
        f"{IN_PARENTHESES}{intervals[0].level:.0%} interval.",
        f"Bold: {_best(metrics)}.",
        *(
            [f"†/‡: significantly higher/lower than {than} ({_in_short(comparisons)})."]
            if comparisons
            else []
        ),
        *(["Bound: the highest mean that lists of this length allow."] if bound else []),
    ]
    kept: list[str] = []
    for sentence in wanted:
        if sum(len(text.split()) for text in (*kept, sentence)) <= MOST_WORDS:
            kept.append(sentence)
    return short, tuple(kept)


def caption_of_pairs(analysis: Analysis, comparisons: Sequence[Comparison]) -> str:
    """The caption of a table of differences: what, n, interval, test."""
    first, metrics = comparisons[0], list(dict.fromkeys(row.metric for row in comparisons))
    ns = {row.n_pairs for row in comparisons}
    what = f"Differences under {metrics[0] if len(metrics) == 1 else f'{len(metrics)} measures'}"
    interval = method_of_differences(analysis.view.settings)
    return (
        f"{cut(f'{what}, {analysis.study.name}', SHORTEST)}; n = {_range(ns)} queries, paired. "
        f"{first.level:.0%} interval: {interval}. p: {first.test}; {over_what(comparisons)}."
    )


def _best(metrics: Sequence[str]) -> str:
    """Which mean of a column is in bold."""
    lower = [metric for metric in metrics if lower_is_better(metric)]
    if not lower:
        return "highest"
    return "lowest" if len(lower) == len(metrics) else f"best, which is the lowest of {', '.join(lower)}"


def cut(text: str, words: int) -> str:
    """The first words of a text, on one line; an ellipsis where some are left out.

    >>> cut("one two  three", 2), cut("one two", 2)
    ('one two…', 'one two')
    """
    parts = text.split()
    return " ".join(parts[:words]) + ("…" if len(parts) > words else "")


def number(n: int, of: str) -> str:
    """A number of things.

    >>> number(1, "system"), number(1200, "system")
    ('1 system', '1,200 systems')
    """
    return f"{n:,} {of}{'s' * (n != 1)}"


def _in_short(comparisons: Sequence[Comparison]) -> str:
    """The level of the test and its correction."""
    correction = comparisons[0].correction
    return "p < .05, not corrected" if correction == "none" else f"p < .05, {correction}"


def note_of(of: Scoring, *, bound: bool) -> tuple[str, ...]:
    """The sentences, as plain text, in the order to be read; the notes before the settings."""
    study, scores, intervals, comparisons, baseline, settings, queries, notes = of
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
        *_own(scores),
        f"{_settings(settings)} CUIscope {__version__}, study {study.name}, digest {study.content}.",
    )


def _own(scores: Sequence[Scores]) -> list[str]:
    """The functions of users that took part."""
    used = used_in(text for score in scores for text in (score.metric, score.system))
    return [f"Of the authors' own: {'; '.join(map(str, used))}."] if used else []


def _counted(study: Study, scores: Sequence[Scores], intervals: Sequence[Interval], queries: str) -> str:
    n, over = _by_metric(scores, [mean.n for mean in intervals]), _OVER[queries]
    if study.where:
        conditions = " and ".join(study.where)
        over = f"those with {conditions}" if queries == "all" else f"{over}, and only those with {conditions}"
    return f"Means over the queries with a value ({n}), of {over}."


def _by_metric(scores: Sequence[Scores], counts: Sequence[int]) -> str:
    """A count that holds for all metrics, or those of each, as a range where systems differ."""
    by_metric: dict[str, set[int]] = {}
    for score, n in zip(scores, counts, strict=True):
        by_metric.setdefault(score.metric, set()).add(n)
    if len(set().union(*by_metric.values())) == 1:
        return f"n = {counts[0]:,}"
    return ", ".join(f"{metric}: {_range(ns)}" for metric, ns in by_metric.items())


def _range(ns: set[int]) -> str:
    return f"{min(ns):,}" if len(ns) == 1 else f"{min(ns):,} to {max(ns):,}"


def _left_out(scores: Sequence[Scores], settings: Settings) -> Iterator[str]:
    """What became of queries without a value, and of those a system did not answer."""
    undefined = [score.n_undefined for score in scores]
    if any(undefined):
        fate = "are left out" if settings.undefined == "skip" else "count as 0"
        yield f"Queries without a value {fate} ({_by_metric(scores, undefined)})."
    missing: dict[str, set[int]] = {}
    for of in scores:
        if of.missing:
            missing.setdefault(of.system, set()).add(of.missing)
    if missing:
        named = ", ".join(f"{name}: {_range(ns)}" for name, ns in missing.items())
        lower = [lower_is_better(of.metric) for of in scores]
        fate = "the last place" if all(lower) else f"0{', of ranks as the last place' * any(lower)}"
        yield f"Unanswered queries count as {fate} ({named})."


def _intervals(intervals: Sequence[Interval]) -> str:
    first = intervals[0]
    methods = _methods([(interval.method, interval.n_groups) for interval in intervals])
    drawn = f", {first.n_resamples:,} resamples, seed {first.seed}" if first.n_resamples else ""
    return f"{IN_PARENTHESES}the {first.level:.0%} interval ({methods}{drawn})."


def _methods(methods: Sequence[tuple[str, int]]) -> str:
    """Names of methods, each once; where they end with a number of groups, with all of these as a range."""
    groups: dict[str, set[int]] = {}
    for method, n in methods:
        groups.setdefault(method.removesuffix(f" ({n:,} groups)"), set()).add(n)
    return ", ".join(
        name + (f" ({_range(ns)} groups)" if (ns := numbers - {0}) else "")
        for name, numbers in groups.items()
    )


def _marks(comparisons: Sequence[Comparison], baseline: str | None) -> Iterator[str]:
    if not comparisons:
        return
    than = f"the baseline {baseline}" if baseline else "the leader of the column"
    marks = f"† significantly higher, ‡ significantly lower than {than}"
    tests = _methods([(comparison.test, comparison.n_groups) for comparison in comparisons])
    flips = max(comparison.n_resamples for comparison in comparisons)
    yield (
        f"{marks}: p < .05 by {tests}, {pluralize(flips, 'flip')}, seed {comparisons[0].seed}; "
        f"{over_what(comparisons)}."
    )
    if floor := at_the_floor(comparisons):
        yield floor


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
