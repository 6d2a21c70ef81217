"""Groups of images that a page compares: uploaded for a study and kept in the workspace, or images of the
study itself.

Uploads are below ``synthetic`` of the workspace, one folder a study and in it one a group: ``real`` or
``generated``, then its name, then ``images.zip`` or ``features.csv``, and beside it ``vectors`` where they
were uploaded. What people thought is in ``people.csv``, weights of features in ``weights.csv``. The study
itself is never changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.features.synthetic.files import parse_features, parse_people, parse_weights
from evalcore.features.synthetic.groups import Source, source_of
from evalcore.features.synthetic.read_pictures import ALTERATIONS, NEAR_COPIES, Pictures, pictures_of
from evalcore.study.tables.files import content_of
from evalcore.study.tables.problems import Problems, guarded
from evalcore.study.vectors.files import parse_embeddings
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
IMAGES, FEATURES, VECTORS = "images.zip", "features.csv", "vectors"
_PARSERS: Mapping[str, Callable[..., tuple[Any, Report]]] = {
    PEOPLE: parse_people,
    WEIGHTS: parse_weights,
    FEATURES: parse_features,
    VECTORS: parse_embeddings,
}
MOST_GROUPS = 24
"""Groups of one study at most."""


@dataclass(frozen=True, slots=True)
class UploadedGroup:
    """A group that was kept: its name, whether its images are real or generated, and its folder."""

    name: str
    role: str
    folder: Path

    @property
    def parts(self) -> list[str]:
        """Those of images, features and vectors that it has."""
        return [part for part in (IMAGES, FEATURES, VECTORS) if (self.folder / part).exists()]

    def source(self) -> Source:
        """The group to measure; what is wrong with a part of it was said when it was uploaded."""
        parts = self.parts
        vectors = self.folder / VECTORS if VECTORS in parts else None
        source = source_of(self.name, self.folder / parts[0], vectors)
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
            group = UploadedGroup(name, role, folder)
            result += [group] if {IMAGES, FEATURES} & {*group.parts} else []
    return result


def add(study: Path, kind: str, name: str, filename: str, data: bytes) -> Report:
    """Keep an upload: a group of ``REAL`` or ``GENERATED`` images of this name, or a part of one, or a file
    of ``PEOPLE`` or ``WEIGHTS`` in place of what is there.

    A zip of images or a table ID,f1,f2 makes a group (or takes the place of what was there of it); ``.npz``
    and ``.parquet`` are vectors of a group that is there. With a problem of rule "not-kept" nothing was
    changed.

    Raises InputError when the workspace cannot be written to, or has too many groups.
    """
    check_file(filename, len(data))
    top, ending, there = folder_of(study), filename.lower().rpartition(".")[2], groups(study)
    folder, part = top, kind
    if kind in (REAL, GENERATED):
        folder = top / kind / folder_name(name, [group.folder.name for group in there if group.role == kind])
        of_vectors = ending in ("npz", "parquet") or data[:4] == b"PAR1"
        part = VECTORS if of_vectors else IMAGES if data[:4] == b"PK\x03\x04" else FEATURES
    is_new = folder not in (top, *(group.folder for group in there))
    if is_new and len(there) >= MOST_GROUPS:
        raise InputError(f"There are {MOST_GROUPS} groups already. Remove one first.")
    with keeping(filename), staging() as aside:
        check_is_there(study)
        why_not = "no image in it can be used" if part == IMAGES else "no row of it can be used"
        if part == IMAGES:
            write_new(aside / IMAGES, data)
            content, report = guarded(filename, partial(pictures_of, aside / IMAGES), None)
        else:
            content, report = _PARSERS[part](data, file=filename)
        if part == VECTORS and is_new:
            content, why_not = None, "there is no group of this name that the vectors could belong to"
        if content is None:
            problems = Problems(filename)
            remedy = "What was there before is unchanged; see the other problems."
            problems.error("not-kept", f"{filename} was not kept: {why_not}.", remedy)
            return report + problems.report()
        write_whole(folder / part, data)
        for other in {IMAGES, FEATURES} - {part} if part in (IMAGES, FEATURES) else ():
            (folder / other).unlink(missing_ok=True)
    events.record("uploaded", study=study.name, kind=f"synthetic {kind}", file=filename, bytes=len(data))
    return report


def remove(study: Path, kind: str, name: str = "") -> None:
    """Forget an uploaded group with all its parts, or the file of ``PEOPLE`` or ``WEIGHTS``."""
    with keeping(name or kind), locked():
        for group in groups(study):
            if (group.role, group.name) == (kind, name):
                remove_whole(group.folder)
        if kind in (PEOPLE, WEIGHTS):
            (folder_of(study) / kind).unlink(missing_ok=True)
    events.record("removed", study=study.name, kind=f"synthetic {kind}")


def kept(study: Path, kind: str) -> Any:
    """What people thought (``PEOPLE``, see `parse_people`) or weights (``WEIGHTS``, see `parse_weights`) as
    they were uploaded for a study, None without."""
    place = folder_of(study) / kind
    return _PARSERS[kind](content_of(place, kind), file=kind)[0] if place.exists() else None


# Images of a study as groups: real ones, and altered copies of them.

REAL_IMAGES, OTHERS = "real images", "other real images"
MOST_ALTERED, SOURCES = 40, 8
"""Images in each altered group, and archetypes that the near copies are made of, at most."""
FEWEST = 6


def with_pictures(study: Study, images: Sequence[int] | None = None) -> list[int]:
    """Those of these images (all without) that have a picture."""
    files, wanted = study.images, range(len(study.image_ids)) if images is None else images
    return [] if files is None else [int(i) for i in wanted if files.entries[int(i)] is not None]


def drawn(images: Sequence[int], *, most: int, seed: int) -> list[int]:
    """At most so many of the images, drawn with the seed, in their order."""
    order = np.random.default_rng((seed, 0)).permutation(len(images))[:most]
    return sorted(images[int(i)] for i in order)


def study_source(study: Study, images: Sequence[int], name: str) -> Source:
    """Images of a study as a group."""
    assert study.images is not None
    return Source(name, Pictures({study.image_ids[i]: (i, 0) for i in images}, study.images), file=name)


def altered_copies(study: Study, images: Sequence[int], *, seed: int) -> list[Source]:
    """The archetypes, other real images, and every alteration of these; [] with too few images.

    Half of the images are the archetypes, the other half is altered, so that no group but the near copies
    is made of archetypes. Where the study has groups, such as patients, each is on one side as a whole.
    """
    real, others = _halves(study, images, seed)
    if min(len(real), len(others)) < FEWEST:
        return []
    assert study.images is not None
    used, n, ids = others[:MOST_ALTERED], min(SOURCES, len(real)), study.image_ids
    result = [study_source(study, real, REAL_IMAGES), study_source(study, others, OTHERS)]
    for kind in ALTERATIONS:
        places = {ids[at]: (at, 0) for at in used}
        if kind == NEAR_COPIES:
            copied = [(real[i % n], i // n) for i in range(len(used))]
            places = {f"{ids[at]}_copy{copy + 1}": (at, copy) for at, copy in copied}
        result.append(Source(kind, Pictures(places, study.images, kind), file=kind))
    return result


def _halves(study: Study, images: Sequence[int], seed: int) -> tuple[list[int], list[int]]:
    """Two halves of the images, groups of the study kept together, drawn with the seed."""
    rng = np.random.default_rng((seed, 1))
    if study.groups is None:
        order = [int(i) for i in rng.permutation(np.asarray(images, int))]
        return sorted(order[: len(order) // 2]), sorted(order[len(order) // 2 :])
    of_image = study.groups.of_image
    together: dict[int, list[int]] = {}
    for image in images:
        together.setdefault(int(of_image[image]) if of_image[image] >= 0 else -2 - image, []).append(image)
    keys = list(together)
    sides: tuple[list[int], list[int]] = ([], [])
    for at in rng.permutation(len(keys)):
        sides[len(sides[0]) > len(sides[1])].extend(together[keys[int(at)]])
    return sorted(sides[0]), sorted(sides[1])
