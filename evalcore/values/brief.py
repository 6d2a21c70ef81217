"""Values in a few lines: what a notebook shows of studies and results, however large they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

Kind = TypeVar("Kind", bound=type)
_LONGEST = 80
"""Characters of one field."""
_FEW = 3
"""Items of a sequence that are written out."""


def brief(kind: Kind) -> Kind:
    """Decorate a dataclass, so that it is written on one line with arrays and long fields by their size."""
    kind.__repr__ = in_brief  # type: ignore[assignment]
    return kind


def in_brief(value: Any) -> str:
    """A dataclass by its fields.

    >>> from dataclasses import dataclass
    >>> @brief
    ... @dataclass(frozen=True)
    ... class Lists:
    ...     ids: tuple[str, ...]
    ...     scores: object
    >>> Lists(("a", "b"), np.zeros((2, 3)))
    Lists(ids=('a', 'b'), scores=float64[2 x 3])
    """
    values = ", ".join(
        f"{field.name}={field_in_brief(getattr(value, field.name))}" for field in fields(value)
    )
    return f"{type(value).__name__}({values})"


def field_in_brief(value: Any) -> str:
    """One field: as it is where it is short, else what it is and how much of it there is.

    >>> field_in_brief(tuple("abcdef")), field_in_brief({"a": 1}), field_in_brief(0.5)
    ("6 items: 'a', 'b', 'c', ...", "1 entry: 'a'", '0.5')
    """
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{' x '.join(map(str, value.shape))}]"
    if isinstance(value, Mapping) and value:
        return f"{len(value):,} {'entry' if len(value) == 1 else 'entries'}: {_first(value)}"
    if isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes)) and len(value) > _FEW:
        return f"{len(value):,} items: {_first(value)}"
    if is_dataclass(value) and type(value).__repr__ is not in_brief:
        return f"<{type(value).__name__}>"
    return _cut(repr(value))


def _first(values: Any) -> str:
    shown = [item for item, _ in zip(values, range(_FEW), strict=False)]
    return ", ".join([*map(field_in_brief, shown), *(["..."] if len(values) > _FEW else [])])


def _cut(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _LONGEST else f"{one_line[: _LONGEST - 3]}..."
