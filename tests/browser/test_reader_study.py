"""A task of each kind in the browser: made, judged by keyboard alone, and its file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evalcore.features.review.exchange import parse_csv
from tests.browser.hand import answer, begin, saved, settle
from tests.running import serve
from tests.study.made import png
from tests.ui.conftest import write_study

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

KINDS = {
    "graded": "One result at a time",
    "preference": "Two lists side by side",
    "panel": "A whole list at a time",
    "material": "One explanation at a time, by several criteria",
}
"""What the form calls each kind that is made on the page."""
TYPED = {"preference": "Two lists", "panel": "A whole", "material": "explanation"}
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
    page.get_by_text("Make a task", exact=True).click()
    title = page.get_by_role("textbox", name="Title")
    allow = page.get_by_test_id("stCheckbox").filter(has_text="Allow changes to the folder").first
    while not title.is_visible():  # a page that is drawn anew meanwhile forgets the click
        allow.locator("label").click()
        settle(page)
    title.fill(kind)
    combobox = page.get_by_role("combobox", name="What readers see")
    if kind != "graded":
        combobox.fill("")
        combobox.press_sequentially(TYPED[kind], delay=30)
        expect(page.get_by_role("option", name=KINDS[kind], exact=True)).to_be_visible()
        page.wait_for_timeout(300)
        page.keyboard.press("Enter")
    expect(combobox).to_have_value(KINDS[kind])
    if kind == "material":
        page.get_by_role("textbox", name="Criteria").fill("same finding, same severity")
        page.get_by_text("Explanations to rate").click()
        table = {"name": "explanations.csv", "mimeType": "text/csv", "buffer": EXPLANATIONS}
        page.locator(".st-key-task_material input[type=file]").set_input_files([table, HEAT_MAP])
        expect(page.get_by_text("heat.png")).to_be_visible()
    page.get_by_role("button", name="Make the task").click()
    expect(page.get_by_text(f"Task {kind} created.")).to_be_visible()


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_of_each_kind_from_making_to_its_file(own: str, open_page, kind: str) -> None:
    page = open_page(f"{own}/Readers")
    settle(page)
    make(page, kind)
    page.locator(f".st-key-task-{kind}").get_by_role("button", name="Start judging").click()
    begin(page, "K1")
    for key in "452":
        answer(page, key, "Enter")
    assert saved(page) == 3
    page.goto(f"{own}/Readers?answers_{kind}=open")
    settle(page)
    task = page.locator(f".st-key-task-{kind}")
    task.get_by_test_id("stCheckbox").filter(has_text="Allow changes").locator("label").click()
    task.get_by_role("button", name="Close the task").click()
    expect(page.get_by_text("is closed:")).to_be_visible()
    settle(page)
    with page.expect_download() as download:
        page.locator(f".st-key-task-{kind}").get_by_role("button", name="CSV", exact=True).click()
    read, report = parse_csv(Path(download.value.path()).read_bytes(), file="judgments.csv")
    assert not report.problems and {judgment.reader for _, judgment in read} == {"K1"}
    assert len({judgment.id.partition(".")[0] for _, judgment in read}) == 3
    expect(page.get_by_test_id("stException")).to_have_count(0)
