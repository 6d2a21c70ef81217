"""The gate by itself: whom a proxy names, paths below that of the pages, uploads held, what is logged."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from starlette.responses import PlainTextResponse
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from evalcore.features.review import database, store
from evalcore.features.server import gate, page_sessions
from evalcore.features.server.identity import of_proxy
from evalcore.features.server.log import Log
from evalcore.features.server.read import ServerSettings, parse_settings
from evalcore.study.workspace.recognise_uploads import recognise
from evalcore.study.workspace.uploads import add_files
from evalcore.values import account, events
from evalcore.values.account import Account, Limits
from tests.features.review.made import judgment

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
ADA, EVE = Account("ada@example.org", "Ada"), Account("eve@example.org", "Eve")
FILE_BYTES = 1_000
SETTINGS = ServerSettings(allowed=("*@example.org",), limits=Limits(file_bytes=FILE_BYTES))


def scope(*headers: tuple[str, str], path: str = "/", client: str = "127.0.0.1") -> dict[str, object]:
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers]
    request = {"type": "http", "method": "GET", "scheme": "http", "query_string": b"code=SECRET"}
    return {**request, "path": path, "client": (client, 1), "headers": encoded}


def status(door: gate.Gate, request: dict[str, object]) -> int:
    """What the gate answers; 200 where the pages do."""
    sent: list[dict] = []

    async def send(message) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as thread:  # in that of the tests a browser's event loop may be running
        thread.submit(asyncio.run, door(request, None, send)).result()  # type: ignore[arg-type]
    return int(sent[0]["status"])


def test_an_account_of_a_proxy():
    toml = b"""
administrators = ["Ada@example.org"]
[proxy]
header = "Remote-User"
name_header = "Remote-Name"
trusted = ["10.1.0.0/16", "::1"]
"""
    settings, report = parse_settings(toml, file="server.toml")
    assert not report.problems
    user = ("Remote-User", "ADA@example.org")
    ada = Account("ada@example.org", "Ada Lovelace, née Byron", administrator=True)
    named = scope(user, ("Remote-Name", "Ada Lovelace, née Byron"), client="10.1.2.3")
    assert of_proxy(named, settings) == ada
    assert of_proxy(scope(user, client="::ffff:10.1.2.3"), settings) == Account(ada.id, ada.id, True)
    for client in ("127.0.0.1", "10.2.0.1", "testclient", "::ffff:10.2.0.1", ""):
        assert of_proxy(scope(user, client=client), settings) is None
    assert of_proxy({"type": "http", "client": None, "headers": []}, settings) is None
    assert of_proxy(scope(("Remote-User", "Ada"), client="::1"), settings) == Account("Ada", "Ada")


def test_only_what_is_below_the_path_is_answered():
    door = gate.Gate(PlainTextResponse("a page"), SETTINGS)
    door.base, user = "/lab", ("X-Forwarded-User", ADA.id)
    assert status(door, scope(path="/lab/_stcore/health")) == status(door, scope(user, path="/lab/")) == 200
    for path in ("/", "/_stcore/health", "/laboratory/", "/lab/lab/_stcore/health", "/lab//_stcore/health"):
        assert status(door, scope(path=path)) == 401, path
        assert status(door, scope(user, path=path)) == 404, path


@pytest.fixture
def log(monkeypatch, tmp_path):
    """A server that logs, on an empty home."""
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    account.serve(lambda: None)
    events.listen(Log(clock=lambda: NOON))
    yield
    account.serve(None)
    events.listen(None)


@pytest.mark.usefixtures("log")
def test_who_is_refused_is_named_in_the_log_and_the_code_of_an_address_is_not(capsys):
    for user, client, reason in (
        ("eve@elsewhere.org", "127.0.0.1", "You are not admitted"),
        (None, "127.0.0.1", "You are not signed in"),
        ("ada@example.org", "10.0.0.9", "This is not the way in"),
    ):
        headers = [("Authorization", "Basic SECRET"), *([("X-Forwarded-User", user)] if user else [])]
        assert status(gate.Gate(None, SETTINGS), scope(*headers, path="/Data", client=client)) in (401, 403)
        written = capsys.readouterr().err
        line = json.loads(written)
        assert (line["user"], line["reason"], line["route"]) == (None, reason, "/Data")
        assert line.get("claimed") == user and "SECRET" not in written
    events.record("refused", claimed='eve"\n{"user": "ada@example.org"}')
    (text,) = capsys.readouterr().err.splitlines()
    assert json.loads(text)["user"] is None, "a line break in a name begins no line"


def test_a_flood_of_refusals_does_not_fill_the_disk(capsys):
    times = iter([NOON] * 400 + [NOON + timedelta(minutes=1)] * 2)
    log = Log(clock=lambda: next(times))
    for _ in range(402):
        log("refused", {"claimed": "x" * 400})
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 300 + 2 and len(json.loads(lines[0])["claimed"]) == 300


@pytest.mark.usefixtures("log")
def test_it_says_who_uploaded_what_and_not_what_was_in_it(capsys):
    with account.acting_as(ADA):
        events.record("signed in")
        data = b"ID,Caption\na,Secret pneumothorax\nb,CT of the liver\n"
        done = add_files(recognise([("captions.csv", data)]), "trial")
    assert done.folder is not None and done.folder.name == "trial"
    written = capsys.readouterr().err
    always = {"at": "2026-05-01T12:00:00.000+00:00", "user": "ada@example.org"}
    uploaded = {"study": "trial", "kind": "captions", "file": "captions.csv", "bytes": len(data)}
    assert [json.loads(line) for line in written.splitlines()] == [
        {**always, "event": "signed in"},
        {**always, "event": "uploaded", **uploaded},
    ]
    assert "pneumothorax" not in written


@pytest.mark.usefixtures("log")
def test_comments_and_answers_are_not_in_it(capsys):
    with account.acting_as(ADA):
        comment = judgment("1", reader=ADA.id, comment="the patient is Ms Example", value=0.125)
        store.add("f" * 32, comment)
        store.add("f" * 32, judgment("2", 1, reader=ADA.id, status="undone", value=None))
    database.forget()
    written = capsys.readouterr().err
    lines = [(line["event"], line["task"], line["count"]) for line in map(json.loads, written.splitlines())]
    assert lines == [("judged", "chest", 1), ("withdrew", "chest", 1)]
    assert "Example" not in written.replace("ada@example.org", "") and "0.125" not in written


# Uploaded files that pages hold in memory: bounded for a user and for all, and free once they were added.


@pytest.fixture
def manager(monkeypatch):
    """The files of a server where sessions are called after whose they are."""
    files = MemoryUploadedFileManager("/_stcore/upload_file")

    def client(session):
        header = page_sessions.encoded(Account(session.partition("+")[0], ""))
        return SimpleNamespace(client_context=SimpleNamespace(headers={page_sessions.HEADER: header}))

    runtime = SimpleNamespace(uploaded_file_mgr=files, get_client=client)
    monkeypatch.setattr(page_sessions, "Runtime", SimpleNamespace(instance=lambda: runtime))
    return files


def refused(who: Account, size: int | None) -> bool:
    """Whether a page of somebody cannot take a file."""
    headers = [("X-Forwarded-User", who.id), *([("Content-Length", f"{size}")] if size else [])]
    upload = scope(*headers, path=f"/_stcore/upload_file/{who.id}+1/f")
    answer = status(gate.Gate(PlainTextResponse("taken"), SETTINGS), {**upload, "method": "PUT"})
    assert answer in (200, 413)
    return answer == 413


def hold(files: MemoryUploadedFileManager, session: str, size: int) -> None:
    files.add_file(session, UploadedFileRec(f"f{size}", "f", "text/csv", bytes(size)))


def test_pages_hold_two_of_the_largest_files_of_a_user_and_eight_of_all(manager):
    assert not refused(ADA, FILE_BYTES)
    hold(manager, f"{ADA.id}+1", 700)
    hold(manager, f"{ADA.id}+2", 800)
    assert not refused(ADA, 500) and refused(ADA, 501)
    assert refused(ADA, None), "a file that does not say how large it is may be as large as any"
    assert not refused(EVE, FILE_BYTES)
    manager.remove_file(f"{ADA.id}+1", "f700")
    assert not refused(ADA, FILE_BYTES)
    for n, size in enumerate((1_500, 1_500, 1_500, 1_500, 700)):
        hold(manager, f"u{n}@example.org+1", size)
    assert not refused(EVE, 500) and refused(EVE, 501)


PAGE = """
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from evalcore.ui.frame import state

st.file_uploader("Files", accept_multiple_files=True, key=state.uploader_key("files"))
st.button("Empty", on_click=state.empty, args=("files",))
held = get_script_run_ctx().uploaded_file_mgr.file_storage
st.markdown(f"{sum(len(files) for files in held.values())} held")
"""


def test_files_that_were_taken_leave_the_memory():
    app = AppTest.from_string(PAGE).run()
    app.file_uploader[0].set_value([("a.csv", b"1", "text/csv"), ("b.csv", b"2", "text/csv")]).run()
    assert not app.exception and app.markdown[0].value == "2 held"
    app.button[0].click().run()
    assert app.markdown[0].value == "0 held" and not app.file_uploader[0].value
