"""The files and settings that docs/on-a-server.md offers are read, and name only what the program has."""

from __future__ import annotations

import re
import shlex
import sqlite3
from contextlib import closing
from dataclasses import fields
from pathlib import Path

from evalcore.cli import main
from evalcore.cli.program import iter_commands
from evalcore.features.review import store
from evalcore.features.server.read import parse_settings
from evalcore.study.workspace.home import server_home
from evalcore.values import events
from evalcore.values.account import Limits
from tests.features.review.made import judgment

ROOT = Path(__file__).resolve().parents[3]
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
