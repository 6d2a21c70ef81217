"""A first visit in the browser: files are selected, recognised, compared; faulty ones are named by line."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evalcore.values.bundled import SAMPLE
from tests.browser.conftest import serve
from tests.browser.hand import settle

pytestmark = pytest.mark.browser
COUNT_CLICKS = """() => {
  window.clicks = 0;
  document.addEventListener("click", e => window.clicks += e.isTrusted, true);
}"""
"""Counts the clicks that reach the page. Playwright aims again, and keeps back its first click at the window,
when what it aims at moves under the mouse; a listener on the window would count that one too."""


def faulty_run(path: Path, out: Path) -> dict[str, int]:
    """A real run with three kinds of error; {words of the message: line}."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    parts = [line.split() for line in lines[:2000]]
    parts[10][4] = "nan"
    parts[20][2] = "NOBODY_KNOWS_ME"
    parts[31][2] = parts[30][2]
    out.write_text("\n".join(" ".join(p) for p in parts) + "\n")
    return {"The score is nan": 11, "NOBODY_KNOWS_ME": 21, "is listed already": 32}


def choose(page: Page, *files: Path) -> None:
    """Two clicks: open the form, choose the files."""
    settle(page)
    page.get_by_role("link", name="New study").click()
    dropped = page.get_by_test_id("stMain").get_by_test_id("stFileUploaderDropzone")
    with page.expect_file_chooser() as chooser:
        dropped.get_by_test_id("stBaseButton-secondary").click()
    chooser.value.set_files(files)


def add(page: Page, *files: Path) -> None:
    """One click, when every file is listed with what it is."""
    button = page.get_by_role("button", name="Add and compare")
    expect(button).to_be_enabled()
    settle(page)
    for file in files:
        expect(page.locator(".st-key-files-to-add").get_by_text(file.name)).to_be_visible()
    button.click()


def test_from_files_to_the_first_verdict_in_three_clicks_and_every_error_with_its_line(
    tmp_path: Path, open_page
) -> None:
    run, bad = tmp_path / "hog.txt.gz", tmp_path / "bad.txt"
    shutil.copy(SAMPLE / "systems" / "hog" / "run.trec.gz", run)
    expected = faulty_run(run, bad)
    with serve(tmp_path / "home") as url:
        page = open_page(url)
        page.evaluate(COUNT_CLICKS)
        choose(page, run, SAMPLE / "concepts.csv")
        add(page, run, SAMPLE / "concepts.csv")
        verdict = page.locator(".st-key-lead")
        expect(verdict).to_have_text(re.compile(r"^hog scores 0\.\d+ on .* over 157 queries\.$"))
        assert page.evaluate("window.clicks") == 3
        expect(page.get_by_role("heading", name="Results", level=1)).to_be_visible()
        choose(page, bad)
        add(page, bad)
        assert page.evaluate("window.clicks") == 3 + 3
        rows = page.get_by_test_id("stTable").locator("tr")
        for words, line in expected.items():
            of_the_study = rows.filter(has_text="systems/bad/run.txt")  # the form may still show its own
            expect(of_the_study.filter(has_text=words).filter(has_text=str(line))).to_be_visible()
        expect(verdict).to_contain_text("2 systems")
