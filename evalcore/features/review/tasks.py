"""What is judged: the queries and systems of a task, how it asks, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

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
