"""What may be computed from judgments of which some were chosen by need, and with which weights.

A query that an adaptive task drew counts by the inverse of its chance (`Course.weights`). Queries of other
tasks have no such chance, so that the two are never averaged together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.features.review.adaptive.design import design_of, state_of
from evalcore.features.review.adaptive.tables import SEE
from evalcore.features.review.items import lists_of
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.review.adaptive.design import State
    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.tasks import Task
    from evalcore.values.model import Study


class Selected(NamedTuple):
    """Judgments that may be averaged together.

    ``weights``: {query: weight} of those of an adaptive task, as far as its rounds are over; None where every
    query counts the same. ``state``: how far that task is. ``note``: what was left out, or how queries are
    weighted, in words; "" where no task is adaptive.
    """

    tasks: tuple[Task, ...]
    judgments: tuple[Judgment, ...]
    weights: Mapping[str, float] | None
    state: State | None
    note: str


def without_adaptive(
    tasks: Sequence[Task], judgments: Sequence[Judgment]
) -> tuple[tuple[Task, ...], tuple[Judgment, ...], str]:
    """The tasks that are not adaptive, their judgments, and a sentence that names what was left out; "" where
    nothing was."""
    names = {task.name for task in tasks if task.adaptive is not None}
    own = tuple(one for one in judgments if one.task not in names)
    left = names & {one.task for one in judgments}
    titles = [task.title for task in tasks if task.name in left]
    note = ""
    if titles:
        note = (
            f"Left out: the judgments of {plain(', '.join(titles), limit=200)}, as queries were drawn there "
            f"with unequal chances. {SEE}"
        )
    return tuple(task for task in tasks if task.name not in names), own, note


def selected(study: Study, tasks: Sequence[Task], judgments: Sequence[Judgment]) -> Selected:
    """What of judgments may be averaged together: all without adaptive tasks; those of the only task, which
    is adaptive, with weights; else all but those of adaptive tasks, which may be nothing.

    Where the lists of the adaptive task have changed its chances are not known: nothing has a weight.
    """
    others, rest, note = without_adaptive(tasks, judgments)
    used = {one.task for one in judgments}
    adaptive = [task for task in tasks if task.adaptive is not None and task.name in used]
    if rest or len(adaptive) != 1:
        return Selected(others, rest, None, None, note)
    task = adaptive[0]
    try:
        design = design_of(study, task, lists_of(study, task))
        assert design is not None, "an adaptive task"
        state = state_of(design, judgments)
    except CuiscopeError as problem:
        return Selected((task,), tuple(judgments), {}, None, str(problem))
    weights = dict(
        zip(
            (design.queries[i] for i in state.course.drawn.tolist()),
            state.course.weights.tolist(),
            strict=True,
        )
    )
    note = (
        "Queries count by the inverse of the chance with which they were drawn, and only those of rounds "
        "that are over. Agreement among readers is that on the items they shared."
    )
    if not weights:
        note = "No round is over yet, so no query has a weight: nothing follows for all queries."
    return Selected((task,), tuple(judgments), weights, state, note)
