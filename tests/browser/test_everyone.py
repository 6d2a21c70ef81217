"""All systems at once, as a user meets it: a click on a square compares its two systems above."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import select, settle

pytestmark = pytest.mark.browser


def test_a_square_chooses_the_pair_above(server: str, open_page) -> None:
    page = open_page(f"{server}/Compare")
    expect(page.get_by_text("All systems at once")).to_be_visible()
    settle(page)
    # Row by row without the diagonal: the last square of the fourth of five rows.
    square = page.locator('[class*="st-key-pairs-"] .scatterlayer .points path.point').nth(15)
    select(square, until=re.compile("a=texture&b=intensity-histogram"))
    settle(page)
    expect(page.get_by_text("texture − intensity-histogram", exact=False).first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_each_view_has_its_address(server: str, open_page) -> None:
    page = open_page(f"{server}/Compare?at_once=ranks", width=768, scheme="dark")
    expect(page.get_by_text("Rank of each system")).to_be_visible()
    settle(page)
    for name, says in (("Same results", "Do the systems find the same images?"), ("Mean ranks", "Friedman")):
        page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name)).first.click()
        expect(page.get_by_text(says).first).to_be_visible()
        settle(page)
    expect(page).to_have_url(re.compile("at_once=mean-ranks"))
    expect(page.get_by_test_id("stException")).to_have_count(0)
