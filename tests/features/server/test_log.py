"""The log of a server: who did what, in private files of a day, and nothing that is confidential."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.review.read import database, store
from evalcore.features.server import read_log
from evalcore.features.server.gate import Gate
from evalcore.features.server.read import ServerSettings
from evalcore.features.server.read_accounts import accounts
from evalcore.features.server.read_log import Log
from evalcore.study import open_study
from evalcore.study.workspace import workspace
from evalcore.study.workspace.recognise import recognise
from evalcore.values import account, events
from evalcore.values.account import Account
from evalcore.values.bundled import SAMPLE
from tests.features.conftest import _packages_are_looked_through_once, open_app
from tests.features.review.read.made import judgment

__all__ = ["_packages_are_looked_through_once", "open_app"]

ADA = Account("ada@example.org", "Ada")
NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    account.serve(lambda: None)
    yield tmp_path / "home"
    account.serve(None)
    events.listen(None)


def lines(home: Path) -> list[dict[str, object]]:
    texts = [path.read_text() for path in sorted((home / "log").iterdir())]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def test_it_says_who_uploaded_what_and_not_what_was_in_it(home: Path) -> None:
    events.listen(Log(clock=lambda: NOON))
    with account.acting(ADA):
        events.record("signed in")
        data = b"ID,Caption\na,Secret pneumothorax\nb,CT of the liver\n"
        done = workspace.add_files(recognise([("captions.csv", data)]), "trial")
    assert done.folder is not None and done.folder.name == "trial"
    assert lines(home) == [
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
    assert "pneumothorax" not in (home / "log" / "2026-05-01.jsonl").read_text()


def test_it_is_for_its_owner_only_and_a_file_a_day(home: Path) -> None:
    times = iter([NOON, NOON, NOON + timedelta(days=1), NOON + timedelta(days=1)])
    log = Log(clock=lambda: next(times))
    log("refused", {"route": "/media/x"})
    log("refused", {"route": "/media/y"})
    folder = home / "log"
    assert sorted(path.name for path in folder.iterdir()) == ["2026-05-01.jsonl", "2026-05-02.jsonl"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert [line["user"] for line in lines(home)] == [None, None]


def test_files_go_when_they_are_too_old_and_nothing_else(home: Path) -> None:
    (home / "log").mkdir(parents=True)
    (home / "cuiscope-workspace").touch()
    for name in ("2026-01-30.jsonl", "2026-01-31.jsonl", "2025-01-01.txt", "notes.jsonl"):
        (home / "log" / name).write_text("")
    Log(clock=lambda: NOON, days=90)("signed in", {})
    names = {path.name for path in (home / "log").iterdir()}
    assert names == {"2026-01-31.jsonl", "2026-05-01.jsonl", "2025-01-01.txt", "notes.jsonl"}


def test_a_flood_of_refusals_and_endless_names_do_not_fill_the_disk(home: Path, monkeypatch) -> None:
    monkeypatch.setattr(read_log, "MOST_REFUSALS", 3)
    times = iter([NOON] * 10 + [NOON + timedelta(minutes=1)] * 2)
    log = Log(clock=lambda: next(times))
    for _ in range(9):
        log("refused", {"route": "/" + "x" * 100_000})
    assert [len(str(line["route"])) for line in lines(home)] == [300] * 3


def test_a_line_break_in_a_name_begins_no_line(home: Path) -> None:
    Log(clock=lambda: NOON)("refused", {"claimed": 'eve"\n{"user": "ada@example.org"}'})
    (line,) = lines(home)
    assert line["user"] is None


def test_a_disk_that_takes_nothing_stops_no_work(home: Path) -> None:
    home.write_text("not a folder")
    log = Log(clock=lambda: NOON)
    log("signed in", {})
    assert log.unwritten == 1


def test_standard_error_takes_the_lines_instead(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Log(to="stderr", clock=lambda: NOON)("left", {})
    assert json.loads(capsys.readouterr().err)["event"] == "left"
    assert not home.exists()


def test_a_workspace_says_whose_it_is_and_when_they_last_came(home: Path) -> None:
    events.listen(Log(clock=lambda: NOON))
    with account.acting(ADA):
        events.record("signed in")
    (known,) = accounts()
    assert (known.account, known.seen) == (ADA, NOON)
    known.folder.rename(known.folder.with_name("eve-0000000000000000"))
    assert accounts()[0].account is None, "a folder under another name is not hers"


def test_opening_a_study_is_said_once_in_a_session(home: Path, open_app: Callable[..., AppTest]) -> None:
    account.serve(lambda: ADA)
    events.listen(Log(clock=lambda: NOON))
    app = open_app("pages/1_Data.py", link={"study": "sample"})
    app.run()
    said = [line for line in lines(home) if line["event"] == "opened"]
    digest = open_study(SAMPLE).digest
    about = {"user": ADA.id, "event": "opened", "study": "sample", "digest": digest}
    assert said == [{"at": "2026-05-01T12:00:00.000+00:00", **about}]


@pytest.mark.parametrize(
    ("user", "client", "reason"),
    [
        ("eve@elsewhere.org", "127.0.0.1", "You are not admitted"),
        (None, "127.0.0.1", "You are not signed in"),
        ("ada@example.org", "10.0.0.9", "This is not the way in"),
    ],
)
def test_who_is_refused_is_named_and_the_code_of_an_address_is_not(
    home: Path, user: str | None, client: str, reason: str
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
        thread.submit(asyncio.run, Gate(None, "proxy", settings)(scope, None, send)).result()
    (line,) = lines(home)
    assert sent[0]["status"] in (401, 403)
    assert (line["user"], line["reason"], line["route"]) == (None, reason, "/Data")
    assert line.get("claimed") == user
    assert "SECRET" not in (home / "log" / "2026-05-01.jsonl").read_text()


def test_a_page_that_looks_for_the_server_below_itself_is_nothing_for_the_log(home: Path) -> None:
    events.listen(Log(clock=lambda: NOON))
    asked = {
        "type": "http",
        "method": "GET",
        "query_string": b"",
        "scheme": "http",
        "client": ("127.0.0.1", 1),
    }
    asked["headers"] = [(b"x-forwarded-user", ADA.id.encode())]

    async def send(_message) -> None:
        pass

    gate = Gate(None, "proxy", ServerSettings())
    for path in ("/Data/_stcore/health", "/Data/_stcore/host-config", "/Data/media/x.png"):
        with ThreadPoolExecutor() as thread:  # a browser of another test has a loop in this one
            thread.submit(asyncio.run, gate({**asked, "path": path}, None, send)).result()
    assert [line["route"] for line in lines(home)] == ["/Data/media/x.png"]


def test_comments_and_answers_are_not_in_it(home: Path) -> None:
    events.listen(Log(clock=lambda: NOON))
    with account.acting(ADA):
        one = judgment("1", reader=ADA.id, comment="the patient is Ms Example", value=0.125)
        store.add("f" * 32, one)
        store.undo("f" * 32, one)
    database.forget()
    assert [(line["event"], line["task"], line["count"]) for line in lines(home)] == [
        ("judged", "chest", 1),
        ("withdrew", "chest", 1),
    ]
    text = (home / "log" / "2026-05-01.jsonl").read_text()
    assert "Example" not in text.replace("ada@example.org", "") and "0.125" not in text
