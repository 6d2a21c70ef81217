"""What the commands print: tables for people, one JSON document for programs, progress aside."""

from __future__ import annotations

import json
import math
import sys
import time
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.values.progress import silent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evalcore.values.model import Interval, Scores, Study
    from evalcore.values.problems import Report, Severity
    from evalcore.values.settings import Settings

STDOUT = "-"
_TAKEN = "the option that has standard output"
BAR = 20
SHOWN_EVERY = 0.1
"""Seconds between two drawings of the bar."""


def print_json(document: dict[str, Any]) -> None:
    """Exactly one JSON document on standard output.

    NaN becomes null; what could steer a terminal is written as an escape, which readers undo, and so are
    bytes that are not UTF-8.
    """
    text = json.dumps(_without_nan(document), ensure_ascii=False, allow_nan=False)
    click.echo(text if text.isprintable() else "".join(map(_escaped, text)))


def _escaped(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns padded to their widest cell, numbers to the right, two spaces between."""
    table = [[plain(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    numeric = [all(_is_number(row[column]) for row in table[1:]) for column in range(len(header))]
    for row in table:
        cells = zip(row, widths, numeric, strict=True)
        padded = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells]
        click.echo("  ".join(padded).rstrip())


def _is_number(cell: str) -> bool:
    return cell[:1] in {"-", "+", "["} or cell[:1].isdigit()


def plain(text: str) -> str:
    """Text that cannot steer a terminal: control characters become ``?``."""
    return "".join(character if character.isprintable() else "?" for character in text)


def concept_name(study: Study, cui: str) -> str:
    """A concept by its name, where it has one, and its CUI."""
    name = study.names.get(cui)
    return plain(f"{name} ({cui})" if name else cui)


def complain(text: str) -> None:
    """A message of one or more lines on standard error."""
    click.echo("\n".join(map(plain, text.rstrip("\n").split("\n"))), err=True)


def mention(report: Report) -> None:
    """The problems of a report on standard error."""
    for problem in report.problems:
        complain(str(problem))


def print_lines(lines: Iterable[str]) -> None:
    """The lines of a file on standard output: exact in a pipe, harmless on a terminal."""
    for_people = sys.stdout.isatty()
    for line in lines:
        # color: else the library drops what looks like colours, which here is part of a name.
        click.echo(plain(line.removesuffix("\n")) if for_people else line, nl=for_people, color=True)


class TextFile(click.ParamType[str]):
    """A text file to write; "-" is standard output, where then nothing else goes."""

    name = "file"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == STDOUT and param is not None and ctx is not None:
            first = ctx.meta.setdefault(_TAKEN, param.opts[0])
            other = "--json" if ctx.params.get("json_wanted") else param.opts[0]
            if other != first:
                raise click.UsageError(f"Standard output takes one of {first} - and {other}.", ctx)
        return value


TEXT_FILE = TextFile()


def is_taken() -> bool:
    """Whether a file that the command writes goes to standard output."""
    context = click.get_current_context(silent=True)
    return context is not None and _TAKEN in context.meta


def put_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write the lines of a text file; "-" is standard output."""
    from evalcore.study.tables.writers import write_lines

    if path == STDOUT:
        print_lines(lines)
    else:
        write_lines(Path(path), lines)


def write_file(path: str | Path, lines: Iterable[str], what: str = "") -> None:
    """The same, and say on standard error that a file was written, and where given ``what`` went into it."""
    put_lines(path, lines)
    if path != STDOUT:
        complain(f"Wrote {what} to {path}." if what else f"Wrote {path}.")


def write_table(path: str, header: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """The same of rows as CSV: floats in full, an empty cell where there is no value."""
    from evalcore.study.tables.writers import csv_lines, written

    write_file(path, csv_lines(header, (tuple(map(written, row)) for row in rows)))


def decimals(value: float | None, places: int = 4) -> str:
    """A number for a table; ``-`` where there is none."""
    return "-" if value is None or math.isnan(value) else f"{value:.{places}f}"


def signed(value: float) -> str:
    """A difference for a table."""
    return "-" if math.isnan(value) else f"{value:+.4f}"


def percent(share: float, places: int = 0) -> str:
    """A share for a table."""
    return "-" if math.isnan(share) else f"{share:.{places}%}"


def interval(low: float, high: float) -> str:
    """An interval for a table."""
    return "-" if math.isnan(low) else f"[{decimals(low)}, {decimals(high)}]"


def whole(number: int) -> str:
    """A count for a table, thousands apart."""
    return f"{number:,}"


def how_many(report: Report, severity: Severity) -> str:
    """The problems of a severity in words, as kinds and, where they are more, as cases.

    Examples
    --------
    >>> from evalcore.values.problems import Problem, Report
    >>> many = Report.of([Problem("error", "run.trec", 1, "", "self-hit", "", "", count=1200)])
    >>> how_many(many, "error"), how_many(many, "warning")
    ('1 error (1,200 cases)', '0 warnings')
    """
    kinds, cases = report.kinds(severity), report.total(severity)
    named = f"{kinds:,} {severity}{'' if kinds == 1 else 's'}"
    return f"{named} ({cases:,} cases)" if cases > kinds else named


def few(means: Sequence[int], settings: Settings, *, differences: Sequence[int] = ()) -> list[str]:
    """Below tables of intervals: a sentence when some are over so few queries that they are too narrow."""
    from evalcore.evaluate.summary import too_narrow

    warning = too_narrow(means, differences=differences, settings=settings)
    if warning and too_narrow(means, settings=settings):
        warning += " For values of 0 and 1, such as P@1, use --set interval=wilson."
    return [warning] if warning else []


def about(study: Study, n_queries: int, mean: Interval) -> str:
    """What stands above a table of means: whose they are, over what, and how their intervals were drawn."""
    chosen = f" with {', '.join(study.where)}" if study.where else ""
    drawn = f", {mean.n_resamples:,} resamples, seed {mean.seed}" if mean.n_resamples else ""
    return (
        f"{plain(study.name)}: {n_queries:,} queries{plain(chosen)}. "
        f"Intervals: {mean.level:.0%}, {mean.method}{drawn}."
    )


def progress_line() -> Callable[[float, str], None]:
    """A bar on one line of standard error while a person looks at it: how far, at what, how much longer."""
    if not sys.stderr.isatty():
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
    left = ""
    if done > 0 and seconds >= 1:
        rest = seconds * (1 - done) / done
        left = f", {rest:.0f} s left" if rest < 120 else f", {rest / 60:.0f} min left"
    return f"[{'#' * filled}{'.' * (BAR - filled)}] {done:4.0%}{left}"


# Rows with declared columns, printed as a table, as JSON or as CSV.


class Column(NamedTuple):
    """One fact of a row.

    name: in JSON and CSV; empty where only the table has it. value: the fact, given the row, or the name of
    the attribute (``mean.low``), of rows that are dictionaries the key; ``name`` where it is left out. head:
    above it in the table; None where the table leaves it out. text: the cell of the table, given the fact.
    """

    name: str
    value: Callable[[Any], Any] | str | None = None
    head: str | None = None
    text: Callable[[Any], str] = str

    def of(self, row: Any) -> Any:
        """The fact of one row."""
        if callable(self.value):
            return self.value(row)
        name = self.value or self.name
        return row[name] if isinstance(row, dict) else attrgetter(name)(row)


def also(head: str, value: Callable[[Any], Any] | str, text: Callable[[Any], str] = str) -> Column:
    """A column that only the table has."""
    return Column("", value, head, text)


def span(of: str = "", head: str = "interval") -> Column:
    """An interval as a cell of the table; ``of`` as in `ends`."""
    return also(head, attrgetter(f"{of}low", f"{of}high"), lambda pair: interval(*pair))


def ends(of: str = "", *, name: str = "ci", head: str = "interval") -> tuple[Column, ...]:
    """An interval: in the table one cell, elsewhere ``{name}_low`` and ``{name}_high``.

    of: what stands before ``low`` and ``high`` in the names of the attributes, such as ``mean.``.
    """
    return span(of, head), Column(f"{name}_low", f"{of}low"), Column(f"{name}_high", f"{of}high")


def named(*names: str) -> tuple[Column, ...]:
    """Attributes that JSON and CSV carry and the table leaves out."""
    return tuple(map(Column, names))


def titled(*names: str, text: Callable[[Any], str] = str) -> tuple[Column, ...]:
    """Attributes that stand everywhere, in the table under their own names."""
    return tuple(Column(name, None, name, text) for name in names)


class Table(NamedTuple):
    """Rows of any kind, none to many, and the columns that read them."""

    rows: Sequence[Any]
    columns: Sequence[Column]

    def records(self) -> list[dict[str, Any]]:
        """The rows for programs: every column with a name."""
        columns = [one for one in self.columns if one.name]
        return [{one.name: one.of(row) for one in columns} for row in self.rows]

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """The header and the rows for people: every column with a head."""
        columns = [one for one in self.columns if one.head is not None]
        rows = [[one.text(one.of(row)) for one in columns] for row in self.rows]
        return [one.head or "" for one in columns], rows

    def write(self, path: str) -> None:
        """The records as CSV, floats in full; an empty cell where there is no value."""
        header = tuple(one.name for one in self.columns if one.name)
        write_table(path, header, (record.values() for record in self.records()))


def emit(
    document: Mapping[str, Any],
    shown: Iterable[str | Table],
    *,
    json: bool,
    csv: str | None = None,
    csv_rows: Table | None = None,
) -> None:
    """Print what a command found: one JSON document, or lines and tables for people; rows as CSV besides.

    Nothing is printed where a file that the command writes goes to standard output.

    Parameters
    ----------
    document
        Of JSON; a ``Table`` in it becomes the list of its records.
    shown
        For people, in this order; asked for only when there is no JSON.
    csv, csv_rows
        The file, if one is wanted, and what goes into it. Written first.
    """
    if csv is not None and csv_rows is not None:
        csv_rows.write(csv)
    if is_taken():
        return
    if json:
        print_json({key: one.records() if isinstance(one, Table) else one for key, one in document.items()})
        return
    for part in shown:
        if isinstance(part, Table):
            print_table(*part.cells())
        else:
            click.echo(part)


# Columns that tables of several commands share: means of systems, differences, and tests of these.


class Scored(NamedTuple):
    """A system under a metric, and its mean: what `means_of` reads."""

    scores: Scores
    mean: Interval


def means_of(*n: Column) -> tuple[Column, ...]:
    """A mean and how it came about; ``n``: over how many queries, as the table counts them."""
    return (
        Column("system", "scores.system", "system"),
        Column("metric", "scores.metric", "metric"),
        Column("mean", "mean.mean", "mean", decimals),
        *ends("mean."),
        Column("ci_level", "mean.level"),
        Column("ci_method", "mean.method"),
        Column("n_queries", "scores.n_queries"),
        *n,
        Column("n_undefined", "scores.n_undefined", "undefined", whole),
    )


def difference_of(of: str = "") -> tuple[Column, ...]:
    """The difference of a comparison, which the row is, or has as ``of`` (``found.``)."""
    return (Column("difference", f"{of}difference", "difference", signed), *ends(of))


def p_values_of(correction: str, of: str = "", *, n: str | None = "n") -> tuple[Column, ...]:
    """Its p, before and after the correction; ``n``: above the number of pairs, None to leave them out."""
    return (
        Column("p", f"{of}p", "p", decimals),
        Column("p_corrected", f"{of}p_corrected", f"p ({correction})", decimals),
        Column("correction", f"{of}correction"),
        Column("family", f"{of}family"),
        Column("n_family", f"{of}n_family"),
        Column("test", f"{of}test"),
        Column("n_pairs", f"{of}n_pairs", n, whole),
        Column("n_resamples", f"{of}n_resamples"),
        Column("seed", f"{of}seed"),
    )


WINS = (also("better", "wins", whole), also("equal", "ties", whole), also("worse", "losses", whole))
"""Queries on which a system is better than the baseline, equal and worse."""
