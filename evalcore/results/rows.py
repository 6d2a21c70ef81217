"""Rows with declared columns: a fact is named once, and drawn in the terminal, as JSON, as CSV and on a page.

A `Column` says what a fact is called for programs and for people and how it is written; a `Table` is rows of
any kind with the columns that read them. Who draws: `evalcore.cli.output` and `evalcore.ui.components.table`.
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.values import markdown, writing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.values.model import Interval, Scores

# How facts are written in tables of text.


def plain(text: str) -> str:
    """Text that cannot steer a terminal: control characters become ``?``."""
    return "".join(character if character.isprintable() else "?" for character in text)


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


# Columns and tables.


class Column(NamedTuple):
    """One fact of a row.

    name: in JSON and CSV; empty where only tables for people have it. value: the fact, given the row, or the
    name of the attribute (``mean.low``), of rows that are dictionaries the key; ``name`` where it is left
    out. head: above it in the terminal; None where it is left out there. text: the cell in the terminal,
    given the fact. title, form, cell: the same on a page (see `on_page`).
    """

    name: str
    value: Callable[[Any], Any] | str | None = None
    head: str | None = None
    text: Callable[[Any], str] = str
    title: str | None = None
    form: str = ""
    cell: Callable[[Any], Any] | None = None

    def on_page(self, title: str, form: str = "", *, cell: Callable[[Any], Any] | None = None) -> Column:
        """The same column, on pages too: ``title`` above it; ``form`` of its numbers, such as "%.3f".

        ``cell``: what the page shows of the fact, where that is not the fact itself.
        """
        return self._replace(title=title, form=form, cell=cell)

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
    """An interval as a cell of tables for people; ``of`` as in `ends`."""
    return also(head, attrgetter(f"{of}low", f"{of}high"), lambda pair: interval(*pair))


def ends(
    of: str = "",
    *,
    name: str = "ci",
    head: str = "interval",
    title: str | None = None,
    cell: Callable[[float, float], str] = writing.span,
) -> tuple[Column, ...]:
    """An interval: for people one cell, elsewhere ``{name}_low`` and ``{name}_high``.

    of: what stands before ``low`` and ``high`` in the names of the attributes, such as ``mean.``. title,
    cell: above it on a page, None where pages leave it out, and how its ends are written there.
    """
    both = span(of, head)
    if title is not None:
        both = both.on_page(title, cell=lambda pair: cell(*pair))
    return both, Column(f"{name}_low", f"{of}low"), Column(f"{name}_high", f"{of}high")


def system_name(name: str) -> str:
    """A system's name in a cell of a page."""
    return markdown.plain(name, limit=60)


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

    def on_page(self) -> tuple[dict[str, list[Any]], dict[str, str]]:
        """{title: cells} of every column that pages show, and {title: form} of those with a form."""
        columns = [one for one in self.columns if one.title is not None]
        cells = {
            str(one.title): [fact if one.cell is None else one.cell(fact) for fact in map(one.of, self.rows)]
            for one in columns
        }
        return cells, {str(one.title): one.form for one in columns if one.form}


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


def difference_of(
    of: str = "",
    *,
    title: str | None = None,
    interval_title: str | None = None,
    cell: Callable[[float, float], str] = writing.signed_span,
) -> tuple[Column, ...]:
    """The difference of a comparison: the row, or what it has as ``of`` (``found.``); titles as in `ends`."""
    difference = Column("difference", f"{of}difference", "difference", signed)
    if title is not None:
        difference = difference.on_page(title, "%+.3f")
    return difference, *ends(of, title=interval_title, cell=cell)


def p_values_of(
    correction: str, of: str = "", *, n: str | None = "n", pairs_title: str | None = None
) -> tuple[Column, ...]:
    """Its p, before and after the correction; ``n``: above the number of pairs, None to leave them out.

    ``pairs_title``: above that number on a page.
    """
    return (
        Column("p", f"{of}p", "p", decimals),
        Column("p_corrected", f"{of}p_corrected", f"p ({correction})", decimals),
        Column("correction", f"{of}correction"),
        Column("family", f"{of}family"),
        Column("n_family", f"{of}n_family"),
        Column("test", f"{of}test"),
        Column("n_pairs", f"{of}n_pairs", n, whole, pairs_title),
        Column("n_resamples", f"{of}n_resamples"),
        Column("seed", f"{of}seed"),
    )


WINS = (also("better", "wins", whole), also("equal", "ties", whole), also("worse", "losses", whole))
"""Queries on which a system is better than the baseline, equal and worse."""
