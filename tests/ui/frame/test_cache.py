"""What all sessions share: one copy by its key, its bytes are bounded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.frame import cache
from evalcore.values.stores import Store

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _own_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_shared", Store[object](room=1_000_000))


def test_a_value_is_made_once_for_a_key() -> None:
    made: list[str] = []

    def doubled(digest: str) -> list[str]:
        def work() -> list[str]:
            made.append(digest)
            return [digest] * 2

        return cache.share(("doubled", digest), work)

    first = doubled("a")
    assert doubled("a") is first and doubled("b") == ["b", "b"]
    assert made == ["a", "b"]


def test_forty_sessions_hold_no_more_than_the_room() -> None:
    for session in range(40):
        assert len(cache.share(("large", session), lambda: bytes(100_000))) == 100_000
    assert 800_000 < cache._shared.held <= 1_000_000


def test_who_waits_is_reported_and_who_comes_later_is_not() -> None:
    script = """
import streamlit as st
from evalcore.ui.frame import cache

def work():
    st.session_state["times"] = st.session_state.get("times", 0) + 1
    return "a"

def opened():
    return cache.share(("opened", "a"), work, spinner="Opening it…")

st.write(opened() + opened())
"""
    app = AppTest.from_string(script, default_timeout=60).run()
    assert not app.exception and app.markdown[0].value == "aa" and app.session_state["times"] == 1
    assert app.run().session_state["times"] == 1


REGISTERS = {"frame/cache.py", "frame/jobs.py", "frame/studies.py"}
"""Where ``st.cache_resource`` holds no values: jobs at work, which studies were met, what was done once."""
CONSTANT = {
    "extensions.py",
    "features/annotate/dictionary.py",
    "features/imageclef/caption_metrics.py",
    "features/imageclef/published.py",
    "features/imageclef/read.py",
    "features/satisfaction/parts.py",
    "memory.py",
    "portable_math.py",
    "ranking/graded.py",
    "values/bundled.py",
    "values/plugins.py",
    "values/settings.py",
}
"""Where something small is remembered that sessions and studies do not add to."""


def _outlives_a_call(module: ast.Module) -> bool:
    """Whether something counts entries or is unbounded; on a function within a function it goes with that."""
    names = {
        alias.asname or alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module in {"functools", "collections"}
        for alias in node.names
        if alias.name in {"cache", "lru_cache", "OrderedDict"}
    }
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    inner = {id(one) for outer in functions for one in ast.walk(outer) if one is not outer}
    within = {
        id(name)
        for one in functions
        if id(one) in inner
        for decorator in one.decorator_list
        for name in ast.walk(decorator)
    }
    used = (node for node in ast.walk(module) if isinstance(node, ast.Name) and node.id in names)
    return any(id(name) not in within for name in used)


@pytest.mark.parametrize(
    ("used", "outlives"),
    [
        ("@cache\ndef f(): ...", True),
        ("def f():\n    @cache\n    def g(): ...\n    return g()", False),
        ("def f():\n    @cache\n    def g(): ...\n@cache\ndef h(): ...", True),
        ("g = cache(len)", True),
        ("class A:\n    @cache\n    def f(self): ...", True),
        ("def f():\n    global g\n    g = cache(len)", True),
    ],
)
def test_only_what_goes_with_its_call_may_grow(used: str, outlives: bool) -> None:
    assert _outlives_a_call(ast.parse(f"from functools import cache\n{used}")) is outlives


@pytest.mark.parametrize("path", sorted((ROOT / "evalcore").rglob("*.py")), ids=lambda path: path.stem)
def test_every_cache_is_bounded_in_bytes(path: Path) -> None:
    """There is one store, and ``st.cache_data`` with a size; nothing that counts entries or is unbounded."""
    module = ast.parse(path.read_text())
    assert any(
        path.as_posix().endswith(f"/{name}") for name in CONSTANT | {"stores.py"}
    ) or not _outlives_a_call(module)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            for made_by in map(ast.unparse, node.decorator_list):
                assert "cache_data" not in made_by or "max_size=" in made_by
                assert "cache_resource" not in made_by or "/".join(path.parts[-2:]) in REGISTERS
