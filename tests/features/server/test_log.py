"""The log of a server: who did what, on standard error, and nothing that is confidential."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evalcore.features.review import database, store
from evalcore.features.server.gate import Gate
from evalcore.features.server.log import Log
from evalcore.features.server.read import ServerSettings
from evalcore.study.workspace.recognise_uploads import recognise
from evalcore.study.workspace.uploads import add_files
from evalcore.values import account, events
from evalcore.values.account import Account
from tests.features.conftest import open_app
from tests.features.review.made import judgment

__all__ = ["open_app"]

ADA = Account("ada@example.org", "Ada")
NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    account.serve(lambda: None)
    yield tmp_path / "home"
    account.serve(None)
    events.listen(None)


Lines = Callable[[], list[dict[str, object]]]


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Lines:
    """What was written to standard error since, each line read as JSON."""
    return lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_it_says_who_uploaded_what_and_not_what_was_in_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events.listen(Log(clock=lambda: NOON))
    with account.acting(ADA):
        events.record("signed in")
        data = b"ID,Caption\na,Secret pneumothorax\nb,CT of the liver\n"
        done = add_files(recognise([("captions.csv", data)]), "trial")
    assert done.folder is not None and done.folder.name == "trial"
    written = capsys.readouterr().err
    assert [json.loads(line) for line in written.splitlines()] == [
        {"at": "2026-05-01T12:00:00.000+00:00", "user": "ada@example.org", "event": "signed in"},
        {
            "at": "2026-05-01T12:00:00.000+00:00",
            "user": "ada@example.org",
            "event": "uploaded",
            "study": "trial",
            "kind": "captions",
            "file": "captions.csv",
            "bytes": len(data),
        },
    ]
    assert "pneumothorax" not in written


def test_a_line_break_in_a_name_begins_no_line(lines: Lines) -> None:
    Log(clock=lambda: NOON)("refused", {"claimed": 'eve"\n{"user": "ada@example.org"}'})
    (line,) = lines()
    assert line["user"] is None


@pytest.mark.parametrize(
    ("user", "client", "reason"),
    [
        ("eve@elsewhere.org", "127.0.0.1", "You are not admitted"),
        (None, "127.0.0.1", "You are not signed in"),
        ("ada@example.org", "10.0.0.9", "This is not the way in"),
    ],
)
def test_who_is_refused_is_named_and_the_code_of_an_address_is_not(
    home: Path, capsys: pytest.CaptureFixture[str], user: str | None, client: str, reason: str
) -> None:
    events.listen(Log(clock=lambda: NOON))
    sent: list[dict] = []

    async def send(message) -> None:
        sent.append(message)

    headers = [] if user is None else [(b"x-forwarded-user", user.encode())]
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/Data",
        "query_string": b"code=SECRET",
        "scheme": "http",
    }
    scope |= {"client": (client, 1), "headers": [*headers, (b"authorization", b"Basic SECRET")]}
    settings = ServerSettings(allowed=("*@example.org",))
    with ThreadPoolExecutor(1) as thread:  # in that of the tests a browser's event loop may be running
        thread.submit(asyncio.run, Gate(None, settings)(scope, None, send)).result()
    written = capsys.readouterr().err
    line = json.loads(written)
    assert sent[0]["status"] in (401, 403)
    assert (line["user"], line["reason"], line["route"]) == (None, reason, "/Data")
    assert line.get("claimed") == user
    assert "SECRET" not in written


def test_comments_and_answers_are_not_in_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events.listen(Log(clock=lambda: NOON))
    with account.acting(ADA):
        one = judgment("1", reader=ADA.id, comment="the patient is Ms Example", value=0.125)
        store.add("f" * 32, one)
        store.add("f" * 32, judgment("2", 1, reader=ADA.id, status="undone", value=None))
    database.forget()
    written = capsys.readouterr().err
    said = map(json.loads, written.splitlines())
    assert [(line["event"], line["task"], line["count"]) for line in said] == [
        ("judged", "chest", 1),
        ("withdrew", "chest", 1),
    ]
    assert "Example" not in written.replace("ada@example.org", "") and "0.125" not in written
