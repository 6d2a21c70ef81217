"""``score``: systems under metrics, with intervals and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from evalcore.cli import comparing
from evalcore.cli.options import COMPARED, example, gathered
from evalcore.cli.output import TEXT_FILE, about, few, is_taken, write_csv, write_file, write_table
from evalcore.cli.study_request import on_study
from evalcore.ranking.metrics import lower_is_better
from evalcore.report import verdicts
from evalcore.results.board import board_of, default_metrics, slice_boards
from evalcore.results.board_text import as_latex, as_markdown
from evalcore.results.judges import judged_sentence, judged_table
from evalcore.results.rows import Column, Table, named, plain
from evalcore.results.scores import ceilings_table, printed_scores, score_rows, scoring_of
from evalcore.study.reads import in_words as names_in_words
from evalcore.study.reads import readers
from evalcore.values.model import DEFINED, OUTSIDE_POOL, REASONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.analysis import Analysis
    from evalcore.evaluate.slices import Sliced
    from evalcore.values.model import Scores, Study

# ``--latex``, ``--markdown`` and ``--csv``: the scores as a table for a paper, and as tidy rows.


class Home(NamedTuple):
    """The files that were asked for, None for those that were not."""

    latex: str | None
    markdown: str | None
    csv: str | None
    intervals: bool

    @property
    def wanted(self) -> bool:
        return any((self.latex, self.markdown, self.csv))


to_take_home = gathered(
    "home",
    Home,
    click.option(
        "--latex",
        type=TEXT_FILE,
        metavar="FILE.tex",
        help="Write a LaTeX table (booktabs): systems x metrics, with its caption, best in bold, "
        "significance against the baseline or else the best of each column; with --by also systems x "
        "slices. - for standard output.",
    ),
    click.option("--markdown", type=TEXT_FILE, metavar="FILE.md", help="The same in Markdown."),
    click.option(
        "--csv",
        type=TEXT_FILE,
        metavar="FILE.csv",
        help="Write rows as CSV: one per system and metric, with --by also per slice.",
    ),
    click.option(
        "--intervals/--no-intervals",
        default=True,
        show_default=True,
        help="In these tables, the interval after each mean.",
    ),
)
"""The command gets a `Home` called ``home``."""


def write(home: Home, analysis: Analysis, parts: Sliced | None = None) -> None:
    """Write what was asked for; nothing where nothing was.

    ``parts``: the same slice by slice: tables of systems x slices follow the one over all queries, and every
    row names its slice.
    """
    if not home.wanted:
        return
    of = scoring_of(analysis)
    boards = [board_of(of), *(slice_boards(of, parts) if parts is not None else ())]
    for file, written in ((home.latex, as_latex), (home.markdown, as_markdown)):
        if file:
            text = "\n".join(written(board, intervals=home.intervals) for board in boards)
            write_file(file, text.splitlines(keepends=True))
    if home.csv:
        write_csv(home.csv, of.saved(parts))


@example('score sample --metric nnCUI@10 --metric "P(organ)@5" --baseline hog')
@on_study(*COMPARED, "baseline", usual={"metrics": "the first three measures that the page Results offers"})
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
@to_take_home
def score(
    request: StudyRequest, ways: Sequence[str], per_query: str | None, judge: str | None, home: Home
) -> None:
    """Score the systems of STUDY, with intervals.

    Bootstrap over queries, 2,000 resamples; groups of patients are drawn whole. Every other system minus the
    baseline, or minus the best where none is named: paired by query, permutation test, p corrected over the
    comparisons with the baseline, or over all pairs of the systems scored, metric by metric.
    """
    analysis = request.analysis(metrics=request.view.metrics or default_metrics(request.study))
    study, settings = analysis.study, request.settings
    parts = analysis.sliced(ways) if ways else None
    if per_query:
        write_table(
            per_query, ("query", "system", "metric", "value", "reason"), _per_query(study, analysis.scores)
        )
    write(home, analysis, parts)
    if is_taken():
        return
    own = analysis.owed()
    by_groups = comparing.method_of(analysis)
    table = printed_scores(score_rows(analysis.scores, analysis.means), settings)
    differences = comparing.differences_table(analysis, analysis.comparisons)
    ceilings = ceilings_table(analysis.scores, settings)
    names = analysis.view.systems
    verdicts_ = {
        metric: verdicts.as_text(verdicts.of_board(analysis, metric)) for metric in analysis.view.metrics
    }
    document = {
        **request.facts(),
        "scores": table,
        "comparisons": differences,
        "verdicts": verdicts_,
        "counts": Table(analysis.scores, _COUNTS),
        **comparing.facts(study, own),
        **request.facts_of_files(),
        **({"reads_captions": reading} if (reading := readers(names, study.looks)) else {}),
        **({"ceilings": ceilings} if ceilings.rows else {}),
    }
    shown = [
        *comparing.lines(study),
        *_shown(analysis, table, differences, by_groups),
        *verdicts_.values(),
        *_limited(ceilings),
        *([plain(said)] if (said := names_in_words(names, study.looks)) else []),
        *comparing.lines_of_seeds(analysis.scores),
        *comparing.owed_lines(study, own),
    ]
    if judge:
        judged = analysis.judged(judge)
        document["judge"] = judged_table(judged)
        shown += [
            f"\nWith {plain(judge)} as the judge of what people did not judge: PPI++.",
            document["judge"],
        ]
        shown.append(judged_sentence(judged))
    means = [interval.n_independent for interval in analysis.means]
    pairs_compared = [comparison.n_independent for comparison in analysis.comparisons]
    if parts is not None:
        document["slices"], document["slice_comparisons"] = comparing.tables(parts, by_groups)
        shown += comparing.shown(parts, by_groups)
        means += [row.mean.n_independent for row in parts.means]
        pairs_compared += [row.found.n_independent for row in parts.differences]
    request.emit(document, [*shown, *few(means, settings, differences=pairs_compared)])


_COUNTS = (
    *named("system", "metric", "missing", "short", "tied"),
    Column("undefined", lambda score: score.undefined_by_reason()),
)


def _shown(analysis: Analysis, table: Table, compared: Table, method: str) -> Iterator[str | Table]:
    scores, first = analysis.scores, analysis.means[0]
    yield about(analysis.study, len(scores[0].queries), first)
    yield table
    counted = "as the last place" if all(lower_is_better(score.metric) for score in scores) else "0"
    yield (
        f"missing: not answered, counted {counted}; short: fewer than K results; tied: rank K shares its "
        "score."
    )
    if any(lower_is_better(score.metric) for score in scores):
        yield (
            "MeanR and MedR: lower is better. short: the list does not contain the match: its rank is "
            "unknown and counts as the last place, as for queries not answered; the score is then an upper "
            "bound."
        )
    if compared.rows:
        fixed = analysis.view.baseline
        other = "" if method == first.method else f" Intervals of differences: {method}."
        yield f"\nMinus {plain(fixed) if fixed else 'the best system of each metric'}:{other}"
        yield from comparing.tests_in_words(compared.rows)
        yield compared.without("baseline") if fixed else compared


def _limited(ceilings: Table) -> Iterator[str | Table]:
    """How good lists of these lengths could be at most, where that is below 1."""
    if ceilings.rows:
        yield "\nThe lists are too short to reach 1: an image that is missing from a list cannot count."
        yield ceilings


def _per_query(study: Study, scores: Sequence[Scores]) -> Iterator[tuple[str, ...]]:
    """Rows of every query in the pool; the value empty where there is a reason instead."""
    for score in scores:
        columns = score.queries.tolist(), score.values.tolist(), score.reasons.tolist()
        for query, value, reason in zip(*columns, strict=True):
            if reason != OUTSIDE_POOL:
                shown = repr(value) if reason == DEFINED else ""
                yield study.image_ids[query], score.system, score.metric, shown, REASONS[reason]
