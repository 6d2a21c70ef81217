"""What is judged: the queries and systems of a task, how it asks, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from evalcore.values.model import Study

Form = Literal["graded", "preference", "panel", "ratings"]
FORMS: tuple[Form, ...] = get_args(Form)
Scale = Literal[5, 100]
SCALES: tuple[Scale, ...] = get_args(Scale)
REASONS = ("modality", "organ", "finding", "severity", "quality")
MAX_DEPTH, MAX_QUERIES, MAX_SYSTEMS = 100, 10_000, 20
MAX_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing readers are asked to do, ``review/NAME.toml`` of a study.

    form
        graded: each result of a query by itself; ratings: the same by each of the ``criteria``;
        preference: two lists side by side, every pair of the systems; panel: the whole list of a system.
    queries, draw
        Ids of the queries; or, where none are named, how many are drawn by the seed.
    depth
        Results of each list.
    scale
        5 steps, or 0 to 100. Values are stored from 0 to 1 either way.
    panel
        Whether readers also say how satisfied they are with each list as a whole.
    """

    name: str
    title: str
    form: Form
    systems: tuple[str, ...]
    queries: tuple[str, ...] = ()
    draw: int = 0
    depth: int = 5
    scale: Scale = 5
    seed: int = 0
    instructions: str = ""
    reasons: tuple[str, ...] = REASONS
    criteria: tuple[str, ...] = ()
    panel: bool = False

    @property
    def asks_panel(self) -> bool:
        """Whether whole lists are judged by themselves."""
        return self.panel or self.form == "panel"


def steps(scale: Scale) -> tuple[float, ...]:
    """The values of a scale, from 0 to 1.

    >>> steps(5), len(steps(100))
    ((0.0, 0.25, 0.5, 0.75, 1.0), 101)
    """
    last = 4 if scale == 5 else 100
    return tuple(step / last for step in range(last + 1))


# A task every study has without a file: a few results of each system, to see how judging goes.

NAME = "practice"
DRAW, DEPTH, SYSTEMS = 4, 3, 6


def practice_task(study: Study) -> Task | None:
    """The task; None where no system has a run. Its name is no task file's as long as none is called so."""
    systems = systems_to_judge(study)[:SYSTEMS]
    if not systems:
        return None
    return Task(
        name=NAME,
        title="Practice",
        form="graded",
        systems=systems,
        draw=DRAW,
        depth=DEPTH,
        seed=1,
        instructions="Imagine you look at the query image and ask for similar cases. For each result, say "
        "how useful it would be to you. There is no right answer, and no time limit.",
    )


def systems_to_judge(study: Study) -> tuple[str, ...]:
    """The systems whose lists can be judged: those with a run, one of each."""
    return tuple(name for name in study.systems if name in study.runs and name not in study.seeds)
