"""Groups of images wherever they are, measured: the same features of all, with the pictures and vectors of
their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evalcore.features.synthetic.copies import hashes_of, near_copies
from evalcore.features.synthetic.measure import COLOURS, GREY, NAMES, ImageSettings
from evalcore.features.synthetic.read.files import parse_features
from evalcore.features.synthetic.read.pictures import (
    LEFT_OUT,
    MeasuredPictures,
    Pictures,
    measure_pictures,
    pictures_of,
)
from evalcore.features.synthetic.wsi import matrix
from evalcore.study.tables.files import parse_file
from evalcore.study.tables.ids import positions
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.tables.tables import quoted
from evalcore.study.vectors.files import VectorRows, parse_embeddings
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import listed

LISTED = 6
"""Names of features that a message lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A group before it is measured: its pictures or its features, and vectors of its images, if any.

    file: what messages call it. report: what is wrong so far.
    """

    name: str
    pictures: Pictures | None = None
    features: pd.DataFrame | None = None
    vectors: VectorRows | None = None
    file: str = ""
    report: Report = field(default_factory=Report)

    @property
    def digest(self) -> str:
        content: list[object] = [self.pictures.digest] if self.pictures else []
        if self.features is not None:
            content += [list(self.features.index), list(self.features), matrix(self.features)]
        if self.vectors is not None:
            content += [list(self.vectors.ids), self.vectors.vectors]
        return digest_of(self.name, *content)


def source_of(name: str, path: Path, vectors: Path | None = None) -> Source:
    """A folder or zip of images, or a feature table; and a file of its vectors.

    The source contains what is wrong with them, and has neither pictures nor features where nothing can be
    read.
    """
    problems = Problems(path.name)
    pictures = features = rows = None
    if not path.exists():
        message = f"There is no file or folder {quoted(str(path))}."
        remedy = "Give a folder or zip of images, or a feature table ID,f1,f2."
        problems.error("missing-file", message, remedy, value=path)
    elif path.is_dir() or path.suffix.lower() == ".zip":
        pictures, report = guarded(problems.file, lambda problems: pictures_of(path, problems), None)
        problems.include(report)
    else:
        features, report = parse_file(parse_features, path, None)
        problems.include(report)
    if vectors is not None:
        rows, report = parse_file(parse_embeddings, vectors, None)
        problems.include(report)
    return Source(name, pictures, features, rows, problems.file, problems.report())


# Measured groups.


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A measured group: features by image id. pictures: those of its rows, in their order; None where there
    are features only. vectors: shape (n, k), rows of NaN for images without one; None where the group has
    none. left_out: images that could not be measured."""

    name: str
    features: pd.DataFrame
    pictures: Pictures | None = None
    vectors: Floats | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """Real images and groups of generated ones, all with the same features; ``everyone``: real ones first."""

    everyone: tuple[Group, ...]
    digest: str

    @property
    def real(self) -> Group:
        return self.everyone[0]

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of generated images."""
        return self.everyone[1:]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The features by group, of the real images first."""
        return {group.name: group.features for group in self.everyone}

    @property
    def with_pictures(self) -> bool:
        """Whether all groups have pictures."""
        return all(group.pictures is not None for group in self.everyone)


def read_groups(
    sources: Sequence[Source], *, settings: ImageSettings, progress: Progress = silent
) -> tuple[Material | None, Report]:
    """Measure the groups, real images first, and give all the features that they have in common.

    A group without a single usable image is an error and left out. None without real images, without
    another group or without a common feature.
    """
    problems, channels = Problems(""), None
    measured: dict[int, MeasuredPictures] = {}
    kept: dict[int, tuple[Source, int]] = {}
    for i, source in enumerate(sources):
        problems.include(source.report)
        if source.pictures is None:
            kept |= {i: (source, 0)} if source.features is not None else {}
            continue
        source = replace(source, pictures=source.pictures.with_planes(settings.planes))
        own, part = Problems(source.file), part_of(progress, i, len(sources), name=source.name)
        assert source.pictures is not None
        result = measure_pictures(source.pictures, own, settings=settings, channels=channels, progress=part)
        if result is None:
            own.error("no-images", "No image of this group can be measured.", "See the other problems.")
        else:
            channels, measured[i] = result.channels, result
            counts = (source.report + own.report()).counts
            kept[i] = source, sum(n for (_, _, rule), n in counts.items() if rule in LEFT_OUT)
        problems.include(own.report())
    progress(1, "")
    if len(kept) < 2 or 0 not in kept:
        return None, problems.report()
    _report_unlike([(problems.of(kept[at][0].file), part) for at, part in measured.items()])
    colours = COLOURS if any(part.tinted for part in measured.values()) else GREY
    tables: list[Any] = [
        _table(measured[at], colours) if at in measured else source.features
        for at, (source, _) in kept.items()
    ]
    shared = _common_features([source.name for source, _ in kept.values()], tables, problems)
    if not shared:
        return None, problems.report()
    groups = [
        _group(source, table[shared], left_out, settings.side)
        for (source, left_out), table in zip(kept.values(), tables, strict=True)
    ]
    digest = digest_of([source.digest for source, _ in kept.values()], settings)
    return Material(tuple(groups), digest), problems.report()


def _table(part: MeasuredPictures, colours: Sequence[str]) -> pd.DataFrame:
    """Measured features by image; a grey image has those of its one channel for each of the colours."""
    channels = part.channels or colours
    rows = [np.repeat(own, len(channels) // len(own), axis=0).reshape(-1) for own in part.features.values()]
    names = [f"{channel}.{feature}" for channel in channels for feature in NAMES]
    return pd.DataFrame(np.array(rows), list(part.features), names)


def _common_features(names: Sequence[str], tables: Sequence[pd.DataFrame], problems: Problems) -> list[str]:
    """The features that all groups have, in the order of the first; an error without any."""
    shared = [feature for feature in tables[0] if all(feature in table for table in tables)]
    for name, table in zip(names, tables, strict=True):
        own, of_group = [feature for feature in table if feature not in {*shared}], problems.of(name)
        if shared:
            message = f"{{n}} features are not in every group and left out: {listed(own, limit=LISTED)}."
            of_group.add_summary("feature-left-out", own, message, "")
        else:
            message = f"No feature is in all groups; {quoted(name)} has {listed(own, limit=LISTED)}."
            remedy = "Use the same feature names in every table."
            of_group.error("no-common-feature", message, remedy, value=own[0])
    return shared


def _report_unlike(measured: Sequence[tuple[Problems, MeasuredPictures]]) -> None:
    """Remarks on pictures whose pixels do not compare."""
    sides = {side for _, part in measured for side in part.sides}
    if len(sides) > 1:
        message = (
            f"The longer sides of the images are from {min(sides):,} to {max(sides):,} pixels; areas, radii, "
            "texture and sharpness are those of the pixels as they are."
        )
        measured[0][0].warning("different-sizes", message, "Scale them to one side.", count=len(sides))
    tinted = sum(part.tinted for _, part in measured)
    n = sum(len(part.features) for _, part in measured)
    if 0 < tinted < n and not any(part.channels for _, part in measured):
        message = f"{tinted:,} of {n:,} images of all groups are in colour, the others grey."
        remedy = "Grey ones count as equally red, green and blue; or measure the grey of all."
        measured[0][0].warning("mixed-colours", message, remedy, count=tinted)


def _group(source: Source, table: pd.DataFrame, left_out: int, side: int | None) -> Group:
    """What belongs to the rows of a table, in their order."""
    pictures, vectors, ids = source.pictures, None, list(table.index)
    if pictures is not None:
        pictures = replace(pictures.only(ids), side=side)
    if source.vectors is not None:
        at = positions(ids, source.vectors.ids)
        vectors = np.full((len(ids), source.vectors.vectors.shape[1]), np.nan)
        vectors[at >= 0] = source.vectors.vectors[at[at >= 0]]
    return Group(source.name, table, pictures, vectors, left_out)


# Which generated images nearly repeat a real one? By their pictures, else by their features.

FEWEST_FEATURES = 5
"""Features from which on equal values of all of them are no coincidence."""


def suspected_copies(material: Material, *, progress: Progress = silent) -> dict[str, list[str]]:
    """The images of each group that nearly repeat a real one, by their ids.

    Those whose picture has nearly the hash of a real image's, or, without pictures, whose features are all
    equal to a real image's; with fewer than ``FEWEST_FEATURES`` none is suspected.
    """
    real = material.real
    rows_of_real = {row.tobytes() for row in np.nan_to_num(matrix(real.features), nan=-np.pi)}
    hashes = None if real.pictures is None else hashes_of(real.pictures.all(), progress)
    result: dict[str, list[str]] = {}
    for group in material.groups:
        if hashes is not None and group.pictures is not None:
            pairs = near_copies(hashes, hashes_of(group.pictures.all(), progress))
            copies = {pair.generated for pair in pairs if pair.of_training}
        else:
            rows = np.nan_to_num(matrix(group.features), nan=-np.pi)
            enough = rows.shape[1] >= FEWEST_FEATURES
            copies = {i for i, row in enumerate(rows) if enough and row.tobytes() in rows_of_real}
        result[group.name] = [str(group.features.index[i]) for i in sorted(copies)]
    return result
