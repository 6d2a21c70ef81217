"""The challenge page in a browser: files are uploaded, stay over other pages, and are removed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.hand import settle

TRUTH = "ID,CUIs\nq1,C0000001;C0000003\nq2,C0000001\n"
GOOD = "ID,CUIs\nq1,C0000001\nq2,C0000001\n"
BAD = "ID,CUIs\nq1.jpg,C0000001\n\nq2,C0000001\n"


@pytest.mark.browser
def test_files_stay_until_they_are_removed(server: str, open_page: Callable, tmp_path: Path) -> None:
    files = {"truth.csv": TRUTH, "good.csv": GOOD, "bad.csv": BAD}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    page = open_page(f"{server}/Challenge")
    settle(page)
    inputs = page.locator("[data-testid=stMain] [data-testid=stFileUploader] input[type=file]")
    inputs.set_input_files([str(tmp_path / name) for name in files])
    page.get_by_text("scores 0.8333 over 2 images").wait_for()
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("heading", level=1, name="Data").wait_for()
    settle(page)
    page.get_by_role("link", name="Challenge", exact=True).click()
    page.get_by_text("scores 0.8333 over 2 images").wait_for()
    page.get_by_text("would refuse").wait_for()
    settle(page)
    page.get_by_role("button", name=re.compile(r"^good\.csv \d")).click()
    page.get_by_text("scores 0.8333").wait_for(state="detached")
    settle(page)
    page.get_by_role("button", name=re.compile(r"^bad\.csv \d")).click()
    page.get_by_text("Upload a ground truth and at least one run").first.wait_for()
