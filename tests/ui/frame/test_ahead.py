"""What the server does before its first visitor."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest
import streamlit as st
from streamlit.runtime import Runtime

from evalcore.ui.frame import ahead
from evalcore.ui.frame.pages import PAGES
from tests.ui.conftest import ROOT


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Start and stop a server whose first page is drawn with these outcomes; how often drawing was begun."""

    def run(*outcomes: tuple[bool, str] | Exception, forever: bool = False) -> int:
        drawings = 0

        async def draw() -> tuple[bool, str]:
            nonlocal drawings
            drawings += 1
            while forever:
                await asyncio.sleep(60)
            outcome = outcomes[drawings - 1]
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        runtime = type("Drawing", (), {"does_script_run_without_error": staticmethod(draw)})
        monkeypatch.setattr(Runtime, "instance", lambda: runtime)

        async def serve() -> None:
            async with ahead.drawn_once(st.App("app.py")):
                await asyncio.sleep(0.01)

        with ThreadPoolExecutor(1) as thread:  # in that of the tests a browser's event loop may be running
            thread.submit(asyncio.run, asyncio.wait_for(serve(), timeout=10)).result()
        return drawings

    return run


@pytest.mark.parametrize("outcome", [(False, "error"), RuntimeError("no event loop")])
def test_what_fails_is_a_line_in_the_log(
    served: Callable[..., int], caplog: pytest.LogCaptureFixture, outcome: tuple[bool, str] | Exception
) -> None:
    logging.getLogger(ahead.__name__).addHandler(caplog.handler)
    assert served(outcome) == 1
    assert "could not be drawn ahead of a visit" in caplog.text


def test_the_code_of_every_page_is_loaded_ahead() -> None:
    loaded = {name: import_module(name) for name in ahead.code_of_pages()}
    shown = {page.show.partition(":")[0] for page in PAGES if page.show}
    imported = {
        name
        for file in (ROOT / "pages").glob("*.py")
        for name in re.findall(r"^from (evalcore\.ui\.\S+) import", file.read_text(), re.MULTILINE)
    }
    assert shown and len(imported) > 5 and shown | imported <= set(loaded)
