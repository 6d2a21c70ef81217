"""The workspace: uploaded studies and recently opened folders, kept so that a restart loses nothing.

``home`` where everything lies, ``uploads`` single files, ``study_zip`` whole studies. Only studies in
the workspace are ever changed; a folder opened in place is not.
"""

from evalcore.sources.home import home, recent, remember, safe_name, studies, study_folder
from evalcore.sources.study_zip import add_study_zip, why_not_packed, zip_study
from evalcore.sources.uploads import KINDS, add_part, has_part, remove_part

__all__ = [
    "KINDS",
    "add_part",
    "add_study_zip",
    "has_part",
    "home",
    "recent",
    "remember",
    "remove_part",
    "safe_name",
    "studies",
    "study_folder",
    "why_not_packed",
    "zip_study",
]
