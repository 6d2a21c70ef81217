"""A study as large as a published one, 36 readers and 48 cases: set up in the browser, its report printed."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from evalcore.cli import run
from evalcore.features.review.read.diagnosis_files import diagnosis_lines
from evalcore.features.review.read.task_files import read_task
from tests.benchmarks.diagnosis import answers
from tests.browser.conftest import ROOT, serve
from tests.browser.hand import settle

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

KEY, POINT, PRESS, HOME, THINK = 0.28, 1.1, 0.2, 0.4, 1.35
"""Seconds of the keystroke-level model (Card, Moran and Newell 1980) for an average typist: a key, pointing,
a press of the mouse with its release, a hand that moves to the keyboard, and thinking what to do next."""
ASKED = (
    "You are on call. What is the main finding? Answer as you would report it, and do not look anything up."
)


class Person:
    """What a person does at a page, counted; ``waited``: seconds in which the program was busy."""

    def __init__(self, page: Page) -> None:
        self.page, self.keys, self.clicks, self.fields, self.waited = page, 0, 0, 0, 0.0

    @property
    def seconds(self) -> float:
        """As the model has it: one thought before each click, a hand moved before each field, and back."""
        by_mouse = self.clicks * (THINK + POINT + PRESS)
        return by_mouse + self.fields * 2 * HOME + self.keys * KEY + self.waited

    def click(self, what: Locator) -> None:
        what.click()
        self.clicks += 1
        self._wait()

    def fill(self, what: Locator, text: str) -> None:
        """Click into a field, select what is there, and type."""
        what.click()
        self.clicks += 1
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.keys += 2 + len(text)
        self.fields += 1
        self._wait()

    def choose(self, label: str, option: str) -> None:
        """Open a list and click on what it offers."""
        self.click(self.page.get_by_role("combobox", name=label))
        self.click(self.page.get_by_role("option", name=option, exact=True))

    def _wait(self) -> None:
        since = time.monotonic()
        settle(self.page)
        self.waited += time.monotonic() - since


def test_a_published_design_from_the_form_to_a_report_of_four_pages(
    open_page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    study = shutil.copytree(ROOT / "data", tmp_path / "study")
    with serve(tmp_path / "home", CUISCOPE_STUDY=str(study)) as url:
        page = open_page(f"{url}/Review")
        settle(page)
        person = Person(page)
        person.click(page.get_by_text("Make a diagnosis study"))
        title = page.get_by_role("textbox", name="Title")
        allow = page.get_by_test_id("stCheckbox").filter(has_text="Allow changes to the folder", visible=True)
        while not title.is_visible():  # a page that is drawn anew meanwhile forgets the click
            person.click(allow.locator("label"))
        person.fill(title, "worked")
        person.choose("Truth of each case", "Label: finding")
        person.fill(page.get_by_role("spinbutton", name="Cases to draw"), "48")
        person.choose("Design", "Every arm, in sessions with a washout between")
        person.fill(page.get_by_role("textbox", name="Instructions for readers").last, ASKED)
        person.click(page.get_by_role("button", name="Make the study"))
        expect(page.get_by_text("Task worked created.")).to_be_visible()
        own = page.locator(".st-key-task-worked")
        expect(own).to_contain_text("48 cases · 2 arms · 2 sessions")
        person.click(own.get_by_text("Protocol to register before readers judge"))
        with page.expect_download():
            person.click(own.get_by_role("button", name="Protocol", exact=True))
        with capsys.disabled():
            print(f" {person.clicks} clicks, {person.keys} keys, {person.seconds:.0f} s", end=" ")
        assert person.seconds < 600

        made = answers(study, read_task(study, "worked"), 36, seed=1)
        (tmp_path / "answers.csv").write_text("".join(diagnosis_lines(made)))
        assert run(["review", "import", str(study), str(tmp_path / "answers.csv")]) == 0
        page.goto(f"{url}/Review?answers=worked")
        settle(page)
        with page.expect_download() as saved:
            own.get_by_role("button", name="Report", exact=True).click()
    report = tmp_path / "report.html"
    shutil.copy(saved.value.path(), report)
    shown = open_page(report.as_uri())
    expect(shown.get_by_role("row").filter(has_text="Each of 36: R1 to R36")).to_contain_text("96")
    pdf = shown.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 4
