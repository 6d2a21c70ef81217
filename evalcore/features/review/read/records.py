"""One judgment as a record of a file, and back: nothing a stranger's file holds is believed unread."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from evalcore.features.review.judgments import Judgment
from evalcore.features.review.limits import wrong

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.study.tables.problems import Problems

FIELDS = tuple(one.name for one in fields(Judgment))
NEEDED = ("id", "task", "reader", "kind", "query", "said", "at")
"""What every record holds; the others may be left out where they are empty."""
_EMPTY: Mapping[str, Any] = {
    "result": "", "systems": [], "criterion": "", "value": None, "reasons": [], "comment": "",
    "simulated": False, "adjudicated": False, "shown": "",
}  # fmt: skip
LISTS = ("systems", "reasons")
WAY_OUT = "Mend the record, or export the judgments again."


def record_of(judgment: Judgment) -> dict[str, Any]:
    """A judgment with its lists and its time as JSON has them."""
    record = {name: getattr(judgment, name) for name in FIELDS}
    lists = {name: list(record[name]) for name in LISTS}
    return {**record, **lists, "at": judgment.at.astimezone(UTC).isoformat()}


def judgment_of(record: Mapping[str, Any], found: Problems, *, line: int | None) -> Judgment | None:
    """The judgment of a record; None, with everything that is wrong in it, when it cannot be one."""
    values, fits = {**_EMPTY, **record}, True
    for name in FIELDS:
        if name not in values:
            _report(found, line, name, "given in every record", "")
            fits = False
        elif not _TYPES[name][0](values[name]):
            _report(found, line, name, _TYPES[name][1], values[name])
            fits = False
    if not fits:
        return None
    value = None if values["value"] is None else float(values["value"])
    at = datetime.fromisoformat(values["at"])
    at = at if at.tzinfo is None else at.astimezone(UTC)
    lists = {name: tuple(values[name]) for name in LISTS}
    judgment = Judgment(**{**{name: values[name] for name in FIELDS}, **lists, "value": value, "at": at})
    problems = list(wrong(judgment))
    for name, rule, what in problems:
        _report(found, line, name, rule, what)
    return None if problems else judgment


def _report(found: Problems, line: int | None, name: str, rule: str, value: object) -> None:
    found.error("wrong-value", f"`{name}` must be {rule}.", WAY_OUT, line=line, value=value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(datetime.fromisoformat(value).astimezone(UTC))
    except (ValueError, OverflowError):
        return False


def _is_number(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and abs(value) <= 1)


_TEXT = (_is_text, "a text")
_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(FIELDS, _TEXT),
    **dict.fromkeys(LISTS, (
        lambda value: isinstance(value, list) and all(map(_is_text, value)),
        'a list of texts, as in ["a", "b"]',
    )),
    **dict.fromkeys(("simulated", "adjudicated"), (lambda value: type(value) is bool, "true or false")),
    "value": (_is_number, "a number from -1 to 1, or nothing"),
    "at": (_is_time, "a time in UTC, such as 2026-05-01T09:30:00+00:00"),
}  # fmt: skip
"""How each field is checked, and what it must be."""
