"""Groups of images that were uploaded for a study: looked at first, then kept in the workspace.

Below ``synthetic`` of the workspace, one folder a study and in it one a group: ``real`` or ``generated``,
then its name, then ``pictures`` or ``features.csv``, and beside it ``vectors`` where they were given.
Rankings of people lie in ``people.csv``, weights of features in ``weights.csv``. The study itself is never
changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from evalcore.features.synthetic.copies import ALTERATIONS
from evalcore.features.synthetic.read.feature_files import (
    WeightRows,
    parse_features,
    parse_rankings,
    parse_weights,
)
from evalcore.features.synthetic.read.folders import Pictures
from evalcore.features.synthetic.read.material import Source
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.files import parse_embeddings
from evalcore.study.workspace.change import staging
from evalcore.study.workspace.file_names import folder_name, readable
from evalcore.study.workspace.folders import check_is_there
from evalcore.study.workspace.home import home, keeping, locked, make_folder, remove_whole, write_whole
from evalcore.study.workspace.image_uploads import ready_images
from evalcore.values import events
from evalcore.values.account import check_file
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Study

Value = TypeVar("Value")
Role = Literal["real", "generated"]
ROLES: tuple[Role, ...] = ("real", "generated")
PICTURES, FEATURES, VECTORS = "pictures", "features.csv", "vectors"
PEOPLE, WEIGHTS = "people.csv", "weights.csv"
MOST_GROUPS = 24
"""Groups of one study at most."""
NOT_KEPT = "not-kept"


@dataclass(frozen=True, slots=True)
class UploadedGroup:
    """A group that was kept: its name, what it is, and where its parts lie (None for those it lacks)."""

    name: str
    role: Role
    folder: Path
    pictures: Path | None
    features: Path | None
    vectors: Path | None


def folder_of(study: Path) -> Path:
    """Where the groups uploaded for a study are; it need not exist yet."""
    return home() / "synthetic" / digest_of(os.path.realpath(study))


def groups(study: Path) -> tuple[UploadedGroup, ...]:
    """The groups uploaded for a study, real ones first, by name."""
    return tuple(group for role in ROLES for group in _of_role(study, role))


def _of_role(study: Path, role: Role) -> Iterator[UploadedGroup]:
    try:
        result = sorted(Path(one.path) for one in os.scandir(folder_of(study) / role) if one.is_dir())
    except OSError:
        return  # none yet
    for folder in result:
        parts = [
            folder / name if (folder / name).exists() else None for name in (PICTURES, FEATURES, VECTORS)
        ]
        if not folder.name.startswith(".") and (parts[0] or parts[1]):
            yield UploadedGroup(readable(folder.name), role, folder, *parts)


def add_group(study: Path, role: Role, name: str, filename: str, data: bytes) -> Report:
    """Keep an upload as a group, or as a part of one of that name.

    A zip of images, or one image, and a table ID,f1,f2 make a group (or take the place of the same part of
    it); ``.npz`` and ``.parquet`` are vectors of a group that is there. With a problem of rule "not-kept"
    nothing was changed.

    Raises InputError when the workspace cannot be written to, or holds too many groups.
    """
    check_file(filename, len(data))
    there = groups(study)
    folder = (
        folder_of(study) / role / folder_name(name, [one.folder.name for one in there if one.role == role])
    )
    same = next((one for one in there if one.folder == folder), None)
    if same is None and len(there) >= MOST_GROUPS:
        raise InputError(f"There are {MOST_GROUPS} groups already. Remove one first.")
    ending = filename.lower().rpartition(".")[2]
    with keeping(filename), staging() as aside:
        check_is_there(study)
        if ending in ("npz", "parquet") or data[:4] == b"PAR1":
            return _vectors(folder, same, filename, data)
        if _is_table(ending, data):
            read, report = parse_features(data, file=filename, name=name)
            if read is None:
                return _refused(report, filename, "no row of it can be used")
            make_folder(folder)
            write_whole(folder / FEATURES, data)
            remove_whole(folder / PICTURES)
            events.record("uploaded", study=study.name, kind=f"{role} images", file=filename, bytes=len(data))
            return report
        ready, report = ready_images(filename, data, image_ids=None, aside=aside)
        if ready is None:
            return report
        make_folder(folder)
        remove_whole(folder / PICTURES)
        ready.rename(folder / PICTURES)
        (folder / FEATURES).unlink(missing_ok=True)
        events.record("uploaded", study=study.name, kind=f"{role} images", file=filename, bytes=len(data))
        return report


def _vectors(folder: Path, same: UploadedGroup | None, filename: str, data: bytes) -> Report:
    rows, report = parse_embeddings(data, file=filename)
    if same is None:
        problems = Problems(filename)
        message = f"{filename} was not kept: there is no group of this name that the vectors could belong to."
        problems.error(NOT_KEPT, message, "Add the images or features of the group first.")
        return report + problems.report()
    if rows is None:
        return _refused(report, filename, "there are no vectors in it that can be read")
    write_whole(folder / VECTORS, data)
    events.record("uploaded", kind="vectors of images", file=filename, bytes=len(data))
    return report


def remove_group(study: Path, role: Role, name: str) -> None:
    """Forget an uploaded group with all its parts."""
    with keeping(name), locked():
        for group in groups(study):
            if (group.role, group.name) == (role, name):
                remove_whole(group.folder)
                events.record("removed", study=study.name, kind=f"{role} images")


def add_file(study: Path, kind: str, filename: str, data: bytes) -> Report:
    """Keep a ranking of people (``PEOPLE``) or weights of features (``WEIGHTS``) in place of the one that is
    there; not a file without a usable row."""
    check_file(filename, len(data))
    read, report = _READ[kind](data, file=filename)
    if not read:
        return _refused(report, filename, "no row of it can be used")
    with keeping(filename), locked():
        check_is_there(study)
        make_folder(folder_of(study))
        write_whole(folder_of(study) / kind, data)
    events.record("uploaded", study=study.name, kind=kind, file=filename, bytes=len(data))
    return report


def people(study: Path) -> dict[str, float] | None:
    """The ranking of people that was uploaded for a study, None without one."""
    return _held(study, PEOPLE, parse_rankings)


def weights(study: Path) -> WeightRows | None:
    """The weights that were uploaded for a study, None without any."""
    return _held(study, WEIGHTS, parse_weights)


def remove_file(study: Path, kind: str) -> None:
    """Forget the ranking of people, or the weights."""
    with keeping(kind), locked():
        (folder_of(study) / kind).unlink(missing_ok=True)
    events.record("removed", study=study.name, kind=kind)


_READ: Mapping[str, Callable[..., tuple[Any, Report]]] = {PEOPLE: parse_rankings, WEIGHTS: parse_weights}


def _held(study: Path, kind: str, parse: Callable[..., tuple[Value, Report]]) -> Value | None:
    try:
        data = (folder_of(study) / kind).read_bytes()
    except OSError:
        return None
    return parse(data, file=kind)[0]


def stamp(study: Path) -> str:
    """Changes whenever a group or a part of one is added, replaced or removed."""
    facts = []
    for group in groups(study):
        for part in (group.pictures, group.features, group.vectors):
            if part is not None:
                fact = part.stat()
                facts.append(f"{group.role}/{group.name}/{part.name}:{fact.st_mtime_ns}:{fact.st_ino}")
    return digest_of(facts)


def _is_table(ending: str, data: bytes) -> bool:
    return ending in ("csv", "tsv", "txt") and data[:4] != b"PK\x03\x04"


def _refused(report: Report, filename: str, why: str) -> Report:
    problems = Problems(filename)
    message = f"{filename} was not kept: {why}."
    problems.error(NOT_KEPT, message, "What was there before is unchanged; see the other problems.")
    return report + problems.report()


# Real images of a study against altered copies of others: what the page shows before any upload.

REAL, OTHERS, NEAR = "real images", "other real images", "near copies"
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


def of_study(study: Study, images: Sequence[int], name: str) -> Source:
    """Images of a study as a group."""
    assert study.images is not None
    ids = tuple(study.image_ids[i] for i in images)
    return Source(name, Pictures(ids, study.images, tuple(images)))


def altered_copies(study: Study, images: Sequence[int], *, seed: int) -> list[Source]:
    """The archetypes, other real images, and every alteration of these; [] with too few images.

    Half of the images are the archetypes, the other half is altered, so that no group but the near copies is
    made of archetypes. Where the study names groups, such as patients, each is on one side as a whole.
    """
    real, others = _halves(study, images, seed)
    if min(len(real), len(others)) < FEWEST:
        return []
    assert study.images is not None
    result = [of_study(study, real, REAL), of_study(study, others, OTHERS)]
    for kind in ALTERATIONS:
        use, copies = others[:MOST_ALTERED], [0] * len(others[:MOST_ALTERED])
        if kind == NEAR:
            use = [real[i % min(SOURCES, len(real))] for i in range(min(MOST_ALTERED, len(others)))]
            copies = [i // min(SOURCES, len(real)) for i in range(len(use))]
        ids = tuple(
            f"{study.image_ids[image]}_copy{copy + 1}" if kind == NEAR else study.image_ids[image]
            for image, copy in zip(use, copies, strict=True)
        )
        result.append(Source(kind, Pictures(ids, study.images, tuple(use), kind, tuple(copies))))
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
