"""What every page receives: the open study and the choices of the sidebar."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evalcore.evaluate.slices.conditions import chosen_of
from evalcore.figures.theme import Theme
from evalcore.ui.frame.measures import MeasureChoice
from evalcore.values.model import ComparedOver, Study
from evalcore.values.settings import FLIPS, Correction, Settings
from evalcore.values.writing import md_escape

ALL_QUERIES, COMMON_QUERIES, COMMON_POOL = "All", "Common", "Pool"
"""Which queries and candidates count, as the address names it."""


@dataclass(frozen=True, slots=True)
class StudyEntry:
    """A study folder the sidebar offers: its name in links, where it is, where it came from.

    ``name`` is that of the folder, which several can share; the slug is its own.
    """

    slug: str
    path: Path
    origin: str
    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What the sidebar says. ``systems`` has the baseline first and is never empty; ``baseline`` is ""
    where none is fixed and systems are compared with the leader.

    ``where``: conditions that choose the queries (see `evaluate.slices.conditions`). ``correction``: of the
    p-values of the leaderboard. ``smallest``: difference that matters, 0 for none. ``flips``: of signs, in
    permutation tests.
    """

    systems: tuple[str, ...]
    baseline: str
    measure: MeasureChoice
    k: int
    queries: str
    settings: Settings
    plain: bool
    where: tuple[str, ...] = ()
    correction: Correction = "holm"
    smallest: float = 0.0
    same_group: str = "drop"
    flips: int = FLIPS

    @property
    def metric(self) -> str:
        """The metric label evalcore understands, such as ``nnCUI@10``."""
        return self.measure.label(self.k)

    @property
    def metric_shown(self) -> str:
        """The measure as the reader knows it."""
        if not self.plain:
            return self.metric
        return f"{self.measure.title} (top {self.k})" if self.measure.cut else self.measure.title


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """The open study, where it came from, the sidebar's choices, and the colours on screen.

    ``study`` holds the queries and candidates the sidebar counts, of ``n_queries`` that meet its conditions;
    ``over`` says which these are. On pages that compare no systems it is the whole study, and ``over`` None.
    """

    study: Study
    entry: StudyEntry
    choice: Choice
    theme: Theme
    n_queries: int
    over: ComparedOver | None = None

    @property
    def reading(self) -> Literal["plain", "technical"]:
        """ "plain" or "technical", as the figures call it."""
        return "plain" if self.choice.plain else "technical"

    @property
    def chosen(self) -> str:
        """For the line on the method, in Markdown: by which conditions queries were chosen; "" for none."""
        line = chosen_of(self.study)
        return f" ({md_escape(line)})" if line else ""

    def stem(self, name: str) -> str:
        """The name of a file to take away: what it is, and the study it is about."""
        return f"{name}-{self.study.digest[:8]}{'-filtered' if self.study.where else ''}"
