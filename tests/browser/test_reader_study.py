"""A reader study of each kind in the browser: made, judged by keyboard alone, and reported."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import serve
from tests.browser.hand import settle
from tests.browser.test_review import answer, begin, item, saved
from tests.study.hurt import png
from tests.ui.conftest import write_study

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

KINDS = {
    "graded": "One result at a time",
    "preference": "Two lists side by side",
    "panel": "A whole list at a time",
    "ratings": "One result at a time, by several criteria",
    "material": "One explanation at a time, by several criteria",
}
"""What the form calls each kind that is made on the page."""
TYPED = {
    "preference": "Two lists",
    "panel": "A whole",
    "ratings": "result at a time, by",
    "material": "explanation",
}
"""What of it is typed to find it; the first is selected already."""
EXPLANATIONS = (
    b"image,team,explanation,heat_map\nq1,A,A shadow on the left.,\nq1,B,Nothing.,heat.png\nq3,A,A mass.,\n"
)
HEAT_MAP = {"name": "heat.png", "mimeType": "image/png", "buffer": png()}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a study that may be changed."""
    home = tmp_path_factory.mktemp("own")
    with serve(home / "home", CUISCOPE_STUDY=str(write_study(home / "tiny"))) as url:
        yield url


def make(page: Page, kind: str) -> None:
    """Fill the form and make the task called like its kind."""
    page.get_by_text("Make a task").click()
    title = page.get_by_role("textbox", name="Title")
    allow = page.get_by_test_id("stCheckbox").filter(has_text="Allow changes to the folder").first
    while not title.is_visible():  # a page that is drawn anew meanwhile forgets the click
        allow.locator("label").click()
        settle(page)
    title.fill(kind)
    asked = page.get_by_role("combobox", name="What readers see")
    if kind != "graded":
        asked.fill("")
        asked.press_sequentially(TYPED[kind], delay=30)
        expect(page.get_by_role("option", name=KINDS[kind], exact=True)).to_be_visible()
        page.wait_for_timeout(300)
        page.keyboard.press("Enter")
    expect(asked).to_have_value(KINDS[kind])
    if kind in ("ratings", "material"):
        page.get_by_role("textbox", name="Criteria").fill("same finding, same severity")
    if kind == "material":
        page.get_by_text("Explanations to rate").click()
        given = {"name": "said.csv", "mimeType": "text/csv", "buffer": EXPLANATIONS}
        page.locator(".st-key-task_material input[type=file]").set_input_files([given, HEAT_MAP])
        expect(page.get_by_text("heat.png")).to_be_visible()
    page.get_by_role("button", name="Make the task").click()
    expect(page.get_by_text(f"Task {kind} created.")).to_be_visible()


def make_diagnosis(page: Page) -> None:
    """Fill the form of a study of diagnoses, with its defaults but for the title."""
    page.get_by_text("Make a diagnosis study").click()
    title = page.get_by_role("textbox", name="Title")
    allow = page.get_by_test_id("stCheckbox").filter(has_text="Allow changes to the folder", visible=True)
    while not title.is_visible():
        allow.locator("label").click()
        settle(page)
    title.fill("diagnosis")
    page.get_by_role("button", name="Make the study").click()
    expect(page.get_by_text("Task diagnosis created.")).to_be_visible()


@pytest.mark.parametrize("kind", [*KINDS, "diagnosis"])
def test_a_study_of_each_kind_from_making_to_report(own: str, open_page, tmp_path: Path, kind: str) -> None:
    page = open_page(f"{own}/Review")
    settle(page)
    if kind == "diagnosis":
        make_diagnosis(page)
    else:
        make(page, kind)
    task = page.locator(f".st-key-task-{kind}")
    task.get_by_text("Protocol to register before readers judge").click()
    with page.expect_download() as told:
        task.get_by_role("button", name="Protocol", exact=True).click()
    assert f"# Protocol of the reader study `{kind}`" in Path(told.value.path()).read_text()

    task.get_by_role("button", name="Start judging").click()
    begin(page, "K1")
    for key in "452":
        answer(page, *(("1", key) if kind == "diagnosis" else key), "Enter")
    assert saved(page) == 3
    page.goto(f"{own}/Review?answers={kind}")
    settle(page)
    with page.expect_download() as told:
        page.locator(f".st-key-task-{kind}").get_by_role("button", name="Report", exact=True).click()
    report = tmp_path / "report.html"
    shutil.copy(told.value.path(), report)
    shown = open_page(report.as_uri())
    expect(shown.get_by_role("heading", name="Who was asked, and what became of it?")).to_be_visible()
    row = shown.get_by_role("row").filter(has_text=re.compile(r"^\s*K1"))
    asked, given = row.first.locator("td.n").all_inner_texts()[:2]
    assert given == "3" and int(asked) >= 3
    expect(shown.get_by_text("To be stated by the authors").first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_task_that_asks_only_what_decides_by_keyboard(open_page, tmp_path: Path) -> None:
    """Made from the form, judged until it stops: the results of alpha are good, those of beta useless."""
    study, queries = tmp_path / "thirty", [f"q{n:02d}" for n in range(30)]
    cuis = dict.fromkeys(queries, "C0000001") | {"good": "C0000002", "poor": "C0000003"}
    study.mkdir()
    (study / "concepts.csv").write_text("ID,CUIs\n" + "".join(f"{i},{c}\n" for i, c in cuis.items()))
    for system, result in (("alpha", "good"), ("beta", "poor")):
        (study / "systems" / system).mkdir(parents=True)
        run = "".join(f"{query} Q0 {result} 1 1 {system}\n" for query in queries)
        (study / "systems" / system / "run.trec").write_text(run)
    with serve(tmp_path / "home", CUISCOPE_STUDY=str(study)) as url:
        page = open_page(f"{url}/Review")
        settle(page)
        page.get_by_text("Make a task").click()
        title = page.get_by_role("textbox", name="Title")
        allow = page.get_by_test_id("stCheckbox").filter(has_text="Allow changes to the folder").first
        while not title.is_visible():
            allow.locator("label").click()
            settle(page)
        title.fill("Quick")
        page.get_by_role("spinbutton", name="Queries to draw").fill("30")
        page.get_by_text("Ask only what decides").click()
        page.get_by_role("spinbutton", name="Items at most").fill("40")
        asked = page.get_by_role("combobox", name="Judging stops when")
        asked.fill("")
        asked.press_sequentially("the best system", delay=30)
        page.get_by_role("option", name="the best system is clear").wait_for()
        page.wait_for_timeout(300)
        page.keyboard.press("Enter")
        expect(asked).to_have_value("the best system is clear")
        page.get_by_role("button", name="Make the task").click()
        expect(page.get_by_text("Task Quick created.")).to_be_visible()

        page.locator(".st-key-task-Quick").get_by_role("button", name="Start judging").click()
        begin(page, "K1")
        desk, n = page.locator(".desk"), 0
        while item(page):
            page.keyboard.press("5" if "C0000002" in desk.inner_text() else "1")
            page.keyboard.press("Enter")
            n += 1
            expect(desk).to_have_attribute("data-saved", str(n))
            settle(page)
        assert 20 <= n < 40
        page.goto(f"{url}/Review?answers=Quick")
        expect(page.get_by_text("alpha is the best system (95%).")).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
