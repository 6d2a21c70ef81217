"""``serve`` refuses what would let anybody in, and starts Streamlit with what a server needs."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.features.server import gate
from evalcore.features.server.identity import OIDC
from evalcore.values.account import is_served
from evalcore.values.errors import InputError

SECRETS = """
[auth]
redirect_uri = "https://lab.example.org/oauth2callback"
cookie_secret = "{secret}"
client_id = "cuiscope"
client_secret = "x"
server_metadata_url = "https://id.example.org/.well-known/openid-configuration"
"""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The words that Streamlit is started with."""
    calls: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["cuiscope"])
    monkeypatch.setattr(runpy, "run_module", lambda name, run_name: calls.append([name, *sys.argv[1:]]))
    for name in (gate.AUTH, gate.SETTINGS, "FORWARDED_ALLOW_IPS"):
        monkeypatch.setenv(name, "before")
    monkeypatch.chdir(tmp_path)
    return calls


def test_a_server_behind_a_proxy(started: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "server.toml").write_text('[limits]\nfile_bytes = "10 MB"\n')
    words = [
        "--settings",
        "server.toml",
        "--host",
        "lab.example.org",
        "--base",
        "/cuiscope/",
        "--port",
        "8600",
    ]
    assert run(["serve", "--auth", "proxy", *words, "--address", "10.0.0.5"]) == 0
    (given,) = started
    options = dict(zip(given[3::2], given[4::2], strict=True))
    assert options["--server.address"] == "10.0.0.5" and options["--server.port"] == "8600"
    assert options["--server.baseUrlPath"] == "cuiscope"
    assert options["--server.maxUploadSize"] == "10", "MiB, rounded up"
    assert options["--server.enableXsrfProtection"] == "true"
    assert "lab.example.org" in given
    assert os.environ[gate.AUTH] == "proxy" and os.environ[gate.SETTINGS] == str(tmp_path / "server.toml")
    assert os.environ["FORWARDED_ALLOW_IPS"] == "", "uvicorn must not believe what a header says of addresses"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "--auth"),
        (["--auth", "none"], "--auth"),
        (["--auth", "proxy", "--settings", "gone.toml"], "gone.toml cannot be read"),
        (["--auth", "proxy", "--settings", "wrong.toml"], "has 1 problem"),
        (["--auth", "proxy", "--host", "https://lab.example.org"], "without http:// or port"),
        (["--auth", "proxy", "--base", "../x"], "--base"),
        (["--auth", "oidc"], "--secrets FILE"),
        (["--auth", "oidc", "--secrets", "gone.toml"], "gone.toml cannot be read"),
        (["--auth", "oidc", "--secrets", "no.toml"], "is no TOML file"),
        (["--auth", "oidc", "--secrets", "empty.toml"], "The table [auth] is missing"),
        (["--auth", "oidc", "--secrets", "short.toml"], "`cookie_secret` must have 32 characters"),
        (["--auth", "oidc", "--secrets", "http.toml"], "`redirect_uri` must be"),
        (["--auth", "oidc", "--secrets", "good.toml", "--base", "/lab"], "ending with /lab/oauth2callback"),
        (["--auth", "oidc", "--secrets", "two.toml"], "[auth.b] lacks `client_id`, `client_secret` and"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_starts(
    words: list[str], why: str, started: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wrong.toml").write_text("[limits]\nsessions = 0\n")
    (tmp_path / "empty.toml").write_text("x = 1\n")
    good = SECRETS.format(secret="s" * 32)
    (tmp_path / "no.toml").write_text("[auth")
    (tmp_path / "short.toml").write_text(SECRETS.format(secret="short"))
    (tmp_path / "good.toml").write_text(good)
    (tmp_path / "http.toml").write_text(good.replace("https://lab", "http://lab"))
    (tmp_path / "two.toml").write_text(good + "[auth.b]\n")
    assert run(["serve", *words]) == 2
    assert why in capsys.readouterr().err
    assert started == [] and os.environ[gate.AUTH] == "before"


def test_a_server_with_a_provider(started: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "good.toml").write_text(SECRETS.format(secret="s" * 32))
    assert run(["serve", "--auth", "oidc", "--secrets", "good.toml"]) == 0
    (given,) = started
    assert given[given.index("--server.allowedHosts") + 1] == "lab.example.org"
    assert given[given.index("--secrets.files") + 1] == str(tmp_path / "good.toml")
    assert os.environ[gate.AUTH] == "oidc"


def test_a_process_that_is_no_server_has_no_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(gate.AUTH, raising=False)
    assert gate.middleware() == [] and not is_served()
    monkeypatch.setenv(gate.AUTH, "none")
    with pytest.raises(InputError, match=f"must be {OIDC} or"):
        gate.middleware()
    assert not is_served()
