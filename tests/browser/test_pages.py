"""Every page by its address, the keyboard, clicks in figures: as a user would, in Chromium."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import select, settle

pytestmark = pytest.mark.browser

PAGES = {
    "": "Results",
    "Queries": "Queries",
    "Robustness": "Robustness",
    "Concepts": "Concepts",
    "Readers": "Readers",
    "Data": "Data",
    "Challenge": "Challenge",
    "Generated_images": "Generated images",
}


def test_choices_stay_in_the_address_and_across_pages(server: str, open_page) -> None:
    page = open_page(server)
    alpha = page.locator(".st-key-alpha")
    settle(page)
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_text("More", exact=True).click()
    alpha.get_by_role("slider").press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"alpha=0\.45"))
    expect(sidebar.get_by_text("1 changed under “More”")).to_be_visible()
    expect(alpha.get_by_text("0.45")).to_be_visible()
    sidebar.get_by_role("link", name="Queries").click()
    expect(page.get_by_role("heading", name="Queries", level=1)).to_be_visible()
    expect(sidebar.get_by_text("1 changed under “More”")).to_be_visible()
    expect(page).to_have_url(re.compile(r"alpha=0\.45"))


SHIFTS = """() => {
  window.__shifted = 0;
  new PerformanceObserver(list => { for (const entry of list.getEntries()) window.__shifted += entry.value; })
    .observe({ type: "layout-shift" });
}"""
"""Adds up how much of the page moves from now on."""


def test_next_query_by_the_arrow_keys_but_not_while_typing(server: str, open_page) -> None:
    page = open_page(f"{server}/Queries?q=SYN_010")
    expect(page.get_by_text("SYN_010 · query 10 of 160")).to_be_visible()
    expect(page.get_by_role("button", name="Next")).to_be_visible()
    settle(page)
    page.evaluate(SHIFTS)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("SYN_011 · query 11 of 160")).to_be_visible()
    expect(page).to_have_url(re.compile("q=SYN_011"))
    settle(page)
    assert page.evaluate("window.__shifted") < 0.05, "nothing moves but the pictures that change"
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("SYN_010 · query 10 of 160")).to_be_visible()
    settle(page)
    # They do not while somebody types.
    page.get_by_role("button", name="Find").click()
    field = page.locator(".st-key-find input")
    field.click()
    before = page.evaluate("window.__sent")
    field.press("ArrowRight")
    page.wait_for_timeout(500)
    assert page.evaluate("window.__sent") == before, "the server hears nothing of it"
    expect(page.get_by_text("SYN_010 · query 10 of 160")).to_be_visible()


def test_a_click_on_a_bar_opens_that_query(server: str, open_page) -> None:
    page = open_page(f"{server}/")
    figure = page.locator(".js-plotly-plot", has=page.locator(".barlayer .point")).filter(
        has_text="queries, sorted by difference"
    )
    expect(figure).to_be_visible()
    settle(page)
    best_first = figure.evaluate("f => f.data.find(trace => trace.customdata).customdata[0]")
    select(figure.locator(".barlayer .point path").first, until=re.compile(f"q={best_first}"))
    expect(page.get_by_role("heading", name="Queries", level=1)).to_be_visible()


def test_a_click_on_a_cell_opens_the_query_with_that_system_first(server: str, open_page) -> None:
    page = open_page(f"{server}/Queries?systems=hog&systems=texture&systems=pixel-pca")
    figure = page.locator(".js-plotly-plot").filter(has_text="Every query under every system")
    expect(figure.locator(".scatterlayer .points path.point").first).to_be_attached()
    settle(page)
    carried = figure.evaluate("f => f.data.find(trace => trace.customdata).customdata")
    at = next(at for at, (_, system) in enumerate(carried) if system == "texture")
    query, system = carried[at]
    select(figure.locator(".scatterlayer .points path.point").nth(at), until=re.compile(f"q={query}"))
    expect(page.get_by_role("heading", name="Queries", level=1, exact=True)).to_be_visible()
    expect(page.get_by_text(f"A · {system}").first).to_be_visible()
    expect(page.get_by_text("3 of 5 systems shown").first).to_be_visible()


def test_a_row_a_system_with_five_across_and_the_rest_by_scrolling(server: str, open_page) -> None:
    page = open_page(f"{server}/Queries?q=SYN_011&a=hog&b=texture&also=pixel-pca&also=intensity-histogram")
    expect(page.get_by_role("heading", name="D · intensity-histogram")).to_be_visible()
    settle(page)
    rows = page.locator(".cuiscope-board .results")
    expect(rows).to_have_count(4)
    count = (
        "row => { const end = row.getBoundingClientRect().right; "
        "return [...row.children].filter(one => one.getBoundingClientRect().right <= end).length; }"
    )
    assert {row.evaluate(count) for row in rows.all()} == {5}
    assert rows.first.evaluate("row => row.children.length") == 10
    twice = page.locator(".result.shared").first.get_attribute("data-id")
    page.locator(f".result[data-id='{twice}'] button").first.hover()
    assert {cell.get_attribute("data-id") for cell in page.locator(".result.lit").all()} == {twice}
    main = page.get_by_test_id("stMain")
    for width in (600, 390):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page)
        assert main.evaluate("m => m.scrollWidth - m.clientWidth") <= 0
        assert rows.first.evaluate(count) >= 2


def test_why_opens_with_the_evidence_and_closes(server: str, open_page) -> None:
    page = open_page(f"{server}/Queries?q=SYN_001")
    expect(page.locator(".cuiscope-board .result img")).to_have_count(20)
    settle(page)
    tops = page.locator(".cuiscope-board .result .tile").evaluate_all(
        "tiles => tiles.map(tile => tile.getBoundingClientRect()).map(box => [box.top, box.width])"
    )
    assert min(top for top, _ in tops) <= 400 and min(width for _, width in tops) >= 140
    page.get_by_role("button", name="Open result 2 of B large").click()
    expect(page).to_have_url(re.compile("large=B2"))
    settle(page)
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("large="))
    settle(page)
    page.get_by_role("button", name="Why result 1 of A?").click()
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_text("Why does this image count?")).to_be_visible()
    expect(drawer.locator(".js-plotly-plot").first).to_be_visible()
    expect(page).to_have_url(re.compile("why=SYN_"))
    settle(page)
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
