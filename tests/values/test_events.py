"""Events reach whoever listens, and say nothing but names, ids and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from evalcore.values import events


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
