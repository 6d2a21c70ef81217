"""Backups are whole while people work, come back as they were, and checks name everything that is wrong."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import threading
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.features.review.read import database, store
from evalcore.features.server import read_check, shares
from evalcore.features.server.read_accounts import seen
from evalcore.features.server.read_backup import backup, restore
from evalcore.features.synthetic.read import uploaded
from evalcore.study.workspace import home as workspace_home
from evalcore.study.workspace import workspace
from evalcore.study.workspace.home import home, recent, server_home
from evalcore.values import account
from evalcore.values.account import Account
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from tests.features.review.read.made import judgment

ADA, EVE = Account("ada@example.org", "Ada"), Account("eve@example.org", "Eve")
OLD = Path(__file__).with_name("home-0.2.0.zip")
"""Made by the code of 0.2.0 with everything it keeps, in /home/reader/.cuiscope, of synthetic data; and
expected.json: what 0.2.0 itself read back of it, its judgments and scores."""
WAS = "/home/reader/.cuiscope"
FEATURES = b"ID,f1,f2\nx,1,2\ny,2,1\nz,0,3\n"
CONCEPTS = b"ID,CUIs\na,C0000001;C0000002\nb,C0000002\n"


@pytest.fixture(autouse=True)
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CUISCOPE_DATABASE", raising=False)
    yield tmp_path / "home"
    account.serve(None)
    database.forget()


@pytest.fixture
def server(top: Path) -> Path:
    """A server that Ada and Eve use."""
    account.serve(lambda: None)
    for who in (ADA, EVE):
        with account.acting(who):
            seen(who, datetime(2026, 5, 1, 9, 30, tzinfo=UTC))
            study, _ = workspace.add_first_part("trial", "concepts", "concepts.csv", CONCEPTS)
            assert study is not None
            store.add(store.study_id(study), judgment(who.id, reader=who.id))
    account.serve(None)
    return top


@pytest.fixture
def old(tmp_path: Path) -> dict:
    """The home of a person who used 0.2.0, where CUISCOPE_HOME is; what 0.2.0 read of it."""
    with zipfile.ZipFile(OLD) as archive:
        for name in archive.namelist():
            path = tmp_path / name
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            data = archive.read(name)
            listed = path.name in ("recent.json", "places.json", "paths.json", "removed.json")
            path.write_bytes(data.replace(WAS.encode(), str(tmp_path / "home").encode()) if listed else data)
            path.chmod(0o600)
    for folder in (tmp_path / "home", *(tmp_path / "home").rglob("*")):
        if folder.is_dir():
            folder.chmod(0o700)
    kept = tmp_path / "home" / "synthetic"
    (kept / digest_of(f"{WAS}/studies/trial")).rename(kept / digest_of(str(tmp_path / "home/studies/trial")))
    return json.loads((tmp_path / "expected.json").read_text())


def content(folder: Path) -> dict[str, bytes]:
    """Every file but those that SQLite makes beside a database while it is read."""
    files = [path for path in folder.rglob("*") if path.is_file() and "judgments.db-" not in path.name]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def problems(capsys: pytest.CaptureFixture[str], *more: str) -> list[tuple[str, str]]:
    code = run(["admin", "check", "--json", *more])
    listed = json.loads(capsys.readouterr().out)["problems"]
    assert code == (1 if listed else 0)
    return [(one["path"], one["problem"]) for one in listed]


def answers(study: str) -> list[dict]:
    """The judgments with the fields of the release before; those since are empty."""
    from dataclasses import asdict

    rows = [{**asdict(one), "at": one.at.isoformat()} for one in store.history(study)]
    assert {row.pop("details") for row in rows} <= {""}
    return rows


# From the release before.


def test_a_home_of_the_release_before_opens_with_every_judgment_and_the_same_scores(old, top, capsys) -> None:
    assert old["version"] == "0.2.0" and problems(capsys) == []
    trial, second = top / "studies" / "trial", top / "studies" / "second"
    ids = {store.study_id(trial), store.study_id(second)}
    assert ids == old["judgments"].keys()
    for study in ids:
        as_json = json.loads(json.dumps(answers(study)))
        assert as_json == old["judgments"][study] and as_json
    assert run(["score", str(trial), "--metric", "nnCUI@3", "--metric", "P(organ)@3", "--json"]) == 0
    board = json.loads(capsys.readouterr().out)
    assert board["digest"] == old["board"]["digest"]
    before = {(one["system"], one["metric"]): one for one in old["board"]["scores"]}
    for one in board["scores"]:
        known = before.pop((one["system"], one["metric"]))
        assert {name: one[name] for name in known} == known
    assert before == {}
    assert recent() == [trial]
    assert [group.role for group in uploaded.groups(trial)] == ["real", "generated"]
    (removed,) = workspace.removals(trial)
    assert workspace.bring_back(removed) == "gone"
    assert problems(capsys) == []


def test_a_database_of_a_newer_program_is_refused_and_left_as_it_is(old, top, capsys) -> None:
    path = top / "review" / "judgments.db"
    with sqlite3.connect(path) as newer:
        newer.execute("UPDATE cuiscope_schema SET version = 2")
    newer.close()
    before = path.read_bytes()
    (study, *_) = old["judgments"]
    for act in (lambda: store.history(study), lambda: store.add(study, judgment("new"))):
        with pytest.raises(InputError, match=r"version 2, made by a newer CUIscope.*Nothing was changed"):
            act()
        database.forget()
    assert path.read_bytes() == before
    ((name, problem),) = problems(capsys)
    assert name == "review/judgments.db" and "newer CUIscope" in problem
    assert read_check.NEWEST == database.VERSION


def test_the_home_of_one_person_becomes_the_workspace_of_a_user(
    old, top, tmp_path, monkeypatch, capsys
) -> None:
    assert run(["admin", "backup", str(tmp_path / "copy")]) == 0
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "server"))
    assert run(["admin", "restore", str(tmp_path / "copy"), "--as", " Ada@Example.org"]) == 0
    assert "7 judgments joined those of the server" in capsys.readouterr().err
    assert problems(capsys) == []
    account.serve(lambda: None)
    with account.acting(ADA):
        trial = home() / "studies" / "trial"
        assert [path.name for path in workspace.studies()] == ["second", "trial"] and recent() == [trial]
        known = {study: store.study_id(home() / "studies" / study) for study in ("trial", "second")}
        said = [answers(study) for study in known.values()]
        assert [group.role for group in uploaded.groups(trial)] == ["real", "generated"]
    assert not {*known.values()} & old["judgments"].keys(), "another copy of the study has an id of its own"
    assert json.loads(json.dumps(sorted(said, key=len))) == sorted(old["judgments"].values(), key=len)


def test_a_home_with_judgments_in_the_name_of_another_user_becomes_nobodys(top, server, tmp_path) -> None:
    mine = server_home().parent / "mine"
    os.environ["CUISCOPE_HOME"] = str(mine)
    study, _ = workspace.add_first_part("trial", "concepts", "concepts.csv", CONCEPTS)
    assert study is not None
    store.add(store.study_id(study), judgment("forged", reader=EVE.id))
    database.forget()
    backup(tmp_path / "copy")
    os.environ["CUISCOPE_HOME"] = str(top)
    before = content(top)
    with pytest.raises(
        InputError, match=r"people with accounts here: eve@example\.org\. Nothing was put back"
    ):
        restore(tmp_path / "copy", user="max@example.org")
    assert content(top) == before


# Backups.


def test_a_backup_comes_back_as_it_was(server, tmp_path, monkeypatch, capsys) -> None:
    account.serve(lambda: None)
    with account.acting(ADA):
        trial = home() / "studies" / "trial"
        assert not uploaded.add_group(trial, "real", "first", "f.csv", FEATURES).total("error")
        for name in ("own.db", "own.db-wal"):  # in the zip of a study anything may be
            workspace_home.write_new(trial / name, b"SQLite format 3\0 and no more")
    account.serve(None)
    (server / "cache" / "neighbours").mkdir(parents=True)
    (server / "cache" / "neighbours" / "x.npz").write_bytes(b"made again")
    with sqlite3.connect(server / "review" / "judgments.db") as log:
        rows = log.execute("SELECT * FROM cuiscope_judgments ORDER BY place").fetchall()
    log.close()
    assert run(["admin", "backup", str(tmp_path / "copy"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] > 8
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o700
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "again"))
    assert run(["admin", "restore", str(tmp_path / "copy")]) == 0
    skipped = ("cache/", "review/judgments.db")
    kept, again = content(server), content(tmp_path / "again")
    led = {name: data.replace(b"/home/users", b"/again/users") for name, data in kept.items()}
    skipped = (*skipped, f"users/{ADA.folder}/synthetic")
    assert {name: data for name, data in led.items() if not name.startswith(skipped)} == {
        name: data for name, data in again.items() if not name.startswith(skipped)
    }
    account.serve(lambda: None)
    with account.acting(ADA):
        (group,) = uploaded.groups(home() / "studies" / "trial")
        assert group.name == "first" and server_home() == tmp_path / "again"
    account.serve(None)
    with sqlite3.connect(tmp_path / "again/review/judgments.db") as copy:
        assert copy.execute("SELECT * FROM cuiscope_judgments ORDER BY place").fetchall() == rows
    copy.close()
    capsys.readouterr()
    assert problems(capsys) == []


def test_a_backup_is_whole_while_others_judge_and_upload(server, tmp_path) -> None:
    """Every judgment confirmed before it began is in it, and no half of a study."""
    stop, confirmed = threading.Event(), list[str]()

    def judge() -> None:
        while not stop.is_set():
            store.add("f" * 32, judgment(f"{len(confirmed):032x}"))
            confirmed.append(f"{len(confirmed):032x}")

    def upload() -> None:
        n = 0
        while not stop.is_set():
            workspace.add_first_part(f"more_{n}", "concepts", "concepts.csv", CONCEPTS)
            n += 1

    threads = [threading.Thread(target=work) for work in (judge, upload)]
    for thread in threads:
        thread.start()
    while len(confirmed) < 5:
        time.sleep(0.01)
    before = list(confirmed)
    backup(tmp_path / "copy")
    stop.set()
    for thread in threads:
        thread.join()
    with sqlite3.connect(tmp_path / "copy/review/judgments.db") as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        ids = {row[0] for row in copy.execute("SELECT id FROM cuiscope_judgments")}
    copy.close()
    assert {*before} <= ids
    studies = list((tmp_path / "copy" / "studies").iterdir())
    assert studies and all((study / "concepts.csv").read_bytes() == CONCEPTS for study in studies)
    assert not list((tmp_path / "copy").rglob(".*"))


Hurt = Callable[[Path], object]
HURTS: dict[str, tuple[Hurt, str]] = {
    "another byte": (lambda copy: _first(copy).write_bytes(CONCEPTS.upper()), "is not as it was written"),
    "a file that went": (lambda copy: _first(copy).unlink(), "is missing"),
    "no manifest": (lambda copy: (copy / "backup.json").unlink(), "no complete backup"),
    "a way out": (lambda copy: _rename(copy, "../../out.csv"), "not as this program writes it"),
    "an absolute path": (lambda copy: _rename(copy, "/tmp/out.csv"), "not as this program writes it"),
    "a link": (lambda copy: _link(_first(copy)), "is not as it was written"),
    "a later format": (lambda copy: _edit(copy, format=2), "another version of CUIscope"),
}


def _first(copy: Path) -> Path:
    return min(copy.glob("users/*/studies/trial/concepts.csv"))


def _edit(copy: Path, **values: object) -> None:
    path = copy / "backup.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def _rename(copy: Path, name: str) -> None:
    files = json.loads((copy / "backup.json").read_text())["files"]
    _edit(copy, files={**files, name: files["cuiscope-workspace"]})


def _link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize("hurt", HURTS)
def test_a_backup_that_is_not_whole_puts_nothing_back(hurt: str, server, tmp_path, monkeypatch) -> None:
    backup(tmp_path / "copy")
    act, why = HURTS[hurt]
    act(tmp_path / "copy")
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "again"))
    with pytest.raises(InputError, match=why):
        restore(tmp_path / "copy")
    assert {*content(tmp_path / "again")} <= {"cuiscope-workspace"}


def test_nothing_is_written_over(server, tmp_path, capsys) -> None:
    backup(tmp_path / "copy")
    before = content(server)
    for words in (["restore", str(tmp_path / "copy")], ["backup", str(tmp_path / "copy")]):
        assert run(["admin", *words]) == 2
        assert "is not empty" in capsys.readouterr().err
    assert run(["admin", "backup", str(server / "copy")]) == 2
    assert "would contain itself" in capsys.readouterr().err
    assert content(server) == before


def test_with_postgresql_a_backup_says_where_the_judgments_are(server, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("CUISCOPE_DATABASE", "postgresql://cuiscope:secret@localhost/cuiscope")
    assert run(["admin", "backup", str(tmp_path / "copy")]) == 0
    err = capsys.readouterr().err
    assert (
        "pg_dump" in err and "review/judgments.db has 2 judgments from before" in err and "secret" not in err
    )


# Checks.


def test_every_kind_of_fault_is_named_at_once(server, tmp_path, capsys) -> None:
    of_ada, of_eve = (server / "users" / who.folder for who in (ADA, EVE))
    settings = tmp_path / "server.toml"
    settings.write_text('allowed = ["ada@*"]\n[limits]\nuser_bytes = "10 kB"\nall_bytes = "1 kB"\n')
    account.serve(lambda: None)
    with account.acting(ADA):
        shares.share(of_ada / "studies" / "trial", EVE.id)
    account.serve(None)
    (of_ada / "studies" / "trial").chmod(0o755)
    (of_ada / "cuiscope-workspace").unlink()
    (of_eve / "notes.txt").write_text("")
    (of_eve / "notes.txt").chmod(0o600)
    (of_eve / "studies" / "link").symlink_to("/etc")
    left = of_eve / "studies" / f".{'0' * 32}"
    left.mkdir(0o700)
    os.utime(left, (0, 0))
    nobody = server / "users" / "nobody-0"
    nobody.mkdir(0o700)
    workspace_home.claim(nobody)
    database.forget()
    path = server / "review" / "judgments.db"
    path.write_bytes(path.read_bytes()[:5000] + b"\xff" * 3000)
    before = content(server)
    listed = problems(capsys, "--settings", str(settings))
    expected = {
        (f"users/{ADA.folder}", "it has no file cuiscope-workspace"),
        (f"users/{ADA.folder}/studies/trial", "it is open to other accounts"),
        (f"users/{ADA.folder}", "16 kB are kept"),
        (f"users/{ADA.folder}/shares.json", "shared with eve@example.org, who may not enter"),
        (f"users/{EVE.folder}", "eve@example.org may no longer enter"),
        (f"users/{EVE.folder}/notes.txt", "the program did not make it"),
        (f"users/{EVE.folder}/studies/link", "it is a link"),
        (f"users/{EVE.folder}/studies/.{'0' * 32}", "it was left unfinished"),
        ("users/nobody-0", "nothing says whose it is"),
        ("users", "all users keep"),
        ("review/judgments.db", ""),
    }
    missing = {one for one in expected if not any(one[0] == at and one[1] in what for at, what in listed)}
    assert missing == set(), listed
    assert content(server) == before, "nothing is changed"


def test_users_and_usage_say_who_keeps_what(server, tmp_path, capsys) -> None:
    settings = tmp_path / "server.toml"
    settings.write_text('administrators = ["ada@example.org"]\nallowed = ["ada@*"]\n')
    assert run(["admin", "users", "--json", "--settings", str(settings)]) == 0
    ada, eve = json.loads(capsys.readouterr().out)["users"]
    assert (ada["user"], ada["role"], ada["studies"], ada["seen"]) == (
        ADA.id,
        "administrator",
        1,
        "2026-05-01T09:30:00+00:00",
    )
    assert (eve["user"], eve["role"]) == (EVE.id, "may not enter")
    assert run(["admin", "usage", "--json", "--settings", str(settings)]) == 0
    usage = json.loads(capsys.readouterr().out)
    assert usage["bytes"] == ada["bytes"] + eve["bytes"] and usage["allowed"] == 100 * 10**9
    assert usage["users"][0]["studies"] == ada["bytes"] == 3 * 4096, "two folders and a file, in whole blocks"
    assert run(["admin", "users", "--settings", str(settings)]) == 0
    assert "2 users, 25 kB." in capsys.readouterr().out
