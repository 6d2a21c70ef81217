"""Groups of images that the page compares: uploaded for a study and kept in the workspace, or images of the
study itself.

Uploads are below ``synthetic`` of the workspace, one folder a study and in it one a group: ``real`` or
``generated``, then its name, then ``images.zip`` or ``features.csv``. What people prefer is in
``people.csv``, weights of features in ``weights.csv``. The study itself is never changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.features.synthetic.files import parse_features, parse_pairs, parse_weights
from evalcore.features.synthetic.groups import Source, source_of
from evalcore.features.synthetic.read_pictures import ALTERATIONS, NEAR_COPIES, Pictures, pictures_of
from evalcore.study.tables.files import content_of
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.workspace.change import staging
from evalcore.study.workspace.file_names import folder_name, readable
from evalcore.study.workspace.folders import check_is_there
from evalcore.study.workspace.home import home, keeping, locked, remove_whole, write_new, write_whole
from evalcore.values import events
from evalcore.values.account import check_file
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Study

REAL, GENERATED, PEOPLE, WEIGHTS = "real", "generated", "people.csv", "weights.csv"
"""What an upload can be: a group of images, or a file about all of them."""
IMAGES, FEATURES = "images.zip", "features.csv"
_PARSERS: Mapping[str, Callable[..., tuple[Any, Report]]] = {
    PEOPLE: parse_pairs,
    WEIGHTS: parse_weights,
    FEATURES: parse_features,
}
MOST_GROUPS = 24
"""Groups of one study at most."""


@dataclass(frozen=True, slots=True)
class UploadedGroup:
    """A group that was kept: its name, whether its images are real or generated, and its folder."""

    name: str
    role: str
    folder: Path

    def source(self) -> Source:
        """The group to measure; what is wrong with a part of it was said when it was uploaded."""
        part = IMAGES if (self.folder / IMAGES).exists() else FEATURES
        source = source_of(self.name, self.folder / part)
        usable = source.pictures is not None or source.features is not None
        return replace(source, file=self.name, report=Report() if usable else source.report)


def folder_of(study: Path) -> Path:
    """Where the groups uploaded for a study are; it need not exist yet."""
    return home() / "synthetic" / digest_of(os.path.realpath(study))


def groups(study: Path) -> list[UploadedGroup]:
    """The groups uploaded for a study, real ones first, by name; a generated one with the name of real ones
    says so in its own."""
    result: list[UploadedGroup] = []
    for role in (REAL, GENERATED):
        for folder in sorted((folder_of(study) / role).glob("[!.]*")):
            name = readable(folder.name)
            name += " (generated)" if name in {group.name for group in result} else ""
            if (folder / IMAGES).exists() or (folder / FEATURES).exists():
                result.append(UploadedGroup(name, role, folder))
    return result


def add(study: Path, kind: str, name: str, filename: str, data: bytes) -> Report:
    """Keep an upload: a zip of images or a table ID,f1,f2 as a group of ``REAL`` or ``GENERATED`` images of
    this name, or a file of ``PEOPLE`` or ``WEIGHTS``; each in place of what is there.

    With a problem of rule "not-kept" nothing was changed. Raises InputError when the workspace cannot be
    written to, or has too many groups.
    """
    check_file(filename, len(data))
    folder, part, there = folder_of(study), kind, groups(study)
    if kind in (REAL, GENERATED):
        folder /= f"{kind}/{folder_name(name, [group.folder.name for group in there if group.role == kind])}"
        part = IMAGES if data[:4] == b"PK\x03\x04" else FEATURES
        if len(there) >= MOST_GROUPS and folder not in [group.folder for group in there]:
            raise InputError(f"There are {MOST_GROUPS} groups already. Remove one first.")
    with keeping(filename), staging() as aside:
        check_is_there(study)
        if part == IMAGES:
            write_new(aside / IMAGES, data)
            content, report = guarded(filename, partial(pictures_of, aside / IMAGES), None)
        else:
            content, report = _PARSERS[part](data, file=filename)
        if content is None:
            problems, unusable = Problems(filename), "image in" if part == IMAGES else "row of"
            message = f"{filename} was not kept: no {unusable} it can be used."
            remedy = "What was there before is unchanged; see the other problems."
            problems.error("not-kept", message, remedy)
            return report + problems.report()
        write_whole(folder / part, data)
        for other in {IMAGES, FEATURES} - {part} if part in (IMAGES, FEATURES) else ():
            (folder / other).unlink(missing_ok=True)
    events.record("uploaded", study=study.name, kind=f"synthetic {kind}", file=filename, bytes=len(data))
    return report


def remove(study: Path, kind: str, name: str = "") -> None:
    """Forget an uploaded group, or the file of ``PEOPLE`` or ``WEIGHTS``."""
    with keeping(name or kind), locked():
        for group in groups(study):
            if (group.role, group.name) == (kind, name):
                remove_whole(group.folder)
        if kind in (PEOPLE, WEIGHTS):
            (folder_of(study) / kind).unlink(missing_ok=True)
    events.record("removed", study=study.name, kind=f"synthetic {kind}")


def kept(study: Path, kind: str) -> Any:
    """What people prefer (``PEOPLE``, see `parse_pairs`) or weights (``WEIGHTS``, see `parse_weights`) as
    they were uploaded for a study, None without."""
    place = folder_of(study) / kind
    return _PARSERS[kind](content_of(place, kind), file=kind)[0] if place.exists() else None


# Images of a study as groups: real ones, and altered copies of them.

REAL_IMAGES, OTHERS = "real images", "other real images"
MOST, MOST_ALTERED, SOURCES = 120, 40, 8
"""Images of a study, in each altered group, and archetypes that the near copies are made of, at most."""
FEWEST = 6


def study_images(study: Study) -> list[int]:
    """The images of a study that have a picture, at most `MOST`, drawn with a fixed seed."""
    files = study.images
    usable = [] if files is None else [i for i, entry in enumerate(files.entries) if entry is not None]
    order = np.random.default_rng((0, 0)).permutation(len(usable))[:MOST]
    return sorted(usable[int(i)] for i in order)


def study_source(study: Study, images: Sequence[int], name: str) -> Source:
    """Images of a study as a group."""
    assert study.images is not None
    return Source(name, Pictures({study.image_ids[i]: (i, 0) for i in images}, study.images), file=name)


def altered_copies(study: Study) -> list[Source]:
    """The archetypes, other real images, and every alteration of these; [] with too few images.

    Half of the images are the archetypes, the other half is altered, so that no group but the near copies
    is made of archetypes.
    """
    images = study_images(study)
    order = np.random.default_rng((0, 1)).permutation(images).tolist()
    real, others = sorted(order[: len(order) // 2]), sorted(order[len(order) // 2 :])
    if len(real) < FEWEST:
        return []
    assert study.images is not None
    result, ids = (
        [study_source(study, real, REAL_IMAGES), study_source(study, others, OTHERS)],
        study.image_ids,
    )
    few = real[:SOURCES]
    for kind in ALTERATIONS:
        places = {ids[at]: (at, 0) for at in others[:MOST_ALTERED]}
        if kind == NEAR_COPIES:
            copied = [(few[i % len(few)], i // len(few)) for i in range(len(places))]
            places = {f"{ids[at]}_copy{copy + 1}": (at, copy) for at, copy in copied}
        result.append(Source(kind, Pictures(places, study.images, kind), file=kind))
    return result
