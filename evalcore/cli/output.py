"""What the commands print: tables for people, one JSON document for programs, progress aside."""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.results.rows import Table, plain
from evalcore.results.writers import text_lines
from evalcore.values.errors import SHOWN_PER_RULE, InputError, SettingError
from evalcore.values.progress import silent, time_left
from evalcore.values.settings import OPTIONS
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from evalcore.figures.frame import AccessibleFigure
    from evalcore.values.errors import CuiscopeError, Report, Severity
    from evalcore.values.model import Interval, Study

DONE, AT_FAULT, DECLINED, INTERRUPTED = 0, 2, 3, 130
"""Exit codes: the input is at fault; a decline is established."""
STDOUT = "-"
_TAKEN = "the option that has standard output"
BAR = 20
SHOWN_EVERY = 0.1
"""Seconds between two drawings of the bar."""


def print_json(document: dict[str, Any]) -> None:
    """Exactly one JSON document on standard output.

    A table becomes the list of its records, a dataclass its fields by their names, NaN null. What could steer
    a terminal is written as an escape, which readers undo, and so are bytes that are not UTF-8.
    """
    text = json.dumps(_as_json(document), ensure_ascii=False, allow_nan=False)
    click.echo(text if text.isprintable() else "".join(map(_escaped, text)))


def _escaped(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


def _as_json(value: Any) -> Any:
    if isinstance(value, Table):
        value = value.records()
    elif is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _as_json(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def concept_name(study: Study, cui: str) -> str:
    """A concept by its name, where it has one, and its CUI."""
    name = study.names.get(cui)
    return plain(f"{name} ({cui})" if name else cui)


quiet = False
"""Whether remarks and progress are left out on standard error; errors are not."""


def print_message(text: str, *, error: bool = False) -> None:
    """A remark or an error, of one or more lines, on standard error."""
    if quiet and not error:
        return
    click.echo("\n".join(map(plain, text.rstrip("\n").split("\n"))), err=True)


def _flags() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Settings by name: their options, those of the command that runs first, and the names they can take."""
    flags = {
        name: (choice.flag, ("true",) if choice.kind is bool else choice.values)
        for name, choice in OPTIONS.items()
    }
    ctx = click.get_current_context(silent=True)
    for param in ctx.command.params if ctx is not None else ():
        for flag in param.opts if isinstance(param, click.Option) else ():
            values = tuple(param.type.choices) if isinstance(param.type, click.Choice) else ()
            flags |= dict.fromkeys((str(param.name), flag.lstrip("-").replace("-", "_")), (flag, values))
    return flags


def as_options(text: str) -> str:
    """The same text with settings as the options that make them.

    >>> as_options("Optional: average over all orders: ties = expected.")
    'Optional: average over all orders: --ties expected.'
    """
    flags = _flags()

    def written(match: re.Match[str]) -> str:
        flag, values = flags.get(match[1], ("", ()))
        if match[2] not in values:
            return match[0]
        return flag if match[2] == "true" else f"{flag} {match[2]}"

    return re.sub(r"\b(\w+) = ([\w-]+)", written, text)


def mention(report: Report) -> None:
    """The problems of a report on standard error."""
    for problem in report.problems:
        print_message(as_options(str(problem)), error=problem.severity == "error")


def problem_lines(report: Report, most: int = SHOWN_PER_RULE) -> Iterator[str]:
    """Problems as ``file:line: message``, errors first, each severity under its heading.

    ``most``: how many of one file and rule are listed; the others are counted below them.
    """
    for severity in ("error", "warning"):
        listed, cases = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        kinds = {(file, rule): n for (kind, file, rule), n in report.counts.items() if kind == severity}
        if kinds:
            yield f"{severity.capitalize()}s"
        for problem in report.problems:
            kind = problem.file, problem.rule
            if problem.severity == severity and listed[kind] < most:
                listed[kind] += 1
                cases[kind] += problem.count
                yield plain(as_options(str(problem)))
        for (file, rule), n in kinds.items():
            if n > cases[file, rule]:
                yield f"{plain(file)}: {n - cases[file, rule]:,} more like this ({rule})."
        if kinds:
            yield ""


def print_fault(fault: CuiscopeError) -> None:
    """What is at fault in the input on standard error: every problem, and the error."""
    for problem in fault.report.problems if fault.report else ():
        print_message(as_options(str(problem)), error=True)
    text = as_options(str(fault))
    if isinstance(fault, SettingError):
        flags = _flags()
        text = re.sub(r"`(\w+)`", lambda name: flags.get(name[1], (name[0],))[0], text)
    print_message(f"Error: {text}", error=True)


def print_lines(lines: Iterable[str]) -> None:
    """The lines of a file on standard output: exact in a pipe, harmless on a terminal."""
    for_people = sys.stdout.isatty()
    for line in lines:
        # color: else the library drops what looks like colours, which here is part of a name.
        click.echo(plain(line.removesuffix("\n")) if for_people else line, nl=for_people, color=True)


class TextFile(click.ParamType[str]):
    """A text file to write; "-" is standard output, which then has nothing else."""

    name = "file"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == STDOUT and param is not None and ctx is not None:
            first = ctx.meta.setdefault(_TAKEN, param.opts[0])
            other = "--json" if ctx.params.get("json_wanted") else param.opts[0]
            if other != first:
                raise click.UsageError(f"Standard output takes one of {first} - and {other}.", ctx)
        return value


TEXT_FILE = TextFile()


def stdout_is_used() -> bool:
    """Whether a file that the command writes goes to standard output."""
    context = click.get_current_context(silent=True)
    return context is not None and _TAKEN in context.meta


def refuse_overwriting(outputs: Iterable[str | None], inputs: Iterable[str | Path | None]) -> None:
    """InputError where a file to write is one of those that are read, and would be lost."""
    read = {Path(file).resolve() for file in inputs if file is not None}
    for output in outputs:
        if output is not None and Path(output).resolve() in read:
            raise InputError(f"{output} is read here and would be lost. Name another file.")


def put_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write the lines of a text file; "-" is standard output."""
    from evalcore.study.tables.writers import write_pieces

    if path == STDOUT:
        print_lines(lines)
    else:
        write_pieces(Path(path), map(str.encode, lines))


def write_file(path: str | Path, lines: Iterable[str], what: str = "") -> None:
    """The same, with a message on standard error: which file, and ``what`` was written where it is given."""
    put_lines(path, lines)
    if path != STDOUT:
        print_message(f"Wrote {what} to {path}." if what else f"Wrote {path}.")


def write_table(path: str, header: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """The same of rows as CSV: floats in full, an empty cell where there is no value."""
    write_file(path, _written(header, rows))


def _written(header: Sequence[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Lines of CSV, an empty cell for NaN."""
    return csv_text(header, (["" if value != value else value for value in row] for row in rows))


escape_formulas = False
"""Whether cells of CSV files that a spreadsheet would compute get an apostrophe in front."""


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Lines of CSV: names as they are, so that tables can be joined, unless formulas are escaped."""
    from evalcore.study.tables.writers import csv_lines

    return csv_lines(header, rows, escape=escape_formulas)


def _saved(table: Table) -> tuple[tuple[str, ...], Iterable[tuple[object, ...]]]:
    """The header and the rows of a table's columns for files."""
    saved = table.saved()
    return tuple(saved), zip(*saved.values(), strict=True)


def made_folder(folder: str) -> Path:
    """The folder, made if missing; InputError where that cannot be."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"Cannot make the folder {folder}: {problem.strerror}.") from problem
    return place


def write_paper(folder: str, tables: Mapping[str, Table], figures: Mapping[str, AccessibleFigure]) -> None:
    """Tables as CSV and figures as SVG of one column's width, by the names of the files without their ending.

    Without a browser to draw them the figures are left out, with a message on standard error.
    """
    from evalcore.figures.printed import Wanted, printed, why_unavailable
    from evalcore.study.tables.writers import write_pieces

    place = made_folder(folder)
    for name, table in tables.items():
        put_lines(place / f"{name}.csv", _written(*_saved(table)))
    reason = why_unavailable() if figures else ""
    drawn = [] if reason else printed([Wanted(figure, "svg", "single") for figure in figures.values()])
    for name, data in zip(figures, drawn, strict=not reason):
        write_pieces(place / f"{name}.svg", [data])
    print_message(f"Wrote {len(tables)} tables and {len(drawn)} figures to {folder}. {reason}".strip())


def how_many(report: Report, severity: Severity) -> str:
    """The problems of a severity in words, as kinds and, where they are more, as cases.

    Examples
    --------
    >>> from evalcore.values.errors import Problem, Report
    >>> many = Report.of([Problem("error", "run.trec", 1, "", "self-hit", "", "", count=1200)])
    >>> how_many(many, "error"), how_many(many, "warning")
    ('1 error (1,200 cases)', '0 warnings')
    """
    kinds, cases = report.kinds(severity), report.total(severity)
    named = pluralize(kinds, severity)
    return f"{named} ({cases:,} cases)" if cases > kinds else named


def small_sample_warning(counts: Sequence[int]) -> list[str]:
    """Below tables of intervals: a sentence when some are over so few queries that they are too narrow."""
    from evalcore.results.method import too_narrow

    warning = too_narrow(counts)
    return [warning] if warning else []


def table_heading(study: Study, n_queries: int, mean: Interval) -> str:
    """The line above a table of means: the study, its queries, and how intervals were computed."""
    chosen = f" with {', '.join(study.where)}" if study.where else ""
    drawn = f", {mean.n_resamples:,} resamples, seed {mean.seed}" if mean.n_resamples else ""
    return (
        f"{plain(study.name)}: {pluralize(n_queries, 'query')}{plain(chosen)}. "
        f"Intervals: {mean.level:.0%}, {mean.method}{drawn}."
    )


def progress_line() -> Callable[[float, str], None]:
    """A bar on one line of standard error while a person looks at it: how far, at what, how much longer."""
    if quiet or not sys.stderr.isatty():
        return silent
    started, shown = time.monotonic(), 0.0

    def show(done: float, doing: str) -> None:
        nonlocal shown
        now = time.monotonic()
        if done >= 1:
            click.echo("\r\x1b[K", nl=False, err=True)
        elif now - shown >= SHOWN_EVERY:
            shown = now
            click.echo(f"\r\x1b[K{bar(done, now - started)} {plain(doing)[:80]}", nl=False, err=True)

    return show


def bar(done: float, seconds: float) -> str:
    """How far a work is as a bar, and how long it will go on at this pace.

    >>> bar(0.25, 10)
    '[#####...............]  25%, 30 s left'
    """
    filled = int(done * BAR)
    return f"[{'#' * filled}{'.' * (BAR - filled)}] {done:4.0%}{time_left(done, seconds)}"


Item = str | Table | tuple[str, Table] | dict[str, Any]
"""A part of an answer: a line or a table for people; a table with its key for people and JSON; facts for
JSON."""


def emit(
    facts: Mapping[str, Any],
    items: Iterable[Item],
    *,
    json: bool,
    csv: str | None = None,
    csv_rows: Table | None = None,
) -> None:
    """Print the answer of a command: one JSON document, or lines and tables for people; rows as CSV besides.

    ``facts``: what JSON begins with; ``items``: the rest, in the order in which people read it. ``csv``,
    ``csv_rows``: the file, if one is wanted, and what goes into it, written first. Nothing is printed where
    a file that the command writes goes to standard output. People see no table without rows that has a key.
    """
    if csv is not None and csv_rows is not None:
        write_table(csv, *_saved(csv_rows))
    if stdout_is_used():
        return
    document, shown = dict(facts), list(items)
    for item in shown:
        if isinstance(item, dict):
            document |= item
        elif isinstance(item, tuple) and not isinstance(item, Table):
            document |= [item]
    if json:
        print_json(document)
        return
    for item in shown:
        match item:
            case str():
                click.echo(item)
            case Table():
                _print_table(item)
            case (str(), Table() as table) if table.rows:
                _print_table(table)


def _print_table(table: Table) -> None:
    """Columns padded to their widest cell, numbers to the right, two spaces between."""
    for line in text_lines(*table.cells()):
        click.echo(line)
