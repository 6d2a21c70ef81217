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
from evalcore.study.tables.problems import Problems, guarded, try_call, why
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import listed

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
    def usable(self) -> bool:
        return self.pictures is not None or self.features is not None

    @property
    def digest(self) -> str:
        content: list[object] = [self.pictures.digest] if self.pictures else []
        if self.features is not None:
            content += [list(self.features.index), list(self.features), matrix(self.features)]
        return digest_of(self.name, *content)


def source_of(name: str, path: Path) -> Source:
    """A folder or zip of images, or a feature table, with what is wrong with it."""
    file = path.name
    if path.is_dir() or path.suffix.lower() == ".zip":
        problems = Problems(file)
        pictures = guarded(problems, partial(pictures_of, path), None)
        return Source(name, pictures, file=file, report=problems.report())
    features, report = parse_features(path)
    return Source(name, features=features, file=file, report=report)


# Measured groups.


class Material(NamedTuple):
    """Measured groups of images, the real ones first.

    features: by group, a row an image, all with the same columns. pictures: of the same images in the same
    order, of the groups that have them.
    """

    features: dict[str, pd.DataFrame]
    pictures: dict[str, Pictures]
    digest: str

    @property
    def real(self) -> str:
        """The name of the group of real images."""
        return next(iter(self.features))


def read_groups(
    sources: Sequence[Source], *, settings: ImageSettings, progress: Progress = silent
) -> tuple[Material | None, Report]:
    """Measure the groups, real images first, and give all the features that they have in common.

    A group without a single usable image is an error and left out. None without real images, without
    another group or without a common feature.
    """
    problems, channels, kept = Problems("all groups"), None, []
    by_group: dict[str, dict[str, Floats]] = {}
    for i, source in enumerate(sources):
        problems.include(source.report)
        if source.pictures is not None:
            of_group, part = problems.of(source.file), part_of(progress, i, len(sources), name=source.name)
            scaled = replace(source.pictures, side=settings.side)
            rows, channels = measure(scaled, of_group, settings, channels, part)
            if not rows:
                message = "No image of this group can be measured."
                of_group.error("no-images", message, "See the other problems.")
                continue
            by_group[source.name], source = rows, replace(source, pictures=scaled.only(rows))
        kept += [source] if source.usable else []
    progress(1, "")
    if len(kept) < 2 or kept[0].name != sources[0].name:
        return None, problems.report()
    in_colour = [len(rows) > 1 for own in by_group.values() for rows in own.values()]
    if not channels and 0 < sum(in_colour) < len(in_colour):
        message = f"{sum(in_colour):,} of {len(in_colour):,} images are in colour, the others grey."
        remedy = "Grey images count as equally red, green and blue; or measure all in grey."
        problems.warning("mixed-colours", message, remedy, count=sum(in_colour))
    names = channels or (COLOURS if any(in_colour) else GREY)
    columns = [f"{channel}.{feature}" for channel in names for feature in NAMES]
    tables: dict[str, Any] = {source.name: source.features for source in kept}
    for group, rows in by_group.items():  # a grey image has the features of its one channel in every colour
        values = [np.repeat(own, len(names) // len(own), axis=0).reshape(-1) for own in rows.values()]
        tables[group] = pd.DataFrame(np.array(values), list(rows), columns)
    shared = _common_features(tables, problems)
    if not shared:
        return None, problems.report()
    features = {name: table[shared] for name, table in tables.items()}
    pictures = {source.name: source.pictures for source in kept if source.pictures is not None}
    digest = digest_of([source.digest for source in kept], settings)
    return Material(features, pictures, digest), problems.report()


def measure(
    pictures: Pictures,
    problems: Problems,
    settings: ImageSettings,
    channels: tuple[str, ...] | None,
    progress: Progress,
) -> tuple[dict[str, Floats], tuple[str, ...] | None]:
    """Features of pictures by id, one row a channel (see `measured`), and the names of declared channels, ()
    for images in grey or colour.

    Those that cannot be read are errors of their own file and left out. All images have the channels of the
    first, or ``channels`` where these are known; others are errors and left out.
    """
    file, ids = problems.file, list(pictures.places)

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
    return features, channels


def _common_features(tables: Mapping[str, pd.DataFrame], problems: Problems) -> list[str]:
    """The features that all groups have, in the order of the first; an error without any."""
    first, *others = tables.values()
    shared = [feature for feature in first if all(feature in table for table in others)]
    remedy = "Use the same feature names in every group."
    for name, table in tables.items():
        own = [feature for feature in table if feature not in {*shared}]
        message = f"{{n}} features are not in every group and left out: {listed(own)}."
        problems.of(name).add_summary("feature-left-out", own, message, remedy)
    if not shared:
        problems.error("no-common-feature", "No feature is in all groups.", remedy)
    return shared
