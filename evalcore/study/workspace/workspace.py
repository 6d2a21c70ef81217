"""The workspace: uploaded studies and recently opened folders, kept so that a restart loses nothing.

``home`` where everything lies, ``uploads`` single files, ``systems`` names and removals, ``study_zip`` whole
studies, ``staging`` how two programs share it. Only studies in the workspace are changed, and a folder opened
in place where the user allows it.
"""

from evalcore.study.workspace.home import (
    home,
    is_uploaded,
    readable,
    recent,
    remember,
    safe_name,
    studies,
    study_folder,
    why_nothing_is_kept,
)
from evalcore.study.workspace.labels import leave_out, use_again
from evalcore.study.workspace.staging import tidy
from evalcore.study.workspace.study_zip import add_study_zip, why_not_packed, zip_study
from evalcore.study.workspace.systems import (
    Removed,
    bring_back,
    describe,
    follow,
    removals,
    remove_system,
    say,
)
from evalcore.study.workspace.uploads import add_first_part, add_part, has_part, known_as, remove_part

__all__ = [
    "Removed", "add_first_part", "add_part", "add_study_zip", "bring_back", "describe", "follow", "has_part",
    "home", "is_uploaded", "known_as", "leave_out",
    "readable", "recent", "remember", "removals", "remove_part",
    "remove_system",
    "safe_name", "say", "studies", "study_folder", "tidy", "use_again", "why_not_packed",
    "why_nothing_is_kept", "zip_study",
]  # fmt: skip
