"""Tables about generated images: features, weights of features, and which images people prefer."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from evalcore.features.synthetic.wsi import UNDEFINED, channels_of, feature_weights
from evalcore.study.tables.files import parse_float, within_memory_limit
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import IMAGE, NO_ROWS, Column, Rows, Rule, Schema
from evalcore.study.tables.tables import quoted
from evalcore.values.errors import SettingError

# Features: ``ID,f1,f2,...``, one row per image, one number per cell.

CELLS = dict.fromkeys(("", "nan", "na", "n/a"), math.nan) | {"undefined": UNDEFINED}
"""What a cell that is no number means, lower case: not measured, or measured and without a value."""
MAX_FEATURES = 10_000
_CELL_BYTES = 100
_HEADER = "Let the first row name the columns: ID,f1,f2."
FEATURES = Schema(
    (IMAGE,),
    remedy="Give each column of the header one cell; leave it empty where nothing was measured.",
    header="first",
    others="keep",
    keys=("id",),
)


@reader(lambda _: None)
def parse_features(data: bytes, problems: Problems) -> pd.DataFrame | None:
    """Read a feature table: a row per image id, a column per feature.

    Rows without an id, with an id seen before or with another number of cells than the header are left out,
    as are columns without a name or with one seen before. Cells that are neither a finite number nor empty,
    "nan", "NA" (not measured) nor "undefined" count as not measured. None, with an error, without a row or
    without a feature.
    """
    rows = read(data, FEATURES, problems)
    if not rows.header:
        if not problems.n_errors:
            problems.error("no-rows", "The file contains no table.", _HEADER)
        return None
    first, *names = rows.header
    n, first_is = len(names), f"The first column must contain the image ids; it is called {quoted(first)}."
    most = f"There are {n:,} features; at most {MAX_FEATURES:,} are read."
    for rule, wrong, message, remedy in (
        ("wrong-header", first.lower() not in IMAGE.names, first_is, _HEADER),
        ("too-many-features", n > MAX_FEATURES, most, "Keep those that are needed."),
        ("no-features", not any(names), "The file has no feature.", "Add one column per feature."),
    ):
        if wrong:
            problems.error(rule, message, remedy, line=1, value=first)
            return None
    columns: dict[str, int] = {}
    for at, name in enumerate(names, start=1):
        if not name:
            message = f"Column {at + 1} has no name; it is left out."
            problems.error("unnamed-column", message, "Name it.", line=1)
        elif columns.setdefault(name, at) != at:
            both = f"Columns {columns[name] + 1} and {at + 1} are both called {quoted(name)}"
            message, remedy = f"{both}; the second is left out.", "Give each feature its own name."
            problems.error("duplicate-column", message, remedy, line=1, value=name)
    if not within_memory_limit(problems, len(columns) * rows.rows, _CELL_BYTES):
        return None
    if not rows.rows:
        message = "The file has a header and no row that can be used."
        problems.error("no-rows", message, "Give each image a row.", line=1)
        return None
    values = {}
    for name, at in columns.items():
        cells = [str(cell or "") for cell in rows.data.column(at).to_pylist()]
        known = {cell: _number(cell) for cell in dict.fromkeys(cells)}
        bad = [i for i, cell in enumerate(cells) if known[cell] is None]
        problems.each(
            "error",
            "not-a-number",
            f"'{{value}}' under {quoted(name)} is not a finite number; it is left out.",
            'Write a number with a decimal point, leave the cell empty (not measured), or write "undefined".',
            lines=[int(rows.lines[i]) for i in bad],
            values=[cells[i] for i in bad],
        )
        values[name] = [math.nan if (value := known[cell]) is None else value for cell in cells]
    return pd.DataFrame(values, rows.texts("id"), list(columns))


def _number(cell: str) -> float | None:
    """The number of a cell: NaN where not measured, infinite where undefined; None where it is no number."""
    value = parse_float(cell)
    return value if value is not None and math.isfinite(value) else CELLS.get(cell.lower())


# Weights: ``feature,weight``, one row per feature or per whole channel.

_NO_WEIGHT = Rule("wrong-weight", "{value} is no weight.", "Write a number of at least 0.")
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
        "duplicate-weight", "The weight of {value} is already on line {first}.", "Keep one of them."
    ),
    no_rows=NO_ROWS,
)


@reader(lambda _: None)
def parse_weights(data: bytes, problems: Problems) -> Rows | None:
    """Read a file of weights; whatever is no weight of at least 0 is an error and left out. None without a
    weight."""
    rows = read(data, WEIGHTS, problems)
    weights, names = rows.numbers("weight"), rows.texts("feature")
    for i in np.flatnonzero(weights < 0):
        message = f"'{weights[i]:g}' is no weight of {quoted(names[i])}."
        line = int(rows.lines[i])
        problems.error("wrong-weight", message, _NO_WEIGHT.remedy, line=line, value=names[i])
    return rows.where(weights >= 0) if (weights >= 0).any() else None


@reader(lambda _: {})
def bind_weights(rows: Rows, problems: Problems, names: pd.Index) -> dict[str, float]:
    """The weights of names that are features or channels; others are errors, and so are weights of 0 only."""
    known, weights = {*names, *channels_of(names)}, {}
    for name, weight, line in zip(rows.texts("feature"), rows.numbers("weight"), rows.lines, strict=True):
        if name in known:
            weights[name] = float(weight)
            continue
        message = f"There is no feature or channel called {quoted(name)}."
        remedy = "Use the names of the feature table, or the part before the first dot for a whole channel."
        problems.error("unknown-feature", message, remedy, line=int(line), value=name)
    try:
        feature_weights(names, weights)
    except SettingError:
        problems.error("no-weight", "Every feature weighs 0.", "Give at least one feature a weight above 0.")
    return weights


# People: which of two images is better.

PAIRS = Schema(
    (
        Column(("first",)),
        Column(("second",)),
        Column(("better", "preferred", "choice")),
        Column(("rater", "reader", "person", "user"), required=False, empty=None),
    ),
    "Let the first row be: first,second,better.",
    keys=("rater", "first", "second"),
    duplicate=Rule(
        "duplicate-pair", "The pair {value} is already on line {first}.", "Keep one row per pair."
    ),
    no_rows=NO_ROWS,
)
Choice = Literal["first", "second", "tie"]


class PairJudgment(NamedTuple):
    """Which of two images a person found better."""

    first: str
    second: str
    better: Choice


@reader(lambda _: None)
def parse_pairs(data: bytes, problems: Problems) -> tuple[PairJudgment, ...] | None:
    """Read which of two images people found better; None, with an error, without a usable row.

    ``better`` is the id of an image of the pair, "first", "second" or "tie"; several people are told apart by
    a column ``rater``. Pairs of an image with itself, and second judgments of a pair by the same rater, are
    errors and left out.
    """
    pairs, rows = [], read(data, PAIRS, problems)
    columns = (rows.texts(name) for name in ("first", "second", "better"))
    for line, first, second, better in zip(rows.lines, *columns, strict=True):
        chosen: dict[str, Choice] = {first: "first", second: "second"}
        chosen |= {"first": "first", "second": "second", "tie": "tie"}
        if first != second and better in chosen:
            pairs.append(PairJudgment(first, second, chosen[better]))
            continue
        itself = f"The pair compares {quoted(first)} with itself."
        neither = f"{quoted(better)} is neither {quoted(first)} nor {quoted(second)}."
        message = f"{itself if first == second else neither} The row is left out."
        remedy = "Write the id of the better image, or tie."
        problems.error("wrong-choice", message, remedy, line=int(line), value=better)
    return tuple(pairs) or None
