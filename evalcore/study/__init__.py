"""Files to a study: one reader per format, what a folder may hold, and the workspace of uploaded studies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcore.study.study import open_study

__all__ = ["open_study"]


def __getattr__(name: str) -> Any:
    """``open_study`` on first use: readers of single files are imported without all others."""
    if name == "open_study":
        from evalcore.study.study import open_study

        return open_study
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
