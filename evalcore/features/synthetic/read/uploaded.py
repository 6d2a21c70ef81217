"""Groups of images that were uploaded for a study: looked at first, then kept in the workspace.

Below ``synthetic`` of the workspace, one folder a study and in it one a group: ``real`` or ``generated``,
then its name, then ``pictures`` or ``features.csv``, and beside it ``vectors`` where they were given.
Rankings of people lie in ``people.csv``, weights of features in ``weights.csv``. The study itself is never
changed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from evalcore.features.synthetic.read.feature_files import parse_features
from evalcore.features.synthetic.read.rankings import Judged, parse_rankings
from evalcore.features.synthetic.read.weight_files import WeightRows, parse_weights
from evalcore.study.tables.problems import Problems
from evalcore.study.vectors.embeddings import parse_embeddings
from evalcore.study.workspace.home import cannot_keep, folder_name, home, make_folder, readable, write_whole
from evalcore.study.workspace.image_uploads import ready_images
from evalcore.study.workspace.staging import changing, staging
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.problems import Report

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
    return tuple(one for role in ROLES for one in _of_role(study, role))


def _of_role(study: Path, role: Role) -> Iterator[UploadedGroup]:
    try:
        found = sorted(Path(one.path) for one in os.scandir(folder_of(study) / role) if one.is_dir())
    except OSError:
        return  # none yet
    for folder in found:
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
    there = groups(study)
    folder = (
        folder_of(study) / role / folder_name(name, [one.folder.name for one in there if one.role == role])
    )
    same = next((one for one in there if one.folder == folder), None)
    if same is None and len(there) >= MOST_GROUPS:
        raise InputError(f"There are {MOST_GROUPS} groups already. Remove one first.")
    ending = filename.lower().rpartition(".")[2]
    with _kept(filename), staging() as aside, changing():
        if ending in ("npz", "parquet") or data[:4] == b"PAR1":
            return _vectors(folder, same, filename, data)
        if _is_table(ending, data):
            read, report = parse_features(data, file=filename, name=name)
            if read is None:
                return _refused(report, filename, "no row of it can be used")
            make_folder(folder)
            write_whole(folder / FEATURES, data)
            _drop(folder / PICTURES)
            return report
        ready, report = ready_images(filename, data, image_ids=None, aside=aside)
        if ready is None:
            return report
        make_folder(folder)
        _drop(folder / PICTURES)
        ready.rename(folder / PICTURES)
        (folder / FEATURES).unlink(missing_ok=True)
        return report


def _vectors(folder: Path, same: UploadedGroup | None, filename: str, data: bytes) -> Report:
    rows, report = parse_embeddings(data, file=filename)
    if same is None:
        found = Problems(filename)
        message = f"{filename} was not kept: there is no group of this name that the vectors could belong to."
        found.error(NOT_KEPT, message, "Add the images or features of the group first.")
        return report + found.report()
    if rows is None:
        return _refused(report, filename, "there are no vectors in it that can be read")
    write_whole(folder / VECTORS, data)
    return report


def remove_group(study: Path, role: Role, name: str) -> None:
    """Forget an uploaded group with all its parts."""
    with _kept(name), changing():
        for one in groups(study):
            if (one.role, one.name) == (role, name):
                _drop(one.folder)


def add_file(study: Path, kind: str, filename: str, data: bytes) -> Report:
    """Keep a ranking of people (``PEOPLE``) or weights of features (``WEIGHTS``) in place of the one that is
    there; not a file without a usable row."""
    read, report = _READ[kind](data, file=filename)
    if not read:
        return _refused(report, filename, "no row of it can be used")
    with _kept(filename), changing():
        make_folder(folder_of(study))
        write_whole(folder_of(study) / kind, data)
    return report


def people(study: Path) -> Judged | None:
    """The ranking of people that was uploaded for a study, None without one."""
    return _held(study, PEOPLE, parse_rankings)


def weights(study: Path) -> WeightRows | None:
    """The weights that were uploaded for a study, None without any."""
    return _held(study, WEIGHTS, parse_weights)


def remove_file(study: Path, kind: str) -> None:
    """Forget the ranking of people, or the weights."""
    with _kept(kind), changing():
        (folder_of(study) / kind).unlink(missing_ok=True)


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
    for one in groups(study):
        for part in (one.pictures, one.features, one.vectors):
            if part is not None:
                fact = part.stat()
                facts.append(f"{one.role}/{one.name}/{part.name}:{fact.st_mtime_ns}:{fact.st_ino}")
    return digest_of(facts)


def _is_table(ending: str, data: bytes) -> bool:
    return ending in ("csv", "tsv", "txt") and data[:4] != b"PK\x03\x04"


def _drop(path: Path) -> None:
    """Away with a folder, by one rename first: nobody sees half of it."""
    if path.exists():
        gone = path.with_name(f".{digest_of(str(path), path.stat().st_mtime_ns)}.gone")
        shutil.rmtree(gone, ignore_errors=True)
        path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _refused(report: Report, filename: str, why: str) -> Report:
    found = Problems(filename)
    message = f"{filename} was not kept: {why}."
    found.error(NOT_KEPT, message, "What was there before is unchanged; see the other problems.")
    return report + found.report()


@contextmanager
def _kept(filename: str) -> Iterator[None]:
    """InputError where the workspace cannot be written to."""
    try:
        yield
    except OSError as reason:
        raise cannot_keep(filename, reason) from reason
