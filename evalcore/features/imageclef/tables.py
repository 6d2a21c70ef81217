"""Runs of a challenge: the tables that commands, page and files draw."""

from __future__ import annotations

from functools import partial
from math import isnan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.features.imageclef.caption_metrics import PARTIAL
from evalcore.results.rows import (
    WINS,
    Column,
    Table,
    also,
    decimals,
    difference_of,
    ends,
    named,
    only_shown,
    p_values_of,
    whole,
)
from evalcore.values.writing import NOTHING, fixed, plain, signed_span, span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.imageclef.concepts import ConceptTally
    from evalcore.features.imageclef.published import Published
    from evalcore.features.imageclef.scoring import Board, Result
    from evalcore.values.errors import Report
    from evalcore.values.model import Interval

PLACES = 4
SCORE = f"%.{PLACES}f"
"""Scores and differences on the page, with as many places as the overviews of the campaign print."""
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


class RunRow(NamedTuple):
    """A run with its mean over images."""

    result: Result
    mean: Interval


def runs_table(results: Sequence[Result], board: Board) -> Table:
    """A row for each run: verdict of the official script, scores with their interval, problems."""
    edition = results[0].edition
    names = [name for name in results[0].values if name != edition.primary] if results[0].tallies else []
    names += [name for name in ("micro F1", "macro F1") if name in results[0].metrics]
    ranking, metric = edition.ranking, title(board.metric)

    def overall(row: RunRow) -> str:
        partial_value = row.result.metrics.get(PARTIAL)
        value = row.result.headline if partial_value is None else partial_value
        return decimals(value) + ("" if partial_value is None else " (partial)")

    def of_result(name: str, head: str | None = None, text: Any = str) -> Column:
        return Column(name, f"result.{name}", head, text)

    def of_metric(name: str) -> Column:
        column = also(name, lambda row: row.result.metrics.get(name), decimals)
        return column.on_page(f"{name} ↑", expert=True)

    rows = [RunRow(result, board.intervals[result.name]) for result in results]

    def where_known(column: Column, head: str) -> Column:
        """The column, on the page only where a run has a value."""
        known = any(value is not None and not isnan(value) for value in map(column.of, rows))
        return column.on_page(f"{head} ↑", SCORE) if known else column

    score = of_result("score", "score" if ranking else edition.primary, decimals)
    columns = (
        Column("run", "result.name", "run").on_page("Run", cell=plain),
        of_result("accepted", "accepted", verdict).on_page("Official script", cell=page_verdict),
        *([also(ranking, overall).on_page(f"{title(ranking)} ↑", cell=str)] if ranking else []),
        where_known(score, title(edition.primary)),
        *(
            [also(metric, "mean.mean", decimals).on_page(f"{metric} ↑", SCORE)]
            if board.metric not in (edition.headline, edition.primary)
            else []
        ),
        ends(
            "mean.",
            head=f"{board.metric} interval",
            title=f"95% interval ({metric})",
            cell=partial(span, places=PLACES),
        )[0],
        where_known(Column("score_secondary", "result.secondary", "secondary", decimals), "Secondary"),
        Column("ranked_by", "result.edition.headline"),
        Column("ranking_score", "result.headline"),
        of_result("n_images", "images", whole).on_page("Images", expert=True),
        of_result("n_ignored", "ignored", whole).on_page("Ignored", expert=True),
        *map(of_metric, names),
        Column("metrics", lambda row: dict(row.result.metrics)).in_file(""),
        Column("missing", lambda row: dict(row.result.missing)).in_file(""),
        Column("aggregates_missing", lambda row: {k: list(v) for k, v in row.result.lacking.items()}).in_file(
            ""
        ),
        of_result("n_problems").on_page("Problems", "localized"),
        Column("problems", lambda row: problem_records(row.result.report)).in_file(""),
    )
    return Table(rows, columns)


def verdict(accepted: bool) -> str:
    """Whether the official script accepts a run, in a cell."""
    return "yes" if accepted else "no (unofficial)"


def page_verdict(accepted: bool) -> str:
    """The same on a page."""
    return "accepts" if accepted else "refuses (scores are unofficial)"


def problem_records(report: Report) -> list[dict[str, Any]]:
    """Problems in the order of the file's lines, each with whether the official script stops at it."""
    columns = (
        *named("line", "rule", "value"),
        Column("message", lambda problem: f"{problem.message} {problem.remedy}".strip()),
        Column("official_rejects", lambda problem: problem.severity == "error"),
    )
    ordered = sorted(report.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    return Table(ordered, columns).records()


def intervals_table(board: Board) -> Table:
    """The mean of every run with its interval over images."""
    facts = {"mean": "mean", "ci_low": "low", "ci_high": "high", "ci_level": "level", "ci_method": "method"}
    facts |= {"n": "n", "seed": "seed"}
    rows = [
        {"run": run, **{key: getattr(mean, name) for key, name in facts.items()}}
        for run, mean in board.intervals.items()
    ]
    return Table(rows, named("run", *facts))


def comparisons_table(board: Board) -> Table:
    """The others against the baseline, image by image."""
    correction = board.comparisons[0].correction if board.comparisons else ""
    p, p_corrected, *others = p_values_of(correction, n=None)
    difference, *interval = difference_of(
        interval_title="95% interval of the difference", cell=partial(signed_span, places=PLACES)
    )
    columns = (
        *named("baseline"),
        Column("run", "system", "run").on_page("Run", cell=plain),
        *named("metric"),
        difference.on_page("Difference", cell=lambda value: f"{'+' * (value > 0)}{fixed(value, PLACES)}"),
        *interval,
        p,
        p_corrected.on_page(f"p ({correction})", expert=True),
        *others,
        *(column.on_page(f"Images {column.name}", expert=True) for column in WINS),
    )
    return Table(board.comparisons, columns)


def metrics_table(results: Sequence[Result]) -> Table:
    """Every metric of captions, a metric in a row, with what is missing for those without a value."""

    def of_run(result: Result) -> Column:
        column = also(result.name, lambda name: result.metric(name), decimals)
        return column.on_page(plain(result.name), SCORE)

    def missing(name: str) -> str:
        needs = (result.missing.get(name) or _parts(result, name) for result in results)
        return next(filter(None, needs), "")

    names = dict.fromkeys(
        name for result in results for name in (*result.metrics, *result.missing, *result.lacking)
    )
    columns = (
        also("metric", title).on_page("Metric ↑"),
        *map(of_run, results),
        only_shown("Missing", missing),
    )
    return Table(list(names), columns)


def _parts(result: Result, name: str) -> str:
    return f"Needs {', '.join(result.lacking[name])}." if name in result.lacking else ""


def published_table(rows: Sequence[Published]) -> Table:
    """Published results and the runs among them: each of the source's rankings, best first."""
    short = partial(plain, limit=100)
    columns = (
        also("", lambda row: "" if row.published else ">"),
        Column("ranking", None, "ranking").on_page("Ranking"),
        Column("score", None, "score", decimals).on_page("Score ↑", SCORE),
        Column("team", None, "team", lambda team: team or "-").on_page(
            "Team", cell=lambda team: team or "▶ Your run"
        ),
        Column("run", None, "run").on_page("Run", cell=short),
        Column("resources", None, "resources", lambda text: text or "-").on_page(
            "Resources", cell=lambda text: text or NOTHING
        ),
        Column("source", None, "source"),
        *named("run_type", "published", "rank"),
    )
    return Table(rows, columns)


class TallyRow(NamedTuple):
    """A concept in a run."""

    run: str
    tally: ConceptTally


def concepts_table(results: Sequence[Result], names: Mapping[str, str] = MappingProxyType({})) -> Table:
    """How well each concept was detected; ``names`` of concepts, if known."""
    rows = [TallyRow(result.name, tally) for result in results for tally in result.tallies]
    name = Column("name", lambda row: names.get(row.tally.cui, ""), None).on_page("Concept", cell=plain)
    counts = {"hits": "Found", "wrong": "Wrong", "missed": "Missed"}
    scores = {"f1": "F1 ↑", "precision": "Precision ↑", "recall": "Recall ↑"}
    columns = (
        Column("run"),
        *([name] if names else []),
        Column("cui", "tally.cui").on_page("CUI", cell=plain),
        *(Column(key, f"tally.{key}").on_page(head, "%.3f") for key, head in scores.items()),
        *(Column(key, f"tally.{key}").on_page(head, "localized") for key, head in counts.items()),
    )
    return Table(rows, columns)


def images_table(results: Sequence[Result], metric: str) -> Table:
    """Every image of every run: its value of every metric, what is true and what was predicted.

    ``metric``: the one that pages show at every level of detail.
    """
    metrics = dict.fromkeys(name for result in results for name in result.values)
    rows = [
        {
            "run": result.name,
            "image": image,
            **{name: float(result.values[name][i]) if name in result.values else None for name in metrics},
            "truth": _joined(result.truth[image]),
            "predicted": _joined(result.predicted.get(image, "")),
        }
        for result in results
        for i, image in enumerate(result.truth)
    ]
    columns = (
        Column("run"),
        Column("image").on_page("Image", cell=plain),
        *(Column(name).on_page(f"{title(name)} ↑", SCORE, expert=name != metric) for name in metrics),
        *named("truth", "predicted"),
    )
    return Table(rows, columns)


def _joined(content: str | Sequence[str]) -> str:
    return content if isinstance(content, str) else ";".join(content)
