"""The running program and a headless Chromium that looks at it."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable, Iterator
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Request, expect, sync_playwright

from tests.browser.hand import LISTEN
from tests.hostile import write_hostile
from tests.running import WAIT_MS, serve

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
