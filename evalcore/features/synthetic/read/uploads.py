"""Groups of images that a page compares: uploaded for a study and kept in the workspace, or images of the
study itself.

Uploads are below ``synthetic`` of the workspace, one folder a study and in it one a group: ``real`` or
``generated``, then its name, then ``pictures`` or ``features.csv``, and beside it ``vectors`` where they
were uploaded. What people thought is in ``people.csv``, weights of features in ``weights.csv``. The study
itself is never changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evalcore.features.synthetic.read.files import (
    People,
    WeightRows,
    parse_features,
    parse_people,
    parse_weights,
)
from evalcore.features.synthetic.read.groups import Source, source_of
from evalcore.features.synthetic.read.pictures import ALTERATIONS, NEAR_COPIES, Item, Pictures
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.files import parse_embeddings
from evalcore.study.workspace.change import staging
from evalcore.study.workspace.file_names import folder_name, readable
from evalcore.study.workspace.folders import check_is_there
from evalcore.study.workspace.home import home, keeping, locked, make_folder, remove_whole, write_whole
from evalcore.study.workspace.uploads import ready_images
from evalcore.values import events
from evalcore.values.account import check_file
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Study

Role = Literal["real", "generated"]
ROLES: tuple[Role, ...] = ("real", "generated")
PICTURES, FEATURES, VECTORS = "pictures", "features.csv", "vectors"
PEOPLE, WEIGHTS = "people.csv", "weights.csv"
_PARSERS: Mapping[str, Callable[..., tuple[Any, Report]]] = {PEOPLE: parse_people, WEIGHTS: parse_weights}
MOST_GROUPS = 24
"""Groups of one study at most."""
NOT_KEPT = "not-kept"


@dataclass(frozen=True, slots=True)
class UploadedGroup:
    """A group that was kept: its name, what it is, and where its parts are (None for those it lacks)."""

    name: str
    role: Role
    folder: Path
    pictures: Path | None
    features: Path | None
    vectors: Path | None

    def source(self) -> Source:
        """The group to measure; what is wrong with a part of it was said when it was uploaded."""
        place = self.pictures or self.features
        assert place is not None, "a group has pictures or features"
        source = source_of(self.name, place, self.vectors)
        return replace(source, file=self.name, report=Report() if source.usable else source.report)


def folder_of(study: Path) -> Path:
    """Where the groups uploaded for a study are; it need not exist yet."""
    return home() / "synthetic" / digest_of(os.path.realpath(study))


def groups(study: Path) -> tuple[UploadedGroup, ...]:
    """The groups uploaded for a study, real ones first, by name."""
    return tuple(group for role in ROLES for group in _of_role(study, role))


def _of_role(study: Path, role: Role) -> Iterator[UploadedGroup]:
    try:
        folders = sorted(Path(entry.path) for entry in os.scandir(folder_of(study) / role) if entry.is_dir())
    except OSError:
        return  # none yet
    for folder in folders:
        places = [folder / name for name in (PICTURES, FEATURES, VECTORS)]
        parts = [place if place.exists() else None for place in places]
        if not folder.name.startswith(".") and (parts[0] or parts[1]):
            yield UploadedGroup(readable(folder.name), role, folder, *parts)


def add_group(study: Path, role: Role, name: str, filename: str, data: bytes) -> Report:
    """Keep an upload as a group, or as a part of one of that name.

    A zip of images, or one image, and a table ID,f1,f2 make a group (or take the place of the same part of
    it); ``.npz`` and ``.parquet`` are vectors of a group that is there. With a problem of rule "not-kept"
    nothing was changed.

    Raises InputError when the workspace cannot be written to, or has too many groups.
    """
    check_file(filename, len(data))
    there = groups(study)
    taken = [group.folder.name for group in there if group.role == role]
    folder = folder_of(study) / role / folder_name(name, taken)
    is_new = all(group.folder != folder for group in there)
    if is_new and len(there) >= MOST_GROUPS:
        raise InputError(f"There are {MOST_GROUPS} groups already. Remove one first.")
    ending = filename.lower().rpartition(".")[2]
    with keeping(filename), staging() as aside:
        check_is_there(study)
        if ending in ("npz", "parquet") or data[:4] == b"PAR1":
            rows, report = parse_embeddings(data, file=filename)
            if is_new:
                why = "there is no group of this name that the vectors could belong to"
                return _refused(report, filename, why, "Add the images or features of the group first.")
            if rows is None:
                return _refused(report, filename, "there are no vectors in it that can be read")
            write_whole(folder / VECTORS, data)
        elif ending in ("csv", "tsv", "txt") and data[:4] != b"PK\x03\x04":
            table, report = parse_features(data, file=filename)
            if table is None:
                return _refused(report, filename, "no row of it can be used")
            make_folder(folder)
            write_whole(folder / FEATURES, data)
            remove_whole(folder / PICTURES)
        else:
            ready, report = ready_images(filename, data, image_ids=None, aside=aside)
            if ready is None:
                return report
            make_folder(folder)
            remove_whole(folder / PICTURES)
            ready.rename(folder / PICTURES)
            (folder / FEATURES).unlink(missing_ok=True)
    events.record("uploaded", study=study.name, kind=f"{role} images", file=filename, bytes=len(data))
    return report


def remove_group(study: Path, role: Role, name: str) -> None:
    """Forget an uploaded group with all its parts."""
    with keeping(name), locked():
        for group in groups(study):
            if (group.role, group.name) == (role, name):
                remove_whole(group.folder)
                events.record("removed", study=study.name, kind=f"{role} images")


def add_file(study: Path, kind: str, filename: str, data: bytes) -> Report:
    """Keep what people thought (``PEOPLE``) or weights of features (``WEIGHTS``) in place of what is there;
    not a file without a usable row."""
    check_file(filename, len(data))
    content, report = _PARSERS[kind](data, file=filename)
    if not content:
        return _refused(report, filename, "no row of it can be used")
    with keeping(filename), locked():
        check_is_there(study)
        make_folder(folder_of(study))
        write_whole(folder_of(study) / kind, data)
    events.record("uploaded", study=study.name, kind=kind, file=filename, bytes=len(data))
    return report


def remove_file(study: Path, kind: str) -> None:
    """Forget what people thought, or the weights."""
    with keeping(kind), locked():
        (folder_of(study) / kind).unlink(missing_ok=True)
    events.record("removed", study=study.name, kind=kind)


def people(study: Path) -> People | None:
    """What people thought as it was uploaded for a study, None without."""
    kept: People | None = _kept(study, PEOPLE)
    return kept


def weights(study: Path) -> WeightRows | None:
    """The weights that were uploaded for a study, None without any."""
    kept: WeightRows | None = _kept(study, WEIGHTS)
    return kept


def _kept(study: Path, kind: str) -> Any:
    try:
        data = (folder_of(study) / kind).read_bytes()
    except OSError:
        return None
    return _PARSERS[kind](data, file=kind)[0]


def _refused(
    report: Report,
    filename: str,
    why: str,
    remedy: str = "What was there before is unchanged; see the other problems.",
) -> Report:
    problems = Problems(filename)
    problems.error(NOT_KEPT, f"{filename} was not kept: {why}.", remedy)
    return report + problems.report()


# Images of a study as groups: real ones, those with another label, and altered copies.

REAL, OTHERS = "real images", "other real images"
MOST_ALTERED, SOURCES = 40, 8
"""Images in each altered group, and archetypes that the near copies are made of, at most."""
FEWEST = 6


def with_pictures(study: Study, images: Sequence[int] | None = None) -> list[int]:
    """Those of these images (all without) that have a picture."""
    if study.images is None:
        return []
    wanted = range(len(study.image_ids)) if images is None else images
    return [int(i) for i in wanted if study.images.entries[int(i)] is not None]


def drawn(images: Sequence[int], *, most: int, seed: int) -> list[int]:
    """At most so many of the images, drawn with the seed, in their order."""
    order = np.random.default_rng((seed, 0)).permutation(len(images))[:most]
    return sorted(images[int(i)] for i in order)


def study_source(study: Study, images: Sequence[int], name: str) -> Source:
    """Images of a study as a group."""
    assert study.images is not None
    return Source(name, Pictures(tuple(Item(study.image_ids[i], i) for i in images), study.images))


def altered_copies(study: Study, images: Sequence[int], *, seed: int) -> list[Source]:
    """The archetypes, other real images, and every alteration of these; [] with too few images.

    Half of the images are the archetypes, the other half is altered, so that no group but the near copies
    is made of archetypes. Where the study has groups, such as patients, each is on one side as a whole.
    """
    real, others = _halves(study, images, seed)
    if min(len(real), len(others)) < FEWEST:
        return []
    assert study.images is not None
    used, n = others[:MOST_ALTERED], min(SOURCES, len(real))
    result = [study_source(study, real, REAL), study_source(study, others, OTHERS)]
    for kind in ALTERATIONS:
        items = [Item(study.image_ids[at], at) for at in used]
        if kind == NEAR_COPIES:
            sources = [(real[i % n], i // n) for i in range(len(used))]
            items = [Item(f"{study.image_ids[at]}_copy{copy + 1}", at, copy) for at, copy in sources]
        result.append(Source(kind, Pictures(tuple(items), study.images, kind)))
    return result


def _halves(study: Study, images: Sequence[int], seed: int) -> tuple[list[int], list[int]]:
    """Two halves of the images, groups of the study kept together, drawn with the seed."""
    rng = np.random.default_rng((seed, 1))
    if study.groups is None:
        order = [int(i) for i in rng.permutation(np.asarray(images, int))]
        return sorted(order[: len(order) // 2]), sorted(order[len(order) // 2 :])
    of = study.groups.of_image
    together: dict[int, list[int]] = {}
    for image in images:
        together.setdefault(int(of[image]) if of[image] >= 0 else -2 - image, []).append(image)
    keys = list(together)
    sides: tuple[list[int], list[int]] = ([], [])
    for at in rng.permutation(len(keys)):
        sides[len(sides[0]) > len(sides[1])].extend(together[keys[int(at)]])
    return sorted(sides[0]), sorted(sides[1])
