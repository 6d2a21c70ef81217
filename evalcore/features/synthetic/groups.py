"""Groups of images wherever they are, measured: the same features of all, with the pictures of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from evalcore.engine.space import parallel_map
from evalcore.features.synthetic.files import parse_features
from evalcore.features.synthetic.measure import COLOURS, GREY, NAMES, ImageSettings, measured
from evalcore.features.synthetic.read_pictures import Pictures, pictures_of
from evalcore.features.synthetic.wsi import matrix
from evalcore.study.tables.files import parse_file
from evalcore.study.tables.problems import Problems, guarded, try_call, why
from evalcore.study.tables.tables import quoted
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import listed

LISTED = 6
"""Names of features that a message lists."""
AT_ONCE = 4
"""Images that are measured at a time: each may take the memory of the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A group before it is measured: its pictures or its features, neither where nothing can be read.

    file: what messages call it. report: what is wrong so far.
    """

    name: str
    pictures: Pictures | None = None
    features: pd.DataFrame | None = None
    file: str = ""
    report: Report = field(default_factory=Report)

    @property
    def digest(self) -> str:
        content: list[object] = [self.pictures.digest] if self.pictures else []
        if self.features is not None:
            content += [list(self.features.index), list(self.features), matrix(self.features)]
        return digest_of(self.name, *content)


def source_of(name: str, path: Path) -> Source:
    """A folder or zip of images, or a feature table, with what is wrong with it."""
    problems = Problems(path.name)
    pictures = features = None
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
    return Source(name, pictures, features, problems.file, problems.report())


# Measured groups.


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A measured group: features by image id, and the pictures of its rows in their order; None where there
    are features only."""

    name: str
    features: pd.DataFrame
    pictures: Pictures | None = None


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
    kept: list[tuple[Source, Measured | None]] = []
    for i, source in enumerate(sources):
        problems.include(source.report)
        result, of_group = None, problems.of(source.file)
        if source.pictures is not None:
            part = part_of(progress, i, len(sources), name=source.name)
            pictures = replace(source.pictures, side=settings.side)
            source = replace(source, pictures=pictures)
            result = measure(pictures, of_group, settings, channels, part)
            if not result.features:
                message = "No image of this group can be measured."
                of_group.error("no-images", message, "See the other problems.")
                continue
            channels = result.channels
        if source.pictures is not None or source.features is not None:
            kept.append((source, result))
    progress(1, "")
    if len(kept) < 2 or kept[0][0].name != sources[0].name:
        return None, problems.report()
    colours = _common_colours([result for _, result in kept if result is not None], problems)
    tables: dict[str, Any] = {
        source.name: source.features if result is None else result.table(colours) for source, result in kept
    }
    shared = _common_features(tables, problems)
    if not shared:
        return None, problems.report()
    groups = []
    for source, result in kept:
        own = source.pictures and source.pictures.only(list(result.features if result else ()))
        groups.append(Group(source.name, tables[source.name][shared], own))
    digest = digest_of([source.digest for source, _ in kept], settings)
    return Material(tuple(groups), digest), problems.report()


class Measured(NamedTuple):
    """Features of pictures by id, one row a channel (see `measured`); broken ones are not in it.

    channels: the names of declared channels, of all images alike; () for images in grey or colour.
    """

    features: Mapping[str, Floats]
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

    def work(image: str) -> tuple[Floats, tuple[str, ...], int]:
        pixels = pictures.pixels(image)
        rows = measured(pixels.values, settings, declared=bool(pixels.channels))
        return rows, pixels.channels, pixels.n_planes

    features: dict[str, Floats] = {}
    stacks: list[str] = []
    results = parallel_map(lambda image: try_call(partial(work, image)), ids, progress, at_most=AT_ONCE)
    for image, (result, reason) in zip(ids, results, strict=True):
        entry = pictures.entry(image)
        of_image = problems.of(f"{file}/{entry}")
        if result is None:
            other = f"It cannot be measured: {why(reason or ValueError('no reason'))}."
            message, _, remedy = (str(reason) if isinstance(reason, InputError) else other).rpartition(". ")
            of_image.error("broken-image", f"{message.removesuffix('.')}; it is left out.", remedy)
            continue
        rows, own, n_planes = result
        channels = own if channels is None else channels
        if own != channels:
            has, have = (", ".join(names) or "grey or colour" for names in (own, channels))
            message = f"Its channels are {has}, those of the first image {have}; it is left out."
            remedy = "Give all images the same channels, with the same names."
            of_image.error("other-channels", message, remedy)
            continue
        stacks += [entry] if n_planes > 1 else []
        features[image] = rows
    if stacks:
        what = "image is a stack" if len(stacks) == 1 else "images are stacks"
        message = f"{len(stacks):,} {what} of planes; the largest value over the planes is measured."
        remedy = "For another projection, save the planes as images of their own."
        problems.warning("stack-of-planes", message, remedy, value=stacks[0], count=len(stacks))
    return Measured(features, channels or ())


def _common_features(tables: Mapping[str, pd.DataFrame], problems: Problems) -> list[str]:
    """The features that all groups have, in the order of the first; an error without any."""
    first, *others = tables.values()
    shared = [feature for feature in first if all(feature in table for table in others)]
    for name, table in tables.items():
        own = [feature for feature in table if feature not in {*shared}]
        if shared:
            message = f"{{n}} features are not in every group and left out: {listed(own, limit=LISTED)}."
            problems.of(name).add_summary("feature-left-out", own, message, "")
        else:
            message = f"No feature is in all groups; {quoted(name)} has {listed(own, limit=LISTED)}."
            remedy = "Use the same feature names in every table."
            problems.of(name).error("no-common-feature", message, remedy, value=own[0])
    return shared


def _common_colours(groups: Sequence[Measured], problems: Problems) -> tuple[str, ...]:
    """The channels of pictures without declared ones; a remark where some are in colour and others grey."""
    tinted, n = sum(group.tinted for group in groups), sum(len(group.features) for group in groups)
    if 0 < tinted < n and not any(group.channels for group in groups):
        message = f"{tinted:,} of {n:,} images of all groups are in colour, the others grey."
        remedy = "Grey ones count as equally red, green and blue; or measure the grey of all."
        problems.warning("mixed-colours", message, remedy, count=tinted)
    return COLOURS if tinted else GREY
