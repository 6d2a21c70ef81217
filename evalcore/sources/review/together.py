"""All judgments of a study: those of the database, and those that came with its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.sources.review import store
from evalcore.sources.review.identity import study_id

if TYPE_CHECKING:
    from pathlib import Path

    from evalcore.review.judgments import Judgment


def judgments_of(study: Path, task: str | None = None) -> tuple[Judgment, ...]:
    """The whole history of a study folder, or of one task of it, by time; each id once.

    Raises
    ------
    InputError
        The database cannot be read.
    """
    return store.history(study_id(study), task=task)
