"""What was read of groups, images or features, as tables of the features that all of them have."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.features.synthetic.features import FeatureTable, in_common
from evalcore.features.synthetic.images.measured import as_table, is_colour
from evalcore.features.synthetic.read.folders import MeasuredImages
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import quoted
from evalcore.values.problems import Report

Read = FeatureTable | MeasuredImages
LISTED = 6


def of_one_form(names: Sequence[str], read: Sequence[Read]) -> tuple[list[FeatureTable] | None, Report]:
    """What was read of each group as tables of the same features; None when no feature is in all."""
    images = [one for one in read if isinstance(one, MeasuredImages)]
    colour = is_colour([one.features for one in images])
    tables = [
        as_table(one.features, colour=colour, name=name, declared=one.channels)
        if isinstance(one, MeasuredImages)
        else one
        for name, one in zip(names, read, strict=True)
    ]
    report = _images_alike(images)
    shared = in_common(tables)
    report += _features_alike(tables, shared)
    return ([one.of(shared) for one in tables] if shared else None), report


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
    if any(one.channels for one in images):
        return found.report()
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
        else:
            message = f"{{n}} features are not in every group and left out: {_some(own)}."
            found.counted("feature-left-out", own, message, "")
        report += found.report()
    return report


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"
