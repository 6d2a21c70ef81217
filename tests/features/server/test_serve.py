"""``serve`` refuses what would let anybody in, and starts Streamlit with what a server needs."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import sqlite3
import sys
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import pytest

from evalcore.cli import main, run
from evalcore.cli.program import iter_commands
from evalcore.features.review import store
from evalcore.features.server import gate
from evalcore.features.server.read import VARIABLE, ServerSettings, parse_settings, read_settings
from evalcore.study.workspace.home import only_server, server_home
from evalcore.values import events
from evalcore.values.account import Limits, is_served
from evalcore.values.errors import InputError
from tests.conftest import ROOT
from tests.features.review.made import judgment


@pytest.fixture
def started(monkeypatch, tmp_path):
    """The words that Streamlit is started with."""
    calls: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["cuiscope"])
    monkeypatch.setattr(runpy, "run_module", lambda name, run_name: calls.append([name, *sys.argv[1:]]))
    for name in (VARIABLE, "FORWARDED_ALLOW_IPS"):
        monkeypatch.setenv(name, "before")
    monkeypatch.chdir(tmp_path)
    return calls


def test_a_server_behind_a_proxy(started, tmp_path):
    (tmp_path / "server.toml").write_text('[limits]\nfile_bytes = "10 MB"\n')
    words = ["--config", "server.toml", "--host", "lab.example.org", "--base", "/cuiscope/", "--port", "8600"]
    assert run(["serve", *words, "--address", "10.0.0.5"]) == 0
    (command,) = started
    options = dict(zip(command[3::2], command[4::2], strict=True))
    assert options["--server.address"] == "10.0.0.5" and options["--server.port"] == "8600"
    assert options["--server.baseUrlPath"] == "cuiscope"
    assert options["--server.maxUploadSize"] == "10", "MiB, rounded up"
    assert options["--server.enableXsrfProtection"] == "true"
    assert "lab.example.org" in command
    assert os.environ[VARIABLE] == str(tmp_path / "server.toml")
    assert os.environ["FORWARDED_ALLOW_IPS"] == "", "uvicorn must not believe what a header says of addresses"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--config", "gone.toml"], "gone.toml cannot be read"),
        (["--config", "wrong.toml"], "has 1 problem"),
        (["--config", "no.toml"], "has 1 problem"),
        (["--host", "https://lab.example.org"], "without http:// or port"),
        (["--base", "../x"], "--base"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_starts(words, why, started, tmp_path, capsys):
    (tmp_path / "wrong.toml").write_text("[limits]\nsessions = 0\n")
    (tmp_path / "no.toml").write_text("[limits")
    assert run(["serve", *words]) == 2
    assert why in capsys.readouterr().err
    assert started == [] and os.environ[VARIABLE] == "before"


def test_a_second_server_on_the_same_home_is_refused(started, tmp_path, monkeypatch, capsys):
    """Commands and dashboards of one person may use that home; a home of its own is another server's."""
    with only_server():
        assert run(["serve"]) == 2 and started == []
        assert "Another server is running with the workspaces in" in capsys.readouterr().err
        assert run(["open"]) == 0
        monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "other"))
        assert run(["serve"]) == 0 and len(started) == 2
    assert run(["serve"]) == 0, "the first has ended"


def test_a_process_that_is_no_server_has_no_gate(monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert gate.middleware() == [] and not is_served()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone.toml"))
    with pytest.raises(InputError, match="cannot be read"):
        gate.middleware()
    assert not is_served()


# What a ``server.toml`` says, and that nothing wrong in it is passed over.

WHOLE = """\
administrators = ["Ada@example.org"]
allowed = ["*@example.org"]

[proxy]
header = "Remote-User"
trusted = ["10.0.0.0/24"]

[shared]
"ROCO" = "{folder}"

[limits]
file_bytes = "1.5 GB"
jobs = 3
"""


def test_everything_in_the_file(tmp_path):
    file = tmp_path / "server.toml"
    file.write_text(WHOLE.format(folder=tmp_path))
    settings = read_settings(file)
    assert (settings.header, settings.shared) == ("Remote-User", {"ROCO": tmp_path})
    assert settings.limits == Limits(file_bytes=1_500_000_000, jobs=3)
    assert settings.trusts("10.0.0.7")
    assert not settings.trusts("127.0.0.1"), "the addresses named replace the loopback"
    assert settings.administers("ada@EXAMPLE.org") and settings.admits("eve@example.org")
    assert not settings.admits("eve@example.org.evil.net")


def test_without_a_file_only_the_loopback_is_trusted():
    settings = ServerSettings()
    assert settings.trusts("127.0.0.1") and settings.trusts("::1") and not settings.administers("")
    assert not any(map(settings.trusts, ("10.0.0.1", "", "localhost", "127.0.0.1, 1.2.3.4")))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('administrators = "ada"', "`administrators` must be a list of names"),
        ('administrators = ["*@example.org"]', "each in full, without *"),
        ("allowed = [3]", "`allowed` must be a list of names or patterns"),
        ("administrator = []", "Nothing is called 'administrator'"),
        ('[proxy]\nheader = "a b"', "`header` must be the name of an HTTP header"),
        ('[proxy]\ntrusted = ["proxy.example.org"]', "`trusted` must be addresses"),
        ("[proxy]\ntrusted = 3", "`trusted` must be addresses"),
        ('[shared]\nhere = "relative/path"', "`here` must be the absolute path"),
        ("[limits]\nfile_bytes = 5", "`file_bytes` must be a size"),
        ("[limits]\njobs = 0", "`jobs` must be a whole number above 0"),
        ("[limits]\njobs = true", "`jobs` must be a whole number above 0"),
        ("limits = 3", "`limits` must be a table"),
    ],
)
def test_each_mistake_is_named_at_its_line(line, words, tmp_path):
    file = tmp_path / "server.toml"
    file.write_text(f"# rules\n{line}\n")
    with pytest.raises(InputError) as caught:
        read_settings(file)
    assert caught.value.report is not None
    (problem,) = caught.value.report.problems
    assert words in problem.message
    assert problem.line == 2 + line.count("\n")
    _, report = parse_settings(f"x = 1\n{line}\n".encode(), file="server.toml")
    assert len(report.problems) == 2, "all mistakes at once"


# The files and settings that docs/on-a-server.md offers are read, and name only what the program has.

DOCS = ROOT / "docs"
GUIDE = (DOCS / "on-a-server.md").read_text("utf-8")
FILES = {path.name: path.read_text("utf-8") for path in sorted((DOCS / "server").iterdir())}
TEXT = "\n".join((GUIDE, *FILES.values()))
LEAVES = dict(iter_commands(main))


def test_every_command_and_option_exists():
    """The words after every `cuiscope` in the files and the guide, as a shell reads them."""
    call = r"(?:^|[\s`/=])cuiscope ((?:serve|score|open|--scheduler)\b[^`|\n]*)"
    made = [shlex.split(words, comments=True) for words in re.findall(call, TEXT, flags=re.M)]
    assert {"serve", "score"} <= {words[0] for words in made} and len(made) >= 5
    for words in made:
        name, *rest = words[2:] if words[0] == "--scheduler" else words
        LEAVES[name].make_context(name, rest)


def test_settings_of_the_guide_are_read_and_all_are_in_its_table():
    (text,) = re.findall(r'^```toml title="server.toml"\n(.*?)^```$', GUIDE, flags=re.S | re.M)
    settings, report = parse_settings(text.encode(), file="server.toml")
    assert not report.problems
    assert settings.admits("eve@example.org") and not settings.admits("eve@elsewhere.org")
    table = GUIDE.partition("## server.toml")[2].partition("\n## ")[0]
    names = {*re.findall(r"`(\w+)`", table)}
    assert {limit.name for limit in fields(Limits)} <= names
    for name, value in re.findall(r"`(\w+_bytes)`, `\w+_bytes` \| (\d+) [GM]B", table):
        assert getattr(Limits(), name) in (int(value) * 10**9, int(value) * 10**6)


def test_the_guide_names_every_event_of_the_log():
    text = " ".join(GUIDE.partition("## Log")[2].partition("\n## ")[0].split())
    assert not {event for event in events.EVENTS if event not in text}


def test_the_judgments_are_copied_whole_while_the_program_has_them_open(tmp_path):
    """By the statement in the guide."""
    (statement,) = re.findall(r'judgments\.db "(VACUUM INTO \'[^\']+\')"', GUIDE)
    store.add("f" * 32, *(judgment(f"{n}", n) for n in range(5)))
    with closing(sqlite3.connect(server_home() / "review" / "judgments.db", timeout=30)) as kept:
        kept.execute(statement.replace("/var/lib/cuiscope/judgments.db", str(tmp_path / "copy.db")))
    with closing(sqlite3.connect(tmp_path / "copy.db")) as read:
        assert read.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert {row[0] for row in read.execute("SELECT id FROM cuiscope_judgments")} == {*"01234"}


def test_the_service_can_write_to_its_home_and_nowhere_else():
    unit = FILES["cuiscope.service"]
    settings = dict(re.findall(r"^(\w+)=(.+)$", unit, flags=re.M))
    assert settings["ProtectSystem"] == "strict" and settings["NoNewPrivileges"] == "yes"
    variables = dict(re.findall(r"^Environment=(\w+)=(\S+)$", unit, flags=re.M))
    writable = settings["ReadWritePaths"].split()
    for name in ("HOME", "CUISCOPE_HOME", "NUMBA_CACHE_DIR"):
        assert any(Path(variables[name]).is_relative_to(path) for path in writable), name
