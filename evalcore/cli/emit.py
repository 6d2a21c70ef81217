"""Rows with declared columns, printed as a table, as JSON or as CSV."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.cli.output import interval, is_taken, print_json, print_table, write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


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
    document: Mapping[str, Any], shown: Iterable[str | Table], *, json: bool, csv: str | None = None,
    csv_rows: Table | None = None,
) -> None:  # fmt: skip
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
