"""Metrics are text that OpenMetrics can read, and only for those whom server.toml names."""

from __future__ import annotations

import asyncio
import logging
import re
from pathlib import Path

import pytest

from evalcore import evaluate
from evalcore.features.server.page_metrics import Metrics
from evalcore.features.server.read import ServerSettings, parse_settings
from evalcore.features.server.read_log import Log
from evalcore.study import open_study
from evalcore.study.workspace import workspace
from evalcore.ui.frame.jobs import Jobs
from evalcore.values import account
from evalcore.values.account import Account

ADA = Account("ada@example.org", "Ada")
SAMPLE = re.compile(
    r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"
    r'(?P<labels>\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*")*\})?'
    r" (?P<value>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
)
"""A line with a value, as https://prometheus.io/docs/specs/om/open_metrics_spec/ has it."""
ENDINGS = {"counter": "_total", "gauge": "", "info": "_info"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    account.serve(None)


def ask(settings: ServerSettings, *, client: str = "127.0.0.1", path: str = "/base/metrics", **headers: str):
    """(status, media type, text) of a request; 404 is what the gate behind would say."""
    sent: list[dict] = []

    async def gate(_scope, _receive, send) -> None:
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(message) -> None:
        sent.append(message)

    log = Log(to="stderr")
    log.counts["refused"], log.active = 3, {ADA.id}
    headers = {"host": "localhost:8501", **headers}
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "client": (client, 1), "headers": pairs}
    asyncio.run(Metrics(gate, log, settings, "/base")(scope, None, send))
    kind = dict(sent[0]["headers"]).get(b"content-type", b"").decode()
    return sent[0]["status"], kind, b"".join(message.get("body", b"") for message in sent[1:]).decode()


def values(text: str) -> dict[str, float]:
    """{name and labels: value}; every line is as the specification wants it."""
    assert text.endswith("# EOF\n")
    kinds: dict[str, str] = {}
    found: dict[str, float] = {}
    for line in text.splitlines()[:-1]:
        if line.startswith("# "):
            word, name, rest = line[2:].split(" ", 2)
            assert word in ("TYPE", "UNIT", "HELP")
            if word == "TYPE":
                assert name not in kinds
                kinds[name] = rest
            assert name == list(kinds)[-1] and (word != "UNIT" or name.endswith(f"_{rest}"))
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        family = list(kinds)[-1]
        assert match["name"] == family + ENDINGS[kinds[family]]
        found[match["name"] + (match["labels"] or "")] = float(match["value"])
    return found


def test_they_count_what_is_there(home: Path) -> None:
    account.serve(lambda: None)
    with account.acting(ADA):
        workspace.add_first_part("trial", "concepts", "concepts.csv", b"ID,CUIs\na,C0000001\n")
    status, kind, text = ask(ServerSettings())
    assert status == 200 and kind.startswith("application/openmetrics-text; version=1.0.0")
    now = values(text)
    assert now['cuiscope_kept_bytes{kind="studies"}'] == 3 * 4096
    assert now["cuiscope_users_active"] == 1 and now['cuiscope_events_total{event="refused"}'] == 3
    assert now["cuiscope_sessions"] == 0 and now["cuiscope_sessions_allowed"] == 100
    assert 10**7 < now["process_resident_memory_bytes"] < 10**11
    assert ADA.id not in text


def test_errors_and_seconds_of_scoring_only_grow() -> None:
    before = values(ask(ServerSettings())[2])
    for name in ("uvicorn.error", "streamlit.error_util"):
        logging.getLogger(name).error("a page failed")
    study = open_study(Path(__file__).resolve().parents[3] / "data")
    evaluate.score(study, ["CUI@3"], systems=["hog"])
    after = values(ask(ServerSettings())[2])
    assert after["cuiscope_errors_total"] == before["cuiscope_errors_total"] + 2
    assert after["cuiscope_scoring_seconds_total"] > before["cuiscope_scoring_seconds_total"]


def test_jobs_that_run_and_wait_are_counted() -> None:
    from threading import Event

    go, jobs = Event(), Jobs(at_once=1)
    listed = [jobs.of(key, lambda progress: go.wait(10)) for key in "abc"]
    try:
        now = values(ask(ServerSettings())[2])
        assert now['cuiscope_jobs{state="running"}'] >= 1 and now['cuiscope_jobs{state="waiting"}'] >= 2
        assert jobs.counts() == (1, 2)
    finally:
        go.set()
        assert all(job.wait(10) for job in listed)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 200),
        ({"client": "::1"}, 200),
        ({"client": "10.0.0.5"}, 404),
        ({"client": "testclient"}, 404),
        ({"path": "/metrics"}, 404),
        ({"x_forwarded_for": "127.0.0.1"}, 404),
        ({"x_forwarded_proto": "https"}, 404),
        ({"forwarded": "for=127.0.0.1"}, 404),
        ({"via": "1.1 proxy"}, 404),
        ({"x_forwarded_user": "ada@example.org"}, 404),
        ({"host": "lab.example.org"}, 404),
    ],
)
def test_they_are_for_this_machine_alone_and_for_no_proxy_on_it(asked: dict, status: int) -> None:
    assert ask(ServerSettings(), **asked)[0] == status


def test_server_toml_names_who_else_may_read_them() -> None:
    settings, report = parse_settings(b'[metrics]\naddresses = ["10.0.0.0/24"]\n', file="server.toml")
    assert not report.problems
    assert [ask(settings, client=at)[0] for at in ("10.0.0.5", "10.0.1.5", "127.0.0.1")] == [200, 404, 404]
