"""Who cannot see well or uses no mouse: every page under axe's rules, and the way to the results by keys."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser import budget
from tests.browser.hand import OVERLAPPING, UNNAMED, settle
from tests.browser.test_pages import PAGES

pytestmark = pytest.mark.browser

NARROWEST = (390, "light")
WINDOWS = ((1440, "light"), NARROWEST, (768, "dark"))
MOST_STOPS = 12
FOCUSED = """() => {
  const now = document.activeElement;
  return [now.innerText.trim(), getComputedStyle(now).outlineStyle, now.matches(":focus-visible")];
}"""


def violations(page: Page) -> list[str]:
    """What axe calls serious or critical, with the first element of each; it lists no rule that is kept."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


def overlapping(main: Locator) -> list[str]:
    """Texts in figures that overlap, once the figures are drawn for a new width."""
    for _ in range(20):
        texts: list[str] = main.evaluate(OVERLAPPING)
        if not texts:
            break
        main.page.wait_for_timeout(250)
    return texts


def test_overlapping_texts_are_seen(open_page) -> None:
    page = open_page("about:blank")
    text = "<text x=10 y={}>ten letters</text>"
    figure = "<main><div class=js-plotly-plot><svg width=90 height=60>{}</svg></div></main>"
    for second, seen in (("50", []), ("24", ["ten letters: over ten letters"])):
        page.set_content(figure.format(text.format(20) + text.format(second)))
        assert page.locator("main").evaluate(OVERLAPPING) == seen


@pytest.mark.parametrize(("address", "title"), PAGES.items(), ids=[name or "Home" for name in PAGES])
def test_every_page_by_its_address_fits_every_window_and_keeps_the_rules_of_access(
    server: str, open_page, address: str, title: str
) -> None:
    """The window changes while the page is open, as on a tablet."""
    page = open_page(f"{server}/{address}?alpha=0.3")
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    expect(
        page.get_by_text("Research tool. Not for diagnosis. Use de-identified images only.")
    ).to_be_visible()
    expect(page.get_by_text(re.compile("5 systems · 160 common queries"))).to_be_visible()
    sidebar, main = page.get_by_test_id("stSidebar"), page.get_by_test_id("stMain")
    for link in PAGES.values():
        expect(sidebar.get_by_role("link", name=link, exact=True)).to_be_visible()
    expect(sidebar.get_by_text("More", exact=True)).to_be_visible()
    carried = sidebar.get_by_role("link", name="Queries", exact=True)
    expect(carried).to_have_attribute("href", re.compile(r"alpha=0\.3"))
    for width, scheme in WINDOWS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        settle(page)
        if (width, scheme) == WINDOWS[0]:
            result = budget.counted(page)
            assert all(result[kind] <= most for kind, most in budget.MOST.items()), result
        assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 0, (width, scheme)
        if scheme == "light":
            assert overlapping(main) == [], (width, scheme)
        if (width, scheme) == NARROWEST:
            assert violations(page) == []
    expect(page.get_by_test_id("stException")).to_have_count(0)


BY_DAY = ("", "Queries")
"""Pages that are checked in full detail by day too; they hold every component that others have."""


@pytest.mark.parametrize(
    ("address", "title"),
    [
        pytest.param(
            address, title, id=address or "Home", marks=[] if address in BY_DAY else pytest.mark.nightly
        )
        for address, title in PAGES.items()
    ],
)
def test_every_page_in_full_detail_keeps_the_rules_of_access(
    server: str, open_page, address: str, title: str
) -> None:
    page = open_page(f"{server}/{address}?alpha=0.3")
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    page.emulate_media(color_scheme="dark")
    settle(page)
    sidebar, main = page.get_by_test_id("stSidebar"), page.get_by_test_id("stMain")
    sidebar.get_by_role("radio", name="Expert").click()  # the mouse stays on it: its colours there count too
    expect(page).to_have_url(re.compile("reading=Expert"))
    settle(page)
    assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 0, "Expert, dark"
    assert violations(page) == [] and main.evaluate(UNNAMED) == []
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_axe_sees_what_is_wrong(open_page) -> None:
    page = open_page("about:blank")
    page.set_content("<html lang=en><title>Page</title><main><h1>Page</h1><button></button></main>")
    assert [one.split(":")[0] for one in violations(page)] == ["button-name"]


def test_from_the_first_stop_to_the_first_why_by_keys(server: str, open_page) -> None:
    page = open_page(f"{server}/Queries?q=SYN_011")
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


def test_the_guide_opens_and_closes(server: str, open_page) -> None:
    page = open_page(f"{server}/Queries")
    settle(page)
    page.get_by_role("button", name="Guide", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Explain a result", level=1)).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("heading", name="Queries", level=1)).to_be_visible()
