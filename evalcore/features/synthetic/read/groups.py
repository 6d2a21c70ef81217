"""Groups wherever they lie: folders and zips of images, feature tables, and what was uploaded."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evalcore.features.synthetic.read.feature_files import parse_features
from evalcore.features.synthetic.read.folders import pictures_of
from evalcore.features.synthetic.read.material import Source
from evalcore.features.synthetic.read.uploaded import UploadedGroup
from evalcore.study.tables.files import parse_file
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import quoted
from evalcore.study.vectors.files import parse_embeddings
from evalcore.values.errors import Report

_HOW = "Give a folder or zip of images, or a feature table ID,f1,f2."


def of_paths(
    archetypes: tuple[str, Path],
    groups: Sequence[tuple[str, Path]],
    vectors: Mapping[str, Path] | None = None,
) -> list[Source]:
    """The archetypes and each (name, path) of the groups; ``vectors``: a file for those that have them.

    Two groups of one name are an error of the second.
    """
    given, first = vectors or {}, dict[str, Path]()
    result = [of_path(*archetypes, given.get(archetypes[0]))]
    for name, path in groups:
        one = of_path(name, path, given.get(name))
        if name in first:
            one = replace(one, report=_twice(name, first[name], path) + one.report)
        first.setdefault(name, path)
        result.append(one)
    return result


def of_path(name: str, path: Path, vectors: Path | None = None) -> Source:
    """A folder or zip of images, or a feature table; and a file of its vectors.

    The source says what is wrong with them, and is not usable where there is nothing of the kind.
    """
    file, pictures, table, rows = absolute(path).name, None, None, None
    if is_loop(path):
        problems = Problems(path.name)
        message = f"{quoted(str(path))} is a link that leads back to itself."
        problems.error(
            "path-leaves-study", message, "Give the path of the folder or file itself.", value=path
        )
        return Source(name, file=path.name, report=problems.report())
    if path.is_dir() or path.suffix.lower() == ".zip":
        pictures, report = pictures_of(path, file=file)
    elif path.exists():
        table, report = parse_file(parse_features, path, None, name=name)
    else:
        problems = Problems(path.name)
        problems.error("missing-file", f"There is no file or folder {quoted(str(path))}.", _HOW, value=path)
        report = problems.report()
    if vectors is not None:
        rows, of_vectors = parse_file(parse_embeddings, vectors, None)
        report += of_vectors
    return Source(name, pictures, table, rows, file, report)


def absolute(path: Path) -> Path:
    """The path without links; with them where they lead back to themselves."""
    return path.absolute() if is_loop(path) else path.resolve()


def is_loop(path: Path) -> bool:
    """Whether a path is a link that leads back to itself."""
    try:
        path.resolve(strict=True)
    except RuntimeError:  # Python before 3.13
        return True
    except OSError as reason:
        return reason.errno == errno.ELOOP
    return False


def of_upload(group: UploadedGroup) -> Source:
    """A group as it was uploaded; what is wrong with a part of it was said then."""
    place = group.pictures or group.features
    assert place is not None, "a group has pictures or features"
    one = of_path(group.name, place, group.vectors)
    return replace(one, file=group.name, report=Report() if one.usable else one.report)


def _twice(name: str, first: Path, second: Path) -> Report:
    problems = Problems(second.name)
    message = f"Two groups are called {quoted(name)}: {first} and {second}."
    problems.error("duplicate-group", message, "Name them: NAME=PATH.", value=name)
    return problems.report()
