"""Diagnoses as judgments, and judgments as diagnoses."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING

from evalcore.features.review.diagnosis.details import Details, details_of, details_text
from evalcore.features.review.diagnosis.reading import ALONE, Diagnosis
from evalcore.features.review.drawing import fingerprint
from evalcore.features.review.judgments import Judgment, current

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalcore.features.review.tasks import Task


def diagnoses_from(
    judgments: Iterable[Judgment], task: Task, truths: Mapping[str, str]
) -> tuple[Diagnosis, ...]:
    """The diagnoses of a task among any judgments: each reader's last of each case in each arm, by time.

    ``truths``: of `truths_of`; "" for a case that is not there.
    """
    return tuple(
        diagnosis
        for one in current(judgments)
        if one.task == task.name and not one.adjudicated
        if (diagnosis := diagnosis_of(one, truths.get(one.query, ""))) is not None
    )


def judgment_from(diagnosis: Diagnosis, *, id: str = "", shown: str = "") -> Judgment:
    """A diagnosis as it is stored; its truth is not.

    ``id``: "" for one that follows from who diagnosed what and when.
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
        id=id or _id(one),
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


def _id(one: Diagnosis) -> str:
    return fingerprint(
        "diagnosis", one.task, one.reader, one.case, one.arm, one.at.astimezone(UTC).isoformat()
    )


def as_known(judgment: Judgment, history: Mapping[tuple[object, ...], Judgment]) -> Judgment:
    """A diagnosis of a table, which has no ids, with what only the study keeps of the same one.

    ``history``: by subject and time, as `by_subject_and_time` gives it.
    """
    known = history.get((judgment.subject, judgment.at))
    if known is None or judgment.kind != "diagnosis":
        return judgment
    if (diagnosis := diagnosis_of(judgment)) is None or judgment.id != _id(diagnosis):
        return judgment
    kept = {name: getattr(known, name) for name in ("id", "shown", "reasons", "comment", "adjudicated")}
    return replace(judgment, **kept)


def by_subject_and_time(judgments: Iterable[Judgment]) -> dict[tuple[object, ...], Judgment]:
    """{(subject, time): judgment}, the values only."""
    return {(one.subject, one.at): one for one in judgments if one.said == "value"}


def diagnosis_of(judgment: Judgment, truth: str = "") -> Diagnosis | None:
    """The diagnosis of a judgment; None for another kind, “cannot say”, and what was taken back."""
    details = details_of(judgment.details) if judgment.kind == "diagnosis" else None
    if details is None or judgment.value is None:
        return None
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
