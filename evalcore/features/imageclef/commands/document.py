"""Results of a challenge for programs: the one place where the JSON of ``imageclef`` is made."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.cli.columns import WINS, difference_of, p_values_of
from evalcore.cli.emit import Column, Table, named
from evalcore.cli.output import interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.features.imageclef.board import Board
    from evalcore.features.imageclef.published import Published
    from evalcore.features.imageclef.result import Result
    from evalcore.values.model import Interval
    from evalcore.values.problems import Report

_CONCEPT_METRICS = {
    "precision": "precision", "recall": "recall", "micro_f1": "micro F1", "macro_f1": "macro F1",
    "nn_f1": "nn-F1",
}  # fmt: skip


def result_json(one: Result[Any]) -> dict[str, Any]:
    """The run of either task: verdict, scores, metrics, problems."""
    facts = {
        "run": one.name, "accepted": one.accepted, "official": one.accepted, "score": one.score,
        "score_secondary": one.secondary, "ranked_by": one.edition.headline,
        "ranking_score": one.headline, "n_images": one.n_images, "n_ignored": one.n_ignored,
        "metrics": dict(one.metrics),
    }  # fmt: skip
    if one.detail is None:
        facts["missing"] = dict(one.missing)
        facts["aggregates_missing"] = {name: list(parts) for name, parts in one.lacking.items()}
    else:
        of_concepts = {key: one.metrics.get(name) for key, name in _CONCEPT_METRICS.items()}
        facts["metrics"] = {"f1": one.score, "f1_secondary": one.secondary, **of_concepts}
    return facts | {
        "n_problems": one.n_problems, "problems": _problems(one.report),
        "unrepaired": dict(one.run.unrepaired),
    }  # fmt: skip


def _problems(report: Report) -> list[dict[str, Any]]:
    """In the order of the file's lines, each with whether the official script stops at it."""
    ordered = sorted(report.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    return [
        {
            "line": problem.line, "rule": problem.rule, "value": problem.value,
            "message": f"{problem.message} {problem.remedy}".strip(),
            "official_rejects": problem.severity == "error",
        }
        for problem in ordered
    ]  # fmt: skip


class _OfRun(NamedTuple):
    """A run and its mean over images."""

    run: str
    mean: Interval


def intervals(made: Board) -> Table:
    """The mean of every run with its interval over images."""
    return Table([_OfRun(*one) for one in made.intervals.items()], _INTERVALS)


_INTERVALS = (
    Column("run"),
    Column("mean", "mean.mean"),
    Column("ci_low", "mean.low"),
    Column("ci_high", "mean.high"),
    Column("ci_level", "mean.level"),
    Column("ci_method", "mean.method"),
    Column("n", "mean.n"),
    Column("seed", "mean.seed"),
)


def comparisons(made: Board) -> Table:
    """The others against the baseline, image by image."""
    correction = made.compared[0].correction if made.compared else ""
    columns = (
        *named("baseline"),
        Column("run", "system", "run"),
        *named("metric"),
        *difference_of(),
        *p_values_of(correction, n=None),
        *WINS,
    )
    return Table(made.compared, columns)


def published_json(rows: list[Published], scored_on: str) -> dict[str, Any]:
    """The runs among published results; nothing where there are none."""
    listed = {"rows": [asdict(row) for row in rows], "scored_on": scored_on}
    return {"published": listed} if rows else {}


def run_interval(intervals: Mapping[str, Interval], run: str) -> str:
    """The interval of a run's mean for a table."""
    return interval(intervals[run].low, intervals[run].high)
