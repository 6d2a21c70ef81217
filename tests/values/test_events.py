"""Events reach whoever listens, and say nothing but names, ids and sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from evalcore.values import events

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def heard() -> Iterator[list[tuple[str, dict[str, object]]]]:
    noted: list[tuple[str, dict[str, object]]] = []

    def listener(event: str, what: Mapping[str, events.Value]) -> None:
        noted.append((event, dict(what)))

    events.listen(listener)
    yield noted
    events.listen(None)


def test_what_is_recorded_is_heard_and_nothing_without_a_listener(heard) -> None:
    events.record("uploaded", study="a", bytes=3, file=None)
    assert heard == [("uploaded", {"study": "a", "bytes": 3})]
    events.listen(None)
    events.record("removed", study="a")
    assert len(heard) == 1


@pytest.mark.parametrize(("event", "what"), [("uploaded", {"caption": "Chest"}), ("guessed", {"study": "a"})])
def test_what_may_not_be_said_is_refused_also_where_nobody_listens(event: str, what: dict) -> None:
    with pytest.raises(ValueError, match="cannot be recorded"):
        events.record(event, **what)


def calls() -> Iterator[tuple[str, str, set[str]]]:
    """(file, event, names of what is said) of every call in the program."""
    for path in (ROOT / "evalcore").rglob("*.py"):
        text = path.read_text()
        if "events.record(" in text:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "events.record":
                    assert isinstance(node.args[0], ast.Constant), path
                    yield path.name, node.args[0].value, {str(one.arg) for one in node.keywords}


def test_the_program_records_what_it_may_and_every_event_somewhere() -> None:
    made = list(calls())
    assert [one for one in made if not one[2] <= events.EVENTS.get(one[1], frozenset())] == []
    assert {event for _, event, _ in made} == {*events.EVENTS}
