"""Feature tables: ``ID,f1,f2,...``, one row per image, one number per cell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np

from evalcore.features.synthetic.copies import near_copies
from evalcore.features.synthetic.evaluation.evaluate import Suspected
from evalcore.features.synthetic.features import UNDEFINED, FeatureTable, channel_of, table
from evalcore.features.synthetic.read.material import Material, Part
from evalcore.features.synthetic.tversky import given
from evalcore.study.tables import tables
from evalcore.study.tables.files import parse_file, parse_float, within_memory_limit
from evalcore.study.tables.problems import Problems, reader
from evalcore.study.tables.schema import IMAGE
from evalcore.values.errors import Report
from evalcore.values.progress import Progress, silent

MISSING = frozenset({"", "nan", "na", "n/a"})
"""Cells of a feature that was not measured, lower case."""
NO_VALUE = "undefined"
"""The cell of a feature that was measured and does not exist in this image."""
MAX_FEATURES = 10_000
_CELL_BYTES = 100
_FEATURE_FILES_HEADER = "Let the first row name the columns: ID,f1,f2."


@reader(lambda _: None)
def parse_features(data: bytes, problems: Problems, *, name: str = "") -> FeatureTable | None:
    """Read a feature table; ``name`` is that of the group.

    Returns the table and every problem. Rows without an id, with an id seen before or with another number of
    cells than the header are left out, as are columns without a name or with one seen before. Cells that are
    neither a finite number nor empty, "nan", "NA" (not measured) nor "undefined" count as not measured. None
    without a row or without a feature.
    """
    rows = tables.rows_of(data, problems)
    if not rows:
        if not problems.n_errors:
            problems.error("no-rows", "The file contains no table.", _FEATURE_FILES_HEADER)
        return None
    columns = _columns(rows[0], problems)
    if not columns or not within_memory_limit(problems, len(columns) * len(rows), _CELL_BYTES):
        return None
    remedy = "Give each column of the header one cell; leave it empty where nothing was measured."
    kept = list(tables.rows_of_images(rows[1:], problems, len(rows[0].cells), remedy))
    if not kept:
        message = "The file has a header and no row that can be used."
        problems.error("no-rows", message, "Give each image a row.", line=rows[0].line)
        return None
    values = np.array([[_value(row, at, columns[at], problems) for at in columns] for row in kept])
    ids = [row.cells[0] for row in kept]
    return table(ids, list(columns.values()), values, name=name)


def _columns(header: tables.Row, problems: Problems) -> dict[int, str]:
    """Feature by column position."""
    names = header.cells
    report = partial(problems.error, line=header.line)
    if names[0].lower() not in IMAGE.names:
        message = f"The first column must contain the image ids; it is called {tables.quoted(names[0])}."
        report("wrong-header", message, _FEATURE_FILES_HEADER, value=names[0])
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


def _value(row: tables.Row, at: int, feature: str, problems: Problems) -> float:
    """The number of a cell: NaN where not measured, infinite where undefined."""
    cell = row.cells[at]
    value = parse_float(cell)
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
    problems.error("not-a-number", message, remedy, line=row.line, value=cell)
    return math.nan


# What people thought of generated images: ``ID,rank`` (1 is the best) or ``ID,score`` (more is better).

WAY_OUT = "Give the header ID,rank (1 is the best) or ID,score (more is better)."
_RATER = ("rater", "reader", "person", "user")
_RANK, _SCORE = ("rank", "place", "position"), ("score", "rating", "value", "mean")


@reader(lambda _: None)
def parse_rankings(data: bytes, problems: Problems) -> dict[str, float] | None:
    """Read a ranking or scores of people.

    Returns
    -------
    judged, report : {id: value}, more is better, so ranks are held with a minus; the mean over raters where a
        column ``rater`` names several. None without a usable row. Rows of the wrong length, without an id or
        a finite number, and second rows of an image (by the same rater) are errors and left out. Equal ranks
        are ties.
    """
    rows = tables.rows_of(data, problems)
    if not rows:
        if not problems.n_errors:
            problems.error("no-rows", "The file has no rows.", WAY_OUT)
        return None
    header = rows[0].cells
    at = tables.named(header, IMAGE.names)
    ranks, scores = tables.named(header, _RANK), tables.named(header, _SCORE)
    if at is None or (ranks is None and scores is None):
        shown = ", ".join(header)
        message = (
            f"A column of ids and one called rank or score are needed; there are {tables.quoted(shown)}."
        )
        problems.error("wrong-header", message, WAY_OUT, line=rows[0].line)
        return None
    rater_at = tables.named(header, _RATER)
    column, kind = (ranks, "rank") if ranks is not None else (scores, "score")
    if ranks is not None and scores is not None:
        problems.warning(
            "two-columns", "There are ranks and scores; the ranks are used.", "Keep one of them."
        )
    assert column is not None
    given: dict[str, dict[str, float]] = {}
    first: dict[tuple[str, str], int] = {}
    for row in tables.full_rows(rows[1:], problems, len(header), WAY_OUT):
        image, value = row.cells[at], parse_float(row.cells[column])
        rater = row.cells[rater_at] if rater_at is not None else ""
        if not image:
            tables.report_missing_id(problems, row)
        elif (rater, image) in first:
            tables.report_duplicate_id(problems, row.line, image, first[rater, image])
        elif value is None or not math.isfinite(value):
            message = (
                f"The {kind} of {tables.quoted(image)} is {tables.quoted(row.cells[column])}, no number; "
            )
            problems.error(
                "not-a-number",
                f"{message}the row is left out.",
                "Give a number, or remove the row.",
                line=row.line,
                value=image,
            )
        else:
            first[rater, image] = row.line
            given.setdefault(rater, {})[image] = -value if kind == "rank" else value
    values = _together(given)
    if not values:
        problems.error("no-rows", "No row of this file can be used.", WAY_OUT)
        return None
    return values


def _together(given: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The mean over the raters of each image."""
    images = dict.fromkeys(image for own in given.values() for image in own)
    return {
        image: math.fsum(own[image] for own in given.values() if image in own)
        / sum(image in own for own in given.values())
        for image in images
    }


def read_rankings(path: Path) -> tuple[dict[str, float] | None, Report]:
    """The same of a file; one that cannot be read is an error."""
    return parse_file(parse_rankings, path, None)


# Which generated images nearly repeat a real one? By their pictures, else by their features.

FEWEST_FEATURES = 5
"""Features from which on equal values of all of them are no coincidence."""


def suspected_copies(of: Material, *, progress: Progress = silent) -> tuple[Suspected, ...]:
    """One for each group: images whose picture has nearly the hash of a real image's, or, without pictures,
    whose features are all equal to a real image's; with fewer than ``FEWEST_FEATURES`` none is suspected."""
    with_pictures = [group for group in of.groups if group.pictures and of.archetypes.pictures]
    by_picture = _by_pictures(of.archetypes, with_pictures, progress)
    result = []
    for group in of.groups:
        ids = by_picture[group.name] if group.name in by_picture else _by_features(of.archetypes, group)
        result.append(Suspected(group.name, len(group.table), ids))
    return tuple(result)


def _by_pictures(real: Part, groups: list[Part], progress: Progress) -> dict[str, tuple[str, ...]]:
    """The suspected images of each group, by its name."""
    if not groups or real.pictures is None:
        return {}
    pictures = real.pictures.all()
    whose: list[tuple[str, str] | None] = [None] * len(pictures)
    for part in groups:
        assert part.pictures is not None
        pictures += part.pictures.all()
        whose += [(part.name, image) for image in part.pictures.ids]
    generated = np.arange(len(pictures)) >= len(real.pictures.ids)
    pairs = near_copies(pictures, generated, progress=progress).pairs
    copies = {whose[pair.first] for pair in pairs if pair.of_training}
    return {
        part.name: tuple(image for image in part.table.ids if (part.name, image) in copies) for part in groups
    }


def _by_features(real: Part, group: Part) -> tuple[str, ...]:
    """Images of which every feature is that of one real image."""
    values = group.table.values
    if values.shape[1] < FEWEST_FEATURES:
        return ()
    known = {row.tobytes() for row in np.nan_to_num(real.table.values, nan=-np.pi)}
    rows = np.nan_to_num(values, nan=-np.pi)
    return tuple(image for image, row in zip(group.table.ids, rows, strict=True) if row.tobytes() in known)


# Weights of features: ``feature,weight``, one row per feature or per whole channel.

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
def parse_weights(data: bytes, problems: Problems) -> WeightRows:
    """Read a file of weights; whatever is no weight of at least 0 is an error and left out."""
    rows = tables.rows_of(data, problems)
    weights: dict[str, float] = {}
    lines: dict[str, int] = {}
    header = rows[0].cells if rows else []
    at, weight_at = tables.named(header, FEATURE_NAMES), tables.named(header, WEIGHT_NAMES)
    if at is None or weight_at is None:
        if not problems.n_errors:
            message = "The file must have a column feature and a column weight."
            problems.error("wrong-header", message, _HEADER, line=1, value=",".join(header[:8]))
        return WeightRows(weights, lines, problems.file)
    for row in tables.full_rows(rows[1:], problems, len(header)):
        name, cell = row.cells[at], row.cells[weight_at]
        value = parse_float(cell)
        if value is None or not math.isfinite(value) or value < 0:
            message = f"{tables.quoted(cell)} is no weight of {tables.quoted(name)}."
            problems.error(
                "wrong-weight", message, "Write a number of at least 0.", line=row.line, value=cell
            )
        elif name in lines:
            message = f"The weight of {tables.quoted(name)} is already on line {lines[name]}."
            problems.error("duplicate-weight", message, "Keep one of them.", line=row.line, value=name)
        else:
            weights[name], lines[name] = value, row.line
    if not weights and not problems.n_errors:
        problems.error("no-rows", "The file contains no weight.", _HEADER, line=1)
    return WeightRows(MappingProxyType(weights), MappingProxyType(lines), problems.file)


def read_weights(path: Path) -> tuple[WeightRows, Report]:
    """The same of a file on disk; no weights, with an error, when it cannot be read."""
    return parse_file(parse_weights, path, WeightRows({}, {}, path.name))


@reader(lambda _: {})
def bind_weights(rows: WeightRows, problems: Problems, names: Sequence[str]) -> dict[str, float]:
    """The weights of names that are features or channels; others are errors, and so are weights of 0 only."""
    known = {*names, *map(channel_of, names)}
    for name in rows.weights:
        if name not in known:
            message = f"There is no feature or channel called {tables.quoted(name)}."
            remedy = (
                "Use the names of the feature table, or the part before the first dot for a whole channel."
            )
            problems.error("unknown-feature", message, remedy, line=rows.lines[name], value=name)
    weights = {name: weight for name, weight in rows.weights.items() if name in known}
    if names and weights and not given(names, weights).any():
        problems.error("no-weight", "Every feature weighs 0.", "Give at least one feature a weight above 0.")
    return weights
