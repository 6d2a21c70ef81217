"""What pages and commands do with the workspace, from one place; each module says what it is about.

``home`` where everything lies, ``folders`` which studies there are, ``recognise`` and ``uploads`` files that
become parts, ``change`` the one way in which studies change, ``removed`` the bin.
"""

from __future__ import annotations

from pathlib import Path

from evalcore import extensions
from evalcore.study.parts.recognise import UNKNOWN
from evalcore.study.workspace.change import remove_system, removed_systems, restore_system, set_metadata, tidy
from evalcore.study.workspace.file_names import readable, safe_name
from evalcore.study.workspace.folders import (
    check_is_there,
    is_uploaded,
    recent,
    remember,
    studies,
    study_folder,
    unused_study,
)
from evalcore.study.workspace.home import home, keeping, locked, owner_of
from evalcore.study.workspace.recognise import STUDY, Recognised, missing, named, recognise, recognise_as
from evalcore.study.workspace.removed import (
    GRACE,
    Removed,
    bin_of,
    bring_back,
    discard,
    new_removal,
    put_away,
    removals_in,
    size_of,
)
from evalcore.study.workspace.uploads import (
    Added,
    add_files,
    add_first_part,
    add_part,
    add_study_zip,
    has_part,
    why_not_packed,
    zip_study,
)
from evalcore.values import events
from evalcore.values.errors import InputError

__all__ = [
    "GRACE",
    "STUDY",
    "UNKNOWN",
    "Added",
    "Recognised",
    "Removed",
    "add_files",
    "add_first_part",
    "add_part",
    "add_study_zip",
    "delete_study",
    "deleted_studies",
    "has_part",
    "home",
    "is_uploaded",
    "missing",
    "named",
    "owner_of",
    "readable",
    "recent",
    "recognise",
    "recognise_as",
    "remember",
    "remove_system",
    "removed_systems",
    "restore_study",
    "restore_system",
    "safe_name",
    "set_metadata",
    "size_of",
    "studies",
    "study_folder",
    "tidy",
    "why_not_packed",
    "zip_study",
]

_STUDY = "study"
"""What a deleted study is called in the bin."""


def delete_study(study: Path) -> Removed:
    """Move an uploaded study into the bin: `restore_study` undoes it, `discard` makes it final.

    With it goes what features keep about it in the workspace. Raises InputError for any other folder, and
    where it cannot be moved; nothing has changed then.
    """
    if not (is_uploaded(study) and study.is_dir()):
        raise InputError(
            f"{readable(study.name)} is not one of your uploaded studies; only those are deleted here."
        )
    for _, settle in extensions.additions("before a study moves"):
        settle(study)
    with keeping(readable(study.name)), locked():
        check_is_there(study)
        removed = new_removal(study.name, {}, bin_of())
        put_away(removed, {_STUDY: study, **_folders_about(study)})
    events.record("removed", study=study.name, kind="study")
    return removed


def deleted_studies() -> list[Removed]:
    """The studies that can be brought back, the last deleted first."""
    return [removed for removed in removals_in(bin_of()) if removed.contains(_STUDY)]


def restore_study(removed: Removed) -> Path:
    """Bring a study back, under its name or ``name_2`` and so on where that is taken meanwhile; its folder.

    Raises InputError when it is no longer kept, or cannot be moved.
    """
    with keeping(readable(removed.name)), locked():
        study = unused_study(removed.name)
        bring_back(removed, {_STUDY: study, **_folders_about(study)})
    events.record("restored", study=removed.name, kind="study")
    discard(removed)
    return study


def _folders_about(study: Path) -> dict[str, Path]:
    """The folders of the workspace that features keep about a study, by the name of the feature."""
    return {feature.name: of(study) for feature, of in extensions.additions("folder about a study")}
