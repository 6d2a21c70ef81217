"""Fused systems of the address, and images chosen in the map, as a user does."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import settle

pytestmark = pytest.mark.browser


def test_a_fused_system_of_the_address_is_drawn(server: str, open_page) -> None:
    page = open_page(f"{server}/?systems=hog&systems=rrf%3Atexture%2Bhog")
    fused = page.locator(".js-plotly-plot").get_by_text("rrf:hog+texture").first
    expect(fused).to_be_visible()
    settle(page)
    expect(page).to_have_url(re.compile(r"systems=rrf%3Ahog%2Btexture"))
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.reload()
    expect(fused).to_be_visible()
