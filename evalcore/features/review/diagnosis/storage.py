"""The diagnoses that are stored of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.features.review.diagnosis.conversion import diagnoses_from, judgment_from
from evalcore.features.review.diagnosis.truth import truths_of
from evalcore.features.review.read.together import judgments_of

if TYPE_CHECKING:
    from pathlib import Path

    from evalcore.features.review.diagnosis.reading import Diagnosis
    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study

__all__ = ["diagnoses_from", "diagnoses_of", "judgment_from"]


def diagnoses_of(folder: Path, study: Study, task: Task) -> tuple[Diagnosis, ...]:
    """The diagnoses of a task of a study folder, by time: each reader's last of each case in each arm.

    What was taken back and “cannot say” are left out; simulated ones are not.

    Raises
    ------
    InputError, UnknownName
        The judgments cannot be read; the study has no such label column.
    """
    return diagnoses_from(judgments_of(folder, task.name), task, truths_of(study, task))
