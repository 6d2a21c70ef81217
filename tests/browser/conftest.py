"""The running program and a headless Chromium that looks at it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

from tests.browser.hand import LISTEN, WAIT_MS

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + WAIT_MS / 1000
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            if process.poll() is not None:
                break
        time.sleep(0.1)
    pytest.fail(f"the server did not start:\n{log.read_text()[-2000:]}")


@dataclass(eq=False)
class Window:
    """A browser of one look, and what its pages asked other hosts."""

    context: BrowserContext
    elsewhere: list[str] = field(default_factory=list)

    def note(self, request: Request) -> None:
        """Called for every request."""
        if _is_elsewhere(request.url):
            self.elsewhere.append(request.url)


@contextmanager
def serve(home: Path, **environment: str) -> Iterator[str]:
    """Run the dashboard with its own workspace; yields its address."""
    home.mkdir(parents=True, exist_ok=True)
    port, log = _free_port(), home / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=out, stderr=out,
            env={**os.environ, "CUISCOPE_HOME": str(home), **environment},
        )  # fmt: skip
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_healthy(url, process, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:  # it is still compiling, once on a machine
                process.kill()
                process.wait()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("needs Chromium on the PATH (Debian: apt-get install chromium)")
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server with the sample study open, shared by the tests that change nothing on it."""
    with serve(tmp_path_factory.mktemp("home")) as url:
        yield url


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    with serve(tmp_path / "home") as url:
        yield url


@pytest.fixture(scope="session")
def windows(chromium: Browser) -> Iterator[Callable]:
    """windows(width, scheme) -> a browser of that look, the same for all tests: it keeps the program's files.

    Any request to another host is noted in its ``elsewhere``. Without animations a page is drawn in three
    quarters of the time.
    """
    opened: dict[tuple[int, str], Window] = {}

    def of(width: int, scheme: str) -> Window:
        if (width, scheme) not in opened:
            context = chromium.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
            )
            context.add_init_script(f"({LISTEN})()")
            context.set_default_timeout(WAIT_MS)
            window = opened[width, scheme] = Window(context)
            context.on("request", window.note)
        return opened[width, scheme]

    yield of
    for window in opened.values():
        window.context.close()


@pytest.fixture
def open_page(windows: Callable) -> Iterator[Callable]:
    """open_page(url) -> a page that is watched: any request to another host fails the test."""
    pages: list[Page] = []
    used: list[Window] = []

    def go(url: str, width: int = 1440, scheme: str = "light") -> Page:
        window = windows(width, scheme)
        if window not in used:
            window.elsewhere.clear()
            used.append(window)
        page = window.context.new_page()
        pages.append(page)
        page.goto(url)
        return page

    yield go
    for page in pages:
        page.close()
    assert [url for window in used for url in window.elsewhere] == [], "the session asked another host"


def _is_elsewhere(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in {"127.0.0.1", "localhost"}
