"""Runs of a challenge: the tables that commands, page and files draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import isnan
from types import MappingProxyType
from typing import NamedTuple

from evalcore.features.imageclef.caption_metrics import FACTUALITY, RELEVANCE
from evalcore.features.imageclef.published import Published
from evalcore.features.imageclef.scoring import Board, Result
from evalcore.results.rows import Column, Table, also, decimals, ends, named, only_shown, signed, whole
from evalcore.results.study import PROBLEM
from evalcore.values.model import Comparison, Interval
from evalcore.values.writing import NOTHING, number, p_value, plain, span

PLACES = 4
SCORE = f"%.{PLACES}f"
"""Scores and differences on the page, with as many places as the overviews of the campaign print."""


def about_scores(results: Sequence[Result], metric: str) -> list[str]:
    """What decides the ranking, and what compares the runs where that is not it (``metric``)."""
    edition, lines = results[0].edition, []
    if metric != edition.headline:
        lines.append(f"Compared by {metric}, because not every run has the score that ranks them.")
    if edition.ranking:
        relevance, factuality = map(", ".join, (RELEVANCE, FACTUALITY))
        lines.append(
            f"{edition.ranking}, by which the task ranks: the mean of relevance ({relevance}) and "
            f"factuality ({factuality}). The official script prints {edition.primary}."
        )
    return lines


class RunRow(NamedTuple):
    """A run, its mean over images, and how it differs from the baseline, None for the baseline itself."""

    result: Result
    mean: Interval
    against: Comparison | None


def runs_table(results: Sequence[Result], board: Board) -> Table:
    """A row for each run: verdict of the official script, scores, intervals, differences, problems."""
    edition = results[0].edition
    ranking, metric = edition.ranking, board.metric
    against = {comparison.system: comparison for comparison in board.comparisons}
    rows = [RunRow(result, board.intervals[result.name], against.get(result.name)) for result in results]

    def where_known(column: Column, head: str) -> Column:
        """The column, on the page only where a run has a value."""
        known = any(value is not None and not isnan(value) for value in map(column.value_of, rows))
        return column.on_page(f"{head} ↑", SCORE) if known else column

    score = Column("score", "result.score", "score" if ranking else edition.primary, decimals)
    compared = Column("mean", "mean.mean")
    if board.metric not in (edition.headline, edition.primary):
        compared = Column("mean", "mean.mean", metric, decimals).on_page(f"{metric} ↑", SCORE)
    columns = (
        Column("run", "result.name", "run").on_page("Run", cell=plain),
        Column(
            "accepted", "result.accepted", "accepted", lambda taken: "yes" if taken else "no (unofficial)"
        ).on_page("Official script", cell=lambda taken: "accepts" if taken else "refuses"),
        *([where_known(also(ranking, "result.headline", decimals), ranking)] if ranking else []),
        where_known(score, edition.primary),
        compared,
        *ends(
            "mean.",
            head=f"{board.metric} interval",
            title=f"95% interval ({metric})",
            cell=partial(span, places=PLACES),
        ),
        *(Column(f"ci_{name}", f"mean.{name}") for name in ("level", "method")),
        *(_difference_columns(board) if against else ()),
        where_known(Column("score_secondary", "result.secondary", "secondary", decimals), "Secondary"),
        Column("ranked_by", "result.edition.headline"),
        Column("ranking_score", "result.headline"),
        Column("n_images", "result.n_images", "images", whole).on_page("Images", expert=True),
        Column("n_ignored", "result.n_ignored", "ignored", whole).on_page("Ignored", expert=True),
        Column("metrics", lambda row: dict(row.result.metrics)).in_file(""),
        Column("missing", lambda row: dict(row.result.missing)).in_file(""),
        Column("n_problems", "result.n_problems").on_page("Problems", "localized"),
        Column("problems", lambda row: Table(row.result.report.problems, PROBLEM)).in_file(""),
    )
    return Table(rows, columns)


def _difference_columns(board: Board) -> tuple[Column, ...]:
    """How a run differs from the baseline, image by image."""

    def shown(value: float | None) -> str:
        return NOTHING if value is None else number(value, PLACES, sign=True)

    def written(value: float | None) -> str:
        return "-" if value is None else signed(value)

    correction = board.comparisons[0].correction
    p_head = "p" if correction == "none" else f"p ({correction})"
    return (
        Column("difference", "against.difference", "difference", written).on_page("Difference", cell=shown),
        *ends(
            "against.",
            name="difference",
            head="its interval",
            title="95% interval of the difference",
            cell=partial(span, places=PLACES, sign=True),
        ),
        Column("p_corrected", "against.p_corrected", p_head, decimals).on_page(
            p_head, cell=lambda p: NOTHING if p is None else p_value(p), expert=True
        ),
        *(Column(name, f"against.{name}") for name in ("baseline", "p", "test", "seed")),
    )


def metrics_table(results: Sequence[Result]) -> Table:
    """Every metric of captions, a metric in a row, with what is missing for those without a value."""
    names = dict.fromkeys(name for result in results for name in (*result.metrics, *result.missing))

    def missing(name: str) -> str:
        return next((result.missing[name] for result in results if name in result.missing), "")

    def of_run(result: Result) -> Column:
        return also(result.name, result.metric, decimals).on_page(plain(result.name), SCORE)

    columns = (also("metric", str).on_page("Metric ↑"), *map(of_run, results), only_shown("Missing", missing))
    return Table(list(names), columns)


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
        *named("source", "run_type", "published", "rank"),
    )
    return Table(rows, columns)


def images_table(
    results: Sequence[Result], metric: str, names: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """Every image of every run: its value of every metric, what is true and what was predicted.

    ``metric``: the one that pages show at every level of detail. ``names`` of concepts, for pages.
    """

    def named_concepts(content: str) -> str:
        return plain("; ".join(names.get(part, part) for part in content.split(";")))

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
        *(Column(name).on_page(f"{name} ↑", SCORE, expert=name != metric) for name in metrics),
        Column("truth").on_page("True", cell=named_concepts),
        Column("predicted").on_page("Predicted", cell=named_concepts),
    )
    return Table(rows, columns)


def _joined(content: str | Sequence[str]) -> str:
    return content if isinstance(content, str) else ";".join(content)
