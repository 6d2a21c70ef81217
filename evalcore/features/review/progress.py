"""How far a reader is with a task: what is judged, what is open, where to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.features.review.items import item_of
from evalcore.features.review.judgments import current

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.features.review.items import Item, Plan
    from evalcore.features.review.judgments import Judgment


@dataclass(frozen=True, slots=True)
class Progress:
    """``said``: {key of an item: what counts of it now}; ``open``: the others, in the reader's order."""

    said: dict[str, Judgment]
    open: tuple[Item, ...]
    n: int

    @property
    def done(self) -> int:
        return self.n - len(self.open)

    @property
    def next(self) -> Item | None:
        """The first open item; None when all is judged."""
        return self.open[0] if self.open else None


def progress(plan: Plan, judgments: Iterable[Judgment], *, adjudicated: bool = False) -> Progress:
    """How far the reader of a plan is. *Cannot say* is an answer; what was undone is open again, and so are
    lists that are no longer what the reader judged.

    ``judgments``: any history of the study; those of others, and of other tasks, do not matter. The list of
    several systems is judged when each of them has its judgment.
    """
    places = plan.places()
    wanted = {item.key: len(plan.subjects(item)) for item in plan.items}
    found: dict[str, list[Judgment]] = {}
    for one in current(judgments):
        if (one.task, one.reader, one.adjudicated) == (plan.task.name, plan.reader, adjudicated):
            item = item_of(places, one)
            if item is not None:
                found.setdefault(item.key, []).append(one)
    said = {key: ones[-1] for key, ones in found.items() if len(ones) == wanted[key]}
    return Progress(said, tuple(item for item in plan.items if item.key not in said), len(plan.items))
