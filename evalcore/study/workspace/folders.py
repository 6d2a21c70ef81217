"""Which studies there are: the uploaded ones, which may be changed, and folders that were recently opened.

And which place in the palette each system of a study has had: one that joins later changes no other's.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from evalcore.study.workspace.file_names import MAX_NAME, place_in_words, readable, safe_name
from evalcore.study.workspace.home import USERS, home, locked, owner_of, read_json, server_home, write_json
from evalcore.values.bundled import SAMPLE
from evalcore.values.errors import InputError

MAX_RECENT, MAX_PLACED = 12, 200
"""Folders that are listed as recent, and studies whose systems keep their places."""


def studies() -> list[Path]:
    """Folders of the uploaded studies, by name; a study may still lack its concepts."""
    try:
        folders = [Path(entry.path) for entry in os.scandir(home() / "studies") if entry.is_dir()]
    except OSError:
        return []  # there are none yet, or none that may be listed
    return sorted(path for path in folders if not path.name.startswith("."))


def study_folder(name: str) -> Path:
    """The folder of an uploaded study; it need not exist yet."""
    return home() / "studies" / safe_name(name)


def unused_study(name: str) -> Path:
    """The first of ``name``, ``name_2`` and so on that no uploaded study has."""
    folder, number = study_folder(name), 2
    while os.path.lexists(folder):
        folder, number = study_folder(f"{safe_name(name)[: MAX_NAME - 8]}_{number}"), number + 1
    return folder


def is_uploaded(study: Path) -> bool:
    """Whether a folder is one of the uploaded studies, the only ones that are ever changed."""
    return study.resolve().parent == (home() / "studies").resolve()


def check_may_change(study: Path, *, in_place: bool) -> None:
    """InputError for a folder that is not to be changed: one opened in place, unless the user said so."""
    if not (in_place or is_uploaded(study)):
        raise InputError(
            f"{place_in_words(study)} is not an uploaded study; folders opened in place are never changed "
            "unless you allow it."
        )
    if in_place and os.path.realpath(study) == str(SAMPLE):
        raise InputError("The sample study is part of the program; it is never changed.")


def check_is_there(study: Path) -> None:
    """InputError for a study that was deleted, by another page or program, before it was to be changed.

    Without it, what was meant for that study would become a new one of its name.
    """
    if not study.is_dir():
        remedy = "Nothing was added or changed. Restore the study first, or choose another."
        raise InputError(f"The study {readable(study.name)} is no longer there. {remedy}")


def remember(study: Path) -> bool:
    """Put a folder first among the recently opened ones; False where nothing can be kept."""
    where = Path(os.path.realpath(study))
    try:
        with locked("recent"):
            paths = [where, *(path for path in recent() if path != where)]
            write_json(home() / "recent.json", [str(path) for path in paths[:MAX_RECENT]])
    except (InputError, OSError):
        return False
    return True


def recent() -> list[Path]:
    """Recently opened folders that are still there, the last one first."""
    listed = read_json(home() / "recent.json")
    paths = [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
    return [Path(path) for path in paths if os.path.isdir(path)][:MAX_RECENT]  # noqa: PTH112 -- never raises


def places(study: Path, systems: Collection[str]) -> dict[str, int]:
    """The place of each system from 1, the one it had when this program first saw it in this folder.

    New ones get the first places that are free, in the order of names. Systems that went keep theirs, for
    when they come back. Where nothing can be written the places hold until the program asks again. They are
    kept by the owner of a study, so that all users of a server see the same.
    """
    where, owner = os.path.realpath(study), owner_of(study)
    file = (server_home() / USERS / owner if owner else server_home()) / "places.json"
    placed, own = _placed(file, where, systems)
    if own != placed.get(where):
        with suppress(InputError, OSError), locked("places", top=file.parent):
            placed, own = _placed(file, where, systems)
            others = [item for item in placed.items() if item[0] != where]
            write_json(file, {**dict(others[1 - MAX_PLACED :]), where: own})
    return {system: own[system] for system in systems}


def _placed(file: Path, where: str, systems: Collection[str]) -> tuple[dict[str, Any], dict[str, int]]:
    """The places that were kept, by study, and those of one with new systems; what somebody else wrote is
    passed over."""
    read = read_json(file)
    placed = read if isinstance(read, dict) else {}
    kept = placed.get(where)
    known = kept.items() if isinstance(kept, dict) else ()
    own = {system: place for system, place in known if type(place) is int and place > 0}
    free = sorted({*range(1, len(own) + len(systems) + 1)} - {*own.values()})
    return placed, own | dict(zip(sorted({*systems} - {*own}), free, strict=False))
