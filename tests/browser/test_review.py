"""Judging as a reader does it: thirty items by keyboard alone, and a program that is killed meanwhile."""

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
from playwright.sync_api import Page, expect

from evalcore.features.review import store
from evalcore.features.review.records import current
from evalcore.features.review.store import study_id
from tests.browser.conftest import FROM_SOURCE
from tests.browser.hand import WAIT_MS, settle

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data"
LINK = "Readers?review=practice&draw=1&read=yes"
SYSTEMS = sorted(path.name for path in (SAMPLE / "systems").iterdir())
AT = "[data-testid=stMain] .desk"


def begin(page: Page, reader: str) -> None:
    """Give a code and wait for the first pictures."""
    page.get_by_role("textbox", name="Your reader code").fill(reader)
    page.keyboard.press("Enter")
    expect(page.locator(f"{AT}[data-item]")).to_be_visible()
    settle(page)


def item(page: Page) -> str:
    return page.locator(".desk").get_attribute("data-item") or ""


def answer(page: Page, *keys: str) -> None:
    """Press keys, the last of which saves, and wait for another item."""
    before = item(page)
    for key in keys:
        page.keyboard.press(key)
    page.locator(f'.desk:not([data-item="{before}"]):not([data-item=""])').wait_for()


def saved(page: Page) -> int:
    """How many answers the page calls saved, once it waits for none."""
    page.locator('.desk[data-waiting="0"]').wait_for(timeout=WAIT_MS)
    return int(page.locator(".desk").get_attribute("data-saved") or -1)


def test_thirty_items_by_keyboard_alone(server: str, open_page) -> None:
    page = open_page(f"{server}/{LINK}")
    begin(page, "K30")
    told = page.content() + page.locator(".desk").evaluate(
        "desk => desk.getRootNode().host.shadowRoot.innerHTML"
    )
    assert not [name for name in SYSTEMS if name in told], "a reader sees no system"
    for key, words in (("+", "Zoom 125%"), ("w", "window 240, level 128"), ("i", "inverted"), ("x", "1:1")):
        page.keyboard.press(key)
        expect(page.locator(".desk .said")).to_contain_text(words)
    page.keyboard.press("0")
    expect(page.locator(".desk .said")).to_have_text("Zoom 100%")
    for n in range(28):
        answer(page, str(1 + n % 5), *(("o",) if n % 3 else ("m", "f")), "Enter")
    answer(page, "c")
    page.keyboard.press("Enter")
    assert saved(page) == 29
    expect(page.locator(".desk .state")).to_contain_text("Choose a grade first")
    page.keyboard.press("t")
    page.keyboard.type("1 <b>or</b> 2?")
    page.keyboard.press("Escape")
    answer(page, "2", "Enter")
    assert saved(page) == 30
    expect(page.locator(".desk .state")).to_have_text("Saved")
    page.keyboard.press("u")
    expect(page.get_by_label("Comment")).to_have_value("1 <b>or</b> 2?")
    assert saved(page) == 29
    answer(page, "Enter")
    assert saved(page) == 30
    page.reload()
    expect(page.locator(f"{AT}[data-item]")).to_be_visible()
    assert saved(page) == 30, "another day goes on here"
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize("task", ["review=practice&draw=1", "review=simulated-lists&draw=11"])
def test_on_a_phone_grades_and_save_are_on_the_first_screen(server: str, open_page, task: str) -> None:
    page = open_page(f"{server}/Readers?{task}&read=yes")
    page.set_viewport_size({"width": 390, "height": 844})
    begin(page, "P1")
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    for button in [*page.locator(".desk .steps button").all(), page.locator(".desk .go")]:
        box = button.bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= 844


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
