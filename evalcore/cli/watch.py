"""``watch``: checkpoints scored as they appear in a folder, one line each."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.cli.options import ALL, Number, example, with_metrics
from evalcore.cli.output import complain, mention, print_json
from evalcore.cli.study_request import StudyRequest, on_study
from evalcore.evaluate import compare, score, summarise_all
from evalcore.evaluate.common_pool import pools_differ, searched_pool
from evalcore.evaluate.systems import name_of
from evalcore.results.board import default_metrics
from evalcore.results.rows import Column, Table, decimals, ends, interval, plain, signed
from evalcore.study.runs.checkpoints import arrivals, system_name
from evalcore.study.study import with_runs
from evalcore.values.compared import SearchedPool
from evalcore.values.errors import CuiscopeError
from evalcore.values.model import Comparison, Interval, Scores, Study
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Reference(NamedTuple):
    """What checkpoints are compared with under a metric: the baseline, or the best so far."""

    scores: Scores
    mean: Interval
    pool: SearchedPool


class Arrival(NamedTuple):
    """One checkpoint under one metric; ``change``: minus the reference, None for the first one."""

    file: str
    scores: Scores
    mean: Interval
    change: Comparison | None
    best: bool
    warnings: int


@example("watch data data/systems/hog --metric nnCUI@10 --once")
@on_study(*ALL)
@click.argument("folder", type=click.Path(path_type=Path))
@with_metrics("the first that the page Overview offers")
@click.option(
    "--baseline",
    metavar="S",
    help="Compare the others with this: a system, query by query. Default: that of study.toml, else the best "
    "checkpoint so far.",
)
@click.option(
    "--poll",
    type=Number(0, 86_400, min_open=True),
    default=2.0,
    show_default=True,
    help="Seconds between two checks of the folder.",
)
@click.option("--once", is_flag=True, help="Score what is there, then stop.")
def watch(
    request: StudyRequest, folder: Path, metrics: Sequence[str], baseline: str | None, poll: float, once: bool
) -> None:
    """Score each run in FOLDER when it appears.

    One line per checkpoint, with the difference to the baseline or to the best so far and its 95% interval;
    --json prints a JSON document a line. A file is read once it stops growing, and again when it changes.
    Files that cannot be used are named and skipped. Scores are over all queries and candidates of STUDY. Stop
    it with Ctrl-C.
    """
    study = request.study
    metrics = metrics or default_metrics(study)[:1]
    fixed = name_of(study, baseline or study.baseline) if baseline or study.baseline else ""
    references: dict[str, Reference] = {}
    if fixed:
        for scores, mean in _scored(request, study, fixed, metrics):
            references[scores.metric] = Reference(scores, mean, searched_pool(study, fixed))
    try:
        for path in arrivals(folder, every=poll, once=once):
            for row in _taken_in(request, path, metrics, references, fixed):
                _print(request, row)
    except KeyboardInterrupt:
        return


def _taken_in(
    request: StudyRequest, path: Path, metrics: Sequence[str], references: dict[str, Reference], fixed: str
) -> Iterator[Arrival]:
    """What is to be said of a checkpoint, metric by metric; nothing but its problems of one without use.

    The best so far become the ``references``, unless one is ``fixed``.
    """
    name = system_name(path)
    try:
        whole, report = with_runs(request.whole, {name: str(path)}, unknown=request.unknown)
        if report.total("error"):
            _passed_over(request, path, "It is not scored: correct its errors.", report)
            return
        study = request.chosen(whole)
        result = _scored(request, study, name, metrics)
        pool = searched_pool(study, name)
    except CuiscopeError as problem:
        _passed_over(request, path, str(problem), problem.report)
        return
    for scores, mean in result:
        before = references.get(scores.metric)
        change = None if before is None else _change(before, scores, pool)
        best = not fixed and mean.mean == mean.mean and (before is None or mean.merit > before.mean.merit)
        if best:
            references[scores.metric] = Reference(scores, mean, pool)
        yield Arrival(str(path), scores, mean, change, best, report.kinds("warning"))


def _scored(
    request: StudyRequest, study: Study, system: str, metrics: Sequence[str]
) -> list[tuple[Scores, Interval]]:
    result = score(study, metrics, systems=[system], settings=request.settings, queries="all")
    return list(zip(result, summarise_all(result), strict=True))


def _change(before: Reference, scores: Scores, pool: SearchedPool) -> Comparison:
    if pools_differ([before.pool, pool]):
        names = f"{scores.system} and {before.scores.system}"
        complain(f"{names} search different images: `score` compares them over those that both search.")
    return compare(scores, before.scores)


def _passed_over(request: StudyRequest, path: Path, why: str, report: Any) -> None:
    """A file that cannot be used, named with all of its problems."""
    if report is not None:
        mention(report)
    complain(f"{path}: {why}")
    if request.json:
        problems = [] if report is None else [problem.as_dict() for problem in report.problems]
        print_json({"file": str(path), "error": why, "problems": problems})


def _print(request: StudyRequest, row: Arrival) -> None:
    if request.json:
        (record,) = Table([row], _COLUMNS).records()
        print_json({"time": datetime.now().astimezone().isoformat(timespec="seconds"), **record})
    else:
        click.echo(f"{datetime.now().astimezone():%H:%M:%S}  {_line(row)}")


def _line(row: Arrival) -> str:
    """One checkpoint under one metric."""
    of, mean = row.scores, row.mean
    text = f"{plain(of.system)}  {of.metric} {decimals(mean.mean)} {interval(mean.low, mean.high)}"
    if row.change is not None:
        change = row.change
        text += (
            f"  {signed(change.difference)} [{signed(change.low)}, {signed(change.high)}] to "
            f"{plain(change.baseline)}"
        )
    if of.missing:
        text += f"  ({of.missing:,} queries not answered)"
    if row.warnings:
        text += f"  ({pluralize(row.warnings, 'warning')})"
    return text + ("  best so far" if row.best else "")


_COLUMNS = (
    Column("system", "scores.system"),
    Column("file"),
    Column("metric", "scores.metric"),
    Column("mean", "mean.mean"),
    *ends("mean."),
    Column("n_scored", "scores.n_scored"),
    Column("missing", "scores.missing"),
    Column("baseline", lambda row: row.change and row.change.baseline),
    Column("difference", lambda row: row.change and row.change.difference),
    Column("difference_low", lambda row: row.change and row.change.low),
    Column("difference_high", lambda row: row.change and row.change.high),
    Column("best"),
    Column("warnings"),
)
