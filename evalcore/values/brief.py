"""Values in a few lines: what a notebook shows of studies and results, however large they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np

Kind = TypeVar("Kind", bound=type)
_LONGEST = 80
"""Characters of one field."""
_FEW = 3
"""Items of a collection that are written out."""


def brief(kind: Kind) -> Kind:
    """Decorate a dataclass, so that it is written on one line with arrays and long fields by their size.

    >>> from dataclasses import dataclass
    >>> @brief
    ... @dataclass(frozen=True)
    ... class Lists:
    ...     ids: tuple[str, ...]
    ...     scores: object
    >>> Lists(tuple("abcdef"), np.zeros((2, 3)))
    Lists(ids=6 items: 'a', 'b', 'c', ..., scores=float64[2 x 3])
    """
    kind.__repr__ = _in_brief  # type: ignore[assignment]
    return kind


def _in_brief(value: Any) -> str:
    values = ", ".join(f"{field.name}={_short(getattr(value, field.name))}" for field in fields(value))
    return f"{type(value).__name__}({values})"


def _short(value: Any) -> str:
    """A field as it is where it is short, else what it is and how much of it there is."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{' x '.join(map(str, value.shape))}]"
    if isinstance(value, (Mapping, Sequence, Set)) and not isinstance(value, (str, bytes)):
        if len(value) > _FEW:
            return f"{len(value):,} items: {', '.join(map(_short, islice(value, _FEW)))}, ..."
        if isinstance(value, Mapping):
            return f"{{{', '.join(f'{_short(key)}: ...' for key in value)}}}"
    if is_dataclass(value) and type(value).__repr__ is not _in_brief:
        return f"<{type(value).__name__}>"
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
