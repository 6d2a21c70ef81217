"""Groups of images wherever they are, measured: the same features of all, with the pictures and vectors of
their rows."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from evalcore.features.synthetic.copies import near_copies
from evalcore.features.synthetic.measure import COLOURS, GREY, ImageSettings, feature_frame
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

_HOW = "Give a folder or zip of images, or a feature table ID,f1,f2."
LISTED = 6


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A group before it is measured: its pictures or its features, and vectors of its images, if any.

    file: how messages call it, by its name unless they are told. report: what is wrong so far.
    """

    name: str
    pictures: Pictures | None = None
    features: pd.DataFrame | None = None
    vectors: VectorRows | None = None
    file: str = ""
    report: Report = field(default_factory=Report)

    @property
    def usable(self) -> bool:
        """Whether there is anything to measure or to compare."""
        return self.pictures is not None or self.features is not None

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

    The source contains what is wrong with them, and is not usable where there is nothing of the kind.
    """
    problems = Problems(path.name if is_loop(path) or not path.exists() else absolute(path).name)
    pictures = features = rows = None
    if is_loop(path):
        message = f"{quoted(str(path))} is a link that leads back to itself."
        problems.error(
            "path-leaves-study", message, "Give the path of the folder or file itself.", value=path
        )
    elif not path.exists():
        problems.error("missing-file", f"There is no file or folder {quoted(str(path))}.", _HOW, value=path)
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


def sources_of(
    real: tuple[str, Path], groups: Sequence[tuple[str, Path]], vectors: Mapping[str, Path] | None = None
) -> list[Source]:
    """The real images and each (name, path) of the groups; ``vectors``: a file for those that have them.

    Two groups of one name are an error of the second.
    """
    first: dict[str, Path] = {}
    result = []
    for at, (name, path) in enumerate((real, *groups)):
        source = source_of(name, path, (vectors or {}).get(name))
        if at and name in first:
            problems = Problems(path.name)
            message = f"Two groups are called {quoted(name)}: {first[name]} and {path}."
            problems.error("duplicate-group", message, "Name them: NAME=PATH.", value=name)
            source = replace(source, report=problems.report() + source.report)
        if at:
            first.setdefault(name, path)
        result.append(source)
    return result


def absolute(path: Path) -> Path:
    """The path without links; with them where they lead back to themselves."""
    return path.absolute() if is_loop(path) else path.resolve()


def is_loop(path: Path) -> bool:
    """Whether a path is a link that leads back to itself."""
    try:
        path.resolve(strict=True)
    except RuntimeError:  # Python before 3.13
        return True
    except OSError as reason:
        return reason.errno == errno.ELOOP
    return False


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
    """Real images and groups of generated ones, all with the same features."""

    real: Group
    groups: tuple[Group, ...]
    digest: str

    @property
    def everyone(self) -> tuple[Group, ...]:
        """The real images, then the groups."""
        return (self.real, *self.groups)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The features of the groups by name."""
        return {group.name: group.features for group in self.groups}

    @property
    def all_tables(self) -> dict[str, pd.DataFrame]:
        """The features of the real images, then of the groups."""
        return {self.real.name: self.real.features, **self.tables}

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
    problems = Problems("")
    channels: tuple[str, ...] | None = None
    kept: list[tuple[int, Source, MeasuredPictures | pd.DataFrame, int]] = []
    for i, source in enumerate(sources):
        problems.include(source.report)
        if source.pictures is None:
            if source.features is not None:
                kept.append((i, source, source.features, 0))
            continue
        source = replace(source, pictures=source.pictures.with_planes(settings.planes))
        own = Problems(source.file or source.name)
        part = part_of(progress, i, len(sources), name=source.name)
        assert source.pictures is not None
        result = measure_pictures(source.pictures, own, settings=settings, channels=channels, progress=part)
        if result is None:
            own.error("no-images", "No image of this group can be measured.", "See the other problems.")
        else:
            channels = result.channels
            counts = (source.report + own.report()).counts
            kept.append((i, source, result, sum(n for (_, _, rule), n in counts.items() if rule in LEFT_OUT)))
        problems.include(own.report())
    progress(1, "")
    if len(kept) < 2 or kept[0][0] != 0:
        return None, problems.report()
    tables = _common_features([(source, read) for _, source, read, _ in kept], problems)
    if tables is None:
        return None, problems.report()
    groups = [
        _group(source, table, left_out, settings.side)
        for (_, source, _, left_out), table in zip(kept, tables, strict=True)
    ]
    digest = digest_of([source.digest for _, source, _, _ in kept], settings)
    return Material(groups[0], tuple(groups[1:]), digest), problems.report()


def _common_features(
    read: Sequence[tuple[Source, MeasuredPictures | pd.DataFrame]], problems: Problems
) -> list[pd.DataFrame] | None:
    """The features that all groups have, in the order of the first; None, with an error, without any."""
    measured = [(source, part) for source, part in read if isinstance(part, MeasuredPictures)]
    _report_unlike(measured, problems)
    colour = any(part.tinted for _, part in measured)
    tables = [
        feature_frame(part.features, part.channels or (COLOURS if colour else GREY))
        if isinstance(part, MeasuredPictures)
        else part
        for _, part in read
    ]
    shared = [name for name in tables[0] if all(name in table for table in tables)]
    for (source, _), table in zip(read, tables, strict=True):
        own, of_group = [name for name in table if name not in set(shared)], problems.of(source.name)
        if not shared:
            message = f"No feature is in all groups; {quoted(source.name)} has {listed(own, limit=LISTED)}."
            of_group.error(
                "no-common-feature", message, "Use the same feature names in every table.", value=own[0]
            )
        else:
            message = f"{{n}} features are not in every group and left out: {listed(own, limit=LISTED)}."
            of_group.add_summary("feature-left-out", own, message, "")
    return [table[shared] for table in tables] if shared else None


def _report_unlike(measured: Sequence[tuple[Source, MeasuredPictures]], problems: Problems) -> None:
    """Remarks on pictures whose pixels do not compare."""
    if not measured:
        return
    of_first = problems.of(measured[0][0].file or measured[0][0].name)
    sides = {side for _, part in measured for side in part.sides}
    if len(sides) > 1:
        message = (
            f"The longer sides of the images are from {min(sides):,} to {max(sides):,} pixels; areas, radii, "
            "texture and sharpness are those of the pixels as they are."
        )
        of_first.warning("different-sizes", message, "Scale them to one side.", count=len(sides))
    if any(part.channels for _, part in measured):
        return
    for source, part in measured:
        if 0 < part.tinted < len(part.features):
            message = f"{part.tinted:,} of {len(part.features):,} images are in colour, the others grey."
            remedy = "Grey ones count as equally red, green and blue; or measure the grey of all."
            problems.of(source.file or source.name).warning(
                "mixed-colours", message, remedy, count=part.tinted
            )
            return
    if len({bool(part.tinted) for _, part in measured}) > 1:
        message = "Some groups are in colour and others grey."
        of_first.warning("mixed-colours", message, "Grey images count as equally red, green and blue.")


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
MANY = 0.1
"""Share of suspected copies from which on a group's score is not compared with other groups'."""


@dataclass(frozen=True, slots=True)
class Suspected:
    """Images of a group, ``n`` of them compared, that nearly repeat a real image: ``copies``, their ids."""

    group: str
    n: int
    copies: tuple[str, ...]

    @property
    def many(self) -> bool:
        """Whether the score of the group says little for that reason."""
        return bool(self.copies) and len(self.copies) >= MANY * self.n


def suspected_copies(material: Material, *, progress: Progress = silent) -> tuple[Suspected, ...]:
    """One for each group: images whose picture has nearly the hash of a real image's, or, without pictures,
    whose features are all equal to a real image's; with fewer than ``FEWEST_FEATURES`` none is
    suspected."""
    real = material.real
    with_pictures = [
        group for group in material.groups if group.pictures is not None and real.pictures is not None
    ]
    by_picture: dict[str, set[str]] = {group.name: set() for group in with_pictures}
    if with_pictures and real.pictures is not None:
        pictures = real.pictures.all()
        whose: list[tuple[str, str]] = [("", "")] * len(pictures)
        for group in with_pictures:
            assert group.pictures is not None
            pictures += group.pictures.all()
            whose += [(group.name, image) for image in group.pictures.ids]
        generated = np.arange(len(pictures)) >= len(real.pictures.items)
        for pair in near_copies(pictures, generated, progress=progress).pairs:
            if pair.of_training:
                name, image = whose[pair.first]
                by_picture[name].add(image)
    known = {row.tobytes() for row in np.nan_to_num(matrix(real.features), nan=-np.pi)}
    result = []
    for group in material.groups:
        ids = list(group.features.index)
        if group.name in by_picture:
            copies = [image for image in ids if image in by_picture[group.name]]
        else:
            rows = np.nan_to_num(matrix(group.features), nan=-np.pi)
            enough = rows.shape[1] >= FEWEST_FEATURES
            copies = [
                image for image, row in zip(ids, rows, strict=True) if enough and row.tobytes() in known
            ]
        result.append(Suspected(group.name, len(ids), tuple(copies)))
    return tuple(result)
