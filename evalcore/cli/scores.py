"""``score`` and ``kinds``: systems under metrics, and what scores are made of; what comparisons share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.cli.options import COMPARED, NN_IOU, Whole, example, file_option, option
from evalcore.cli.output import progress_line, small_sample_warning, table_heading, write_table
from evalcore.cli.study_request import on_study
from evalcore.evaluate.by_kind import from_kinds
from evalcore.evaluate.summary import METHODS
from evalcore.ranking.metrics import lower_is_better
from evalcore.report import verdicts
from evalcore.report.verdicts import as_text
from evalcore.results.board import default_metrics
from evalcore.results.judges import judged_sentence, judged_table
from evalcore.results.method import describe_pools, tests_in_words
from evalcore.results.pairs import comparisons_table, slice_differences_table
from evalcore.results.paper import board_of, slice_boards
from evalcore.results.rows import Column, Table, named, plain, record
from evalcore.results.scores import saved_scores, scores_table, slice_means_table
from evalcore.results.study import shares_table
from evalcore.results.writers import latex, markdown
from evalcore.study import reads_captions
from evalcore.values.grouping import count_left_out, describe, proposed_group
from evalcore.values.model import DEFINED, OUTSIDE_POOL, REASONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcore.cli.output import Item
    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.analysis import Analysis, Row
    from evalcore.results.writers import Paper
    from evalcore.values.model import Scores, Study

# What commands that compare systems share.

MORE_FLIPS = "More flips (--flips)"
"""What lowers a p that no flip reached."""
BY_HELP = "Also slice by slice: a label column. Repeat for several."
drawn_queries = option(
    "--n-queries", kind=Whole(1), metavar="N", help="Queries drawn at most: at random; all if none."
)
"""``--n-queries``: None for all."""


def over(study: Study) -> Iterator[Item]:
    """What is compared over, in words where systems search different images or the study names groups; for
    JSON always.

    Nothing of a study that is not limited.
    """
    compared, groups = study.over, study.groups
    if compared is None:
        return
    yield from map(plain, filter(None, [*describe_pools(compared), describe(study)]))
    yield {"compared_over": record(compared, *_COMPARED_OVER)}
    if groups is None:
        yield {"proposed_group": column} if (column := proposed_group(study)) else {}
        return
    pairs, queries = count_left_out(study)
    yield {"groups": record(groups, *_GROUPS) | {"pairs_left_out": pairs, "queries_affected": queries}}


_COMPARED_OVER = (
    Column("queries", "which"),
    Column("n_queries", lambda compared: len(compared.queries)),
    Column("n_candidates", lambda compared: len(compared.candidates)),
    Column("n_candidates_all", "n_all"),
    Column("ranked_by_vectors", "by_vectors"),
    Column("runs_filtered", "filtered"),
    Column("pools", lambda compared: Table(compared.pools, named("system", "n", "source"))),
)
_GROUPS = (
    *named("name", "digest"),
    Column("n_groups", "n"),
    Column("same_group", lambda groups: "drop" if groups.left_out else "keep"),
)


# ``score``.


@example('score sample --metric nnCUI@10 --metric "P(organ)@5" --baseline hog')
@on_study(
    *COMPARED,
    "baseline",
    usual={"metrics": "the first three measures that the page Results offers"},
    csv="one per system and metric, with --by also per slice.",
    paper="systems x metrics, with its caption, best in bold, significance against the baseline or else the "
    "best of each column; with --by also systems x slices.",
)
@option("--intervals/--no-intervals", usual=True, help="In these tables, the interval after each mean.")
@option("--by", "ways", usual=(), metavar="COLUMN", help=BY_HELP)
@file_option("--per-query", metavar="FILE.csv", help="Write the value of every query as CSV.")
@option(
    "--judge",
    metavar="R",
    help="Also score by people's judgments with a program's on the queries they did not judge: qrels:NAME "
    "of a program, or a relevance such as nn-iou (prediction-powered intervals).",
)
def score(
    request: StudyRequest, ways: Sequence[str], per_query: str | None, judge: str | None, intervals: bool
) -> None:
    """Score the systems of STUDY, with intervals.

    Bootstrap over queries, 2,000 resamples; groups of patients are drawn whole. Every other system minus the
    baseline, or minus the best where none is named: paired by query, permutation test, p corrected over the
    comparisons with the baseline, or over all pairs of the systems scored, metric by metric.
    """
    analysis = request.analysis(metrics=request.view.metrics or default_metrics(request.study))
    parts = analysis.sliced(ways)
    if per_query:
        header = ("query", "system", "metric", "value", "reason")
        write_table(per_query, header, _per_query(analysis.study, analysis.scores))

    def on_paper(write: Callable[[Paper], str]) -> str:
        boards = [
            board_of(analysis, intervals=intervals),
            *slice_boards(analysis, parts, intervals=intervals),
        ]
        return "\n".join(map(write, boards))

    request.emit(
        request.facts(),
        _items(request, analysis, parts, judge),
        saved_scores(analysis, parts),
        latex=lambda: on_paper(latex),
        markdown=lambda: on_paper(markdown),
    )


def _items(
    request: StudyRequest, analysis: Analysis, parts: Sequence[Row], judge: str | None
) -> Iterator[Item]:
    study, view, scores = analysis.study, analysis.view, analysis.scores
    yield from over(study)
    yield table_heading(study, len(scores[0].queries), analysis.means[0])
    yield "scores", scores_table(analysis, analysis.rows)
    yield from _of_lists(scores)
    yield from _compared(analysis)
    yield {"verdicts": (verdict_of := {m: as_text(verdicts.of_board(analysis, m)) for m in view.metrics})}
    yield from verdict_of.values()
    yield {"counts": Table(scores, _COUNTS), **request.facts_of_files()}
    if reading := reads_captions.readers(view.systems, study.reads):
        yield {"reads_captions": reading}
        yield plain(reads_captions.describe(view.systems, study.reads))
    if judge:
        judged = analysis.judged(judge)
        yield f"\nWith {plain(judge)} as the judge of what people did not judge: PPI++."
        yield "judge", judged_table(judged)
        yield judged_sentence(judged)
    means = [interval.n_independent for interval in analysis.means]
    pairs = [comparison.n_independent for comparison in analysis.comparisons]
    if parts:
        yield from _sliced(analysis, parts)
        means += [row.mean.n_independent for row in parts]
        pairs += [row.against.n_independent for row in parts if row.against]
    yield from small_sample_warning([*means, *pairs])


_COUNTS = (
    *named("system", "metric", "missing", "short", "tied"),
    Column("undefined", lambda score: score.undefined_by_reason()),
)


def _of_lists(scores: Sequence[Scores]) -> Iterator[str]:
    """What the columns about the lists mean."""
    lower = [lower_is_better(score.metric) for score in scores]
    counted = "as the last place" if all(lower) else "0"
    yield (
        f"missing: not answered, counted {counted}; short: fewer than K results; tied: rank K shares its "
        "score."
    )
    if any(lower):
        yield (
            "MeanR and MedR: lower is better. short: the list does not contain the match: its rank is "
            "unknown and counts as the last place, as for queries not answered; the score is then an upper "
            "bound."
        )


def _compared(analysis: Analysis) -> Iterator[Item]:
    """The differences, and how they were tested."""
    compared, fixed = analysis.comparisons, analysis.view.baseline
    table = comparisons_table(analysis, compared)
    yield {"comparisons": table}
    if compared:
        method = METHODS[analysis.view.settings.interval]
        yield f"\nMinus {plain(fixed) if fixed else 'the best system of each metric'}, intervals: {method}."
        yield from tests_in_words(compared, more=MORE_FLIPS)
        yield table.without("baseline") if fixed else table


def _sliced(analysis: Analysis, sliced: Sequence[Row]) -> Iterator[Item]:
    """Means, differences, and what has to be known."""
    yield "\nSlice by slice:"
    yield "slices", slice_means_table(sliced)
    if compared := [row.against for row in sliced if row.against]:
        yield f"\nMinus {plain(compared[0].baseline)}, slice by slice:"
        yield from tests_in_words(compared, more=MORE_FLIPS)
    yield "slice_comparisons", slice_differences_table(analysis, sliced)
    for by in dict.fromkeys(row.by for row in sliced):
        yield from (f"{plain(by)}: {remark}" for remark in analysis.slicing(by).remarks)


def _per_query(study: Study, scores: Sequence[Scores]) -> Iterator[tuple[str, ...]]:
    """Rows of every query in the pool; the value empty where there is a reason instead."""
    for score in scores:
        columns = score.queries.tolist(), score.values.tolist(), score.reasons.tolist()
        for query, value, reason in zip(*columns, strict=True):
            if reason != OUTSIDE_POOL:
                shown = repr(value) if reason == DEFINED else ""
                yield study.image_ids[query], score.system, score.metric, shown, REASONS[reason]


# ``kinds``: which kinds of concepts a system's first results share with the query.


@example("kinds sample --k 10")
@on_study(*NN_IOU, "include_self", "where", "systems", "queries", csv="those of the table.")
@option(
    *("--relevance", "by"),
    metavar="R",
    help="A relevance: of concept sets. Default: nn-iou, or iou without a graph.",
)
@option("--k", "top", kind=Whole(1), usual=10, help="Results that count: the first K.")
def kinds(request: StudyRequest, by: str | None, top: int) -> None:
    """Which kinds of concepts the scores come from.

    Modality, plane, anatomy, findings and so on. Shares of the summed relevance of the first results, by
    the kind of the concepts that add it; and how many results share nothing but modality, plane and
    anatomy with the query.
    """
    study, limited = request.study, request.compared()
    relevance = by or ("nn-iou" if study.knows_neighbours else "iou")
    systems = request.view.systems or None
    how: Any = {"systems": systems, "settings": request.settings, "progress": progress_line()}
    rows = from_kinds(limited, relevance=relevance, k=top, **how)
    shares = shares_table(rows)
    facts = {"by": relevance, "top": top, "kinds": study.kinds.source if study.kinds else ""}
    head = [
        f"Where the relevance {plain(row.relevance)} of the first {row.k} results comes from." for row in rows
    ]
    items = [*over(limited), *head[:1], ("systems", shares), _OF_KINDS]
    request.emit(request.facts() | facts, items, shares)


_OF_KINDS = (
    "Kinds: shares of the summed relevance. Then, of the results: relevant by modality, plane and anatomy "
    "alone (with the 95% interval of the mean over queries, percentile bootstrap, 2,000 resamples, seed 0), "
    "relevant by other concepts too, and sharing nothing."
)
