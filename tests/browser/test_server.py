"""A server for several people behind nginx, as documented: two of them side by side, and who comes in."""

from __future__ import annotations

import base64
import re
import shutil
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from evalcore.features.review.judgments import current
from evalcore.features.review.read import store
from evalcore.study import open_study
from evalcore.study.workspace.home import USERS
from evalcore.values.account import Account
from evalcore.values.bundled import SAMPLE
from tests.browser.conftest import serve
from tests.browser.hand import LISTEN, WAIT_MS, settle
from tests.browser.test_challenge import GOOD, TRUTH
from tests.browser.test_review import answer
from tests.browser.test_uploads import add, choose
from tests.features.server.nginx import BASE, PASSWORDS, nginx, unused_port
from tests.features.server.oidc import Provider, provider

pytestmark = pytest.mark.browser
ADA, EVE, MAX = PASSWORDS
SETTINGS = f'administrators = ["{ADA}"]\nallowed = ["*@lab.example"]\n'
DESK = "[data-testid=stMain] .desk"


@dataclass(frozen=True)
class Lab:
    """A server: its address behind nginx and its own one, its home, and the browser that visits it."""

    url: str
    inside: str
    home: Path
    browser: Browser

    def visitor(self, user: str = "") -> Page:
        """A window of a browser of somebody's own, who gives nginx the user's password when it asks."""
        context = self.browser.new_context(
            ignore_https_errors=True,
            http_credentials={"username": user, "password": PASSWORDS[user]} if user else None,
            reduced_motion="reduce",
        )
        context.add_init_script(f"({LISTEN})()")
        context.set_default_timeout(WAIT_MS)
        page = context.new_page()
        page.set_viewport_size({"width": 1440, "height": 900})
        return page

    def ask(self, path: str = "/", user: str = "", **headers: str) -> tuple[int, str]:
        """Status and text of the answer that nginx gives to somebody who sends these headers too."""
        if user:
            pair = base64.b64encode(f"{user}:{PASSWORDS[user]}".encode()).decode()
            headers["Authorization"] = f"Basic {pair}"
        return _answer(self.url, path, headers)

    def study_of(self, user: str) -> Path:
        """The folder of the one study that somebody has uploaded."""
        (folder,) = (self.home / USERS / Account(user, user).folder / "studies").iterdir()
        return folder


def _answer(url: str, path: str, headers: dict[str, str]) -> tuple[int, str]:
    at = urlsplit(url)
    if at.scheme == "https":
        unsigned = ssl._create_unverified_context()
        connection: HTTPConnection = HTTPSConnection(at.netloc, context=unsigned, timeout=60)
    else:
        connection = HTTPConnection(at.netloc, timeout=60)
    connection.request("GET", at.path + path, headers=headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


@contextmanager
def lab(folder: Path, browser: Browser, *, auth: str, secrets: str = "", port: int) -> Iterator[Lab]:
    """Run a server and nginx before it, with TLS at ``port``."""
    settings = folder / "server.toml"
    settings.write_text(SETTINGS)
    command = [sys.executable, "-m", "evalcore", "serve", "--auth", auth, "--settings", str(settings)]
    if secrets:
        (folder / "secrets.toml").write_text(secrets)
        command += ["--secrets", str(folder / "secrets.toml")]
    command += ["--host", "127.0.0.1", "--base", BASE]
    home = folder / "home"
    with serve(home, command=command, port_option="--port", base=BASE) as inside:
        with nginx(folder / "nginx", port=port, upstream=urlsplit(inside).port or 0, auth=auth):
            yield Lab(f"https://127.0.0.1:{port}{BASE}", inside, home, browser)


@pytest.fixture(scope="module")
def by_proxy(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("proxy"), chromium, auth="proxy", port=unused_port()) as running:
        yield running


def test_nobody_comes_in_without_a_user_whatever_they_send(by_proxy: Lab) -> None:
    header = {"X-Forwarded-User": ADA}
    pages = ("/", "/Data", "/_stcore/host-config", "/media/x.png")
    for path in pages:
        assert by_proxy.ask(path)[0] == 401, path
        assert by_proxy.ask(path, **header)[0] == 401, path
        assert _answer(by_proxy.inside, path, {})[0] == 401, path
    assert by_proxy.ask(user=MAX)[0] == by_proxy.ask(user=MAX, **header)[0] == 403
    assert by_proxy.ask(user=EVE)[0] == 200
    assert by_proxy.ask("/metrics", user=ADA)[0] == by_proxy.ask("/_stcore/metrics", user=ADA)[0] == 404
    both = {**header, "X_Forwarded_User": ADA, "X-Cuiscope-Account": '{"id": "ada@lab.example"}'}
    status, text = by_proxy.ask(user=MAX, **both)
    assert status == 403 and MAX in text, "who nginx says, and nobody else"


def test_two_people_side_by_side(by_proxy: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUISCOPE_HOME", str(by_proxy.home))
    ada, eve = by_proxy.visitor(ADA), by_proxy.visitor(EVE)
    # Each uploads a study of their own; they get the same name.
    for page, system in ((ada, "hog"), (eve, "texture")):
        run = tmp_path / f"{system}.txt.gz"
        shutil.copy(SAMPLE / "systems" / system / "run.trec.gz", run)
        page.goto(by_proxy.url)
        choose(page, run, SAMPLE / "concepts.csv")
        add(page, run, SAMPLE / "concepts.csv")
    for page, system in ((ada, "hog"), (eve, "texture")):
        expect(page.locator(".st-key-lead")).to_contain_text(f"{system} scores")
        expect(page.get_by_role("heading", name="My study", level=1)).to_be_visible()
    of_ada = by_proxy.study_of(ADA)
    assert of_ada.name == by_proxy.study_of(EVE).name
    digest = open_study(of_ada).digest[:8]
    # Neither opens the other's by its digest, until it is shared; and then only reads it.
    eve.goto(f"{by_proxy.url}/Data?study={digest}")
    expect(eve.get_by_text("not in this workspace")).to_be_visible()
    ada.goto(f"{by_proxy.url}/Data?study={of_ada.name}&open=shared")
    settle(ada)
    ada.get_by_text("Share this study").click()
    ada.get_by_label("Share with").fill(EVE)
    ada.get_by_role("button", name="Share", exact=True).click()
    expect(ada.get_by_text("can read this study now")).to_be_visible()
    eve.goto(f"{by_proxy.url}/?study={digest}")
    expect(eve.locator(".st-key-lead")).to_contain_text("hog scores")
    eve.goto(f"{by_proxy.url}/Data?study={digest}")
    settle(eve)
    expect(eve.get_by_text("Share this study")).to_have_count(0)
