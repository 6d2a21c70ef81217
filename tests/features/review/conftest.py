"""Where judgments go in these tests, a file or a server of their own; and a browser without a window."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from evalcore.features.review import database
from evalcore.features.review import page_desk as desk
from evalcore.study.workspace.home import study_folder
from tests.features.review.made import CONCEPTS

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


@pytest.fixture(autouse=True)
def _closed():
    """Every test leaves nothing open."""
    yield
    database.forget()


@pytest.fixture(scope="session")
def server():
    """The address of a PostgreSQL server of these tests alone, on a socket in a folder of its own."""
    if not PROGRAMS:
        pytest.skip(
            "needs PostgreSQL's programs below /usr/lib/postgresql (Debian: apt-get install postgresql)"
        )
    programs, who = PROGRAMS[-1], {"user": "postgres"} if os.geteuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: the path of a socket has at most 107 characters
    try:
        folder.chmod(0o755)
        data = folder / "data"
        data.mkdir()
        if who:
            shutil.chown(folder, "postgres")
            shutil.chown(data, "postgres")

        def call(name, *options):
            run = [programs / name, *options]
            subprocess.run(run, check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=60, **who)

        call("initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8", "--locale=C")
        quick = f"-k {folder} -c listen_addresses= -c fsync=off -c shared_buffers=16MB -c max_connections=40"
        call("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", quick, "start")
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            database.forget()
            call("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def kept(request, monkeypatch):
    """Either kind of database, empty: the file of a new workspace, or a schema of its own on the server."""
    if request.param == "postgresql":
        address = request.getfixturevalue("server")
        import psycopg

        name = f"t{uuid4().hex}"

        with psycopg.connect(address) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        monkeypatch.setenv(database.VARIABLE, f"{address}&options=-csearch_path%3D{name}")
    return request.param


@pytest.fixture
def mine():
    """A study of the workspace."""
    folder = study_folder("mine")
    folder.mkdir(parents=True)
    (folder / "concepts.csv").write_text(CONCEPTS)
    return folder


class Hands:
    """What the desk's script does: it holds what was said until the store has confirmed it."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        self.outbox: list[dict[str, Any]] = []
        self._number = 0

    def mount(self, data: dict[str, Any], on_sent: Callable[[], None]) -> object:
        del on_sent
        self.data = data
        self.outbox = [answer for answer in self.outbox if answer["id"] not in data["stored"]]
        return {"answers": list(self.outbox)}

    @property
    def keys(self) -> list[str]:
        """Keys of the items that were sent."""
        return [item["key"] for item in self.data["items"]]

    def say(self, value: float | None, *, item: str = "", status: str = "value", **more: object) -> str:
        """Answer the first item, or another; returns the id of the answer."""
        self._number += 1
        name = f"{self._number:032x}"
        answer = {"id": name, "item": item or self.keys[0], "status": status, "value": value}
        self.outbox.append({**answer, "reasons": [], "comment": "", **more})
        return name


@pytest.fixture
def hands(monkeypatch):
    made = Hands()
    monkeypatch.setattr(desk, "mount", made.mount)
    return made
