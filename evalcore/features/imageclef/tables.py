"""Runs of a challenge: the columns that commands, page and files draw."""

from __future__ import annotations

from functools import partial
from math import isnan
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore import __version__
from evalcore.results.rows import (
    WINS,
    Column,
    Table,
    also,
    decimals,
    difference_of,
    ends,
    named,
    only_saved,
    only_shown,
    p_values_of,
    whole,
)
from evalcore.values.writing import NOTHING, in_table, p_value, plain, span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.features.imageclef.concepts.scores import ConceptTally
    from evalcore.features.imageclef.published import Published
    from evalcore.features.imageclef.result import Board, Result
    from evalcore.values.model import Comparison, Interval

SCORE = "%.4f"
YOURS = "▶ Your run"
_TITLES = {
    "mean6": "Overall (mean of six)",
    "head2025": "Relevance (mean of three)",
    "head2026": "Relevance (mean of four)",
}
"""Metrics whose names on the command line say little."""


def title(metric: str) -> str:
    """What a metric is called on screen."""
    return _TITLES.get(metric, metric)


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
    """Published results and the runs among them, best first."""

    def team(row: Published) -> str:
        return plain(row.team) or NOTHING if row.published else YOURS

    def short(length: int) -> Callable[[str], str]:
        return partial(plain, limit=length)

    columns = (
        also("", lambda row: "" if row.published else ">"),
        Column("score", None, "score", decimals).on_page("Score ↑", SCORE).in_file("Score ↑"),
        also("team", lambda row: row.team or "-"),
        only_shown("Team", lambda row: plain(row.team) or NOTHING if row.published else YOURS).in_file(
            "Team"
        ),
        Column("run", head="run").on_page("Run", cell=short(100)).in_file("Run"),
        also("resources", lambda row: row.resources or "-"),
        only_shown("Resources", lambda row: plain(row.resources) or NOTHING).in_file("Resources"),
        Column("source", head="source").on_page("Source", cell=short(120)).in_file("Source"),
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
