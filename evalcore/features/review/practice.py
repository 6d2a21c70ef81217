"""A task every study has without a file: a few results of each system, to see how judging goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.features.review.tasks import Task

if TYPE_CHECKING:
    from evalcore.values.model import Study

NAME = "practice"
DRAW, DEPTH, SYSTEMS = 4, 3, 6


def practice_task(study: Study) -> Task | None:
    """The task; None where no system has a run. Its name is no task file's as long as none is called so."""
    systems = systems_to_judge(study)[:SYSTEMS]
    if not systems:
        return None
    return Task(
        name=NAME, title="Practice", form="graded", systems=systems, draw=DRAW, depth=DEPTH, seed=1,
        instructions="Imagine you look at the query image and ask for similar cases. For each result, say "
        "how useful it would be to you. There is no right answer, and no time limit.",
    )  # fmt: skip


def systems_to_judge(study: Study) -> tuple[str, ...]:
    """The systems whose lists can be judged: those with a run, one of each."""
    return tuple(name for name in study.systems if name in study.runs and name not in study.seeds)
