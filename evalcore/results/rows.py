"""Rows with declared columns: a fact is named once, and drawn in the terminal, as JSON, as CSV and on a page.

A `Column` says what a fact is called for programs and for people and how it is written; a `Table` is rows of
any kind with the columns that read them. Each medium has one writer: `results.writers` for frames,
LaTeX, Markdown and HTML, `cli.output.emit` for terminal, JSON and CSV, `ui.components.table.results_table`
for pages and their files, `report.html` for reports.
"""

from __future__ import annotations

import math
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.values import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# How facts are written in tables of text.


def plain(text: str) -> str:
    """Text that cannot steer a terminal: control characters become ``?``."""
    return "".join(character if character.isprintable() else "?" for character in text)


def decimals(value: float | None, places: int = 4) -> str:
    """A number for a table; ``-`` where there is none."""
    return "-" if value is None or math.isnan(value) else f"{value:.{places}f}"


def signed(value: float) -> str:
    """A difference for a table.

    >>> signed(0.25), signed(-0.25), signed(math.nan)
    ('+0.2500', '-0.2500', '-')
    """
    return "-" if math.isnan(value) else f"{value:+.4f}"


def percent(share: float, places: int = 0) -> str:
    """A share for a table."""
    return "-" if math.isnan(share) else f"{share:.{places}%}"


def interval(low: float | None, high: float | None) -> str:
    """An interval for a table; ``-`` where there is none."""
    return "-" if low is None or math.isnan(low) else f"[{decimals(low)}, {decimals(high)}]"


def whole(number: int | None) -> str:
    """A count for a table, thousands apart; ``-`` where there is none."""
    return "-" if number is None else f"{number:,}"


def ends_text(pair: tuple[float | None, float | None]) -> str:
    """Both ends of an interval for a table."""
    return interval(*pair)


def p_text(p: float) -> str:
    """A p-value for a table."""
    return decimals(p)


_FORMS: dict[Callable[[Any], str], str] = {decimals: "%.3f", signed: "%+.3f", whole: "localized"}
_CELLS: dict[Callable[[Any], str], Callable[[Any], Any]] = {p_text: writing.p_value}
"""How pages show what the terminal writes by these, unless a column says otherwise."""

# Columns and tables.


class Column(NamedTuple):
    """One fact of a row.

    name: in JSON, frames and CSV; empty where only tables for people have it. value: the fact, given the row,
    or the name of the attribute (``mean.low``), of rows that are dictionaries the key, of tuples the place
    (``1.low``); ``name`` where it is left out. head: above it in the terminal and on paper; None where it is
    left out there. text: the cell in the terminal, given the fact; what paper writes follows from it
    (`results.writers`). title, form, cell, help, expert, if_any: the same on a page (see `on_page`). saved:
    its name in CSV files where it is not ``name``, "" where files leave it out.
    """

    name: str
    value: Callable[[Any], Any] | str | None = None
    head: str | None = None
    text: Callable[[Any], str] = str
    title: str | None = None
    form: str = ""
    cell: Callable[[Any], Any] | None = None
    help: str = ""
    expert: bool = False
    if_any: bool = False
    saved: str | None = None

    def on_page(
        self,
        title: str,
        form: str = "",
        *,
        cell: Callable[[Any], Any] | None = None,
        help: str = "",
        expert: bool = False,
        if_any: bool = False,
    ) -> Column:
        """The same column, on pages too: ``title`` above it; ``form`` of its numbers, such as "%.3f".

        ``cell``: what the page shows of the fact, where that is not the fact itself. Without either they
        follow from ``text``: scores have three places, differences a sign, counts thousands apart. ``help``:
        what the column means, in Markdown. ``expert``: Simple leaves it out. ``if_any``: left out where
        every row has 0.
        """
        if not form and cell is None:
            form, cell = _FORMS.get(self.text, ""), _CELLS.get(self.text)
        return self._replace(title=title, form=form, cell=cell, help=help, expert=expert, if_any=if_any)

    def in_file(self, name: str) -> Column:
        """The same column under another name in CSV files, "" for none."""
        return self._replace(saved=name)

    @property
    def file_name(self) -> str:
        """Its name in CSV files; "" where they leave it out."""
        return self.name if self.saved is None else self.saved

    def value_of(self, row: Any) -> Any:
        """The fact of one row; None where what it would be read from is None."""
        if callable(self.value):
            return self.value(row)
        name = self.value or self.name
        if isinstance(row, dict):
            return row[name]
        for part in name.split("."):
            if row is not None:
                row = row[int(part)] if part.isdigit() else getattr(row, part)
        return row


def also(head: str, value: Callable[[Any], Any] | str, text: Callable[[Any], str] = str) -> Column:
    """A column that only tables for people have."""
    return Column("", value, head, text)


def only_shown(title: str, value: Callable[[Any], Any] | str, form: str = "", **look: Any) -> Column:
    """A column that only pages have; ``form`` and ``look`` as in `Column.on_page`."""
    return Column("", value).on_page(title, form, **look)


def only_saved(name: str, value: Callable[[Any], Any] | str | None = None) -> Column:
    """A column that only CSV files have."""
    return Column("", value or name, saved=name)


def span(what: str = "", head: str = "interval") -> Column:
    """An interval as a cell of tables for people; ``what`` as in `ends`."""
    low, high = Column("", f"{what}low"), Column("", f"{what}high")
    return also(head, lambda row: (low.value_of(row), high.value_of(row)), ends_text)


def ends(
    what: str = "",
    *,
    name: str = "ci",
    head: str = "interval",
    title: str | None = None,
    cell: Callable[[float, float], str] = writing.span,
    help: str = "",
) -> tuple[Column, ...]:
    """An interval: for people one cell, elsewhere ``{name}_low`` and ``{name}_high``.

    what: the part of the names of the attributes before ``low`` and ``high``, such as ``mean.``; an
    interval that is not there has neither. title, cell, help: above it on a page, None where pages leave it
    out, and how its ends are written there.
    """

    def shown(pair: tuple[float | None, float | None]) -> str:
        low, high = pair
        return writing.NOTHING if low is None or high is None else cell(low, high)

    both = span(what, head)
    if title is not None:
        both = both.on_page(title, cell=shown, help=help)
    return both, Column(f"{name}_low", f"{what}low"), Column(f"{name}_high", f"{what}high")


def system_name(name: str) -> str:
    """A system's name in a cell of a page."""
    return writing.plain(name, limit=60)


def named(*names: str) -> tuple[Column, ...]:
    """Attributes that JSON and CSV carry and the table leaves out."""
    return tuple(map(Column, names))


def placed(*names: str, shown: bool = False) -> tuple[Column, ...]:
    """The same of rows that are tuples, in their order; ``shown``: by these names in tables for people."""
    return tuple(Column(name, f"{place}", name if shown else None) for place, name in enumerate(names))


def titled(*names: str, text: Callable[[Any], str] = str) -> tuple[Column, ...]:
    """Attributes that every medium has, in the table under their own names."""
    return tuple(Column(name, None, name, text) for name in names)


def record(row: Any, *columns: Column | str, **others: Callable[[Any], Any] | str) -> dict[str, Any]:
    """Facts of one row for JSON: ``columns``, or attributes by their names, and ``others`` as {name: value}.

    >>> record(3 + 4j, "real", size="imag", whole=abs)
    {'real': 3.0, 'size': 4.0, 'whole': 5.0}
    """
    declared = [Column(column) if isinstance(column, str) else column for column in columns]
    declared += [Column(name, value) for name, value in others.items()]
    return Table([row], declared).records()[0]


class Table(NamedTuple):
    """Rows of any kind, none to many, and the columns that read them; ``facts``: in every row of a file."""

    rows: Sequence[Any]
    columns: Sequence[Column]
    facts: Mapping[str, Any] = MappingProxyType({})

    def without(self, *names: str) -> Table:
        """The same rows without these columns."""
        return self._replace(columns=[column for column in self.columns if column.name not in names])

    def records(self) -> list[dict[str, Any]]:
        """The rows for programs: every column with a name; of a fact that is a table its records."""

        def written(fact: Any) -> Any:
            return fact.records() if isinstance(fact, Table) else fact

        columns = [column for column in self.columns if column.name]
        return [{column.name: written(column.value_of(row)) for column in columns} for row in self.rows]

    def saved(self) -> dict[str, list[Any]]:
        """{name: facts of every row} of the columns of CSV files, then the facts that every row has."""
        columns = [column for column in self.columns if column.file_name]
        saved = {column.file_name: [column.value_of(row) for row in self.rows] for column in columns}
        return saved | {
            name: [fact] * len(self.rows) for name, fact in self.facts.items() if name not in saved
        }

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """The header and the rows for people: every column with a head."""
        columns = [column for column in self.columns if column.head is not None]
        rows = [[column.text(column.value_of(row)) for column in columns] for row in self.rows]
        return [column.head or "" for column in columns], rows

    def on_page(self, *, plain: bool = False) -> dict[str, list[Any]]:
        """{title: cells} of every column that pages show; ``plain``: at Simple."""
        return {
            str(column.title): [
                fact if column.cell is None else column.cell(fact) for fact in map(column.value_of, self.rows)
            ]
            for column in self.columns
            if column.title is not None
            and not (plain and column.expert)
            and (not column.if_any or any(map(column.value_of, self.rows)))
        }


# Columns that several tables share: differences, and tests of these.


def difference_of(
    what: str = "",
    *,
    title: str | None = None,
    interval_title: str | None = None,
    cell: Callable[[float, float], str] | None = None,
) -> tuple[Column, ...]:
    """The difference of a comparison: of a row, or of its ``what``, with its dot; titles as in `ends`."""
    difference = Column("difference", f"{what}difference", "difference", signed)
    if title is not None:
        difference = difference.on_page(title, "%+.3f")
    cell = cell or partial(writing.span, sign=True)
    return difference, *ends(what, title=interval_title, cell=cell)


def p_values_of(correction: str, what: str = "", *, pairs_title: str | None = None) -> tuple[Column, ...]:
    """Its p, before and after the correction; ``pairs_title``: above the number of pairs on a page."""
    corrected = "p, not corrected" if correction == "none" else f"p ({correction})"
    return (
        Column("p", f"{what}p", "p", p_text),
        Column("p_corrected", f"{what}p_corrected", corrected, p_text),
        Column("correction", f"{what}correction"),
        Column("family", f"{what}family"),
        Column("n_family", f"{what}n_family"),
        Column("test", f"{what}test"),
        Column("n_pairs", f"{what}n_pairs", "n", whole, pairs_title),
        Column("n_resamples", f"{what}n_resamples"),
        Column("seed", f"{what}seed"),
    )


WINS = (
    Column("better", "wins", "better", whole),
    Column("equal", "ties", "equal", whole),
    Column("worse", "losses", "worse", whole),
)
"""Queries on which a system is better than the baseline, equal and worse."""
