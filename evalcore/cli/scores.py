"""``score``: systems under metrics, with intervals and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcore.cli import comparing
from evalcore.cli.options import COMPARED, example
from evalcore.cli.output import TEXT_FILE, about, few, write_table
from evalcore.cli.study_request import on_study
from evalcore.ranking.metrics import lower_is_better
from evalcore.report import verdicts
from evalcore.report.verdicts import as_text
from evalcore.results.board import board_of, default_metrics, slice_boards
from evalcore.results.board_text import as_latex, as_markdown
from evalcore.results.judges import judged_sentence, judged_table
from evalcore.results.rows import Column, Table, named, plain
from evalcore.results.scores import ceilings_table, printed_scores, score_rows, scoring_of
from evalcore.study.reads import in_words as names_in_words
from evalcore.study.reads import readers
from evalcore.values.model import DEFINED, OUTSIDE_POOL, REASONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcore.cli.output import Item
    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.analysis import Analysis
    from evalcore.evaluate.slices import Sliced
    from evalcore.values.model import Scores, Study


@example('score sample --metric nnCUI@10 --metric "P(organ)@5" --baseline hog')
@on_study(
    *COMPARED,
    "baseline",
    usual={"metrics": "the first three measures that the page Results offers"},
    csv="one per system and metric, with --by also per slice.",
    paper="systems x metrics, with its caption, best in bold, significance against the baseline or else the "
    "best of each column; with --by also systems x slices.",
)
@click.option(
    "--intervals/--no-intervals",
    default=True,
    show_default=True,
    help="In these tables, the interval after each mean.",
)
@click.option("--by", "ways", multiple=True, metavar="COLUMN", help=comparing.BY_HELP)
@click.option(
    "--per-query", type=TEXT_FILE, metavar="FILE.csv", help="Write the value of every query as CSV."
)
@click.option(
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
    parts, of = analysis.sliced(ways) if ways else None, scoring_of(analysis)
    if per_query:
        header = ("query", "system", "metric", "value", "reason")
        write_table(per_query, header, _per_query(analysis.study, analysis.scores))

    def on_paper(write: Callable[..., str]) -> str:
        boards = [board_of(of), *(slice_boards(of, parts) if parts is not None else ())]
        return "\n".join(write(board, intervals=intervals) for board in boards)

    request.emit(
        request.facts(),
        _items(request, analysis, parts, judge),
        of.saved(parts),
        latex=lambda: on_paper(as_latex),
        markdown=lambda: on_paper(as_markdown),
    )


def _items(
    request: StudyRequest, analysis: Analysis, parts: Sliced | None, judge: str | None
) -> Iterator[Item]:
    study, view, scores = analysis.study, analysis.view, analysis.scores
    settings, own, method = view.settings, analysis.owed(), comparing.method_of(analysis)
    yield from comparing.over(study, own)
    yield about(study, len(scores[0].queries), analysis.means[0])
    yield "scores", printed_scores(score_rows(scores, analysis.means), settings)
    yield from _of_lists(scores)
    yield from _compared(analysis, method)
    yield {"verdicts": (said := {m: as_text(verdicts.of_board(analysis, m)) for m in view.metrics})}
    yield from said.values()
    yield {"counts": Table(scores, _COUNTS), **request.facts_of_files()}
    if (ceilings := ceilings_table(scores, settings)).rows:
        yield "\nThe lists are too short to reach 1: an image that is missing from a list cannot count."
        yield "ceilings", ceilings
    if reading := readers(view.systems, study.looks):
        yield {"reads_captions": reading}
        yield plain(names_in_words(view.systems, study.looks))
    yield from comparing.lines_of_seeds(scores)
    yield from comparing.owed_lines(study, own)
    if judge:
        judged = analysis.judged(judge)
        yield f"\nWith {plain(judge)} as the judge of what people did not judge: PPI++."
        yield "judge", judged_table(judged)
        yield judged_sentence(judged)
    means = [interval.n_independent for interval in analysis.means]
    pairs = [comparison.n_independent for comparison in analysis.comparisons]
    if parts is not None:
        yield from comparing.sliced_items(parts, method)
        means += [row.mean.n_independent for row in parts.means]
        pairs += [row.found.n_independent for row in parts.differences]
    yield from few(means, settings, differences=pairs)


_COUNTS = (
    *named("system", "metric", "missing", "short", "tied"),
    Column("undefined", lambda score: score.undefined_by_reason()),
)


def _of_lists(scores: Sequence[Scores]) -> Iterator[str]:
    """What the columns about the lists say."""
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


def _compared(analysis: Analysis, method: str) -> Iterator[Item]:
    """The differences, and how they were tested."""
    compared, fixed = analysis.comparisons, analysis.view.baseline
    table = comparing.differences_table(analysis, compared)
    yield {"comparisons": table}
    if compared:
        other = "" if method == analysis.means[0].method else f" Intervals of differences: {method}."
        yield f"\nMinus {plain(fixed) if fixed else 'the best system of each metric'}:{other}"
        yield from comparing.tests_in_words(compared)
        yield table.without("baseline") if fixed else table


def _per_query(study: Study, scores: Sequence[Scores]) -> Iterator[tuple[str, ...]]:
    """Rows of every query in the pool; the value empty where there is a reason instead."""
    for score in scores:
        columns = score.queries.tolist(), score.values.tolist(), score.reasons.tolist()
        for query, value, reason in zip(*columns, strict=True):
            if reason != OUTSIDE_POOL:
                shown = repr(value) if reason == DEFINED else ""
                yield study.image_ids[query], score.system, score.metric, shown, REASONS[reason]
