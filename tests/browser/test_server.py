"""A server for several people behind nginx, as documented: two of them side by side, and who comes in."""

from __future__ import annotations

import base64
import gzip
import re
import shutil
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from evalcore.features.review import store
from evalcore.features.review.records import current
from evalcore.study import open_study
from evalcore.study.workspace.home import USERS
from evalcore.values.account import Account
from evalcore.values.bundled import SAMPLE
from tests.browser.hand import LISTEN, add, answer, choose, settle
from tests.running import BASE, PASSWORDS, WAIT_MS, Program, free_port, nginx, serve, serve_command

pytestmark = pytest.mark.browser
ADA, EVE, MAX = PASSWORDS
SETTINGS = f'administrators = ["{ADA}"]\nallowed = ["*@lab.example"]\n'
JUDGING = "review=practice&draw=1&read=yes"
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
    unsigned = ssl._create_unverified_context()
    try:
        with urlopen(Request(url + path, headers=headers), context=unsigned, timeout=60) as response:
            return response.status, response.read().decode()
    except HTTPError as refused:
        return refused.code, refused.read().decode()


def _command(folder: Path, more: str = "") -> list[str]:
    return serve_command(folder, SETTINGS + more, "--host", "127.0.0.1", "--base", BASE)


@pytest.fixture(scope="module")
def by_proxy(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Lab]:
    """A server with a study that all read, and nginx before it, with TLS."""
    folder, port = tmp_path_factory.mktemp("proxy"), free_port()
    home, common = folder / "home", shutil.copytree(SAMPLE, folder / "common")
    command = _command(folder, f'[shared]\n"common" = "{common}"\n')
    with (
        serve(home, command=command, option="--port", base=BASE) as inside,
        nginx(folder / "nginx", port=port, upstream=urlsplit(inside).port or 0),
    ):
        yield Lab(f"https://127.0.0.1:{port}{BASE}", inside, home, chromium)


def test_nobody_comes_in_without_a_user_whatever_they_send(by_proxy: Lab) -> None:
    header = {"X-Forwarded-User": ADA}
    pages = ("/", "/Data", "/_stcore/host-config", "/media/x.png")
    for path in pages:
        assert by_proxy.ask(path)[0] == 401, path
        assert by_proxy.ask(path, **header)[0] == 401, path
        assert _answer(by_proxy.inside, path, {})[0] == 401, path
    assert by_proxy.ask(user=MAX)[0] == by_proxy.ask(user=MAX, **header)[0] == 403
    assert by_proxy.ask(user=EVE)[0] == 200
    assert by_proxy.ask("/_stcore/metrics", user=ADA)[0] == 404
    both = {**header, "X_Forwarded_User": ADA, "X-Cuiscope-Account": '{"id": "ada@lab.example"}'}
    status, text = by_proxy.ask(user=MAX, **both)
    assert status == 403 and MAX in text, "who nginx says, and nobody else"


def test_two_people_side_by_side(by_proxy: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUISCOPE_HOME", str(by_proxy.home))
    ada, eve = by_proxy.visitor(ADA), by_proxy.visitor(EVE)
    run = shutil.copy(SAMPLE / "systems/hog/run.trec.gz", tmp_path / "hog.txt.gz")
    ada.goto(by_proxy.url)
    choose(ada, run, SAMPLE / "concepts.csv")
    add(ada, run, SAMPLE / "concepts.csv")
    expect(ada.locator(".st-key-lead")).to_contain_text("hog scores")
    eve.goto(f"{by_proxy.url}/Data?study={by_proxy.study_of(ADA).name}")
    expect(eve.get_by_text("not in this workspace")).to_be_visible()
    common = by_proxy.home.parent / "common"
    # Both judge a study of the server, each under their own name; one takes an answer back.
    for page, grade in ((ada, "5"), (eve, "2")):
        page.goto(f"{by_proxy.url}/Readers?study=common&{JUDGING}")
        page.locator(f"{DESK}[data-item]").wait_for()
        settle(page)
        answer(page, grade, "Enter")
        page.locator(f'{DESK}[data-waiting="0"][data-saved="1"]').wait_for()
    assert judged(common) == {ADA: [1.0], EVE: [0.25]}
    eve.keyboard.press("u")
    eve.locator(f'{DESK}[data-waiting="0"][data-saved="0"]').wait_for()
    assert judged(common) == {ADA: [1.0]}
    eve.keyboard.press("u")
    settle(eve)
    assert judged(common) == {ADA: [1.0]}, "there is nothing of her own to take back any more"
    for page in (ada, eve):
        expect(page.get_by_test_id("stException")).to_have_count(0)


def judged(study: Path) -> dict[str, list[float | None]]:
    """The answers that count on a study, by reader."""
    answers: dict[str, list[float | None]] = {}
    for judgment in current(store.history(store.study_id(study))):
        answers.setdefault(judgment.reader, []).append(judgment.value)
    return answers


@pytest.mark.nightly
def test_a_server_that_is_killed_while_people_work_loses_nothing_it_confirmed(
    tmp_path: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ada judges and Eve uploads; the server dies at different moments and is started again."""
    home = tmp_path / "home"
    monkeypatch.setenv("CUISCOPE_HOME", str(home))
    run = tmp_path / "hog.txt.gz"
    shutil.copy(SAMPLE / "systems" / "hog" / "run.trec.gz", run)
    server, port = Program(home, command=_command(tmp_path), option="--port", base=BASE), free_port()
    with nginx(tmp_path / "nginx", port=port, upstream=server.port):
        try:
            here = Lab(f"https://127.0.0.1:{port}{BASE}", server.url, home, chromium)
            ada, eve, waiting = here.visitor(ADA), here.visitor(EVE), here.visitor(EVE)
            ada.goto(f"{here.url}/Readers?{JUDGING}")
            ada.locator(f"{DESK}[data-item]").wait_for()
            waiting.goto(here.url)
            choose(waiting, run)
            expect(waiting.get_by_role("button", name="Add and compare")).to_be_enabled()
            answers, confirmed = 0, set[str]()
            for pause in (0, 50, 150, 400, 1000):
                eve.goto(here.url)
                choose(eve, run, SAMPLE / "concepts.csv")
                button = eve.get_by_role("button", name="Add and compare")
                expect(button).to_be_enabled()
                settle(eve)
                settle(ada)
                answer(ada, "5", "Enter")
                button.click()
                eve.wait_for_timeout(pause)
                answer(ada, "2", "Enter")
                answers += 2
                sure = int(ada.locator(".desk").get_attribute("data-saved") or -1)
                shown = parse_qs(urlsplit(eve.url).query).get("study", [])
                if eve.locator(".st-key-lead").get_by_text("hog scores").count():
                    confirmed.update(shown)
                server.kill()
                assert len(judged(SAMPLE).get(ADA, [])) >= sure, "what the page called saved is kept"
                of_eve = whole_studies(home, EVE, run)
                assert confirmed <= of_eve
                server.start()
                for page in (ada, eve, waiting):
                    settle(page)
                    expect(page.get_by_test_id("stException")).to_have_count(0)
                ada.locator(f'{DESK}[data-waiting="0"][data-saved="{answers}"]').wait_for()
                if (add := waiting.get_by_role("button", name="Add and compare")).count():
                    add.click()  # a page that comes back may show what it had until something is pressed
                expect(waiting.get_by_text("started again before these files were added")).to_be_visible()
                whole_studies(home, EVE, run)
            assert judged(SAMPLE) == {ADA: [1.0, 0.25] * (answers // 2)}, "each once, in order"
            left = [path for path in home.rglob("*") if re.search(r"\.(tmp|gone|part)$", path.name)]
            assert left == [], "nothing half-written stays"
        finally:
            server.kill()


def whole_studies(home: Path, user: str, run: Path) -> set[str]:
    """The names of a user's studies to which both files were added.

    Files are added one after the other, each whole or not at all: a server that is killed in between leaves a
    study with the first, which opens as any study without rankings does.
    """
    folder = home / USERS / Account(user, user).folder / "studies"
    studies = [path for path in (folder.iterdir() if folder.is_dir() else ()) if path.name[0] != "."]
    complete = set()
    for study in studies:
        for concepts in study.glob("concepts.*"):
            assert concepts.read_bytes() == (SAMPLE / "concepts.csv").read_bytes()
        runs = list(study.glob("systems/hog/run.*"))
        for kept in runs:
            data = kept.read_bytes()
            plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
            assert plain == gzip.decompress(run.read_bytes())
        assert open_study(study).report.of_severity("error") == ()
        if runs and (study / "concepts.csv").is_file():
            complete.add(study.name)
    return complete
