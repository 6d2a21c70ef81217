"""Uploaded files that pages hold in memory: bounded for a user and for all, and free once they were added."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from evalcore.features.server import gate, page_sessions
from evalcore.features.server.read import ServerSettings
from evalcore.values.account import Account, Limits

ADA, EVE = Account("ada@example.org", "Ada"), Account("eve@example.org", "Eve")
ONE = 1_000


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """The files of a server where sessions are called after whose they are."""
    files = MemoryUploadedFileManager("/_stcore/upload_file")
    runtime = SimpleNamespace(instance=lambda: SimpleNamespace(uploaded_file_mgr=files))
    monkeypatch.setattr(page_sessions, "Runtime", runtime)
    monkeypatch.setattr(page_sessions, "owner", lambda session: session.partition("/")[0])
    return files


def refused(who: Account, size: int | None) -> bool:
    passed = gate.Gate.__new__(gate.Gate)
    passed.settings = ServerSettings(limits=Limits(file_bytes=ONE))
    headers = [] if size is None else [(b"content-length", str(size).encode())]
    return passed._too_much(who, {"type": "http", "headers": headers})


def hold(files: MemoryUploadedFileManager, session: str, size: int) -> None:
    files.add_file(session, UploadedFileRec(f"f{size}", "f", "text/csv", bytes(size)))


def test_the_pages_of_a_user_hold_two_of_the_largest_files(manager: MemoryUploadedFileManager) -> None:
    assert not refused(ADA, ONE)
    hold(manager, f"{ADA.id}/1", 700)
    hold(manager, f"{ADA.id}/2", 800)
    assert not refused(ADA, 500) and refused(ADA, 501)
    assert refused(ADA, None), "a file that does not say how large it is may be as large as any"
    assert not refused(EVE, ONE)
    manager.remove_file(f"{ADA.id}/1", "f700")
    assert not refused(ADA, ONE)


def test_all_pages_together_hold_eight(manager: MemoryUploadedFileManager) -> None:
    for n in range(5):
        hold(manager, f"u{n}@example.org/1", 1_500)
    assert not refused(ADA, 500) and refused(ADA, 501)


PAGE = """
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from evalcore.ui.frame import state

st.file_uploader("Files", accept_multiple_files=True, key=state.emptied("files"))
st.button("Empty", on_click=state.empty, args=("files",))
held = get_script_run_ctx().uploaded_file_mgr.file_storage
st.markdown(f"{sum(len(files) for files in held.values())} held")
"""


def test_files_that_were_taken_leave_the_memory() -> None:
    app = AppTest.from_string(PAGE).run()
    app.file_uploader[0].set_value([("a.csv", b"1", "text/csv"), ("b.csv", b"2", "text/csv")]).run()
    assert not app.exception and app.markdown[0].value == "2 held"
    app.button[0].click().run()
    assert app.markdown[0].value == "0 held" and not app.file_uploader[0].value
