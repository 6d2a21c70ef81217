"""Events say nothing but names, ids and sizes; that they reach the log is tested with the server."""

import pytest

from evalcore.values import events


@pytest.mark.parametrize(("event", "what"), [("uploaded", {"caption": "Chest"}), ("guessed", {"study": "a"})])
def test_events_refuse_other_names_and_fields(event: str, what: dict) -> None:
    with pytest.raises(ValueError, match="cannot be recorded"):
        events.record(event, **what)
