"""``measures``: which relevance measure to trust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.cli.options import ALL, SHARE, Whole, all_but, example, option
from evalcore.cli.output import print_message, progress_line, small_sample_warning
from evalcore.cli.scores import drawn_queries, over
from evalcore.cli.study_request import on_study
from evalcore.evaluate import measures as of
from evalcore.evaluate.measures import sample_pairs
from evalcore.ranking.families import METRICS
from evalcore.ranking.metrics import parse_metric
from evalcore.relevance.registry import (
    RELEVANCE,
    describe,
    in_words_of_same,
    offered,
    own_measures,
    same_by_definition,
)
from evalcore.results.measures import (
    MEASURES,
    METRIC_COLUMNS,
    agreement_table,
    disagreements_table,
    power_table,
)
from evalcore.results.method import of_settings, over_what
from evalcore.results.paper import cells_table, table_one
from evalcore.results.rows import Table, plain, record
from evalcore.results.writers import latex, markdown
from evalcore.values.errors import InputError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.output import Item
    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.measures import Disagreement
    from evalcore.ranking.families import MetricFamily
    from evalcore.relevance.registry import RelevanceMeasure
    from evalcore.values.model import Study


def _described(
    metrics: Sequence[MetricFamily], rows: Sequence[tuple[str, RelevanceMeasure]]
) -> Iterator[str]:
    """What `metrics` prints, metric by metric and measure by measure."""
    for metric in metrics:
        yield f"{metric.name}, as in {metric.example}: {metric.title}. {plain(metric.plain)}"
        yield f"  {metric.formula}   {metric.range}   {metric.reference}"
    for name, measure in rows:
        low, high = measure.range
        marked = " (relatedness, not similarity)" if measure.relatedness else ""
        yield f"{plain(name)}{marked}: {measure.title}. {measure.plain}"
        yield f"  {measure.formula}   from {low:g} to {high:g}   {measure.reference}"
        yield from (f"  {case}: {value}" for case, value in measure.edges)


BY_HELP = "A relevance: such as iou, matching:path or cosine:NAME. Repeat for several; all on offer if none."


_OF_LISTS = all_but("pool", "interval")
"""What acts on lists scored by relevance: no labels, and no interval of a mean is reported."""


_by = option("--relevance", "names", usual=(), metavar="R", help=BY_HELP)
_k = option("--k", kind=Whole(1), usual=10, help="Results that count: the first K.")
_SAMPLED = ("systems", "queries", "seed")


@example("metrics")
@on_study(runs=False, optional=True)
@_by
def metrics(request: StudyRequest, names: Sequence[str]) -> None:
    """List metrics and relevance measures.

    Each with its formula, range and edge cases. With STUDY the relevance measures are those that work with
    it; with --relevance only these are listed.
    """
    known = names or (_measures(request.study, ()) if request.folder else (*RELEVANCE, *own_measures()))
    rows = [(name, describe(name)) for name in known]
    families = [] if names else list(METRICS.values())
    facts = {"measures": Table(rows, MEASURES)}
    facts |= {"metrics": Table(families, METRIC_COLUMNS)} if families else {}
    request.emit(facts, _described(families, rows))


@example("measures sample --relevance iou --relevance nn-iou")
@on_study(*_OF_LISTS, *_SAMPLED)
@_by
@option(
    "--unit",
    kind=("results", "queries", "systems"),
    usual="results",
    help="What is ranked: pairs of images, the queries of each system, or the systems.",
)
@option(
    *("--pairs", "drawn"),
    kind=("images", "results"),
    usual="images",
    help="Unit results: any two images, or pairs that a system returns in its first ten.",
)
@option("--sample", kind=Whole(1), usual=10_000, help="Maximum number of pairs.")
@option(
    "--differ", nargs=2, metavar="A B", help="List the pairs that two of the measures rank most differently."
)
@_k
@drawn_queries
def agreement(
    request: StudyRequest,
    names: Sequence[str],
    unit: Any,
    drawn: Any,
    sample: int,
    differ: tuple[str, str] | None,
    k: int,
    n_queries: int | None,
) -> None:
    """Do relevance measures agree? Rank correlations.

    Kendall's tau-b and Spearman's rho of every two measures on STUDY. Unit queries: over the queries of each
    system, averaged over the systems. Rows without a value under one measure are left out under all, and
    counted.
    """
    opened, settings, seed = request.study, request.settings, request.view.seed
    chosen = _compared_measures(request, names, also=differ or ())
    if len(chosen) < 2:
        raise InputError("Agreement takes at least two measures. Name another with --relevance.")
    facts: dict[str, Any] = {"seed": seed}
    items: list[Item] = []
    listed: tuple[Disagreement, ...] = ()
    if unit == "results":
        systems = (request.view.systems or opened.systems) if drawn == "results" else None
        pairs = sample_pairs(opened, n=sample, systems=systems, settings=settings, seed=seed)
        values = of.pair_values(
            opened, chosen, pairs.queries, pairs.candidates, settings=settings, progress=progress_line()
        )
        result = of.agreement("results", values)
        listed = of.disagreements(values, *differ, concepts=opened.concepts) if differ else ()
        facts |= {"pairs": drawn, "population": pairs.population}
    else:
        analysis = request.analysis(metrics=of.metrics_by(opened, chosen, k=k), n=n_queries)
        limited, scores = analysis.study, analysis.by_measure()
        result = of.agreement(unit, scores)
        facts |= record(scores, "systems", "metrics") | {"asked": len(analysis.scores[0].queries)}
        items += over(limited)
    facts |= record(result, "level", "measures", "n", "left_out", "averaged_over")
    drawn_of = f" of {facts['population']:,}" if "population" in facts else ""
    apart = disagreements_table(opened, listed)
    items += [
        f"{plain(opened.name)}: {result.level}, n = {result.n:,}{drawn_of}, {result.left_out:,} left out, "
        f"seed {seed}.",
        ("correlations", agreement_table(result)),
        {"disagreements": apart},
    ]
    items += ["", apart] if apart.rows else []
    request.emit(request.facts() | facts, items)


@example("discrimination sample --relevance iou --relevance nn-iou")
@on_study(*_OF_LISTS, *_SAMPLED, "correction", "flips")
@_by
@_k
@option("--significance", kind=SHARE, usual=0.05, help="Corrected p below which a pair counts as separated.")
@drawn_queries
def discrimination(
    request: StudyRequest, names: Sequence[str], k: int, significance: float, n_queries: int | None
) -> None:
    """Which measure can tell the systems apart?

    Discriminative power (Sakai 2006). Every two systems are compared by a paired permutation test
    (--flips) over the queries all measures have a value for, corrected over the pairs of a measure
    (--correction). Power is not correctness.
    """
    opened = request.study
    chosen = _compared_measures(request, names)
    analysis = request.analysis(metrics=of.metrics_by(opened, chosen, k=k), n=n_queries)
    limited, scores, powers = analysis.study, analysis.by_measure(), analysis.discrimination(significance)
    first = powers[0].pairs[0]
    facts = record(first, "test", "n_resamples", "seed", "correction", n_queries="n_pairs")
    facts |= {"level": significance}
    items: list[Item] = [
        *over(limited),
        f"{plain(opened.name)}: {len(scores.systems)} systems, {first.n_pairs:,} queries "
        f"({scores.left_out:,} left out). {first.test}, {first.n_resamples:,} resamples, seed {first.seed}; "
        f"{over_what(powers[0].pairs)}, p < {significance:g}.",
        ("measures", power_table(powers, scores)),
    ]
    request.emit(request.facts() | facts | {"left_out": scores.left_out}, items)


_COLUMNS = {"metrics": "P@5, 10, 30 of all label types and pairs of them"}


@example('table1 sample --relevance iou --relevance nn-iou --metric "P(organ)@10"')
@on_study(
    *(*ALL, "metrics", "queries", "seed", "correction", "flips"),
    usual=_COLUMNS,
    csv="one per measure and column.",
    paper="measures x labels, in percent.",
)
@_by
@drawn_queries
def table1(request: StudyRequest, names: Sequence[str], n_queries: int | None) -> None:
    """Each measure as a system, judged by labels.

    Table 1 of arXiv 2506.13509 for STUDY. best: the highest of a column; ‡: significantly lower (paired
    permutation test, corrected over the column by --correction, p < .05). --ties expected averages over the
    orders of equal values.
    """
    opened, view, settings = request.study, request.view, request.settings
    chosen = _compared_measures(request, names)
    analysis = request.analysis(
        metrics=view.metrics or of.table_metrics(opened),
        systems=tuple(f"@{name}" for name in chosen),
        n=n_queries,
    )
    for metric in map(parse_metric, analysis.view.metrics):
        if metric.family != "P" or not metric.labels:
            raise SettingError("metric", "precision by labels, such as P(organ)@5", str(metric))
    limited, result = analysis.study, analysis.table_one()
    cells = cells_table(result)
    assert limited.over is not None, "limiting a study decides"
    decided = of_settings(limited, settings, queries=limited.over.which)
    facts = record(result, "n_asked", "n_all", "test", "correction", "seed", n_resamples="flips")
    items = [
        *over(limited),
        f"{plain(opened.name)}: {result.n_asked:,} of {result.n_all:,} queries, ties: {settings.ties}, seed "
        f"{result.seed}.",
        ("cells", cells),
        *small_sample_warning([cell.mean.n for row in result.cells for cell in row]),
    ]
    paper = table_one(result, chosen, study=opened.name)
    request.emit(
        request.facts() | facts,
        items,
        cells._replace(facts={**cells.facts, **decided}),
        latex=lambda: latex(paper),
        markdown=lambda: markdown(paper),
    )


def _measures(study: Study, names: Sequence[str], *, also: Sequence[str] = ()) -> tuple[str, ...]:
    """The measures named, or all that are on offer for the study; and those an option names besides.

    A study without concepts offers its judgments.
    """
    judged = [qrels.relevance for qrels in study.qrels.values()]
    usual = offered(study) if len(study.concepts.indices) or not judged else judged
    return tuple(dict.fromkeys([*(names or usual), *also]))


def _compared_measures(
    request: StudyRequest, names: Sequence[str], *, also: Sequence[str] = ()
) -> tuple[str, ...]:
    """The same without those that equal another by definition, which standard error names."""
    chosen = _measures(request.study, names, also=also)
    same = same_by_definition(chosen, request.settings)
    if any(name in same for name in also):
        raise InputError(in_words_of_same(same))
    if same:
        print_message(in_words_of_same(same))
    return tuple(name for name in chosen if name not in same)
