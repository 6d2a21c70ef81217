"""Files that are uploaded for the page and kept in the workspace, and images of the study as a group.

Uploads are below ``synthetic`` of the workspace, one folder a study and in it one a role: zips of
images, or tables. The study itself is never changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.features.synthetic.files import parse_weights
from evalcore.features.synthetic.groups import Source, source_of
from evalcore.features.synthetic.people import parse_pairs
from evalcore.features.synthetic.read_pictures import Pictures
from evalcore.study.workspace.change import staging
from evalcore.study.workspace.file_names import folder_name, readable
from evalcore.study.workspace.home import check_is_there, home, keeping, locked, make_folder, write_new
from evalcore.values import events
from evalcore.values.account import check_file
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Study

GENERATED, REAL, PEOPLE, WEIGHTS = "generated", "real", "people", "weights"
"""What an upload can be. There can be several groups of generated images, and one file of each other role."""
_PARSERS: dict[str, Callable[..., tuple[Any, Report]]] = {PEOPLE: parse_pairs, WEIGHTS: parse_weights}
MOST_GROUPS = 24
"""Groups of one study at most."""
MOST = 120
"""Images of a study that are compared at most."""


def folder_of(study: Path) -> Path:
    """Where the files uploaded for a study are; it need not exist yet."""
    return home() / "synthetic" / digest_of(os.path.realpath(study))


def files(study: Path, role: str) -> list[Path]:
    """The files of a role uploaded for a study, by name."""
    return sorted((folder_of(study) / role).glob("[!.]*"))


def read(file: Path, role: str, **options: Any) -> tuple[Any, Report]:
    """The content of an upload, and what is wrong with it: the group as a `Source`, judgments of people (see
    `parse_pairs`), or weights (see `parse_weights`, with its options); None where nothing can be used."""
    if role in _PARSERS:
        return _PARSERS[role](file, **options)
    source = source_of(readable(file.stem), file)
    return source if source.usable else None, source.report


def add(study: Path, role: str, filename: str, data: bytes) -> None:
    """Keep an upload in place of the one there; of generated images, of that with the same name.

    Raises InputError, and nothing was changed, where no part of it can be used, when the workspace cannot be
    written to, or has too many groups.
    """
    check_file(filename, len(data))
    there, ending = files(study, role), ".zip" if data[:4] == b"PK\x03\x04" else ".csv"
    name = folder_name(Path(filename).stem, [file.stem for file in there])
    replaced = [file for file in there if role != GENERATED or file.stem == name]
    if len(there) - len(replaced) >= MOST_GROUPS:
        raise InputError(f"There are {MOST_GROUPS} groups already. Remove one first.")
    with keeping(filename), staging() as aside:
        check_is_there(study)
        new = aside / f"{name}{ending}"
        write_new(new, data)
        content, report = read(new, role)
        if content is None:
            first = report.problems[0]
            raise InputError(f"{filename} was not kept: {first.message} {first.remedy}", report)
        make_folder(folder_of(study) / role)
        for file in replaced:
            file.unlink(missing_ok=True)
        new.replace(folder_of(study) / role / new.name)
    events.record("uploaded", study=study.name, kind=f"synthetic {role}", file=filename, bytes=len(data))


def remove(study: Path, file: Path) -> None:
    """Forget an upload."""
    with keeping(readable(file.name), "removed"), locked():
        file.unlink(missing_ok=True)
    events.record("removed", study=study.name, kind=f"synthetic {file.parent.name}")


# The groups of the page.


def generated_images(folder: Path) -> list[Source]:
    """The groups of generated images uploaded for a study."""
    return [source_of(readable(file.stem), file) for file in files(folder, GENERATED)]


def real_images(study: Study, folder: Path) -> Source | None:
    """The real images uploaded for a study, else its own pictures, `MOST` at most, drawn with a fixed seed;
    None without any."""
    for file in files(folder, REAL):
        return source_of(f"real: {readable(file.stem)}", file)  # no file has a colon in its name
    images = study.images
    entries = () if images is None else images.entries
    pictures = [at for at, entry in enumerate(entries) if entry is not None]
    drawn = np.random.default_rng((0, 0)).permutation(pictures)[:MOST].tolist()
    if images is None or not drawn:
        return None
    places = {study.image_ids[at]: at for at in sorted(drawn)}
    return Source("real: this study", Pictures(places, images), file=study.name)
