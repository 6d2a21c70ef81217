"""Weights of features: ``feature,weight``, one row per feature or per whole channel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evalcore.features.synthetic.features import channel_of
from evalcore.features.synthetic.tversky import given
from evalcore.study.tables import tables
from evalcore.study.tables.lines import parse_file, parsed
from evalcore.study.tables.problems import Problems, reader
from evalcore.values.problems import Report

FEATURE_NAMES = frozenset({"feature", "name", "channel"})
WEIGHT_NAMES = frozenset({"weight", "w"})
_HEADER = "Let the first row be: feature,weight."


@dataclass(frozen=True, slots=True)
class WeightRows:
    """Weight and line of each name."""

    weights: Mapping[str, float]
    lines: Mapping[str, int]
    file: str

    def __len__(self) -> int:
        return len(self.weights)


@reader(lambda file: WeightRows({}, {}, file))
def parse_weights(data: bytes, *, file: str) -> tuple[WeightRows, Report]:
    """Read a file of weights; whatever is no weight of at least 0 is an error and left out."""
    found = Problems(file)
    rows = tables.rows_of(data, found)
    weights: dict[str, float] = {}
    lines: dict[str, int] = {}
    header = rows[0].cells if rows else []
    at, weight_at = tables.named(header, FEATURE_NAMES), tables.named(header, WEIGHT_NAMES)
    if at is None or weight_at is None:
        if not found.n_errors:
            message = "The file must have a column feature and a column weight."
            found.error("wrong-header", message, _HEADER, line=1, value=",".join(header[:8]))
        return WeightRows(weights, lines, file), found.report()
    for row in tables.full_rows(rows[1:], found, len(header)):
        name, cell = row.cells[at], row.cells[weight_at]
        value = parsed(cell)
        if value is None or not math.isfinite(value) or value < 0:
            message = f"{tables.quoted(cell)} is no weight of {tables.quoted(name)}."
            found.error("wrong-weight", message, "Write a number of at least 0.", line=row.line, value=cell)
        elif name in lines:
            message = f"The weight of {tables.quoted(name)} stands on line {lines[name]} already."
            found.error("duplicate-weight", message, "Keep one of them.", line=row.line, value=name)
        else:
            weights[name], lines[name] = value, row.line
    if not weights and not found.n_errors:
        found.error("no-rows", "The file holds no weight.", _HEADER, line=1)
    return WeightRows(MappingProxyType(weights), MappingProxyType(lines), file), found.report()


def read_weights(path: Path) -> tuple[WeightRows, Report]:
    """The same of a file on disk; no weights, with an error, when it cannot be read."""
    return parse_file(parse_weights, path, WeightRows({}, {}, path.name))


@reader(lambda _: {})
def bind_weights(rows: WeightRows, names: Sequence[str]) -> tuple[dict[str, float], Report]:
    """The weights of names that are features or channels; others are errors, and so are weights of 0 only."""
    found = Problems(rows.file)
    known = {*names, *map(channel_of, names)}
    for name in rows.weights:
        if name not in known:
            message = f"There is no feature or channel called {tables.quoted(name)}."
            remedy = (
                "Use the names of the feature table, or the part before the first dot for a whole channel."
            )
            found.error("unknown-feature", message, remedy, line=rows.lines[name], value=name)
    weights = {name: weight for name, weight in rows.weights.items() if name in known}
    if names and weights and not given(names, weights).any():
        found.error("no-weight", "Every feature weighs 0.", "Give at least one feature a weight above 0.")
    return weights, found.report()
