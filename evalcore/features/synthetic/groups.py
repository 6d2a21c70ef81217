"""Groups of images wherever they are, measured: the same features of all, with the pictures and vectors of
their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from evalcore.engine.space import parallel_map
from evalcore.features.synthetic.copies import hashes_of, near_copies
from evalcore.features.synthetic.files import parse_features
from evalcore.features.synthetic.measure import COLOURS, GREY, NAMES, ImageSettings, measured
from evalcore.features.synthetic.read_pictures import Pictures, pictures_of
from evalcore.features.synthetic.wsi import matrix
from evalcore.study.tables.files import parse_file
from evalcore.study.tables.ids import positions
from evalcore.study.tables.problems import Problems, guarded, try_call, why
from evalcore.study.tables.tables import quoted
from evalcore.study.vectors.files import VectorRows, parse_embeddings
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import listed

LISTED = 6
"""Names of features that a message lists."""
AT_ONCE = 4
"""Images that are measured at a time: each may take the memory of the largest."""
LEFT_OUT = ("broken-image", "empty-file", "other-channels")
"""Rules of images that could not be measured."""


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
        pictures, report = guarded(problems.file, partial(pictures_of, path), None)
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
    measured: dict[str, Measured] = {}
    kept: list[tuple[Source, int]] = []
    for i, source in enumerate(sources):
        problems.include(source.report)
        lost, of_group = 0, problems.of(source.file)
        if source.pictures is not None:
            pictures = replace(source.pictures, planes=settings.planes)
            part = part_of(progress, i, len(sources), name=source.name)
            result = measure(pictures, of_group, settings, channels, part)
            if not result.features:
                message = "No image of this group can be measured."
                of_group.error("no-images", message, "See the other problems.")
                continue
            channels, measured[source.name] = result.channels, result
            lost = len(pictures) - len(result.features)
            lost += sum(n for (_, _, rule), n in source.report.counts.items() if rule in LEFT_OUT)
            usable = replace(pictures.only(list(result.features)), side=settings.side)
            source = replace(source, pictures=usable)
        if source.pictures is not None or source.features is not None:
            kept.append((source, lost))
    progress(1, "")
    if len(kept) < 2 or kept[0][0].name != sources[0].name:
        return None, problems.report()
    _report_unlike(
        [(problems.of(source.file), measured[source.name]) for source, _ in kept if source.name in measured]
    )
    colours = COLOURS if any(part.tinted for part in measured.values()) else GREY
    tables: list[Any] = [
        measured[source.name].table(colours) if source.name in measured else source.features
        for source, _ in kept
    ]
    shared = _common_features([source.name for source, _ in kept], tables, problems)
    if not shared:
        return None, problems.report()
    groups = []
    for (source, lost), table in zip(kept, tables, strict=True):
        vectors = None if source.vectors is None else _in_order(source.vectors, list(table.index))
        groups.append(Group(source.name, table[shared], source.pictures, vectors, lost))
    digest = digest_of([source.digest for source, _ in kept], settings)
    return Material(tuple(groups), digest), problems.report()


def _in_order(rows: VectorRows, ids: Sequence[str]) -> Floats:
    """The vectors of these images, rows of NaN for those without one."""
    at = positions(ids, rows.ids)
    vectors = np.full((len(ids), rows.vectors.shape[1]), np.nan)
    vectors[at >= 0] = rows.vectors[at[at >= 0]]
    return vectors


class Measured(NamedTuple):
    """Features of pictures by id, one row a channel (see `measured`); broken ones are not in it.

    sides: the longer sides there are, in pixels. channels: the names of declared channels, of all images
    alike; () for images in grey or colour.
    """

    features: Mapping[str, Floats]
    sides: frozenset[int]
    channels: tuple[str, ...]

    @property
    def tinted(self) -> int:
        """Images with more than one channel."""
        return sum(len(rows) > 1 for rows in self.features.values())

    def table(self, colours: Sequence[str]) -> pd.DataFrame:
        """Features by image; a grey image has those of its one channel for each of the colours."""
        names = self.channels or colours
        rows = [np.repeat(own, len(names) // len(own), axis=0).reshape(-1) for own in self.features.values()]
        columns = [f"{channel}.{feature}" for channel in names for feature in NAMES]
        return pd.DataFrame(np.array(rows), list(self.features), columns)


def measure(
    pictures: Pictures,
    problems: Problems,
    settings: ImageSettings,
    channels: tuple[str, ...] | None = None,
    progress: Progress = silent,
) -> Measured:
    """Measure pictures; those that cannot be read are errors of their own file and left out.

    All images have the channels of the first, or ``channels`` where these are known; others are errors and
    left out.
    """
    file, ids = problems.file, pictures.ids

    def work(image: str) -> tuple[Floats, int, tuple[str, ...], int]:
        pixels = pictures.pixels(image, side=settings.side)
        rows = measured(pixels.values, settings, declared=bool(pixels.channels))
        return rows, max(pixels.values.shape[:2]), pixels.channels, pixels.n_planes

    def share(done: float, _: str) -> None:
        if done < 1:
            progress(done, f"{file}: {pictures.entry(ids[round(done * len(ids))])}")

    features: dict[str, Floats] = {}
    sides: set[int] = set()
    stacks: list[str] = []
    share(0 if ids else 1, "")
    results = parallel_map(lambda image: try_call(partial(work, image)), ids, share, at_most=AT_ONCE)
    for image, (result, reason) in zip(ids, results, strict=True):
        entry = pictures.entry(image)
        of_image = problems.of(f"{file}/{entry}")
        if result is None:
            other = f"It cannot be measured: {why(reason or ValueError('no reason'))}."
            message, _, remedy = (str(reason) if isinstance(reason, InputError) else other).rpartition(". ")
            of_image.error("broken-image", f"{message.removesuffix('.')}; it is left out.", remedy)
            continue
        rows, side, own, n_planes = result
        channels = own if channels is None else channels
        if own != channels:
            has, have = (", ".join(names) or "grey or colour" for names in (own, channels))
            message = f"Its channels are {has}, those of the first image {have}; it is left out."
            remedy = "Give all images the same channels, with the same names."
            of_image.error("other-channels", message, remedy)
            continue
        stacks += [entry] if n_planes > 1 else []
        features[image] = rows
        sides.add(side)
    if stacks:
        how = "mean" if settings.planes == "mean" else "largest value"
        what = "image is a stack" if len(stacks) == 1 else "images are stacks"
        message = f"{len(stacks):,} {what} of planes; the {how} over the planes is measured."
        remedy = "Choose another projection, or save the planes as images of their own."
        problems.warning("stack-of-planes", message, remedy, value=stacks[0], count=len(stacks))
    return Measured(features, frozenset(sides), channels or ())


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


def _report_unlike(measured: Sequence[tuple[Problems, Measured]]) -> None:
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
