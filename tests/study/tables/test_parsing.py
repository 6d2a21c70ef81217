"""What was parsed once is not parsed again, and nobody can tell from the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from evalcore.study.parts import reading as store
from evalcore.study.parts.reading import parse_once
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import Report
from evalcore.values.stores import Store

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Rows:
    text: bytes
    file: str


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_KEPT", Store(store.ROOM))


def counting(calls: list[str], severity: str = "") -> Callable[..., tuple[Rows, Report]]:
    def parse(data: bytes, *, file: str, **_: object) -> tuple[Rows, Report]:
        calls.append(file)
        found = Problems(file)
        if severity:
            getattr(found, severity)("odd", "It is odd.", "")
        return Rows(data, file), found.report()

    return parse


def test_a_remark_is_about_the_file_it_names_and_an_error_is_found_again() -> None:
    calls: list[str] = []
    remarks = counting(calls, "warning")
    for file in ("a", "a", "b"):
        assert {p.file for p in parse_once(remarks, b"x", file=file)[1].problems} == {file}
    assert calls == ["a", "b"]
    errors = counting(calls, "error")
    parse_once(errors, b"x", file="c")
    parse_once(errors, b"x", file="c")
    assert calls == ["a", "b", "c", "c"]
