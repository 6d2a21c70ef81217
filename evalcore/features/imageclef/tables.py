"""Runs of a challenge: the columns that commands, page and files draw."""

from __future__ import annotations

from functools import partial
from math import isnan
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore import __version__
from evalcore.features.imageclef.caption_metrics import PARTIAL
from evalcore.features.imageclef.models import Readiness, remedy
from evalcore.results.rows import (
    WINS,
    Column,
    Table,
    also,
    decimals,
    difference_of,
    ends,
    interval,
    named,
    only_saved,
    only_shown,
    p_values_of,
    whole,
)
from evalcore.values.writing import NOTHING, in_table, p_value, plain, span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from evalcore.features.imageclef.concepts import ConceptTally
    from evalcore.features.imageclef.published import Published
    from evalcore.features.imageclef.results import Board, Result
    from evalcore.values.errors import Report
    from evalcore.values.model import Comparison, Interval

SCORE = "%.4f"
YOURS = "▶ Your run"
_TITLES = {
    "overall": "Overall",
    PARTIAL: "Overall (partial)",
    "relevance_2025": "Relevance (script of 2025)",
    "relevance_2026": "Relevance (script of 2026)",
    "factuality": "Factuality",
}
"""Metrics whose names for programs say little on screen."""


def title(metric: str) -> str:
    """What a metric is called on screen."""
    return _TITLES.get(metric, metric)


# Runs, for the terminal and for programs: one table for each task.


def verdict(accepted: bool) -> str:
    """Whether the official script accepts a run, in a cell."""
    return "yes" if accepted else "no (unofficial)"


def _runs(made: Board, score: str, *columns: Column) -> tuple[Column, ...]:
    """What both tasks say of a run: verdict, scores, interval, problems."""

    def run_interval(result: Result[Any]) -> str:
        mean = made.intervals[result.name]
        return interval(mean.low, mean.high)

    return (
        Column("run", "name", "run"),
        Column("accepted", None, "accepted", verdict),
        Column("score", None, score, decimals),
        also(f"{made.metric} interval", run_interval),
        Column("score_secondary", "secondary", "secondary", decimals),
        Column("ranked_by", "edition.headline"),
        Column("ranking_score", "headline"),
        Column("n_images", None, "images", whole),
        Column("n_ignored", None, "ignored", whole),
        *columns,
        Column("n_problems"),
        Column("problems", lambda result: problem_records(result.report)),
    )


def concept_runs(results: Sequence[Result[Any]], made: Board, names: Mapping[str, str]) -> Table:
    """Runs of concept detection, with their best and worst concepts and near confusions for programs."""
    keys = {"f1": "F1", "precision": "precision", "recall": "recall", "micro_f1": "micro F1"}
    keys |= {"macro_f1": "macro F1", "nn_f1": "nn-F1"}

    def metrics(result: Result[Any]) -> dict[str, float | None]:
        return {key: result.metrics.get(name) for key, name in keys.items()}

    def shown(name: str) -> Column:
        return also(name, lambda result: result.metrics.get(name), decimals)

    def extremes(best: bool) -> Callable[[Result[Any]], list[dict[str, Any]]]:
        return lambda result: tallies_table(extreme_concepts(result, best=best), names).records()

    def near(result: Result[Any]) -> list[dict[str, Any]]:
        columns = named("true", "predicted", "distance", "images")
        return Table(result.concepts.confusions[:CONFUSIONS], columns).records()

    columns = _runs(
        made,
        "F1",
        *map(shown, ("nn-F1", "precision", "recall", "micro F1", "macro F1")),
        Column("metrics", metrics),
        Column("best_concepts", extremes(True)),
        Column("worst_concepts", extremes(False)),
        Column("near_confusions", near),
    )
    return Table(results, columns)


CONFUSIONS = 20
"""Near confusions that programs are given."""


def extreme_concepts(result: Result[Any], *, best: bool) -> Sequence[ConceptTally]:
    """The five concepts of highest or lowest F1 among those of five images or more."""
    return result.concepts.extremes(5, at_least=5, best=best)


def caption_runs(results: Sequence[Result[Any]], made: Board) -> Table:
    """Runs of caption prediction, with what is missing for some metrics."""
    ranking = results[0].edition.ranking

    def overall(result: Result[Any]) -> str:
        partial = result.metrics.get(PARTIAL)
        return decimals(result.headline) if partial is None else f"{decimals(partial)} (partial)"

    columns = _runs(
        made,
        "score",
        *([also(ranking, overall)] if ranking else []),
        Column("metrics", lambda result: dict(result.metrics)),
        Column("missing", lambda result: dict(result.missing)),
        Column("aggregates_missing", lambda result: {k: list(v) for k, v in result.lacking.items()}),
    )
    return Table(results, columns)


def metrics_table(results: Sequence[Result[Any]]) -> Table:
    """Every metric of every run, a metric in a row."""

    def of(result: Result[Any]) -> Column:
        return also(result.name, result.metric, decimals)

    names = dict.fromkeys(name for result in results for name in result.metrics)
    return Table(list(names), (also("metric", title), *map(of, results)))


def problem_records(report: Report) -> list[dict[str, Any]]:
    """Problems in the order of the file's lines, each with whether the official script stops at it."""
    columns = (
        *named("line", "rule", "value"),
        Column("message", lambda problem: f"{problem.message} {problem.remedy}".strip()),
        Column("official_rejects", lambda problem: problem.severity == "error"),
    )
    ordered = sorted(report.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    return Table(ordered, columns).records()


def models_table(states: Sequence[Readiness], folder: Path | None) -> Table:
    """Which trained models can be run here, and what to do for the others."""
    columns = (
        Column("model", "model.key", "model"),
        Column("metric", "model.metric", "for"),
        Column("ready", None, "ready", lambda ready: "yes" if ready else "no"),
        Column("weights", "path"),
        Column("packages_missing", lambda state: list(state.missing)),
        Column("origin", "model.origin"),
        Column("way_out", lambda state: remedy(state, folder=folder), "what to do", lambda text: text or "-"),
    )
    return Table(states, columns)


# Runs as a page and its file have them.


class RunRow(NamedTuple):
    """A run, its mean over images, and how it compares with the baseline; None for the baseline itself."""

    of: Result[Any]
    mean: Interval
    against: Comparison | None


def runs_table(results: Sequence[Result[Any]], board: Board) -> Table:
    """The scores of runs, as a page shows them; columns without any value are left out there."""
    by_name = {comparison.system: comparison for comparison in board.compared}
    rows = [RunRow(result, board.intervals[result.name], by_name.get(result.name)) for result in results]
    metric, edition = title(board.metric), results[0].edition
    concepts = results[0].detail is not None

    def official(read: Callable[[RunRow], Any]) -> Callable[[RunRow], Any]:
        return lambda row: read(row) if row.of.accepted else None

    def of_metric(name: str, heading: str) -> Column:
        values = [result.metrics.get(name) if not isnan(result.score) else None for result in results]
        by_run = dict(zip((result.name for result in results), values, strict=True))
        return only_shown(f"{heading} ↑", lambda row: by_run[row.of.name], SCORE, expert=True)

    def of_difference(name: str) -> Column:
        return only_saved(name, f"against.{name}")

    behind = {"nn-F1": "nn-F1", "precision": "Precision", "recall": "Recall"}
    behind |= {"micro F1": "Micro F1", "macro F1": "Macro F1"}
    names = dict.fromkeys(name for result in results for name in result.metrics)
    columns = [
        Column("run", "of.name").on_page("Run", cell=plain),
        only_shown("Official script", lambda row: "accepts" if row.of.accepted else "refuses"),
        *(
            [only_shown(f"{title(edition.ranking)} ↑", official(lambda row: row.of.headline), SCORE)]
            if edition.ranking
            else []
        ),
        only_shown(
            f"{title(edition.primary)} ↑" if edition.ranking else "Score ↑",
            official(lambda row: row.of.score),
            SCORE,
        ),
        only_shown("Unofficial ↑", lambda row: None if row.of.accepted else row.of.headline, SCORE),
        *(
            [only_shown(f"{metric} ↑", "mean.mean", SCORE)]
            if board.metric not in (edition.headline, edition.primary)
            else []
        ),
        only_shown(
            f"95% interval ({metric})", official(lambda row: span(row.mean.low, row.mean.high, places=4))
        ),
        only_saved("edition", "of.edition.key"),
        only_saved("accepted", "of.accepted"),
        only_saved("score", "of.score"),
        only_saved("secondary", "of.secondary"),
        only_saved("metric", lambda _: board.metric),
        *(only_saved(one.name, one.value) for one in _INTERVAL),
        only_saved("ci_resamples", "mean.n_resamples"),
        only_saved("compared_with", "against.baseline"),
        only_saved("difference", "against.difference"),
        only_shown("Difference", official(lambda row: row.against and row.against.difference), "%+.4f"),
        only_shown(
            "Interval of the difference",
            official(lambda row: row.against and in_table(row.against.low, row.against.high, places=4)),
        ),
        only_shown(
            "p (Holm)", official(lambda row: row.against and p_value(row.against.p_corrected)), expert=True
        ),
        *(only_saved(f"difference_ci_{end}", f"against.{end}") for end in ("low", "high", "level")),
        *map(of_difference, ("n_pairs", "p", "p_corrected", "correction", "test")),
        only_saved("sign_flips", "against.n_resamples"),
        only_shown("Secondary ↑", official(lambda row: row.of.secondary), SCORE),
        only_saved("images", "of.n_images").on_page("Images", "localized", expert=True),
        only_saved("ignored", "of.n_ignored").on_page("Ignored", "localized", expert=True),
        only_saved("problems", "of.n_problems").on_page("Problems", "localized"),
        *([of_metric(name, heading) for name, heading in behind.items()] if concepts else []),
        *(_saved_metric(name) for name in names),
    ]
    shown = [
        column
        for column in columns
        if column.title is None or any(column.of(row) is not None for row in rows)
    ]
    return Table(rows, shown, {"version": __version__})


def _saved_metric(name: str) -> Column:
    return only_saved(name.replace(" ", "_"), lambda row: row.of.metrics.get(name))


_INTERVAL = (
    Column("mean", "mean.mean"),
    *ends("mean.")[1:],
    Column("ci_level", "mean.level"),
    Column("ci_method", "mean.method"),
    Column("n", "mean.n"),
    Column("seed", "mean.seed"),
)


def intervals_table(board: Board) -> Table:
    """The mean of every run with its interval over images."""
    columns = (Column("run", itemgetter(0)), *(one._replace(value=_of_mean(one)) for one in _INTERVAL))
    return Table(list(board.intervals.items()), columns)


def _of_mean(column: Column) -> Callable[[tuple[str, Interval]], Any]:
    return lambda pair: getattr(pair[1], str(column.value).removeprefix("mean."))


def comparisons_table(board: Board) -> Table:
    """The others against the baseline, image by image."""
    correction = board.compared[0].correction if board.compared else ""
    columns = (
        *named("baseline"),
        Column("run", "system", "run"),
        *named("metric"),
        *difference_of(),
        *p_values_of(correction, n=None),
        *WINS,
    )
    return Table(board.compared, columns)


def published_table(rows: Sequence[Published]) -> Table:
    """Published results and the runs among them: each of the source's rankings, best first."""

    def short(length: int) -> Callable[[str], str]:
        return partial(plain, limit=length)

    columns = (
        also("", lambda row: "" if row.published else ">"),
        *(
            [Column("ranking", None, "ranking").on_page("Ranking")]
            if any(row.ranking for row in rows)
            else []
        ),
        Column("score", None, "score", decimals).on_page("Score ↑", SCORE).in_file("Score ↑"),
        also("team", lambda row: row.team or "-"),
        Column("team"),
        only_shown("Team", lambda row: plain(row.team) or NOTHING if row.published else YOURS).in_file(
            "Team"
        ),
        Column("run", head="run").on_page("Run", cell=short(100)).in_file("Run"),
        also("resources", lambda row: row.resources or "-"),
        Column("resources"),
        only_shown("Resources", lambda row: plain(row.resources) or NOTHING).in_file("Resources"),
        Column("source", head="source").on_page("Source", cell=short(120)).in_file("Source"),
        *named("run_type", "published", "rank"),
    )
    return Table(rows, columns)


def tallies_table(tallies: Sequence[ConceptTally], names: Mapping[str, str]) -> Table:
    """How well each concept was detected."""

    def called(cui: str) -> str:
        return plain(f"{names[cui]} ({cui})" if cui in names else cui)

    columns = (
        also("concept", "cui", called),
        only_shown("Concept", "cui", cell=lambda cui: plain(names.get(cui) or cui)),
        Column("cui").on_page("CUI", cell=plain),
        Column("name", lambda one: names.get(one.cui)),
        Column("f1", None, "F1", decimals).on_page("F1 ↑"),
        Column("precision").on_page("Precision ↑", "%.3f"),
        Column("recall").on_page("Recall ↑", "%.3f"),
        Column("hits", None, "hits", whole).on_page("Found"),
        Column("wrong", None, "wrong", whole).on_page("Wrong"),
        Column("missed", None, "missed", whole).on_page("Missed"),
    )
    return Table(tallies, columns)
