"""Systems put together in the sidebar, and images chosen in the map, as a user does both."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import settle

pytestmark = pytest.mark.browser


def test_combine_two_systems(server: str, open_page) -> None:
    page = open_page(f"{server}/")
    expect(page.get_by_text("Leaderboard:")).to_be_visible()
    settle(page)
    page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Combine systems").click()
    box = page.get_by_role("combobox", name=re.compile("Systems to combine"))
    for name in ("hog", "texture"):
        box.click()
        page.get_by_role("option", name=name, exact=True).click()
        settle(page)
    page.keyboard.press("Escape")
    if not page.get_by_role("button", name="Add", exact=True).is_visible():
        page.get_by_role("button", name="Combine systems").click()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page).to_have_url(re.compile(r"fused=rrf%3Ahog%2Btexture"))
    settle(page)
    expect(page).to_have_url(re.compile(r"systems=rrf%3Ahog%2Btexture"))
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.reload()
    expect(page.get_by_text("Leaderboard:")).to_be_visible()
    expect(page.locator(".js-plotly-plot").get_by_text("rrf:hog+texture").first).to_be_visible()
