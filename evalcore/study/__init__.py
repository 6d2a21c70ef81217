"""Files to a study: one reader per format, what a folder may hold, and the workspace of uploaded studies."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcore.study.in_memory import make_study
    from evalcore.study.study import open_study

__all__ = ["make_study", "open_study"]

_HOME = {"make_study": "evalcore.study.in_memory", "open_study": "evalcore.study.study"}


def __getattr__(name: str) -> Any:
    """These on first use: readers of single files are imported without all others."""
    if name in __all__:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
