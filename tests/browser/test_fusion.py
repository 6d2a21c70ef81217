"""Fused systems of the address, and images chosen in the map, as a user does."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import settle

pytestmark = pytest.mark.browser


def test_a_fused_system_of_the_address_is_drawn(server: str, open_page) -> None:
    page = open_page(f"{server}/?systems=hog&systems=rrf%3Atexture%2Bhog")
    expect(page.get_by_text("Leaderboard:")).to_be_visible()
    settle(page)
    expect(page).to_have_url(re.compile(r"systems=rrf%3Ahog%2Btexture"))
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.reload()
    expect(page.get_by_text("Leaderboard:")).to_be_visible()
    expect(page.locator(".js-plotly-plot").get_by_text("rrf:hog+texture").first).to_be_visible()


def test_draw_around_images_and_keep_only_these(server: str, open_page) -> None:
    page = open_page(f"{server}/Query?map=yes&map_of=hog")
    chart = page.locator(".st-key-map-figure .js-plotly-plot, [class*=st-key-map-] .js-plotly-plot").first
    expect(chart).to_be_visible()
    settle(page)
    chart.scroll_into_view_if_needed()
    area = chart.locator(".nsewdrag").first.bounding_box()
    assert area is not None
    x, y, w, h = area["x"], area["y"], area["width"], area["height"]
    page.mouse.move(x + 0.3 * w, y + 0.1 * h)
    page.mouse.down()
    for across, down in ((0.6, 0.1), (0.6, 0.5), (0.3, 0.5), (0.3, 0.12)):
        page.mouse.move(x + across * w, y + down * h, steps=6)
    page.mouse.up()
    said = page.get_by_text(re.compile(r"\d+ images selected\."))
    expect(said).to_be_visible()
    n = int(re.search(r"(\d+) images selected", said.inner_text())[1])
    assert 1 < n < 160
    settle(page)
    page.get_by_role("button", name="Only these queries").click()
    expect(page.get_by_text(f"{n} of 160 queries")).to_be_visible()
    expect(page).to_have_url(re.compile("where=id%3DSYN_"))
    expect(page.get_by_test_id("stException")).to_have_count(0)
