"""The right answer of each case, which readers never see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.features.review.diagnosis.setup import FROM_FILE, UNKNOWN
from evalcore.study.naming import is_known
from evalcore.values.arrays import position
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.writing import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.features.review.diagnosis.setup import Setup
    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study


def values_of(study: Study, setup: Setup) -> dict[str, str]:
    """{image: what the source of the truth says of it}, for every image that it has one value of.

    Raises
    ------
    UnknownName
        The study has no such label column.
    """
    if setup.truth == FROM_FILE:
        return dict(setup.truths)
    if setup.truth == UNKNOWN:
        return {}
    column = study.label_columns.get(setup.column)
    if column is None:
        raise UnknownName("label column", setup.column, study.label_columns)
    values = ((name, column.of_image(image)) for image, name in enumerate(study.image_ids))
    return {name: of[0] for name, of in values if len(of) == 1}


def with_truth(study: Study, setup: Setup, cases: Iterable[str]) -> list[str]:
    """The cases that can be drawn: those with a truth, or all where none is asked for."""
    known = values_of(study, setup)
    return [case for case in cases if setup.truth == UNKNOWN or case in known]


def truths_of(study: Study, task: Task, cases: Iterable[str] | None = None) -> dict[str, str]:
    """{case: its truth}: one of the task's choices, or without choices the id of a concept.

    ``cases``: all that have a truth where they are not named. Empty where the truth is unknown.

    Raises
    ------
    InputError
        A case without a truth, or whose truth is no choice and no concept of the study.
    UnknownName
        The study has no such label column.
    """
    assert task.diagnosis is not None, "a task of this form"
    setup = task.diagnosis
    if setup.truth == UNKNOWN:
        return {}
    known = values_of(study, setup)
    wanted = list(known if cases is None else cases)
    without = [case for case in wanted if case not in known]
    where = f"review/{task.name}.csv" if setup.truth == FROM_FILE else f"the label column {setup.column!r}"
    if without:
        remedy = "Add them there, or take these cases out of `queries`."
        raise InputError(f"No truth in {where} for {listed(without)}. {remedy}")
    if setup.choices:
        if cases is not None:
            strange = {case: known[case] for case in wanted if known[case] not in setup.choices}
            _refuse(strange, where, "no choice of the task", "Add them to `choices`, or correct them.")
        return {case: known[case] for case in wanted}
    by_name = {name.casefold(): cui for cui, name in sorted(study.names.items(), reverse=True)}
    meant = {
        case: known[case] if is_known(study, known[case]) else by_name.get(known[case].casefold(), "")
        for case in wanted
    }
    strange = {case: known[case] for case in wanted if cases is not None and not meant[case]}
    _refuse(strange, where, "no concept of the study", "Write ids of concepts, or give the task `choices`.")
    return {case: cui for case, cui in meant.items() if cui}


def _refuse(strange: dict[str, str], where: str, what: str, remedy: str) -> None:
    if strange:
        some = listed([f"{truth!r} of {case}" for case, truth in strange.items()])
        raise InputError(f"In {where}, {some}: {what}. {remedy}")


def label_of(study: Study, setup: Setup, image: str) -> str:
    """What is said of a result as its label: the truth's source, else nothing; a concept by its name."""
    if position(study.image_ids, image) < 0:
        return ""
    value = values_of(study, setup).get(image, "")
    return study.names.get(value, value)
