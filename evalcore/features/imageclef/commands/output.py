"""What both tasks of ``imageclef`` print and write: runs, comparisons, problems, repaired files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.cli.emit import Column, Table, also, emit
from evalcore.cli.output import complain, decimals, plain, write_file
from evalcore.features.imageclef.commands.asked import file_of
from evalcore.features.imageclef.commands.document import comparisons, intervals, published_json, result_json
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evalcore.features.imageclef.board import Board
    from evalcore.features.imageclef.commands.asked import Asked
    from evalcore.features.imageclef.published import Published
    from evalcore.features.imageclef.result import Result
    from evalcore.values.problems import Problem, Report, Severity

AT_FAULT = 2
Shown = str | Table


def answer(
    asked: Asked, results: Sequence[Result[Any]], made: Board, *, first: Iterable[Shown],
    behind: Iterable[Shown], of_runs: Sequence[dict[str, Any]] | None = None, **facts: Any,
) -> int:  # fmt: skip
    """Print what was computed, then write repaired files.

    Parameters
    ----------
    first, behind : tables for people above and below the comparison of the runs.
    of_runs, facts : what the task adds to the JSON of each run, and to the whole.

    Returns
    -------
    The exit code: whether the official script accepts every run.
    """
    rows, scored_on = _published(asked, results)
    more = of_runs or [{}] * len(results)
    emit(
        {
            "edition": asked.edition.key, "task": asked.edition.task,
            "runs": [result_json(one) | added for one, added in zip(results, more, strict=True)],
            **facts, "intervals": intervals(made), "comparisons": comparisons(made),
            **published_json(rows, scored_on),
        },
        _shown(results, made, first, behind, rows, scored_on), json=asked.json,
    )  # fmt: skip
    if asked.repaired:
        _write_repaired(results, asked.repaired, asked.runs)
    return 0 if all(one.accepted for one in results) else AT_FAULT


def verdict(one: Result[Any]) -> str:
    """Whether the official script accepts a run, for a table."""
    return "yes" if one.accepted else "no (unofficial)"


def _shown(
    results: Sequence[Result[Any]], made: Board, first: Iterable[Shown], behind: Iterable[Shown],
    rows: list[Published], scored_on: str,
) -> Iterator[Shown]:  # fmt: skip
    from evalcore.evaluate.summary import too_narrow

    yield from first
    if warning := too_narrow([mean.n for mean in made.intervals.values()], of="images"):
        yield warning
    if made.compared:
        against = made.compared[0]
        yield f"\nAgainst {plain(against.baseline)} ({against.metric}): {against.test}, seed {against.seed}."
        yield comparisons(made)
    yield from behind
    for one in results:
        yield from _problems(one)
    if rows:
        where = f", scored on {scored_on}" if scored_on else ""
        yield f"\nPublished results{where}; yours marked with >"
        yield Table(rows, _PUBLISHED)


_PUBLISHED = (
    also("", lambda row: "" if row.published else ">"),
    Column("score", None, "score", decimals),
    Column("team", lambda row: row.team or "-", "team"),
    Column("run", None, "run"),
    Column("resources", lambda row: row.resources or "-", "resources"),
    Column("source", None, "source"),
)


def _problems(one: Result[Any]) -> Iterator[str]:
    """Every problem as ``file:line: message``, those that the official script stops at first."""
    for severity, title in (("error", "refused because of"), ("warning", "accepted, but note")):
        problems = one.report.of_severity(severity)  # type: ignore[arg-type]
        if problems:
            total = one.report.total(severity)  # type: ignore[arg-type]
            yield f"\n{plain(one.name)}, {title} ({total:,}):"
            yield from map(plain, shortened(one.report, problems))


EXAMPLES = 5
"""Problems of one rule that are printed; the others are counted."""


def shortened(report: Report, problems: Iterable[Problem]) -> Iterator[str]:
    """Problems as ``file:line: message``: up to `EXAMPLES` of a rule, then how many more there are."""
    by_rule: dict[tuple[Severity, str, str], list[Problem]] = {}
    for problem in problems:
        by_rule.setdefault((problem.severity, problem.file, problem.rule), []).append(problem)
    for key, alike in by_rule.items():
        yield from map(str, alike[:EXAMPLES])
        if (more := report.counts[key] - sum(one.count for one in alike[:EXAMPLES])) > 0:
            yield f"{key[1]}: {more:,} more of the same kind ({key[2]}); --json lists them."


def _published(asked: Asked, results: Sequence[Result[Any]]) -> tuple[list[Published], str]:
    """The runs among published results, and what those were scored on; [] where there are none."""
    from evalcore.features.imageclef.published import TEST_SET, included, placed, read_published

    path = asked.published
    rows = read_published(**file_of(path)) if path else included(asked.edition)
    listed = placed(rows, {one.name: one.score for one in results if one.accepted}) if rows else []
    return listed, "" if path else TEST_SET


def _write_repaired(results: Sequence[Result[Any]], folder: str, runs: Sequence[str]) -> None:
    """Repaired files under their own names, never over a run that was given; else what stands in the way."""
    taken = {Path(path).resolve() for path in runs}
    for one in results:
        if one.run.repaired is None:
            complain(f"{one.name}: {one.run.why_not_repaired}")
            continue
        target = Path(folder) / Path(one.name).name
        if target.resolve() in taken:
            remedy = "Give --repaired a folder that holds none of the runs, and runs of different names."
            raise InputError(f"{target} would be overwritten. {remedy}")
        taken.add(target.resolve())
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, one.run.repaired.splitlines(keepends=True))
