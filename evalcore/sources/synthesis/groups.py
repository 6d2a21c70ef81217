"""Archetypes and groups of subjects from wherever they lie, with the features that all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalcore.problems import Report
from evalcore.progress import Progress, part_of, silent
from evalcore.sources.synthesis.feature_files import parse_features
from evalcore.sources.synthesis.folders import MeasuredImages, measure_images
from evalcore.sources.tables.lines import parse_file
from evalcore.sources.tables.problems import Problems
from evalcore.sources.tables.tables import quoted
from evalcore.synthesis.features import FeatureTable, in_common
from evalcore.synthesis.images.measured import as_table, is_colour
from evalcore.synthesis.images.settings import ImageSettings

Read = FeatureTable | MeasuredImages
LISTED = 6
LEFT_OUT = ("broken-image", "empty-file")
"""Rules of images that could not be measured."""
_HOW = "Give a folder or zip of images, or a feature table ID,f1,f2."


@dataclass(frozen=True, slots=True)
class Groups:
    """Archetypes and subjects with the same features, in the order of the archetypes' table.

    left_out: {group: number of images that could not be measured}. from_images: whether any was measured.
    """

    archetypes: FeatureTable
    subjects: tuple[FeatureTable, ...]
    left_out: dict[str, int]
    from_images: bool


def read_groups(
    archetypes: Path, subjects: Sequence[tuple[str, Path]], *, settings: ImageSettings | None = None,
    progress: Progress = silent,
) -> tuple[Groups | None, Report]:  # fmt: skip
    """Read the archetypes and each (name, path) of subjects: folders or zips of images, or feature tables.

    Every problem of every place is reported. None where a place gives no image, two groups have one name, or
    no feature is in all.
    """
    places = [(archetypes.resolve().name, archetypes), *subjects]
    read: list[Read | None] = []
    left_out: dict[str, int] = {}
    report = _names(subjects)
    for i, (name, path) in enumerate(places):
        got, problems = _read(name, path, settings, part_of(progress, i, len(places), name=name))
        read.append(got)
        left_out[name] = sum(n for (_, _, rule), n in problems.counts.items() if rule in LEFT_OUT)
        report += problems
    progress(1, "")
    known = [one for one in read if one is not None]
    if len(known) < len(places) or any(rule == "duplicate-group" for _, _, rule in report.counts):
        return None, report
    kept, said = of_one_form([name for name, _ in places], known)
    report += said
    if kept is None:
        return None, report
    measured = any(isinstance(one, MeasuredImages) for one in known)
    return Groups(kept[0], tuple(kept[1:]), left_out, measured), report


def of_one_form(names: Sequence[str], read: Sequence[Read]) -> tuple[list[FeatureTable] | None, Report]:
    """What was read of each group as tables of the same features; None when no feature is in all."""
    images = [one for one in read if isinstance(one, MeasuredImages)]
    colour = is_colour([one.features for one in images])
    tables = [
        as_table(one.features, colour=colour, name=name) if isinstance(one, MeasuredImages) else one
        for name, one in zip(names, read, strict=True)
    ]
    report = _images_alike(images)
    shared = in_common(tables)
    report += _features_alike(tables, shared)
    return ([one.of(shared) for one in tables] if shared else None), report


def _read(
    name: str, path: Path, settings: ImageSettings | None, progress: Progress
) -> tuple[Read | None, Report]:
    if path.is_dir() or path.suffix.lower() == ".zip":
        return measure_images(path, file=path.resolve().name, settings=settings, progress=progress)
    found = Problems(path.name)
    if not path.exists():
        found.error("missing-file", f"There is no file or folder {quoted(str(path))}.", _HOW, value=path)
        return None, found.report()
    return parse_file(parse_features, path, None, name=name)


def _names(subjects: Sequence[tuple[str, Path]]) -> Report:
    """Two groups of one name."""
    report, seen = Report(), dict[str, Path]()
    for name, path in subjects:
        if name in seen:
            found = Problems(path.name)
            message = f"Two groups are called {quoted(name)}: {seen[name]} and {path}."
            found.error("duplicate-group", message, "Name them: NAME=PATH.", value=name)
            report += found.report()
        seen.setdefault(name, path)
    return report


def _images_alike(images: Sequence[MeasuredImages]) -> Report:
    """Remarks on images whose pixels do not compare."""
    found = Problems(images[0].file if images else "")
    sides = {side for one in images for side in one.sides}
    if len(sides) > 1:
        message = (
            f"The longer sides of the images are from {min(sides):,} to {max(sides):,} pixels; areas, radii, "
            "texture and sharpness are those of the pixels as they are."
        )
        found.warning("different-sizes", message, "Scale them to one side.", count=len(sides))
    for one in images:
        tinted = sum(len(rows) > 1 for rows in one.features.values())
        if 0 < tinted < len(one.features):
            mixed = Problems(one.file)
            message = f"{tinted:,} of {len(one.features):,} images are in colour, the others grey."
            remedy = "Grey ones count as equally red, green and blue; or measure the grey of all."
            mixed.warning("mixed-colours", message, remedy, count=tinted)
            return found.report() + mixed.report()
    if len({any(len(rows) > 1 for rows in one.features.values()) for one in images}) > 1:
        message = "Some groups are in colour and others grey."
        found.warning("mixed-colours", message, "Grey images count as equally red, green and blue.")
    return found.report()


def _features_alike(tables: Sequence[FeatureTable], names: Sequence[str]) -> Report:
    """Features that only some of the tables have, and none that all have."""
    report = Report()
    for one in tables:
        own = [name for name in one.names if name not in set(names)]
        found = Problems(one.name)
        if not names:
            message = f"No feature is in all groups; {quoted(one.name)} has {_some(own)}."
            found.error("no-common-feature", message, "Name the features alike in every table.", value=own[0])
        elif own:
            message = f"{len(own):,} features are not in every group and left out: {_some(own)}."
            found.warning("feature-left-out", message, "", value=own[0], count=len(own))
        report += found.report()
    return report


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"
