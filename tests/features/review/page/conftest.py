"""A browser of the judging desk, without a window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evalcore.features.review.page import reading


class Hands:
    """What the desk's script does: it holds what was said until the store has confirmed it."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        self.outbox: list[dict[str, Any]] = []
        self._number = 0

    def mount(self, data: dict[str, Any], on_sent: Callable[[], None]) -> object:
        del on_sent
        self.data = data
        self.outbox = [one for one in self.outbox if one["id"] not in data["stored"]]
        return {"answers": list(self.outbox)}

    @property
    def keys(self) -> list[str]:
        """Keys of the items that were sent."""
        return [item["key"] for item in self.data["items"]]

    def say(self, value: float | None, *, item: str = "", said: str = "value", **more: object) -> str:
        """Answer the first item, or another; returns the id of the answer."""
        self._number += 1
        name = f"{self._number:032x}"
        self.outbox.append(
            {
                "id": name,
                "item": item or self.keys[0],
                "said": said,
                "value": value,
                "reasons": [],
                "comment": "",
                **more,
            }
        )
        return name


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    found = Hands()
    monkeypatch.setattr(reading, "mount", found.mount)
    return found
