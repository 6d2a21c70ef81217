"""Where readers said different things: the farthest apart first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.features.review.items import item_of
from evalcore.features.review.judgments import Judgment, current

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.features.review.items import Item, Plan


@dataclass(frozen=True, slots=True)
class Difference:
    """One item on which readers differ.

    ``said``: {reader: what they said}, by code; a value of a preference is turned so that -1 is the list
    left in ``item``. ``apart``: from 0 to 1, how far the values lie apart at most; None where one has a
    value and another could not say.
    """

    item: Item
    said: dict[str, Judgment]
    values: dict[str, float | None]
    apart: float | None


def differences(plan: Plan, judgments: Iterable[Judgment]) -> tuple[Difference, ...]:
    """The items of a plan on which two readers or more differ: the farthest apart first.

    Then those where only some could say, then in the order of the plan.
    """
    places = plan.places()
    said: dict[str, dict[str, Judgment]] = {}
    for one in current(judgments):
        item = item_of(places, one) if one.task == plan.task.name else None
        if item is not None:
            said.setdefault(item.key, {})[one.reader] = one
    result = []
    for item in plan.items:
        by_reader = dict(sorted(said.get(item.key, {}).items()))
        values = {reader: _turned(plan, item, one) for reader, one in by_reader.items()}
        if len(set(values.values())) > 1:
            result.append(Difference(item, by_reader, values, _apart(item, values)))
    return tuple(sorted(result, key=lambda one: (one.apart is None, -(one.apart or 0.0))))


def _apart(item: Item, values: dict[str, float | None]) -> float | None:
    known = [value for value in values.values() if value is not None]
    far = (max(known) - min(known)) / (2 if item.kind == "preference" else 1) if len(known) > 1 else 0.0
    return far or None  # they differ, so somebody could not say


def _turned(plan: Plan, item: Item, judgment: Judgment) -> float | None:
    """The value as the item shows its lists; None for *cannot say*."""
    if judgment.said != "value" or judgment.value is None:
        return None
    if item.kind == "preference" and judgment.systems != plan.subjects(item)[0]:
        return -judgment.value or 0.0  # no minus zero
    return judgment.value
