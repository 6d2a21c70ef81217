"""Tables about generated images: features, weights of features, and what people thought of the images."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from evalcore.features.synthetic.wsi import UNDEFINED, channel_of, feature_weights
from evalcore.study.tables.files import parse_file, parse_float, within_memory_limit
from evalcore.study.tables.load import header_of, read
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import (
    DUPLICATE_ID,
    IMAGE,
    NO_ROWS,
    NOT_A_NUMBER,
    Column,
    Rows,
    Rule,
    Schema,
)
from evalcore.study.tables.tables import named, quoted
from evalcore.values.errors import Report, SettingError

# Features: ``ID,f1,f2,...``, one row per image, one number per cell.

MISSING = frozenset({"", "nan", "na", "n/a"})
"""Cells of a feature that was not measured, lower case."""
NO_VALUE = "undefined"
"""The cell of a feature that was measured and does not exist in this image."""
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
    columns = _feature_columns(rows.header, problems)
    if not columns or not within_memory_limit(problems, len(columns) * rows.rows, _CELL_BYTES):
        return None
    if not rows.rows:
        message = "The file has a header and no row that can be used."
        problems.error("no-rows", message, "Give each image a row.", line=1)
        return None
    values = np.empty((rows.rows, len(columns)))
    for k, (at, name) in enumerate(columns.items()):
        cells = [str(cell or "") for cell in rows.data.column(at).to_pylist()]
        known = {cell: _feature_value(cell) for cell in dict.fromkeys(cells)}
        bad = [i for i, cell in enumerate(cells) if known[cell] is None]
        problems.each(
            "error",
            "not-a-number",
            f"'{{value}}' under {quoted(name)} is not a finite number; it is left out.",
            "Write a number with a decimal point, leave the cell empty (not measured), or write "
            f'"{NO_VALUE}".',
            lines=[int(rows.lines[i]) for i in bad],
            values=[cells[i] for i in bad],
        )
        values[:, k] = [math.nan if (value := known[cell]) is None else value for cell in cells]
    return pd.DataFrame(values, rows.texts("id"), list(columns.values()))


def _feature_columns(header: Sequence[str], problems: Problems) -> dict[int, str]:
    """Feature by the position of its column; none where the header cannot be used."""
    if not header:
        if not problems.n_errors:
            problems.error("no-rows", "The file contains no table.", _HEADER)
        return {}
    if header[0].lower() not in IMAGE.names:
        message = f"The first column must contain the image ids; it is called {quoted(header[0])}."
        problems.error("wrong-header", message, _HEADER, line=1, value=header[0])
        return {}
    if len(header) - 1 > MAX_FEATURES:
        message = f"There are {len(header) - 1:,} features; at most {MAX_FEATURES:,} are read."
        problems.error(
            "too-many-features", message, "Keep those that are needed.", line=1, value=len(header) - 1
        )
        return {}
    first: dict[str, int] = {}
    for at, name in enumerate(header[1:], start=1):
        if not name:
            problems.error(
                "unnamed-column", f"Column {at + 1} has no name; it is left out.", "Name it.", line=1
            )
        elif name in first:
            both = f"Columns {first[name] + 1} and {at + 1} are both called {quoted(name)}"
            remedy = "Give each feature its own name."
            problems.error("duplicate-column", f"{both}; the second is left out.", remedy, line=1, value=name)
        else:
            first[name] = at
    if not first:
        problems.error("no-features", "The file has no feature.", "Add one column per feature.", line=1)
    return {at: name for name, at in first.items()}


def _feature_value(cell: str) -> float | None:
    """The number of a cell: NaN where not measured, infinite where undefined; None where it is no number."""
    value = parse_float(cell)
    if value is not None and math.isfinite(value):
        return value
    return math.nan if cell.lower() in MISSING else UNDEFINED if cell.lower() == NO_VALUE else None


# Weights: ``feature,weight``, one row per feature or per whole channel.

WEIGHTS = Schema(
    (
        Column(("feature", "name", "channel")),
        Column(
            ("weight", "w"),
            number=Rule("wrong-weight", "{value} is no weight.", "Write a number of at least 0."),
            empty=Rule("wrong-weight", "A feature has no weight.", "Write a number of at least 0."),
        ),
    ),
    "Let the first row be: feature,weight.",
    keys=("feature",),
    duplicate=Rule(
        "duplicate-weight", "The weight of {value} is already on line {first}.", "Keep one of them."
    ),
    no_rows=NO_ROWS,
)


@dataclass(frozen=True, slots=True)
class WeightRows:
    """Weight and line of each name in a file."""

    weights: Mapping[str, float]
    lines: Mapping[str, int]
    file: str

    def __len__(self) -> int:
        return len(self.weights)


@reader(lambda file: WeightRows({}, {}, file))
def parse_weights(data: bytes, problems: Problems) -> WeightRows:
    """Read a file of weights; whatever is no weight of at least 0 is an error and left out."""
    rows = read(data, WEIGHTS, problems)
    weights: dict[str, float] = {}
    lines: dict[str, int] = {}
    for name, weight, line in zip(rows.texts("feature"), rows.numbers("weight"), rows.lines, strict=True):
        if weight < 0:
            message = f"'{weight:g}' is no weight of {quoted(name)}."
            problems.error(
                "wrong-weight", message, "Write a number of at least 0.", line=int(line), value=name
            )
        else:
            weights[name], lines[name] = float(weight), int(line)
    return WeightRows(MappingProxyType(weights), MappingProxyType(lines), problems.file)


def read_weights(path: Path) -> tuple[WeightRows, Report]:
    """The same of a file on disk; no weights, with an error, when it cannot be read."""
    return parse_file(parse_weights, path, WeightRows({}, {}, path.name))


@reader(lambda _: {})
def bind_weights(rows: WeightRows, problems: Problems, names: pd.Index) -> dict[str, float]:
    """The weights of names that are features or channels; others are errors, and so are weights of 0 only."""
    known = {*names, *map(channel_of, names)}
    for name in rows.weights:
        if name not in known:
            message = f"There is no feature or channel called {quoted(name)}."
            remedy = (
                "Use the names of the feature table, or the part before the first dot for a whole channel."
            )
            problems.error("unknown-feature", message, remedy, line=rows.lines[name], value=name)
    weights = {name: weight for name, weight in rows.weights.items() if name in known}
    try:
        feature_weights(names, weights)
    except SettingError:
        problems.error("no-weight", "Every feature weighs 0.", "Give at least one feature a weight above 0.")
    return weights


# People: ``ID,rank`` (1 is the best) or ``ID,score`` (more is better) of images, or which of two is better.

WAY_OUT = (
    "Give the header ID,rank (1 is the best), ID,score (more is better), or first,second,better for pairs."
)
_NUMBER = NOT_A_NUMBER._replace(remedy="Give a number, or remove the row.")
_RATER = Column(("rater", "reader", "person", "user"), required=False, empty=None)
RATINGS = Schema(
    (
        IMAGE,
        Column(("rank", "place", "position"), required=False, number=_NUMBER, empty=None),
        Column(("score", "rating", "value", "mean"), required=False, number=_NUMBER, empty=None),
        _RATER,
    ),
    WAY_OUT,
    keys=("rater", "id"),
    duplicate=DUPLICATE_ID,
)
PAIRS = Schema(
    (Column(("first",)), Column(("second",)), Column(("better", "preferred", "choice")), _RATER),
    "Let the first row be: first,second,better.",
    keys=("rater", "first", "second"),
    duplicate=Rule(
        "duplicate-pair", "The pair {value} is already on line {first}.", "Keep one row per pair."
    ),
)
Choice = Literal["first", "second", "tie"]


class PairJudgment(NamedTuple):
    """Which of two images a person found better."""

    first: str
    second: str
    better: Choice


@dataclass(frozen=True, slots=True)
class People:
    """What people thought: ratings of images, more is better (ranks with a minus, the mean over raters), or
    pairs."""

    ratings: Mapping[str, float]
    pairs: tuple[PairJudgment, ...] = ()


@reader(lambda _: None)
def parse_people(data: bytes, problems: Problems) -> People | None:
    """Read what people thought of images; None, with an error, without a usable row.

    Ratings: rows without an id or a finite number, and second rows of an image (by the same rater) are
    errors and left out; equal ranks are ties. Pairs: ``better`` is the id of an image of the pair, "first",
    "second" or "tie".
    """
    header = header_of(data, RATINGS)
    people = (
        _pairs(data, problems)
        if "first" in header and "second" in header
        else _ratings(data, header, problems)
    )
    if not (people.ratings or people.pairs):
        if not problems.n_errors:
            problems.error("no-rows", "No row of this file can be used.", WAY_OUT)
        return None
    return people


def _ratings(data: bytes, header: Sequence[str], problems: Problems) -> People:
    columns = [column for column in RATINGS.columns if named(header, column.names) is not None]
    names = [column.name for column in columns]
    if header and not {"rank", "score"} & {*names}:
        message = (
            f"A column of ids and one called rank or score are needed; there are {quoted(', '.join(header))}."
        )
        problems.error("wrong-header", message, WAY_OUT, line=1)
        return People({})
    kind = "rank" if "rank" in names else "score"
    if {"rank", "score"} <= {*names}:
        problems.warning(
            "two-columns", "There are ranks and scores; the ranks are used.", "Keep one of them."
        )
    used = tuple(
        replace(column, empty=_NUMBER if column.name == kind else column.empty)
        for column in columns
        if column.name in ("id", kind, "rater")
    )
    rows = read(data, replace(RATINGS, columns=used), problems)
    values: dict[str, list[float]] = {}
    for image, value in zip(rows.texts("id"), rows.numbers(kind) if rows.rows else (), strict=True):
        values.setdefault(image, []).append(-value if kind == "rank" else value)
    return People({image: math.fsum(given) / len(given) for image, given in values.items()})


def _pairs(data: bytes, problems: Problems) -> People:
    rows: Rows = read(data, PAIRS, problems)
    pairs = []
    columns = (rows.texts(name) for name in ("first", "second", "better"))
    for line, first, second, better in zip(rows.lines, *columns, strict=True):
        chosen: dict[str, Choice] = {
            first: "first",
            second: "second",
            "first": "first",
            "second": "second",
            "tie": "tie",
        }
        if first == second or better not in chosen:
            message = (
                f"The pair compares {quoted(first)} with itself."
                if first == second
                else f"{quoted(better)} is neither {quoted(first)} nor {quoted(second)}."
            )
            remedy = "Write the id of the better image, or tie."
            problems.error(
                "wrong-choice", f"{message} The row is left out.", remedy, line=int(line), value=better
            )
        else:
            pairs.append(PairJudgment(first, second, chosen[better]))
    return People({}, tuple(pairs))
