"""What was parsed once is not parsed again, and nobody can tell from the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from evalcore.study import open_study
from evalcore.study.parts import reading as store
from evalcore.study.parts.reading import parse_once
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace import uploads
from evalcore.study.workspace.workspace import add_part
from evalcore.values.errors import Report
from evalcore.values.stores import Store
from tests.study.empty_study import empty_study

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


UPLOADS = {
    "concepts": b"ID,CUIs\na,C0000001;C0000002\nb,C0000002\n",
    "captions": b"ID,Caption\na,A chest\n",
    "labels": b"ID,organ\na,chest\n",
    "graph": b"child,parent\nC0000002,C0000001\n",
    "names": b"cui,name\nC0000001,Heart\n",
    "run": b"a Q0 b 1 0.9 s\nb Q0 a 1 0.8 s\n",
}


def test_a_study_does_not_parse_its_uploads_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    study = empty_study("mine")

    def noted(parse: Callable[..., object], data: bytes, *, file: str, **options: object) -> object:
        def counted(data: bytes, *, file: str, **options: object) -> object:
            if file != "names.csv":  # where the kinds in names are looked for
                calls.append(file)
            return parse(data, file=file, **options)

        counted_for = watched.setdefault(parse, counted)
        return parse_once(counted_for, data, file=file, **options)

    watched: dict[object, Callable[..., object]] = {}
    for room in (store, uploads):
        monkeypatch.setattr(room, "parse_once", noted)
    for kind, data in UPLOADS.items():
        add_part(study, kind, f"my_{kind}.csv", data, system="one")
    first = open_study(study)
    assert sorted(calls) == sorted(f"my_{kind}.csv" for kind in UPLOADS)
    add_part(study, "captions", "other.csv", b"ID,Caption\na,A head\n")
    second = open_study(study)
    assert calls[len(UPLOADS) :] == ["other.csv"]
    assert first.concepts.digest == second.concepts.digest
    assert first.digest != second.digest
    store._KEPT.forget()
    fresh = open_study(study)
    assert (fresh.digest, fresh.report, fresh.parts) == (second.digest, second.report, second.parts)
