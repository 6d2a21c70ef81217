"""What every page receives: the open study and the choices of the sidebar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from evalcore.figures.theme import Theme
from evalcore.report.verdicts import Words, in_terms
from evalcore.results.method import chosen_of
from evalcore.ui.frame.measures import MeasureChoice
from evalcore.values.model import Study
from evalcore.values.settings import Settings, View
from evalcore.values.writing import md_escape


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
    """What the sidebar says.

    chosen: all but the measure; its systems have the baseline first and are never none; without a baseline
    they are compared with the leader. measure, k: as the page offers it, and the results it counts. plain:
    whether the reader wants everyday words.
    """

    chosen: View
    measure: MeasureChoice
    k: int
    plain: bool

    @property
    def view(self) -> View:
        """The choices that decide the numbers, as commands and files know them."""
        return replace(self.chosen, metrics=(self.metric,))

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems compared, the baseline first."""
        return self.chosen.systems

    @property
    def baseline(self) -> str:
        """What the others are compared with; "" where that is the leader."""
        return self.chosen.baseline

    @property
    def settings(self) -> Settings:
        """How relevance is computed and counted."""
        return self.chosen.settings

    def among(self, systems: Sequence[str]) -> Choice:
        """The same about these systems."""
        baseline = self.baseline if self.baseline in systems else ""
        return replace(self, chosen=replace(self.chosen, systems=tuple(systems), baseline=baseline))

    def under(self, settings: Settings) -> Choice:
        """The same under other settings."""
        return replace(self, chosen=replace(self.chosen, settings=settings))

    @property
    def metric(self) -> str:
        """The metric label evalcore understands, such as ``nnCUI@10``."""
        return self.measure.label(self.k)

    @property
    def words(self) -> Words:
        """How sentences about it are worded."""
        if not self.plain:
            return in_terms(self.metric, self.chosen.smallest_difference)
        return Words(f"“{md_escape(self.measure.title)}”", True, self.chosen.smallest_difference)

    @property
    def metric_shown(self) -> str:
        """The measure as the reader knows it."""
        if not self.plain:
            return self.metric
        return f"{self.measure.title} (top {self.k})" if self.measure.cut else self.measure.title


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """The open study, where it came from, the sidebar's choices, and the colours on screen.

    ``study`` contains the queries and candidates the sidebar counts, of ``n_queries`` that meet its
    conditions. On pages that compare no systems it is the whole study.
    """

    study: Study
    entry: StudyEntry
    choice: Choice
    theme: Theme
    n_queries: int

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
