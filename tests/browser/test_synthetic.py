"""Generated images as a user meets them: a demonstration at first sight, an upload that a reload keeps."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import settle

pytestmark = pytest.mark.browser

REAL = "ID,a.x,a.y\n" + "".join(f"r{i},{i},{i * i % 7}\n" for i in range(30))
FAKE = REAL.replace("\nr", "\nf")


def test_groups_are_uploaded_and_there_after_a_reload(fresh_server: str, open_page) -> None:
    page = open_page(f"{fresh_server}/Synthetic?images=24")
    expect(page.get_by_text("How like the real images?").first).to_be_visible(timeout=60_000)
    settle(page)
    for role, name, text in (("Real images", "ours", REAL), ("Generated images", "copier", FAKE)):
        box = page.get_by_text(re.compile(r"Own images: \d uploaded group"))
        if not page.get_by_role("textbox", name="Name of the group").is_visible():
            box.click()
        page.get_by_role("combobox", name="What they are").click()
        page.get_by_role("option", name=role, exact=True).click()
        settle(page)
        field = page.get_by_role("textbox", name="Name of the group")
        field.fill(name)
        field.press("Tab")
        settle(page)
        page.locator("[class*='st-key-synthetic_file'] input[type=file]").set_input_files(
            {"name": "table.csv", "mimeType": "text/csv", "buffer": text.encode()}
        )
        expect(page.locator("[class*='st-key-synthetic_file']").get_by_text("table.csv")).to_be_visible()
        settle(page)
        button = page.get_by_role("button", name="Add group")
        expect(button).to_be_enabled()
        button.click()
        expect(page.get_by_text(f"is part of the group {name} now")).to_be_visible()
        settle(page)
    page.goto(f"{fresh_server}/Synthetic?subjects=uploaded&real=ours&part=copies")
    expect(page.get_by_text("they may be copies").first).to_be_visible(timeout=60_000)
    page.reload()
    expect(page.get_by_text("they may be copies").first).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stException")).to_have_count(0)
