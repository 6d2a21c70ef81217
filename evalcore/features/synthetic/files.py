"""Tables about generated images: features, and weights of features."""

from __future__ import annotations

import math

import pandas as pd

from evalcore.features.synthetic.wsi import LARGEST, UNDEFINED, channels_of, feature_weights
from evalcore.study.tables.files import check_memory, parse_float, reader
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, Rule, quoted
from evalcore.study.tables.schema import IMAGE, NO_ROWS, Column, Schema
from evalcore.values.errors import SettingError

# Features: ``ID,f1,f2,...``, one row per image, one number per cell.

CELLS = dict.fromkeys(("", "nan", "na", "n/a"), math.nan) | {"undefined": UNDEFINED}
"""What a cell that is no number means, lower case: not measured, or measured and without a value."""
MAX_FEATURES = 10_000
_CELL_BYTES = 100
FEATURES = Schema((IMAGE,), "Let the first row be: ID,f1,f2.", keys=("id",), others="keep", no_rows=NO_ROWS)


@reader(lambda _: None)
def parse_features(data: bytes, problems: Problems) -> pd.DataFrame | None:
    """Read a feature table: a row per image id, a column per feature.

    Rows without an id, with an id seen before or with another number of cells than the header are left out,
    as are columns without a name or with one seen before. Cells that are neither a number within ±``LARGEST``
    nor empty, "nan", "NA" (not measured) nor "undefined" count as not measured. None, with an error, without
    a row or without a feature.
    """
    rows = read(data, FEATURES, problems)
    columns: dict[str, int] = {}
    for at, name in enumerate(rows.data.column_names[1:], start=1):
        if name and name not in columns:
            columns[name] = at
            continue
        rule = "duplicate-column" if name else "unnamed-column"
        which = f"A second column is called {quoted(name)}" if name else "A column has no name"
        remedy = "Give each feature its own name."
        problems.error(rule, f"{which}; it is left out.", remedy, line=1, value=name)
    if rows.header and not columns:
        problems.error("no-features", "The file has no feature.", "Add one column per feature.", line=1)
    if len(columns) > MAX_FEATURES:
        message = f"There are {len(columns):,} features; at most {MAX_FEATURES:,} are read."
        problems.refuse("too-many-features", message, "Keep those that are needed.", line=1)
    check_memory(problems, len(columns) * rows.rows, _CELL_BYTES)
    if not (columns and rows.rows):
        return None
    values = {}
    for name, at in columns.items():
        cells = [str(cell or "") for cell in rows.data.column(at).to_pylist()]
        meaning = {cell: _number(cell) for cell in dict.fromkeys(cells)}
        bad = [i for i, cell in enumerate(cells) if meaning[cell] is None]
        problems.each(
            "error",
            "not-a-number",
            f"'{{value}}' under {quoted(name)} is not a number within ±{LARGEST:g}; it is left out.",
            'Write a number with a decimal point, leave the cell empty (not measured), or write "undefined".',
            lines=[int(rows.lines[i]) for i in bad],
            values=[cells[i] for i in bad],
        )
        values[name] = [math.nan if (value := meaning[cell]) is None else value for cell in cells]
    return pd.DataFrame(values, rows.texts("id"), list(columns))


def _number(cell: str) -> float | None:
    """The number of a cell: NaN where not measured, infinite where undefined; None where it is no number."""
    value = parse_float(cell)
    return value if value is not None and abs(value) <= LARGEST else CELLS.get(cell.lower())


# Weights: ``feature,weight``, one row per feature or per whole channel.

_NO_WEIGHT = Rule("wrong-weight", "'{value}' is no weight.", f"Write a number from 0 to {LARGEST:g}.")
WEIGHTS = Schema(
    (
        Column(("feature", "name", "channel")),
        Column(
            ("weight", "w"), number=_NO_WEIGHT, empty=_NO_WEIGHT._replace(message="A feature has no weight.")
        ),
    ),
    "Let the first row be: feature,weight.",
    keys=("feature",),
    duplicate=Rule(
        "duplicate-weight", "The weight of '{value}' is already on line {first}.", "Keep one of them."
    ),
    no_rows=NO_ROWS,
)


@reader(lambda _: None)
def parse_weights(data: bytes, problems: Problems, names: pd.Index | None = None) -> dict[str, float] | None:
    """Read weights by feature or channel; whatever is not from 0 to ``LARGEST`` is an error and left out.

    names: the features there are, where they are known: weights of others, and of 0 only, are errors too.
    None without a weight.
    """
    rows, weights = read(data, WEIGHTS, problems), {}
    known = None if names is None else {*names, *channels_of(names)}
    for name, weight, line in zip(rows.texts("feature"), rows.numbers("weight"), rows.lines, strict=True):
        if not 0 <= weight <= LARGEST:
            message = f"'{weight:g}' is no weight of {quoted(name)}."
            problems.error("wrong-weight", message, _NO_WEIGHT.remedy, line=int(line), value=name)
        elif known is not None and name not in known:
            message = f"There is no feature or channel called {quoted(name)}."
            remedy = "Use the names of the feature table, or the part before the first dot for a channel."
            problems.error("unknown-feature", message, remedy, line=int(line), value=name)
        else:
            weights[name] = float(weight)
    if names is not None:
        try:
            feature_weights(names, weights)
        except SettingError:
            remedy = "Give at least one feature a weight above 0."
            problems.refuse("no-weight", "Every feature weighs 0.", remedy)
    return weights or None
