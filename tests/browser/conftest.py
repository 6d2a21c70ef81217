"""The running program and a headless Chromium that looks at it."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal
from urllib.error import URLError
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Request, expect, sync_playwright

from tests.browser.hand import LISTEN, WAIT_MS
from tests.hostile import write_hostile

ROOT = Path(__file__).resolve().parents[2]
FROM_SOURCE = (sys.executable, "-m", "streamlit", "run", "app.py")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
KEEP_COMPILED = [
    "--process-per-site",
    "--renderer-process-limit=1",
    "--js-flags=--no-enable-lazy-source-positions",
    "--disable-features=AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,MediaRouter,PaintHolding,OptimizationHints,NetworkTimeServiceQuerying,"
    "AimEnabled,PreconnectToSearch,BackgroundResourceFetch",
]
"""A third of what a page costs is parsing its scripts, Plotly's five megabytes first of all. Chromium keeps
what it has compiled in a profile on disk, but what BackgroundResourceFetch fetches is parsed all the same,
and so is what Playwright asks the line of. One process draws all pages, one after another. (The other
features are off in any browser that Playwright starts; a list of one's own takes the place of its list.)"""
HOSTILE = "hostile"
"""The name in addresses of a study whose every text tries something."""
_ports: list[int] = []
"""Of the servers started so far; the next one takes one that is free: files are kept by their address."""


def _free_port() -> int:
    for port in [*_ports, 0]:
        with socket.socket() as free, suppress(OSError):
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind(("127.0.0.1", port))
            if not port:
                _ports.append(int(free.getsockname()[1]))
            return port or _ports[-1]
    pytest.fail("no port is free")


class Program:
    """The running dashboard on one port: stopped, or killed and started again.

    ``option``: which option of the command takes the port; ``base``: the path below which its pages are.
    """

    def __init__(
        self,
        home: Path,
        *,
        command: Sequence[str] = FROM_SOURCE,
        cwd: Path = ROOT,
        option: str = "--server.port",
        base: str = "",
        **environment: str,
    ) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.port, self.log, self.cwd = _free_port(), home / "server.log", cwd
        self.command = [*command, option, str(self.port)]
        self.environment = {**os.environ, "CUISCOPE_HOME": str(home), **environment}
        self.url = f"http://127.0.0.1:{self.port}{base}"
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                self.command, cwd=self.cwd, stdout=out, stderr=out, env=self.environment
            )
        end = time.monotonic() + WAIT_MS / 1000
        while time.monotonic() < end and self.process.poll() is None:
            with suppress(URLError, OSError), urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1):
                return
            time.sleep(0.05)
        pytest.fail(f"the server did not start:\n{self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        """As a power cut does: nothing is closed or written any more."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serve(home: Path, **how: Any) -> Iterator[str]:
    """Run the dashboard with its own workspace, as ``Program`` takes it; yields its address."""
    program = Program(home, **how)
    try:
        yield program.url
    finally:
        program.process.terminate()
        try:
            program.process.wait(timeout=20)
        except subprocess.TimeoutExpired:  # it is still compiling, once on a machine
            program.kill()


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("needs Chromium on the PATH (Debian: apt-get install chromium)")
    return path


@pytest.fixture(scope="session")
def driver() -> Iterator[Playwright]:
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="module", autouse=True)
def _collected() -> Iterator[None]:
    """What Playwright leaves waiting ends here: ended later, while something is compiled, it fails that."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def chromium(driver: Playwright, chromium_path: str) -> Iterator[Browser]:
    """A browser without a profile, for files from disk."""
    browser = driver.chromium.launch(executable_path=chromium_path, args=CHROMIUM_FLAGS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The one server that all journeys visit: the sample opens, and another study is in the workspace."""
    home = tmp_path_factory.mktemp("home")
    write_hostile(home / "studies" / HOSTILE)
    with serve(home) as url:
        yield url


@pytest.fixture(scope="session")
def profile(
    driver: Playwright, chromium_path: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """The browser that visits the program, one for all tests: it keeps the program's files, and compiled.

    Without animations a page is drawn in three quarters of the time.
    """
    context = driver.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=chromium_path,
        args=[*CHROMIUM_FLAGS, *KEEP_COMPILED],
        reduced_motion="reduce",
    )
    context.add_init_script(f"({LISTEN})()")
    context.set_default_timeout(WAIT_MS)
    yield context
    context.close()


@pytest.fixture
def open_page(profile: BrowserContext) -> Iterator[Callable]:
    """open_page(url) -> a page that is watched: any request to another host fails the test."""
    pages: list[Page] = []
    elsewhere: list[str] = []

    def note(request: Request) -> None:
        if _is_elsewhere(request.url):
            elsewhere.append(request.url)

    def go(url: str, width: int = 1440, scheme: Literal["light", "dark"] = "light") -> Page:
        page = profile.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.goto(url)
        return page

    profile.on("request", note)
    yield go
    for page in pages:
        page.close()
    profile.remove_listener("request", note)
    assert elsewhere == [], "the session asked another host"


def _is_elsewhere(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in {"127.0.0.1", "localhost"}
