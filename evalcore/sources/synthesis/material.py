"""Groups of a page as tables of the same features, with the pictures and vectors of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evalcore.arrays import Floats, digest_of
from evalcore.problems import Report
from evalcore.progress import Progress, part_of, silent
from evalcore.sources.synthesis.feature_files import parse_features
from evalcore.sources.synthesis.folders import MeasuredImages, ids_of, images_in
from evalcore.sources.synthesis.groups import of_one_form
from evalcore.sources.synthesis.listed import Pictures, measure_listed
from evalcore.sources.synthesis.uploaded import UploadedGroup, vectors_of
from evalcore.sources.tables.lines import parse_file
from evalcore.sources.tables.problems import Problems
from evalcore.sources.vectors.embeddings import EmbeddingRows, parse_embeddings
from evalcore.synthesis.features import FeatureTable
from evalcore.synthesis.images.settings import ImageSettings


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A group before it is measured: its pictures, or its features; and vectors of its images, if any."""

    name: str
    pictures: Pictures | None = None
    table: FeatureTable | None = None
    vectors: EmbeddingRows | None = None

    @property
    def digest(self) -> str:
        of = self.pictures.digest if self.pictures else self.table.digest if self.table else ""
        extra = () if self.vectors is None else (list(self.vectors.ids), self.vectors.vectors)
        return digest_of(self.name, of, *extra)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A measured group. ``pictures``: those of its rows, in their order; None where there are features only.
    ``vectors``: shape (n, k), rows of NaN for images without one; None where the group has none."""

    table: FeatureTable
    pictures: Pictures | None
    vectors: Floats | None

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
    """Measure the groups, archetypes first. A group without a single usable image is left out and said so;
    without archetypes, without a group or without a common feature there is nothing to compare."""
    report = Report()
    kept: list[tuple[Source, FeatureTable | MeasuredImages]] = []
    for i, one in enumerate(sources):
        part = part_of(progress, i, len(sources), name=one.name)
        if one.pictures is None:
            if one.table is not None:
                kept.append((one, one.table))
            continue
        read, said = measure_listed(one.pictures, file=one.name, settings=settings, progress=part)
        report += said
        if read is not None:
            kept.append((one, read))
        elif i == 0:
            return NoMaterial(report + _none_of(one.name))
    if len(kept) < 2 or kept[0][0] is not sources[0]:
        return NoMaterial(report + _none_of(sources[-1].name))
    tables, said = of_one_form([one.name for one, _ in kept], [read for _, read in kept])
    report += said
    if tables is None:
        return NoMaterial(report)
    parts = [_part(one, replace(table, name=one.name)) for (one, _), table in zip(kept, tables, strict=True)]
    digest = digest_of([one.digest for one, _ in kept], settings)
    return Material(parts[0], tuple(parts[1:]), report, digest)


def of_upload(group: UploadedGroup, table: FeatureTable | None, *, side: int | None) -> Source:
    """An uploaded group before it is measured; ``table``: its features where it has no pictures."""
    vectors = vectors_of(group)[0]
    if group.pictures is None:
        return Source(group.name, None, table, vectors)
    found = Problems(group.name)
    return Source(group.name, _listed(group.pictures, found, side), None, vectors)


def of_path(name: str, path: Path, vectors: Path | None, *, side: int | None) -> tuple[Source | None, Report]:
    """A group wherever it lies: a folder or zip of images, or a feature table; and a file of its vectors.

    None where there is nothing of the kind.
    """
    found, table, pictures, rows = Problems(path.name), None, None, None
    report = Report()
    if path.is_dir() or path.suffix.lower() == ".zip":
        pictures = _listed(path, found, side)
        if pictures is None and not found.n_errors:
            found.error("no-images", "There are no images here.", "Give a folder or a zip of images.")
    else:
        table, report = parse_file(parse_features, path, None, name=name)
    if vectors is not None:
        rows, said = parse_file(parse_embeddings, vectors, None)
        report += said
    usable = pictures is not None or table is not None
    return (Source(name, pictures, table, rows) if usable else None), report + found.report()


def _listed(place: Path, found: Problems, side: int | None) -> Pictures | None:
    """The pictures of a folder or a zip, by their paths without ending; None without any."""
    files = images_in(place, found)
    if files is None or not files.entries:
        return None
    return Pictures(tuple(ids_of(files)), files, tuple(range(len(files.entries))), side=side)


def _part(source: Source, table: FeatureTable) -> Part:
    """What belongs to the rows of a table, in their order."""
    pictures, vectors = source.pictures, None
    if pictures is not None:
        place = {image: i for i, image in enumerate(pictures.ids)}
        rows = [place[image] for image in table.ids]
        pictures = replace(
            pictures, ids=table.ids, at=tuple(pictures.at[i] for i in rows),
            copy=tuple(pictures.copy[i] for i in rows) if pictures.copy else (),
        )  # fmt: skip
    if source.vectors is not None:
        at = {image: i for i, image in enumerate(source.vectors.ids)}
        vectors = np.full((len(table), source.vectors.vectors.shape[1]), np.nan)
        for row, image in enumerate(table.ids):
            if image in at:
                vectors[row] = source.vectors.vectors[at[image]]
    return Part(table, pictures, vectors)


def _none_of(name: str) -> Report:
    found = Problems(name)
    found.error("no-images", "No image of this group can be measured.", "See the other problems.")
    return found.report()
