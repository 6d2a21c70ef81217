"""All systems, as a user sees them: a click on a square compares its two systems."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import select, settle

pytestmark = pytest.mark.browser


def test_a_square_compares_its_two_systems(server: str, open_page) -> None:
    page = open_page(f"{server}/")
    settle(page)
    page.get_by_role("tab", name="All pairs").click()
    expect(page.get_by_text("Every system against every other")).to_be_visible()
    settle(page)
    # Row by row without the diagonal: the last square of the fourth of five rows.
    square = page.locator('[class*="st-key-pairs-"] .scatterlayer .points path.point').nth(15)
    select(square, until=re.compile("a=texture&b=intensity-histogram"))
    settle(page)
    expect(page.get_by_role("tab", name="Two systems")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("texture − intensity-histogram", exact=False).first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_each_view_has_its_address(server: str, open_page) -> None:
    page = open_page(f"{server}/?part=all&at_once=differences", width=768, scheme="dark")
    expect(page.get_by_text("Every system against every other").first).to_be_visible()
    settle(page)
    page.get_by_role("radio", name="Overlap").or_(page.get_by_role("button", name="Overlap")).first.click()
    expect(page.get_by_text("overlap most").first).to_be_visible()
    settle(page)
    expect(page).to_have_url(re.compile("at_once=results"))
    expect(page.get_by_test_id("stException")).to_have_count(0)
