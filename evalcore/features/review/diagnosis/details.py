"""What a judgment keeps of a diagnosis beside the confidence, as one JSON text."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_ANSWER, MAX_SECONDS, MAX_PLACE = 400, 864_000.0, 1_000_000
RULE = (
    f'a JSON object with "answer" and "concept" (texts of at most {MAX_ANSWER} characters), "session" and '
    f'"order" (whole numbers from 1), "seconds" (0 to {MAX_SECONDS:,.0f}) and "region" (left, top, width, '
    "height within 0 to 1)"
)
Region = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """The fields of `Diagnosis` of these names; ``answer`` is "" where the reader cannot say."""

    answer: str = ""
    concept: str = ""
    session: int = 1
    order: int = 1
    seconds: float | None = None
    region: Region | None = None


def details_text(details: Details) -> str:
    """The JSON text, without what is empty.

    >>> details_text(Details(answer="cyst", order=3, seconds=12.5))
    '{"answer": "cyst", "session": 1, "order": 3, "seconds": 12.5}'
    """
    values = {name: getattr(details, name) for name in _CHECKS}
    return json.dumps(
        {name: value for name, value in values.items() if value not in ("", None)}, ensure_ascii=False
    )


def details_of(text: str) -> Details | None:
    """The details of a text; None where it is not as `RULE` says."""
    try:
        values: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or not set(values) <= set(_CHECKS):
        return None
    if not all(_CHECKS[name](value) for name, value in values.items()):
        return None
    if "region" in values:
        values["region"] = region_of(values["region"])
    return Details(**values)


def region_of(value: object) -> Region | None:
    """Four numbers as a rectangle inside the picture; None where they are none."""
    if not isinstance(value, list | tuple) or len(value) != 4 or not all(map(_is_number, value)):
        return None
    left, top, width, height = map(float, value)
    inside = min(left, top) >= 0 and max(left + width, top + height) <= 1 + 1e-9
    return (left, top, width, height) if inside and width > 0 and height > 0 else None


def seconds_of(value: object) -> float | None:
    """A number as the time of a step; None where it cannot be one."""
    if not isinstance(value, int | float) or not _is_number(value):
        return None
    return float(value) if 0 <= value <= MAX_SECONDS else None


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]


def is_answer(value: object) -> bool:
    """Whether a text can be an answer or the id of a concept; "" is one too."""
    line = isinstance(value, str) and value.isprintable() and value == value.strip()
    return line and len(str(value)) <= MAX_ANSWER


def is_place(value: object) -> bool:
    """Whether a number can be that of a session or of a place in one."""
    return type(value) is int and 1 <= value <= MAX_PLACE


_CHECKS: Mapping[str, Callable[[object], bool]] = {
    "answer": is_answer,
    "concept": is_answer,
    "session": is_place,
    "order": is_place,
    "seconds": lambda value: seconds_of(value) is not None,
    "region": lambda value: region_of(value) is not None,
}
