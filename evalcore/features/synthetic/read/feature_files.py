"""Feature tables: ``ID,f1,f2,...``, one row per image, one number per cell."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from evalcore.features.synthetic.features import UNDEFINED, FeatureTable, table
from evalcore.study.tables import tables
from evalcore.study.tables.guard import reader
from evalcore.study.tables.limits import fits
from evalcore.study.tables.numbers import parsed
from evalcore.study.tables.problems import Problems
from evalcore.values.problems import Report

MISSING = frozenset({"", "nan", "na", "n/a"})
"""Cells of a feature that was not measured, lower case."""
NO_VALUE = "undefined"
"""The cell of a feature that was measured and does not exist in this image."""
MAX_FEATURES = 10_000
_CELL_BYTES = 100
_HEADER = "Let the first row name the columns: ID,f1,f2."


@reader(lambda _: None)
def parse_features(data: bytes, *, file: str, name: str = "") -> tuple[FeatureTable | None, Report]:
    """Read a feature table; ``name`` is that of the group.

    Returns the table and every problem. Rows without an id, with an id seen before or with another number of
    cells than the header are left out, as are columns without a name or with one seen before. Cells that are
    neither a finite number nor empty, "nan", "NA" (not measured) nor "undefined" count as not measured. None
    without a row or without a feature.
    """
    found = Problems(file)
    rows = tables.rows_of(data, found)
    if not rows:
        if not found.n_errors:
            found.error("no-rows", "The file holds no table.", _HEADER)
        return None, found.report()
    columns = _columns(rows[0], found)
    if not columns or not fits(found, len(columns) * len(rows), _CELL_BYTES):
        return None, found.report()
    remedy = "Give each column of the header one cell; leave it empty where nothing was measured."
    kept = list(tables.rows_of_images(rows[1:], found, len(rows[0].cells), remedy))
    if not kept:
        message = "The file has a header and no row that can be used."
        found.error("no-rows", message, "Give each image a row.", line=rows[0].line)
        return None, found.report()
    values = np.array([[_value(row, at, columns[at], found) for at in columns] for row in kept])
    ids = [row.cells[0] for row in kept]
    return table(ids, list(columns.values()), values, name=name), found.report()


def _columns(header: tables.Row, found: Problems) -> dict[int, str]:
    """Feature by column position."""
    names = header.cells
    report = partial(found.error, line=header.line)
    if names[0].lower() not in tables.ID_NAMES:
        message = f"The first column must hold the image ids; it is called {tables.quoted(names[0])}."
        report("wrong-header", message, _HEADER, value=names[0])
        return {}
    if len(names) - 1 > MAX_FEATURES:
        message = f"There are {len(names) - 1:,} features; at most {MAX_FEATURES:,} are read."
        report("too-many-features", message, "Keep those that are needed.", value=len(names) - 1)
        return {}
    columns: dict[int, str] = {}
    first: dict[str, int] = {}
    for at, name in enumerate(names[1:], start=1):
        if not name:
            report("unnamed-column", f"Column {at + 1} has no name; it is left out.", "Name it.")
        elif name in first:
            both = f"Columns {first[name] + 1} and {at + 1} are both called {tables.quoted(name)}"
            message = f"{both}; the second is left out."
            report("duplicate-column", message, "Give each feature its own name.", value=name)
        else:
            first[name] = at
            columns[at] = name
    if not columns:
        report("no-features", "The file has no feature.", "Add one column per feature.")
    return columns


def _value(row: tables.Row, at: int, feature: str, found: Problems) -> float:
    """The number of a cell: NaN where not measured, infinite where undefined."""
    cell = row.cells[at]
    value = parsed(cell)
    if value is not None and math.isfinite(value):
        return value
    if cell.lower() in MISSING:
        return math.nan
    if cell.lower() == NO_VALUE:
        return UNDEFINED
    message = f"{tables.quoted(cell)} under {tables.quoted(feature)} is not a finite number; it is left out."
    remedy = (
        f'Write a number with a decimal point, leave the cell empty (not measured), or write "{NO_VALUE}".'
    )
    found.error("not-a-number", message, remedy, line=row.line, value=cell)
    return math.nan
