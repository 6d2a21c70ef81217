"""Judging while the program is killed."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.error import URLError

import pytest

from evalcore.features.review import store
from evalcore.features.review.records import current
from evalcore.features.review.store import study_id
from tests.browser.conftest import FROM_SOURCE
from tests.browser.hand import WAIT_MS, answer, begin, saved

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data"
LINK = "Readers?review=practice&draw=1&read=yes"


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    program = Program(tmp_path)
    yield program
    program.kill()


class Program:
    """The dashboard on one port, killed and started again. ``base``: the path below which its pages are."""

    def __init__(
        self,
        folder: Path,
        command: Sequence[str] = FROM_SOURCE,
        option: str = "--server.port",
        base: str = "",
    ) -> None:
        self.command = (*command, option)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.log = folder / "server.log"
        self.url = f"http://127.0.0.1:{self.port}{base}"
        self.start()

    def start(self) -> None:
        command = [*self.command, str(self.port)]
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env=dict(os.environ))
        end = time.monotonic() + WAIT_MS / 1000
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1):
                    return
            except (URLError, OSError):
                time.sleep(0.05)
        pytest.fail(f"the server did not start:\n{self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        """As a power cut does: nothing is closed or written any more."""
        self.process.kill()
        self.process.wait()


@pytest.mark.nightly
def test_what_was_called_saved_outlives_a_killed_program(running: Program, open_page) -> None:
    page = open_page(f"{running.url}/{LINK}")
    begin(page, "K9")
    said = 0
    for pause in (0, 40, 120):
        for grade in "35":
            answer(page, grade, "Enter")
            said += 1
        page.wait_for_timeout(pause)
        sure = int(page.locator(".desk").get_attribute("data-saved") or -1)
        running.kill()
        assert len(current(store.history(study_id(SAMPLE), reader="K9"))) >= sure
        running.start()
        assert saved(page) == said, "what was not yet saved came after"
    kept = store.history(study_id(SAMPLE), reader="K9")
    assert [one.value for one in kept] == [0.5, 1.0] * 3, "each once, in the order they were said"
