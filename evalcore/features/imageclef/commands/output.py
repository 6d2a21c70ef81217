"""What both tasks of ``imageclef`` print and write: runs, comparisons, problems."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Command, as_json, choice_option, gathered
from evalcore.cli.output import TEXT_FILE, emit
from evalcore.evaluate.summary import too_narrow
from evalcore.features.imageclef.editions import EDITIONS, Edition, edition_of
from evalcore.features.imageclef.published import TEST_SET, included, placed, read_published
from evalcore.features.imageclef.read import content_of_submissions as content_of
from evalcore.features.imageclef.read import read_submission
from evalcore.features.imageclef.tables import comparisons_table, intervals_table, published_table
from evalcore.results.rows import Table, interval, plain
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from evalcore.features.imageclef.editions import Task
    from evalcore.features.imageclef.published import Published
    from evalcore.features.imageclef.result import Board, Opened, Result
    from evalcore.values.errors import Problem, Report, Severity
    from evalcore.values.model import Interval

# What both tasks of ``imageclef`` are asked for, and the files that their options name.

FILE = click.Path(dir_okay=False)
in_models_folder = click.option(
    "--models-folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder of the weights; else the folder models of the workspace.",
)


@dataclass(frozen=True)
class Request:
    """The values of the options that both tasks share, named like them."""

    edition: Edition
    truth: str
    runs: Sequence[str]
    published: str | None
    baseline: str | None
    per_image: str | None
    seed: int
    json: bool

    @cached_property
    def opened(self) -> Opened:
        """Submissions by name; of files with equal names the later ones are called by their whole path."""
        opened = {}
        for path in (path for given in self.runs for path in _files_at(Path(given))):
            name, data, report = read_submission(path)
            opened[str(path) if name in opened else name] = (data, report)
        return opened


def _files_at(path: Path) -> Sequence[Path]:
    """The path itself; of a folder its files by name, hidden ones left out. InputError of an empty folder."""
    if not path.is_dir():
        return [path]
    files = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
    if not files:
        raise InputError(f"{path} contains no files. Give a folder of runs.")
    return files


def on_runs(task: Task, *, truth: str) -> Callable[[Command], Command]:
    """A command that scores runs: it gets one ``Request``, then its own options by name.

    truth: the help text of ``--truth``.
    """

    def asked(edition: str, json_wanted: bool, **shared: Any) -> Request:
        return Request(edition_of(task, edition), json=json_wanted, **shared)

    return gathered(
        "request",
        asked,
        click.option("--edition", type=click.Choice(EDITIONS), required=True, help="Whose rules and script."),
        click.option("--truth", type=FILE, required=True, metavar="F", help=truth),
        click.option(
            "--run",
            "runs",
            type=click.Path(),
            multiple=True,
            required=True,
            metavar="F",
            help="A run to score: a submission, a zip with one in it, or a folder of these. Repeat for "
            "several.",
        ),
        click.option(
            "--published",
            type=FILE,
            metavar="F",
            help="Published results to rank the runs among (columns team, run, score, resources, "
            "source); else, for 2017, those of the task's page.",
        ),
        click.option(
            "--baseline", metavar="RUN", help="Compare the others with this: a run; else the first."
        ),
        click.option(
            "--per-image", type=TEXT_FILE, metavar="OUT.csv", help="Write the scores of every image."
        ),
        choice_option("seed"),
        as_json,
    )


def file_of(path: str) -> dict[str, Any]:
    """``data`` and ``file`` of a file that must be there, as the readers take them; InputError otherwise."""
    data, report = content_of(Path(path))
    if report.total("error"):
        raise InputError(f"{path} cannot be used.", report)
    return {"data": data, "file": Path(path).name}


# Results of a challenge for programs: the one place where the JSON of ``imageclef`` is made.

_CONCEPT_METRICS = {
    "precision": "precision",
    "recall": "recall",
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "nn_f1": "nn-F1",
}


def result_json(one: Result[Any]) -> dict[str, Any]:
    """The run of either task: verdict, scores, metrics, problems."""
    facts = {
        "run": one.name,
        "accepted": one.accepted,
        "official": one.accepted,
        "score": one.score,
        "score_secondary": one.secondary,
        "ranked_by": one.edition.headline,
        "ranking_score": one.headline,
        "n_images": one.n_images,
        "n_ignored": one.n_ignored,
        "metrics": dict(one.metrics),
    }
    if one.detail is None:
        facts["missing"] = dict(one.missing)
        facts["aggregates_missing"] = {name: list(parts) for name, parts in one.lacking.items()}
    else:
        of_concepts = {key: one.metrics.get(name) for key, name in _CONCEPT_METRICS.items()}
        facts["metrics"] = {"f1": one.score, "f1_secondary": one.secondary, **of_concepts}
    return facts | {"n_problems": one.n_problems, "problems": _problems(one.report)}


def _problems(report: Report) -> list[dict[str, Any]]:
    """In the order of the file's lines, each with whether the official script stops at it."""
    ordered = sorted(report.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    return [
        {
            "line": problem.line,
            "rule": problem.rule,
            "value": problem.value,
            "message": f"{problem.message} {problem.remedy}".strip(),
            "official_rejects": problem.severity == "error",
        }
        for problem in ordered
    ]


def published_json(rows: list[Published], scored_on: str) -> dict[str, Any]:
    """The runs among published results; nothing where there are none."""
    listed = {"rows": [asdict(row) for row in rows], "scored_on": scored_on}
    return {"published": listed} if rows else {}


def run_interval(intervals: Mapping[str, Interval], run: str) -> str:
    """The interval of a run's mean for a table."""
    return interval(intervals[run].low, intervals[run].high)


AT_FAULT = 2
Shown = str | Table


def answer(
    request: Request,
    results: Sequence[Result[Any]],
    made: Board,
    *,
    first: Iterable[Shown],
    behind: Iterable[Shown],
    of_runs: Sequence[dict[str, Any]] | None = None,
    **facts: Any,
) -> int:
    """Print what was computed.

    Parameters
    ----------
    first, behind : tables for people above and below the comparison of the runs.
    of_runs, facts : what the task adds to the JSON of each run, and to the whole.

    Returns
    -------
    The exit code: whether the official script accepts every run.
    """
    rows, scored_on = _published(request, results)
    more = of_runs or [{}] * len(results)
    emit(
        {
            "edition": request.edition.key,
            "task": request.edition.task,
            "runs": [result_json(result) | added for result, added in zip(results, more, strict=True)],
            **facts,
            "intervals": intervals_table(made),
            "comparisons": comparisons_table(made),
            **published_json(rows, scored_on),
        },
        _shown(results, made, first, behind, rows, scored_on),
        json=request.json,
    )
    return 0 if all(result.accepted for result in results) else AT_FAULT


def verdict(one: Result[Any]) -> str:
    """Whether the official script accepts a run, for a table."""
    return "yes" if one.accepted else "no (unofficial)"


def _shown(
    results: Sequence[Result[Any]],
    made: Board,
    first: Iterable[Shown],
    behind: Iterable[Shown],
    rows: list[Published],
    scored_on: str,
) -> Iterator[Shown]:
    yield from first
    if warning := too_narrow([mean.n for mean in made.intervals.values()], of="images"):
        yield warning
    if made.compared:
        against = made.compared[0]
        yield f"\nAgainst {plain(against.baseline)} ({against.metric}): {against.test}, seed {against.seed}."
        yield comparisons_table(made)
    yield from behind
    for result in results:
        yield from _output_problems(result)
    if rows:
        where = f", scored on {scored_on}" if scored_on else ""
        yield f"\nPublished results{where}; yours marked with >"
        yield published_table(rows)


def _output_problems(one: Result[Any]) -> Iterator[str]:
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


def _published(request: Request, results: Sequence[Result[Any]]) -> tuple[list[Published], str]:
    """The runs among published results, and what those were scored on; [] where there are none."""
    path = request.published
    rows = read_published(**file_of(path)) if path else included(request.edition)
    listed = (
        placed(rows, {result.name: result.headline for result in results if result.accepted}) if rows else []
    )
    return listed, "" if path else TEST_SET
