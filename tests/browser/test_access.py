"""Who cannot see well or uses no mouse: every page under axe's rules, and the way to the results by keys."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.hand import settle
from tests.browser.test_pages import PAGES

pytestmark = pytest.mark.browser

MOST_STOPS = 12
FOCUSED = """() => {
  const now = document.activeElement;
  return [now.innerText.trim(), getComputedStyle(now).outlineStyle, now.matches(":focus-visible")];
}"""


def violations(page: Page) -> list[str]:
    """What axe calls serious or critical, with the first element of each."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


@pytest.mark.parametrize(
    ("scheme", "width", "level"),
    [("light", 390, "Plain"), ("dark", 1440, "Technical")],
    ids=["light", "dark"],
)
def test_every_page_keeps_the_rules_of_access_and_its_width(
    server: str, open_page, scheme, width, level
) -> None:
    page = open_page(f"{server}/?reading={level}", width=width, scheme=scheme)
    main = page.get_by_test_id("stMain")
    for address, title in PAGES.items():
        page.goto(f"{server}/{address}?reading={level}")
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        settle(page)
        assert violations(page) == [], address
        assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 0, address
    page.evaluate("document.querySelector('h1').append(document.createElement('button'))")
    assert [one.split(":")[0] for one in violations(page)] == ["button-name"], "axe sees what is wrong"


def test_from_the_first_stop_to_the_first_why_by_keys(server: str, open_page) -> None:
    page = open_page(f"{server}/Query?q=SYN_011")
    expect(page.get_by_role("button", name="Why result 3 of A?", exact=True)).to_be_visible()
    settle(page)
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == ["Skip to the results", "solid", True]
    page.keyboard.press("Enter")
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        words, outline, visible = page.evaluate(FOCUSED)
        assert (outline, visible) == ("solid", True), words
        if words.startswith("Why"):
            break
    expect(page.get_by_role("button", name="Why result 1 of A?", exact=True)).to_be_focused()
