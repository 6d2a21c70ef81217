"""Files to a study: one reader per format, what a folder may hold, and the workspace of uploaded studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.values.lazy import lazy

if TYPE_CHECKING:
    from evalcore.study.given_runs import with_runs
    from evalcore.study.in_memory import make_study
    from evalcore.study.saving import save_study
    from evalcore.study.study import open_study

__all__ = ["make_study", "open_study", "save_study", "with_runs"]

_HOME = {
    "evalcore.study.given_runs": ("with_runs",),
    "evalcore.study.in_memory": ("make_study",),
    "evalcore.study.saving": ("save_study",),
    "evalcore.study.study": ("open_study",),
}

__getattr__ = lazy(__name__, _HOME)
