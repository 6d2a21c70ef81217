"""Which label columns can judge results: not those that repeat another one (`organ_all` holds every value
where `organ` holds a single one), and not those that name groups of images, such as patients.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import numpy as np

from evalcore.values.model import LabelColumn, Study

_ALL_VALUES = "_all"


def with_all_values(label_type: str) -> str:
    """What the column with all values of a label type is called.

    >>> with_all_values("organ")
    'organ_all'
    """
    return label_type + _ALL_VALUES


def repeated_by(column: str, columns: Collection[str]) -> str | None:
    """The column among ``columns`` that this one repeats with all its values; None where it repeats none.

    >>> repeated_by("organ_all", ["organ", "organ_all"]), repeated_by("organ_all", ["organ_all"])
    ('organ', None)
    """
    single = column.removesuffix(_ALL_VALUES)
    return single if single != column and single in columns else None


_FEW_TIMES, _AT_LEAST = 3, 20


def looks_like_groups(column: LabelColumn) -> bool:
    """Whether a column names groups, such as patients, and no label type: most uses are of rare values.

    Rare: three images at most. Never of fewer than 20 labelled images.
    """
    times = np.bincount(column.indices, minlength=len(column.values))
    rare = int(times[times <= _FEW_TIMES].sum())
    return int(column.labelled.sum()) >= _AT_LEAST and 2 * rare > len(column.indices)


_OF_PERSONS = re.compile(r"(patient|subject|person|study|case|group)(_?id)?", re.I)


def names_groups(name: str, column: LabelColumn) -> bool:
    """Whether a column is proposed as the group: images share values, and it looks or is called like one."""
    times = np.bincount(column.indices, minlength=len(column.values))
    return bool((times > 1).any()) and (is_called_group(name) or looks_like_groups(column))


def is_called_group(name: str) -> bool:
    """Whether a column has a name of groups, such as patient_id."""
    return _OF_PERSONS.fullmatch(name) is not None


def proposed_group(study: Study) -> str:
    """The label column that is proposed as the group of a study without one; "" where there is none."""
    if study.groups is not None:
        return ""
    proposed = [name for name, column in study.label_columns.items() if names_groups(name, column)]
    return min(proposed, key=lambda name: not is_called_group(name), default="")


def judging_columns(study: Study) -> tuple[str, ...]:
    """The label columns of a study that can say what a good result is: those that name groups cannot."""
    columns = study.label_columns
    group = study.groups.name if study.groups else ""
    return tuple(name for name, column in columns.items() if name != group and not looks_like_groups(column))


def label_types(columns: Iterable[str]) -> tuple[str, ...]:
    """The different types of labels, in the order given: a column that repeats another is none of its own.

    >>> label_types(["organ", "organ_all", "finding"])
    ('organ', 'finding')
    """
    known = dict.fromkeys(columns)
    return tuple(column for column in known if repeated_by(column, known) is None)
