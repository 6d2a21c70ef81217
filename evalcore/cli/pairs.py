"""``compare`` and ``overlap``: two systems, or every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from evalcore.cli.options import COMPARED, NN_IOU, SHARE, Number, Whole, example, option
from evalcore.cli.output import (
    DECLINED,
    DONE,
    print_message,
    progress_line,
    small_sample_warning,
    table_heading,
)
from evalcore.cli.scores import MORE_FLIPS, over
from evalcore.cli.study_request import on_study
from evalcore.evaluate.comparison import letter
from evalcore.evaluate.overlap import DEPTH, MOST_DEPTH, K, P
from evalcore.evaluate.systems import resolve_systems
from evalcore.report import verdicts
from evalcore.report.verdicts import as_text
from evalcore.results.method import of_settings, tests_in_words, too_narrow
from evalcore.results.pairs import comparisons_table, gate_facts, gate_in_words, overlap_table
from evalcore.results.paper import pairs_on_paper
from evalcore.results.rows import Column, Table, placed, plain, record, whole
from evalcore.results.scores import COUNTED, SEED, mean_columns
from evalcore.results.writers import escape_markdown, latex, markdown
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.output import Item
    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.analysis import Analysis
    from evalcore.evaluate.comparison import Equals
    from evalcore.evaluate.overlap import Overlaps
    from evalcore.values.model import Comparison, Interval, Scores, Study

# What ``compare`` prints: systems with letters, comparisons.


class SystemRow(NamedTuple):
    """One system under one metric; without letters where only two are compared."""

    scores: Scores
    mean: Interval
    letters: str


def systems_table(rows: Sequence[SystemRow], equals: Sequence[tuple[str, Equals]]) -> Table:
    """Rows as given, or metric by metric and best first where there are groups of equals."""
    by_name = {(row.scores.system, row.scores.metric): row for row in rows}
    ordered = [
        by_name[name, metric]._replace(letters=letters)
        for metric, equal in equals
        for name, letters in zip(equal.systems, equal.letters, strict=True)
    ]
    missing, letters = Column("missing", "scores.missing", "missing", whole), Column("letters", head="equals")
    columns = (*mean_columns(rows[0].mean.level), *COUNTED, missing, SEED)
    return Table(ordered or rows, (*columns, *([letters] if equals else [])))


def _groups_of_equals(equals: Sequence[tuple[str, Equals]]) -> Table:
    """The groups of systems that do not differ clearly, each with its letter."""
    rows = [
        (metric, letter(place), members, equal.level)
        for metric, equal in equals
        for place, members in enumerate(equal.groups)
    ]
    return Table(rows, placed("metric", "letter", "systems", "level"))


# ``compare``: two systems, or every pair of them with groups of equals.

_TWO = "Name two different systems or run files, A and B, or ask for every pair with --all."


@example("compare sample hog texture --metric nnCUI@10")
@on_study(*COMPARED, csv="those of the table.", paper="the differences, with interval and p.")
@click.argument("pair", nargs=-1, metavar="[A B]")
@option("--all", "everyone", is_flag=True, help="Every pair of systems, instead of A and B.")
@option(
    *("--fail-below", "bound"),
    kind=Number(max=0),
    metavar="D",
    help="Exit with code 3 when A minus B is below D, such as -0.01, beyond doubt: one-sided paired "
    "permutation test at 5%, corrected by Holm over the metrics.",
)
def compare(request: StudyRequest, pair: Sequence[str], everyone: bool, bound: float | None) -> int:
    """Compare two systems of STUDY, or all pairs.

    A minus B, or with --all every pair; A and B can be run files. In view are A, B and the systems of -s;
    without -s all of STUDY, or A and B alone where one of them is a run file. Differences are paired by
    query: bootstrap interval (2,000 resamples) and permutation test. p is corrected over the comparisons
    with the baseline of STUDY where A or B is it, else over all pairs of the systems in view, metric by
    metric. With --all also groups of equals: letters that systems share unless corrected p < .05 separates
    them.
    """
    if everyone and (pair or bound is not None):
        raise click.UsageError("--all compares every pair: leave A, B and --fail-below out.")
    if not everyone and len(pair) != 2:
        raise click.UsageError(_TWO)
    names = [resolve_systems(request.study, [name])[0].name for name in pair]
    if names and names[0] == names[1]:
        raise click.UsageError(_TWO)
    beside = request.view.systems or (() if request.runs else tuple(request.study.systems))
    analysis = request.analysis(systems=(*names, *beside) if request.view.systems else (*beside, *names))
    metrics = analysis.view.metrics
    two = [] if everyone else [analysis.comparison(names[0], names[1], metric) for metric in metrics]
    comparisons = two or analysis.pairs
    gated = analysis.gate(*names, bound=bound) if bound is not None else ()
    paper = pairs_on_paper(analysis, comparisons)
    decided = of_settings(analysis.study, request.settings, queries=analysis.over.which)
    above = "".join(f"**{escape_markdown(line)}**\n\n" for line in gate_in_words(gated, bound)[-1:])
    request.emit(
        request.facts(),
        [
            *_compared(analysis, comparisons, names),
            *gate_in_words(gated, bound),
            {} if bound is None else {"gate": gate_facts(gated, bound)},
            request.facts_of_files(),
        ],
        comparisons_table(analysis, comparisons)._replace(facts=decided),
        latex=lambda: latex(paper),
        markdown=lambda: above + markdown(paper),
    )
    if not any(row.declined for row in gated):
        return DONE
    print_message(gate_in_words(gated, bound)[-1], error=True)
    return DECLINED


def _compared(analysis: Analysis, comparisons: Sequence[Comparison], names: Sequence[str]) -> Iterator[Item]:
    """The systems, their differences and verdicts; with equals where no two are named."""
    metrics = analysis.view.metrics
    equals = [] if names else [(metric, analysis.equals(metric)) for metric in metrics]
    rows = [
        SystemRow(score, mean, "")
        for score, mean in zip(analysis.scores, analysis.means, strict=True)
        if not names or score.system in names
    ]
    yield from over(analysis.study)
    yield table_heading(analysis.study, len(analysis.scores[0].queries), analysis.means[0])
    yield "systems", systems_table(rows, equals)
    counted = "as the last place" if any(row.mean.lower_is_better for row in rows) else "0"
    yield f"missing: not answered, counted {counted}."
    if equals:
        for metric in metrics:
            compared = [pair for pair in comparisons if pair.metric == metric]
            yield f"{metric}: {as_text(verdicts.of_pairs(compared))}"
        yield (
            "equals: systems that share a letter do not differ clearly (corrected p >= .05), which does not "
            "prove them equal."
        )
        yield {"equals": _groups_of_equals(equals)}
    yield ""
    yield from tests_in_words(comparisons, more=MORE_FLIPS)
    yield "comparisons", comparisons_table(analysis, comparisons)
    if names:
        verdict_of = {row.metric: as_text(verdicts.of_pair(analysis, row)) for row in comparisons}
        yield {"verdicts": verdict_of}
        yield from verdict_of.values()
    yield from small_sample_warning(
        [*(row.mean.n_independent for row in rows), *(row.n_independent for row in comparisons)]
    )


# ``overlap``: how similar the results of every two systems are.

_TAKES = (*NN_IOU, "include_self", "where")
"""What acts on rankings: relevance can rank by itself, as @nn-iou. No mean of a metric is reported."""


@example("overlap sample --depth 50 --k 10")
@on_study(*_TAKES, "systems", "queries", "level", "seed", csv="those of the table.")
@option("--depth", kind=Whole(1, MOST_DEPTH), usual=DEPTH, help="Results of each list: those compared.")
@option(
    "--k",
    kind=Whole(1),
    show_default=f"{K}, or the depth if that is less",
    help="Results that count: shared ones among the first K.",
)
@option(
    "--p",
    kind=SHARE,
    usual=P,
    help="Persistence: 0.9 gives the first 10 results 86% of the weight, 0.98 the first 50.",
)
def overlap(request: StudyRequest, depth: int, k: int | None, p: float) -> None:
    """How similar are the results of every two systems?

    Rank-biased overlap (Webber et al. 2010), 0 for nothing in common, 1 for the same list, extrapolated from
    the lists seen; and the share of the first K results that both return. Means over the queries both answer,
    with bootstrap intervals. Equal scores count in the order of the run.
    """
    analysis = request.analysis()
    limited = analysis.study
    k = min(K, depth) if k is None else k
    result = analysis.overlaps(depth=depth, k=k, p=p, progress=progress_line())
    table = overlap_table(result)
    facts = record(result, "depth", "k", "p", "n_queries")
    facts |= record(result.pairs[0].rbo, "n_resamples", "seed", ci_level="level")
    request.emit(
        request.facts() | facts,
        [
            *over(limited),
            _above(limited, result),
            ("overlaps", table),
            _BELOW,
            *filter(None, [too_narrow([pair.rbo.n_independent for pair in result.pairs])]),
        ],
        table,
    )


_BELOW = "left out: queries that one of the two does not answer."


def _above(study: Study, overlaps: Overlaps) -> str:
    first = overlaps.pairs[0].rbo
    chosen = f" with {', '.join(study.where)}" if study.where else ""
    return (
        f"{plain(study.name)}: {pluralize(overlaps.n_queries, 'query')}{plain(chosen)}. Rank-biased overlap, "
        f"p = {overlaps.p:g}, of the first {overlaps.depth:,} results; shared: of the first {overlaps.k:,}. "
        f"Intervals: {first.level:.0%}, {first.method}, {first.n_resamples:,} resamples, seed {first.seed}."
    )
