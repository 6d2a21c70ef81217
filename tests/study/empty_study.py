"""An uploaded study without files, as a page has it before its first part is added."""

from __future__ import annotations

from pathlib import Path

from evalcore.study.workspace.folders import study_folder
from evalcore.study.workspace.home import make_folder


def empty_study(name: str = "mine") -> Path:
    """The folder of an uploaded study, new or as it is."""
    make_folder(study_folder(name))
    return study_folder(name)
