"""Diagnoses as judgments, and judgments as diagnoses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.features.review.diagnosis.details import Details, details_of, details_text
from evalcore.features.review.diagnosis.reading import ALONE, Diagnosis
from evalcore.features.review.diagnosis.truth import truths_of
from evalcore.features.review.judgments import Judgment, current
from evalcore.features.review.read.together import judgments_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study


def diagnoses_of(folder: Path, study: Study, task: Task) -> tuple[Diagnosis, ...]:
    """The diagnoses of a task of a study folder, by time: each reader's last of each case in each arm.

    What was taken back and “cannot say” are left out; simulated ones are not.

    Raises
    ------
    InputError, UnknownName
        The judgments cannot be read; the study has no such label column.
    """
    return diagnoses_from(judgments_of(folder, task.name), task, truths_of(study, task))


def diagnoses_from(
    judgments: Iterable[Judgment], task: Task, truths: Mapping[str, str]
) -> tuple[Diagnosis, ...]:
    """The same from any history; ``truths``: of `truths_of`, "" for a case that is not there."""
    return tuple(
        _diagnosis(one, truths.get(one.query, ""))
        for one in current(judgments)
        if (one.task, one.kind, one.said) == (task.name, "diagnosis", "value") and not one.adjudicated
    )


def judgment_from(diagnosis: Diagnosis, *, id: str, shown: str = "") -> Judgment:
    """A diagnosis as it is stored; its truth is not.

    ``shown``: fingerprint of the results that were shown, "" where it is not known.
    """
    one = diagnosis
    details = Details(
        answer=one.answer,
        concept=one.concept,
        session=one.session,
        order=one.order,
        seconds=one.seconds,
        region=one.region,
    )
    return Judgment(
        id=id,
        task=one.task,
        reader=one.reader,
        kind="diagnosis",
        query=one.case,
        systems=() if one.arm == ALONE else (one.arm,),
        value=one.confidence,
        at=one.at,
        simulated=one.simulated,
        shown=shown,
        details=details_text(details),
    )


def _diagnosis(judgment: Judgment, truth: str) -> Diagnosis:
    details = details_of(judgment.details)
    assert details is not None and judgment.value is not None, "checked when it was stored"
    return Diagnosis(
        task=judgment.task,
        reader=judgment.reader,
        case=judgment.query,
        arm=judgment.systems[0] if judgment.systems else ALONE,
        session=details.session,
        order=details.order,
        answer=details.answer,
        concept=details.concept,
        truth=truth,
        confidence=judgment.value,
        seconds=details.seconds,
        region=details.region,
        at=judgment.at,
        simulated=judgment.simulated,
    )
