"""Values in a few lines: what a notebook shows of studies and results, however large they are."""

from __future__ import annotations

from dataclasses import fields
from reprlib import Repr
from typing import Any, TypeVar

import numpy as np

Kind = TypeVar("Kind", bound=type)


class _Short(Repr):
    def repr_ndarray(self, array: np.ndarray, _level: int) -> str:
        return f"{array.dtype}[{' x '.join(map(str, array.shape))}]"


_short = _Short()
_short.maxtuple = _short.maxlist = _short.maxdict = 3
_short.maxstring = _short.maxother = 80


def brief(kind: Kind) -> Kind:
    """Decorate a dataclass, so that it is written on one line with arrays and long fields cut.

    >>> from dataclasses import dataclass
    >>> @brief
    ... @dataclass(frozen=True)
    ... class Lists:
    ...     ids: tuple[str, ...]
    ...     scores: object
    >>> Lists(tuple("abcdef"), np.zeros((2, 3)))
    Lists(ids=('a', 'b', 'c', ...), scores=float64[2 x 3])
    """

    def in_brief(value: Any) -> str:
        texts = (f"{field.name}={_short.repr(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__name__}({', '.join(texts)})"

    kind.__repr__ = in_brief  # type: ignore[assignment]
    return kind
