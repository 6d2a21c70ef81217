"""The workspace: uploaded studies and recently opened folders, kept so that a restart loses nothing.

``home`` where everything lies, ``uploads`` single files, ``study_zip`` whole studies, ``staging`` how two
programs share it. Only studies in the workspace are ever changed; a folder opened in place is not.
"""

from evalcore.sources.workspace.home import home, readable, recent, remember, safe_name, studies, study_folder
from evalcore.sources.workspace.staging import tidy
from evalcore.sources.workspace.study_zip import add_study_zip, why_not_packed, zip_study
from evalcore.sources.workspace.uploads import add_first_part, add_part, has_part, known_as, remove_part

__all__ = [
    "add_first_part", "add_part", "add_study_zip", "has_part", "home", "known_as", "readable", "recent",
    "remember", "remove_part", "safe_name", "studies", "study_folder", "tidy", "why_not_packed", "zip_study",
]  # fmt: skip
