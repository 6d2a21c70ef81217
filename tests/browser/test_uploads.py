"""Uploads in the browser: real files, and faulty ones."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import serve
from tests.browser.hand import settle

pytestmark = pytest.mark.browser


def choose(page, key: str, option: str) -> None:
    settle(page)
    page.locator(f".st-key-{key} [data-baseweb=select], .st-key-{key} [role=combobox]").first.click()
    page.get_by_role("option", name=option, exact=True).click()
    settle(page)


def upload_part(page, kind: str, path: Path, *, system: str | None = None) -> None:
    """Add one file on the Data page."""
    choose(page, "kind", kind)
    if system is not None:
        field = page.locator(".st-key-system_name input")
        field.fill(system)
        field.press("Enter")
        settle(page)
    # Each file kept gives the widget a new key, so that it is empty again.
    page.locator("[class*='st-key-part_file'] input[type=file]").set_input_files(path)
    expect(page.locator("[class*='st-key-part_file']").get_by_text(path.name)).to_be_visible()
    settle(page)
    button = page.get_by_role("button", name="Add file", exact=True)
    expect(button).to_be_enabled()
    button.click()


def upload_page(page):
    """The page with the ways to bring something in, once it has settled."""
    settle(page)
    page.get_by_role("tab", name="Open or upload").click()
    expect(page.get_by_role("button", name="Use the sample")).to_be_visible()
    return page


def faulty_run(path: Path, out: Path) -> dict[str, int]:
    """A real run with three kinds of error; {words of the message: line}."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    parts = [line.split() for line in lines[:2000]]
    parts[10][4] = "nan"
    parts[20][2] = "NOBODY_KNOWS_ME"
    parts[31][2] = parts[30][2]
    out.write_text("\n".join(" ".join(p) for p in parts) + "\n")
    return {"The score is nan": 11, "NOBODY_KNOWS_ME": 21, "is listed already": 32}


@pytest.mark.real
def test_a_real_run_with_three_kinds_of_error_names_each_line(
    tmp_path: Path, images_dir: Path, open_page
) -> None:
    bad = tmp_path / "run.txt"
    expected = faulty_run(images_dir / "roco" / "runs" / "hog.txt.gz", bad)
    with serve(tmp_path / "home") as url:
        page = upload_page(open_page(f"{url}/Data"))
        upload_part(page, "Concepts", images_dir / "roco" / "concepts.csv")
        expect(page.get_by_role("heading", name="Data", level=1)).to_be_visible()
        expect(page.get_by_text("1,102 images").first).to_be_visible()
        upload_page(page)
        upload_part(page, "System: ranking", bad, system="hog")
        rows = page.get_by_test_id("stTable").locator("tr")
        for words, line in expected.items():
            expect(rows.filter(has_text=words).filter(has_text=str(line))).to_be_visible()
        expect(page.get_by_text("1,102 images").first).to_be_visible()
