"""The log of a server: who did what, on standard error, and nothing that is confidential."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evalcore.features.review import database, store
from evalcore.features.server.log import Log
from evalcore.study.workspace.recognise_uploads import recognise
from evalcore.study.workspace.uploads import add_files
from evalcore.values import account, events
from evalcore.values.account import Account
from tests.features.review.made import judgment

ADA = Account("ada@example.org", "Ada")
NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    account.serve(lambda: None)
    events.listen(Log(clock=lambda: NOON))
    yield
    account.serve(None)
    events.listen(None)


def test_it_says_who_uploaded_what_and_not_what_was_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    events.record("refused", claimed='eve"\n{"user": "ada@example.org"}')
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["user"] is None, "a line break in a name begins no line"
    with account.acting(ADA):
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


def test_comments_and_answers_are_not_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    with account.acting(ADA):
        comment = judgment("1", reader=ADA.id, comment="the patient is Ms Example", value=0.125)
        store.add("f" * 32, comment)
        store.add("f" * 32, judgment("2", 1, reader=ADA.id, status="undone", value=None))
    database.forget()
    written = capsys.readouterr().err
    lines = map(json.loads, written.splitlines())
    assert [(line["event"], line["task"], line["count"]) for line in lines] == [
        ("judged", "chest", 1),
        ("withdrew", "chest", 1),
    ]
    assert "Example" not in written.replace("ada@example.org", "") and "0.125" not in written
