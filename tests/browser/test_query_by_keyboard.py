"""By keyboard alone from the first page to why a result counts; the query's picture in sight when narrow."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.hand import settle

pytestmark = pytest.mark.browser

MOST_TABS = 150
HELD = "place => place.contains(document.activeElement)"


def tab_to(place: Locator, *, most: int = MOST_TABS) -> None:
    """Press Tab until the place has the focus."""
    page = place.page
    for _ in range(most):
        if place.evaluate(HELD):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"{most} times Tab do not lead to {place}")


def press(page: Page, key: str) -> None:
    page.keyboard.press(key)
    page.wait_for_timeout(60)
    settle(page)


def test_from_the_first_page_to_why_a_result_counts(server: str, open_page) -> None:
    page = open_page(server)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    tab_to(page.get_by_test_id("stSidebar").get_by_role("link", name="Queries", exact=True))
    press(page, "Enter")
    find = page.get_by_placeholder("ID, caption, concept or label")
    tab_to(find)
    page.keyboard.type("SYN_001")
    press(page, "Enter")
    tab_to(page.get_by_role("button", name="Open SYN_001"))
    press(page, "Enter")
    expect(page.get_by_text("SYN_001 · query 1 of 1", exact=True)).to_be_visible()
    settle(page)
    why = page.get_by_role("button", name="Why result 3 of B?")
    tab_to(why)
    press(page, "Enter")
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_role("heading", name=re.compile("Result 3 of 10"), level=2)).to_be_visible()
    settle(page)
    press(page, "ArrowRight")  # the fourth holds a related concept
    expect(drawer.get_by_role("heading", name=re.compile("Result 4 of 10"))).to_be_visible()
    expect(page).to_have_url(re.compile("why=SYN_027"))
    press(page, "Escape")
    expect(drawer).to_have_count(0)
    expect(page.get_by_role("button", name="Why result 4 of B?")).to_be_focused()
    expect(page.get_by_text("SYN_001 · query 1 of 1", exact=True)).to_be_visible()


def test_the_picture_of_the_query_is_in_sight(server: str, open_page) -> None:
    """On a phone, and on a screen of 1440 by 900 at 200 %."""
    page = open_page(f"{server}/Queries?q=SYN_001", 390)
    picture = page.locator(".cuiscope-board .query img")
    for width, height in (390, 844), (720, 450):
        page.set_viewport_size({"width": width, "height": height})
        expect(picture).to_be_visible()
        settle(page)
        box = picture.bounding_box()
        assert box is not None and box["y"] + box["height"] <= height, width
    pickers = page.locator(".st-key-query-systems")
    expect(pickers).to_be_hidden()
    page.get_by_text("Systems and filters").click()
    expect(pickers).to_be_visible()
