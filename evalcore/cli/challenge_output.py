"""What both tasks of ``imageclef`` read and write: submissions in, problems, comparisons and files out."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.output import complain, decimals, interval, plain, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcore.challenge.editions import Edition
    from evalcore.challenge.result import Result
    from evalcore.model import Comparison, Interval, Report


def open_runs(paths: Sequence[str]) -> dict[str, tuple[bytes, Report]]:
    """Submissions by name; of files with equal names the later ones are called by their whole path."""
    from evalcore.sources.challenge.submissions import read_submission

    opened: dict[str, tuple[bytes, Report]] = {}
    for path in paths:
        name, data, report = read_submission(Path(path))
        opened[path if name in opened else name] = (data, report)
    return opened


def read_file(path: str) -> bytes:
    """Content of a file that must be there; InputError otherwise."""
    from evalcore.errors import InputError
    from evalcore.sources.challenge.submissions import content_of

    data, report = content_of(Path(path))
    if report.total("error"):
        raise InputError(f"{path} cannot be used.", report)
    return data


def interval_rows(intervals: Mapping[str, Interval]) -> list[dict[str, Any]]:
    """Intervals of runs for JSON."""
    return [
        {
            "run": run, "mean": one.mean, "ci_low": one.low, "ci_high": one.high, "ci_level": one.level,
            "ci_method": one.method, "n": one.n, "seed": one.seed,
        }
        for run, one in intervals.items()
    ]  # fmt: skip


def comparison_rows(compared: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Paired comparisons for JSON."""
    return [
        {
            "baseline": c.baseline, "run": c.system, "metric": c.metric, "difference": c.difference,
            "ci_low": c.low, "ci_high": c.high, "p": c.p, "p_corrected": c.p_corrected,
            "correction": c.correction, "test": c.test, "n_pairs": c.n_pairs,
            "n_resamples": c.n_resamples, "seed": c.seed,
        }
        for c in compared
    ]  # fmt: skip


def published_rows(edition: Edition, results: Sequence[Result[Any]], path: str | None) -> dict[str, Any]:
    """The runs among published results for JSON; nothing for editions without any, unless a file is given."""
    from evalcore.challenge.published import TEST_SET, included, placed, read_published

    if path is None and not edition.published:
        return {}
    rows = read_published(read_file(path), file=Path(path).name) if path else included(edition)
    listed = [asdict(row) for row in placed(rows, {one.name: one.score for one in results})]
    return {"published": {"rows": listed, "scored_on": TEST_SET if path is None else ""}}


def print_published(found: Mapping[str, Any]) -> None:
    """The runs among published results, each with its source."""
    if not found:
        return
    facts = found["published"]
    where = f", scored on {facts['scored_on']}" if facts["scored_on"] else ""
    click.echo(f"\nPublished results{where}; yours marked with >")
    rows = [
        ("" if row["published"] else ">", decimals(row["score"]), row["team"] or "-", row["run"],
         row["resources"] or "-", row["source"])
        for row in facts["rows"]
    ]  # fmt: skip
    print_table(("", "score", "team", "run", "resources", "source"), rows)


def print_compared(compared: Sequence[Comparison], intervals: Mapping[str, Interval]) -> None:
    """The others against the baseline, image by image; and whether the intervals are over enough images."""
    from evalcore.evaluate.summary import too_narrow

    if told := too_narrow([mean.n for mean in intervals.values()], of="images"):
        click.echo(told)
    if not compared:
        return
    first = compared[0]
    click.echo(f"\nAgainst {plain(first.baseline)} ({first.metric}): {first.test}, seed {first.seed}.")
    header = ("run", "difference", "interval", "p", f"p ({first.correction})", "better", "equal", "worse")
    rows = [
        (c.system, f"{c.difference:+.4f}", interval(c.low, c.high), decimals(c.p), decimals(c.p_corrected),
         f"{c.wins:,}", f"{c.ties:,}", f"{c.losses:,}")
        for c in compared
    ]  # fmt: skip
    print_table(header, rows)


def print_problems(reports: Mapping[str, Report]) -> None:
    """Every problem as ``file:line: message``, those that the official script stops at first."""
    for run, report in reports.items():
        for severity, title in (("error", "refused because of"), ("warning", "accepted, but note")):
            problems = report.of_severity(severity)  # type: ignore[arg-type]
            if problems:
                total = report.total(severity)  # type: ignore[arg-type]
                click.echo(f"\n{plain(run)}, {title} ({total:,}):")
                for problem in problems:
                    click.echo(plain(str(problem)))


def write_table(path: str, header: Sequence[str], rows: Iterator[tuple[object, ...]]) -> None:
    """A CSV beside the printed result."""
    from evalcore.sources.tables.writers import csv_lines, write_lines

    write_lines(Path(path), csv_lines(header, rows))
    complain(f"Wrote {path}.")


def write_repaired(results: Sequence[Result[Any]], folder: str, runs: Sequence[str]) -> None:
    """Repaired files under their own names, never over a run that was given; else what stands in the way."""
    from evalcore.challenge.checks.repair import why_not_repaired
    from evalcore.errors import InputError
    from evalcore.sources.tables.writers import write_lines

    taken = {Path(path).resolve() for path in runs}
    for one in results:
        if one.run.repaired is None:
            complain(f"{one.name}: {why_not_repaired(one.run.unrepaired)}")
            continue
        target = Path(folder) / Path(one.name).name
        if target.resolve() in taken:
            remedy = "Give --repaired a folder that holds none of the runs, and runs of different names."
            raise InputError(f"{target} would be overwritten. {remedy}")
        taken.add(target.resolve())
        write_lines(target, one.run.repaired.splitlines(keepends=True))
        complain(f"Wrote {target}.")
