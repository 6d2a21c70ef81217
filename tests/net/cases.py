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
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.net.studies import REAL

CASES = Path(__file__).parent / "cases.csv"


@dataclass(frozen=True)
class Case:
    """One command, or a state of a page.

    ``group``: its file of golden values, where ``name`` finds it. ``target``: the command or page. ``study``:
    its name among those of ``studies.py``; empty where a command needs none. ``places``: arguments after the
    study. ``options``: of the command, or what the page's address says, by their meaning.
    """

    group: str
    daily: bool
    name: str
    target: str
    study: str
    places: tuple[str, ...]
    options: Mapping[str, Any]

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


def _case(group: str, daily: str, case: str) -> Case:
    target, study, words = re.fullmatch(r"(.*?) <(.*?)>(.*)", case).groups()  # type: ignore[union-attr]
    places, *options = re.split(r" (?=\w+=)", words)
    named = {key: _value(text) for key, _, text in (option.partition("=") for option in options)}
    return Case(group, bool(daily), case, target, study, tuple(places.split()), named)


def _value(text: str) -> Any:
    if text.startswith(("['", "('")):
        return ast.literal_eval(text)
    return text == "True" or text


def cases() -> list[Case]:
    """Every case; no two of a group have the same name."""
    with CASES.open(newline="", encoding="utf-8") as lines:
        every = [_case(**row) for row in csv.DictReader(lines)]
    assert len({(case.group, case.name) for case in every}) == len(every)
    return every
