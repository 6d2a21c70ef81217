"""Tables of kinds: ``kinds.csv`` (``cui,kind``), and a column of kinds in a table of names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from evalcore.study.concept_kinds.words import COLUMN_NAMES, kind_of_word
from evalcore.study.names.names import SYNONYMS
from evalcore.study.tables import tables
from evalcore.study.tables.guard import reader
from evalcore.study.tables.lines import unpack
from evalcore.study.tables.problems import Problems
from evalcore.values.concept_scheme import as_written
from evalcore.values.concept_values import KINDS, UNKNOWN
from evalcore.values.problems import Report

_HEAD = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class KindRows:
    """Kinds by concept with the line of each; ``format``: "csv", "names" or "MRSTY"."""

    kinds: Mapping[str, str]
    lines: Mapping[str, int]
    format: str
    rows: int


def no_kinds(format: str = "csv") -> KindRows:
    """The kind of nothing."""
    return KindRows({}, {}, format, 0)


@reader(lambda _: no_kinds())
def parse_kind_table(data: bytes, *, file: str) -> tuple[KindRows, Report]:
    """Read ``cui,kind``: header optional, further columns ignored, the words of `kind_of_word`.

    A word that means no kind, a row without concept and a concept with two kinds are errors and left out (of
    two kinds the first stays); a repeated row is a warning. ``unknown`` and an empty cell say nothing.
    """
    found = Problems(file)
    rows = tables.rows_of(data, found)
    if not rows:
        return no_kinds(), found.report()
    concept, kind = _places(rows[0].cells)
    if (concept is None or kind is None) and _is_row(rows[0].cells):
        return _read(rows, 0, 1, found, form="csv"), found.report()
    if concept is None or kind is None:
        found.error(
            "wrong-header", "The header must name the columns cui and kind.",
            "Let the first row be: cui,kind.", line=rows[0].line, value=rows[0].cells[0],
        )  # fmt: skip
        return no_kinds(), found.report()
    return _read(rows, concept, kind, found, form="csv", header=True), found.report()


@reader(lambda _: no_kinds("names"))
def parse_names_column(data: bytes, *, file: str) -> tuple[KindRows, Report]:
    """The kinds in a table of names that has such a column (``kind`` or ``group``); none without one.

    What is wrong with the table was said when its names were read. A word that means no kind is a
    warning, and nothing where no word of the column means one: then it is about something else.
    """
    silent, found = Problems(file), Problems(file)
    plain = unpack(data, silent) or b""
    head = plain[:_HEAD].decode("utf-8", "replace").lstrip("\ufeff")
    first = [cell.strip('" ') for cell in head.split("\n", 1)[0].strip().split(tables.guess_delimiter(head))]
    if None in _places(first):
        return no_kinds("names"), found.report()
    rows = tables.rows_of(plain, silent)
    concept, kind = _places(rows[0].cells) if rows else (None, None)
    if concept is None or kind is None:
        return no_kinds("names"), found.report()
    read = _read(rows, concept, kind, found, form="names", header=True)
    return read, found.report() if read.kinds else Report()


def _places(header: list[str]) -> tuple[int | None, int | None]:
    """Where the concept and its kind stand, None for a column that is not named."""
    kind = (tables.named(header, (name,)) for name in COLUMN_NAMES)
    return tables.named(header, SYNONYMS["cui"]), next((at for at in kind if at is not None), None)


def _is_row(cells: list[str]) -> bool:
    """Whether a first row is a concept with its kind, and no header."""
    return len(cells) > 1 and any(map(str.isdigit, cells[0])) and kind_of_word(cells[1]) is not None


def _read(
    rows: list[tables.Row], concept: int, kind: int, found: Problems, *, form: str, header: bool = False
) -> KindRows:
    kinds: dict[str, str] = {}
    lines: dict[str, int] = {}
    width, own = len(rows[0].cells), form == "csv"
    faults = found if own else Problems(found.file)  # those of a table of names were said when it was read
    report = found.error if own else found.warning
    expected = f"The first row has {width} cells"
    for row in tables.full_rows(rows[int(header) :], faults, width, expected=expected):
        cui, word = as_written(row.cells[concept]), row.cells[kind]
        meant = kind_of_word(word) if word else UNKNOWN
        if not cui:
            message = "The row names no concept; it is left out."
            faults.error("empty-cell", message, "Fill the cell.", line=row.line, value=word)
        elif meant is None:
            near = get_close_matches(word.lower(), KINDS, n=1)
            remedy = f"Did you mean {near[0]}?" if near else f"Write one of {', '.join(KINDS)}."
            message = f"{tables.quoted(word)} is no kind of concept; the row is left out."
            report("unknown-kind", message, remedy, line=row.line, value=word)
        elif kinds.get(cui) == meant:
            message = f"{cui} stands on line {lines[cui]} already."
            faults.warning("repeated-row", message, "Remove the row.", line=row.line, value=cui)
        elif meant != UNKNOWN and cui in kinds:
            message = f"{cui} is {kinds[cui]} on line {lines[cui]} and {meant} here; {kinds[cui]} counts."
            report("two-kinds", message, "Keep one of the two rows.", line=row.line, value=cui)
        elif meant != UNKNOWN:
            kinds[cui], lines[cui] = meant, row.line
    return KindRows(kinds, lines, form, len(kinds))
