"""Groups measured: tables of the same features, with the pictures and vectors of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evalcore.features.synthetic.features import FeatureTable, in_common
from evalcore.features.synthetic.images import ImageSettings, as_table, is_colour
from evalcore.features.synthetic.read.folders import MeasuredImages, Pictures, measure_listed, planes_apart
from evalcore.study.tables.ids import positions
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import quoted
from evalcore.study.vectors.files import VectorRows
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import Report
from evalcore.values.progress import Progress, part_of, silent

# What was read of groups, images or features, as tables of the features that all of them have.

Read = FeatureTable | MeasuredImages
LISTED = 6


def of_one_form(names: Sequence[str], read: Sequence[Read]) -> tuple[list[FeatureTable] | None, Report]:
    """What was read of each group as tables of the same features; None when no feature is in all."""
    images = [part for part in read if isinstance(part, MeasuredImages)]
    colour = is_colour([read.features for read in images])
    tables = [
        as_table(read.features, colour=colour, name=name, declared=read.channels)
        if isinstance(read, MeasuredImages)
        else read
        for name, read in zip(names, read, strict=True)
    ]
    report = _images_alike(images)
    shared = in_common(tables)
    report += _features_alike(tables, shared)
    return ([table.of(shared) for table in tables] if shared else None), report


def _images_alike(images: Sequence[MeasuredImages]) -> Report:
    """Remarks on images whose pixels do not compare."""
    problems = Problems(images[0].file if images else "")
    sides = {side for image in images for side in image.sides}
    if len(sides) > 1:
        message = (
            f"The longer sides of the images are from {min(sides):,} to {max(sides):,} pixels; areas, radii, "
            "texture and sharpness are those of the pixels as they are."
        )
        problems.warning("different-sizes", message, "Scale them to one side.", count=len(sides))
    if any(image.channels for image in images):
        return problems.report()
    for one in images:
        tinted = sum(len(rows) > 1 for rows in one.features.values())
        if 0 < tinted < len(one.features):
            mixed = Problems(one.file)
            message = f"{tinted:,} of {len(one.features):,} images are in colour, the others grey."
            remedy = "Grey ones count as equally red, green and blue; or measure the grey of all."
            mixed.warning("mixed-colours", message, remedy, count=tinted)
            return problems.report() + mixed.report()
    if len({any(len(rows) > 1 for rows in image.features.values()) for image in images}) > 1:
        message = "Some groups are in colour and others grey."
        problems.warning("mixed-colours", message, "Grey images count as equally red, green and blue.")
    return problems.report()


def _features_alike(tables: Sequence[FeatureTable], names: Sequence[str]) -> Report:
    """Features that only some of the tables have, and none that all have."""
    report = Report()
    for table in tables:
        own = [name for name in table.names if name not in set(names)]
        problems = Problems(table.name)
        if not names:
            message = f"No feature is in all groups; {quoted(table.name)} has {_some(own)}."
            problems.error(
                "no-common-feature", message, "Use the same feature names in every table.", value=own[0]
            )
        else:
            message = f"{{n}} features are not in every group and left out: {_some(own)}."
            problems.add_summary("feature-left-out", own, message, "")
        report += problems.report()
    return report


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"


LEFT_OUT = ("broken-image", "empty-file", "other-channels")
"""Rules of images that could not be measured."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A group before it is measured: its pictures, or its features; and vectors of its images, if any.

    ``file``: how messages call it, by its name unless they are told. ``report``: what is wrong so far.
    """

    name: str
    pictures: Pictures | None = None
    table: FeatureTable | None = None
    vectors: VectorRows | None = None
    file: str = ""
    report: Report = field(default_factory=Report)

    @property
    def usable(self) -> bool:
        """Whether there is anything to measure or to compare."""
        return self.pictures is not None or self.table is not None

    @property
    def digest(self) -> str:
        of = self.pictures.digest if self.pictures else self.table.digest if self.table else ""
        extra = () if self.vectors is None else (list(self.vectors.ids), self.vectors.vectors)
        return digest_of(self.name, of, *extra)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A measured group. ``pictures``: those of its rows, in their order; None where there are features only.
    ``vectors``: shape (n, k), rows of NaN for images without one; None where the group has none.
    ``left_out``: number of images that could not be measured."""

    table: FeatureTable
    pictures: Pictures | None
    vectors: Floats | None
    left_out: int

    @property
    def name(self) -> str:
        return self.table.name


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The archetypes and the groups of subjects, with the same features; what was found wrong with them."""

    archetypes: Part
    groups: tuple[Part, ...]
    report: Report
    digest: str

    @property
    def parts(self) -> tuple[Part, ...]:
        """The archetypes, then the groups."""
        return (self.archetypes, *self.groups)


@dataclass(frozen=True, slots=True, eq=False)
class NoMaterial:
    """Why nothing can be compared."""

    report: Report


def measured_groups(
    sources: Sequence[Source], *, settings: ImageSettings, progress: Progress = silent
) -> Material | NoMaterial:
    """Measure the groups, archetypes first. One without a single usable image is an error and left out;
    without archetypes, without a group or without a common feature there is nothing to compare."""
    report = Report()
    kept: list[tuple[Source, Read, int]] = []
    channels: tuple[str, ...] | None = None
    first = False
    for i, given in enumerate(sources):
        one = _with_planes(given, settings)
        part = part_of(progress, i, len(sources), name=one.name)
        read, problems = _measured(one, settings, channels, part)
        report += problems
        first |= i == 0 and read is not None
        if isinstance(read, MeasuredImages):
            channels = read.channels
        if read is not None:
            broken = sum(n for (_, _, rule), n in problems.counts.items() if rule in LEFT_OUT)
            kept.append((one, read, broken))
    progress(1, "")
    if len(kept) < 2 or not first:
        return NoMaterial(report)
    tables, problems = of_one_form([one.name for one, _, _ in kept], [read for _, read, _ in kept])
    report += problems
    if tables is None:
        return NoMaterial(report)
    parts = [
        _part(one, table, broken, settings.side) for (one, _, broken), table in zip(kept, tables, strict=True)
    ]
    digest = digest_of([one.digest for one, _, _ in kept], settings)
    return Material(parts[0], tuple(parts[1:]), report, digest)


def _with_planes(source: Source, settings: ImageSettings) -> Source:
    """The group with the planes of its stacks read as the settings say."""
    if source.pictures is None:
        return source
    apart = settings.planes == "each"
    pictures = planes_apart(source.pictures) if apart else replace(source.pictures, planes=settings.planes)
    return replace(source, pictures=pictures)


def _measured(
    source: Source, settings: ImageSettings, channels: tuple[str, ...] | None, progress: Progress
) -> tuple[Read | None, Report]:
    """What a group has, and everything that is wrong with it."""
    if source.pictures is None:
        return source.table, source.report
    file = source.file or source.name
    read, report = measure_listed(
        source.pictures, file=file, settings=settings, channels=channels, progress=progress
    )
    problems = Problems(file)
    if read is None:
        problems.error("no-images", "No image of this group can be measured.", "See the other problems.")
    return read, source.report + report + problems.report()


def _part(source: Source, table: FeatureTable, left_out: int, side: int | None) -> Part:
    """What belongs to the rows of a table, in their order."""
    pictures, vectors = source.pictures, None
    if pictures is not None:
        rows = positions(table.ids, pictures.ids)
        pictures = replace(
            pictures,
            ids=table.ids,
            at=tuple(pictures.at[i] for i in rows),
            side=side,
            copy=tuple(pictures.copy[i] for i in rows) if pictures.copy else (),
            plane=tuple(pictures.plane[i] for i in rows) if pictures.plane else (),
        )
    if source.vectors is not None:
        at = positions(table.ids, source.vectors.ids)
        vectors = np.full((len(table), source.vectors.vectors.shape[1]), np.nan)
        vectors[at >= 0] = source.vectors.vectors[at[at >= 0]]
    return Part(table, pictures, vectors, left_out)
