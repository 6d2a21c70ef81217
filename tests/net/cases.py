"""What the net asks of commands and pages: the rows of ``cases.csv``, each by its meaning.

A case of a command reads ``command <study> arguments option=value``, one of a page ``page <study>
parameter=value``; a list is an option given several times, a tuple one with several words. ``spelling.py``
says how that is written today. In values ``{study}``, ``{shared}``, ``{files}`` and ``{out}`` are the folders
of the study, of the real data, of small files made for the net, and of what the command writes, which is
recorded too. The cases of every day are those marked ``daily``.
"""

from __future__ import annotations

import ast
import csv
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.net.studies import REAL

CASES = Path(__file__).parent / "cases.csv"


@dataclass(frozen=True)
class Case:
    """One command, or a state of a page. ``group``: its file of golden values, where ``name`` finds it."""

    group: str
    daily: bool
    name: str

    @property
    def target(self) -> str:
        """The command or page."""
        return self.name.partition(" <")[0]

    @property
    def study(self) -> str:
        """The study's name among those of ``studies.py``; empty where a command needs none."""
        return self.name.partition("<")[2].partition(">")[0]

    @cached_property
    def _words(self) -> list[str]:
        return re.split(r" (?=\w+=)", self.name.partition(">")[2])

    @property
    def places(self) -> tuple[str, ...]:
        """Arguments after the study."""
        return tuple(self._words[0].split())

    @property
    def options(self) -> dict[str, Any]:
        """Options of the command, or what the page's address says, by their meaning."""
        return {key: _value(text) for key, _, text in (word.partition("=") for word in self._words[1:])}

    @property
    def of_page(self) -> bool:
        return self.group.startswith("pages")

    @property
    def json(self) -> bool:
        """Whether the command prints a document."""
        return not self.of_page and self.target != "report"

    @property
    def real(self) -> bool:
        """Whether it needs real data beside the project."""
        return self.study in REAL or "{shared}" in self.name


def _value(text: str) -> Any:
    if text.startswith(("['", "('")):
        return ast.literal_eval(text)
    return text == "True" or text


def cases() -> list[Case]:
    """Every case; no two of a group have the same name."""
    with CASES.open(newline="", encoding="utf-8") as lines:
        every = [Case(row["group"], bool(row["daily"]), row["case"]) for row in csv.DictReader(lines)]
    assert len({(case.group, case.name) for case in every}) == len(every)
    return every
