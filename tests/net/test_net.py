"""What was recorded is what comes out: the fixed subset every day, everything by night."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from evalcore.cli import main
from evalcore.cli.program import iter_commands
from tests.net.__main__ import failures, runs_here
from tests.net.cases import cases
from tests.net.commands import Workplace, workplace
from tests.net.mutants import mutants
from tests.net.record import GOLDEN, differences, golden_groups, load
from tests.net.spelling import COMMANDS, PAGES
from tests.net.studies import ROOT

GROUPS = golden_groups()
WAY_OUT = "Where a change is right: python -m tests.net record --all --accept PLACE REASON (a place as above)"
LARGEST = 3_000_000
"""Bytes of all golden files."""


@pytest.fixture(scope="module")
def place() -> Iterator[Workplace]:
    """Where all groups run: studies and files are made once."""
    with workplace() as running:
        yield running


def different(group: str, place: Workplace, *, daily: bool) -> list[str]:
    selected = [case for case in cases() if case.group == group and (case.daily or not daily)]
    here = [case for case in selected if runs_here(case)]
    if selected and not here:
        pytest.skip("needs the folder 'shared' beside the project")
    return failures(here, place)


@pytest.mark.parametrize("group", [group for group in GROUPS if group != "rocov2"])
def test_the_fixed_subset_is_as_recorded(group: str, place: Workplace):
    assert different(group, place, daily=True) == [], WAY_OUT


@pytest.mark.nightly
@pytest.mark.parametrize("group", GROUPS)
def test_everything_is_as_recorded(group: str, place: Workplace):
    assert different(group, place, daily=False) == [], WAY_OUT


def test_only_the_cases_are_recorded():
    recorded = {(group, name) for group in GROUPS for name in load(group)}
    assert recorded == {(case.group, case.name) for case in cases()}
    assert sum(path.stat().st_size for path in GOLDEN.iterdir()) < LARGEST


def test_every_command_and_page_is_recorded():
    commands = {case.target for case in cases() if not case.of_page}
    words = {COMMANDS.get(command, command).partition(" --")[0] for command in commands}
    # They run on, write or time.
    not_asked = {
        "open",
        "serve",
        "fix",
        "figures",
        "cost",
        "synthetic paper",
        "review export",
        "review import",
    }
    assert commands >= COMMANDS.keys()
    assert words | not_asked == {words for words, _ in iter_commands(main)} and not words & not_asked
    assert {case.target for case in cases() if case.of_page} == PAGES.keys()


def test_every_mutant_still_has_its_line():
    """A fault whose line was rewritten would no longer be tried."""
    gone = [
        mutant.name
        for mutant in mutants()
        for text in [(ROOT / mutant.file).read_text("utf-8")]
        if f"{mutant.line}\n" not in text or not re.search(rf"(def|class) {mutant.function}\b", text)
    ]
    assert gone == []


def test_a_changed_last_digit_is_noticed():
    """The comparer itself: a value moved by more than the tolerance, a problem and a fact that is gone."""
    record = {
        "code": 0,
        "problems": [["a.csv", "3", "rule", 1]],
        "ids": {"system": ["hog"]},
        "words": "x",
        "values": {
            "mean": [0.5, None],
            "long": {"n": 200, "known": 200, "moments": [1.0, 1.0, 0.5], "sample": [0.0, 1.0]},
        },
        "facts": [["hog", 0.1, 0.2, 0.3]],
    }

    def noticed(**changed: object) -> list[str]:
        after = json.loads(json.dumps(record)) | changed
        return [difference.kind for difference in differences("case", record, after)]

    assert noticed() == []
    assert noticed(words="y") == ["words"]
    assert noticed(code=2) == ["code"]
    assert noticed(problems=[["a.csv", "4", "rule", 1]]) == ["problems"]
    assert noticed(ids={"system": ["texture"]}) == ["ids"]
    for mean, kinds in (
        ([0.5 + 2e-12, None], ["values"]),
        ([0.5, 0.0], ["values"]),
        ([0.5 + 5e-13, None], []),
    ):
        assert noticed(values=record["values"] | {"mean": mean}) == kinds
    assert noticed(facts=[["hog", 0.1, 0.2, 0.31]]) == ["facts"]
    assert noticed(facts=[["hog", 0.1, 0.2, 0.3], ["new", 1.0]]) == []
