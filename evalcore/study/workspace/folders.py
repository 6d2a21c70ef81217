"""Which studies there are: the uploaded ones, which may be changed, and folders that were recently opened."""

from __future__ import annotations

import os
from pathlib import Path

from evalcore.study.workspace.file_names import MAX_NAME, place_in_words, readable, safe_name
from evalcore.study.workspace.home import home, locked, read_json, write_json
from evalcore.values.bundled import SAMPLE
from evalcore.values.errors import InputError

MAX_RECENT = 12
"""Folders that are listed as recent."""


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


def add_to_recent(study: Path) -> bool:
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
