"""What readers said of a task: how far each is, files to take away, and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.review.progress import progress
from evalcore.sources.review import store
from evalcore.ui.review.reading import plan_for

if TYPE_CHECKING:
    from evalcore.review.tasks import Task
    from evalcore.ui.frame.context import Context


class Reader(NamedTuple):
    """A reader's code and how far it is."""

    name: str
    done: int
    n: int


def readers_of(context: Context, study: str, task: Task) -> list[Reader]:
    """Everybody with an answer in this task, by code."""
    said = store.history(study, task=task.name)
    found = []
    for name in sorted({one.reader for one in said}):
        far = progress(plan_for(context, task, name), said)
        found.append(Reader(name, far.done, far.n))
    return found


def section(context: Context, study: str, task: Task) -> None:
    """To come."""
