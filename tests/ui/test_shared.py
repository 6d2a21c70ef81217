"""What all sessions share: one copy, its arguments are its key, its bytes are bounded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.stores import Store
from evalcore.ui import shared as shared_values
from evalcore.ui.shared import shared

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _own_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_values, "_held", Store[object](room=1_000_000))


def test_the_arguments_are_the_key_but_for_those_that_are_only_handed_on() -> None:
    made: list[str] = []

    @shared()
    def doubled(digest: str, _study: object, *, times: int = 2) -> list[str]:
        made.append(digest)
        return [digest] * times

    first = doubled("a", object())
    assert doubled("a", object()) is first and doubled(digest="a", _study=None) is first
    assert doubled("b", None) == ["b", "b"] and doubled("a", None, times=1) == ["a"]
    assert made == ["a", "b", "a"]


def test_two_functions_do_not_meet() -> None:
    @shared()
    def one(digest: str) -> str:
        return "one"

    @shared()
    def other(digest: str) -> str:
        return "other"

    assert (one("a"), other("a")) == ("one", "other")


def test_forty_sessions_hold_no_more_than_the_room() -> None:
    @shared()
    def large(session: int) -> bytes:
        return bytes(100_000)

    for session in range(40):
        assert len(large(session)) == 100_000
    held = shared_values._held
    assert 800_000 < held.held <= 1_000_000


def test_who_waits_is_told_and_who_comes_later_is_not() -> None:
    script = """
import streamlit as st
from evalcore.ui.shared import shared

@shared(spinner="Opening it…")
def opened(name):
    st.session_state["times"] = st.session_state.get("times", 0) + 1
    return name

st.write(opened("a") + opened("a"))
"""
    app = AppTest.from_string(script, default_timeout=60).run()
    assert not app.exception and app.markdown[0].value == "aa" and app.session_state["times"] == 1
    assert app.run().session_state["times"] == 1


REGISTERS = {"cache.py", "jobs.py", "studies.py"}
"""Where ``st.cache_resource`` holds no values: the jobs at work, which studies and folders were met."""
CONSTANT = {
    "elementary.py",
    "memory.py",
    "published.py",
    "rank_biased_precision.py",
    "tokens.py",
    "word_lists.py",
}
"""Where something small is remembered that sessions and studies do not add to."""


@pytest.mark.parametrize("path", sorted((ROOT / "evalcore").rglob("*.py")), ids=lambda path: path.stem)
def test_every_cache_is_bounded_in_bytes(path: Path) -> None:
    """There is one store, and ``st.cache_data`` with a size; nothing that counts entries or is unbounded."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module in {"functools", "collections"}:
            own = {alias.name for alias in node.names} & {"cache", "lru_cache", "OrderedDict"}
            assert not own or path.name in CONSTANT | {"stores.py"}
        if isinstance(node, ast.FunctionDef):
            for made_by in map(ast.unparse, node.decorator_list):
                assert "cache_data" not in made_by or "max_size=" in made_by
                assert "cache_resource" not in made_by or path.name in REGISTERS
