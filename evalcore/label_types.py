"""Label columns that repeat another one: `organ_all` holds every value where `organ` holds a single one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

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


def label_types(columns: Iterable[str]) -> tuple[str, ...]:
    """The different types of labels, in the order given: a column that repeats another is none of its own.

    >>> label_types(["organ", "organ_all", "finding"])
    ('organ', 'finding')
    """
    known = dict.fromkeys(columns)
    return tuple(column for column in known if repeated_by(column, known) is None)
