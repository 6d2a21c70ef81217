"""The settings of Robustness in Chromium: background work ends in figures and leaves widgets alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import settle

pytestmark = pytest.mark.browser


def test_a_link_on_a_fresh_server_computes_and_keeps_what_it_says(fresh_server: str, open_page) -> None:
    page = open_page(f"{fresh_server}/Robustness?alpha=0.3&k=7&reach=1&reach=2")
    expect(page.get_by_role("heading", name="Robustness", level=1)).to_be_visible()
    expect(page.get_by_text(re.compile("leads on .* 41 settings"))).to_be_visible()
    expect(page.get_by_text("42 settings tried, 41 of them different")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    # The page was drawn anew by a fragment, after which number inputs once showed their smallest value.
    expect(page.get_by_role("spinbutton", name="Top results counted (k)")).to_have_value("7")
    expect(page.get_by_text("0.30", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("k=7"))
    expect(page).to_have_url(re.compile("alpha=0.3"))


MOVED = """plot => {
  const mark = () => plot.querySelector(".scatterlayer .point").getAttribute("transform");
  const first = mark();
  window.__moved = null;
  const look = () => {
    if (mark() === first) requestAnimationFrame(look);
    else window.__moved = [mark(), { ...plot.layout.meta }];
  };
  look();
}"""
"""Notes the first mark of the curves when it moves, with the setting that the server has drawn by then."""


def test_the_curves_follow_a_slider_before_the_server_answers(server: str, open_page) -> None:
    page = open_page(f"{server}/Robustness")
    plot = page.locator(".st-key-lines-now .js-plotly-plot")
    expect(plot.locator(".scatterlayer .point").first).to_be_visible()
    for key, old in ("alpha", 0.5), ("threshold", 1):
        settle(page)
        plot.evaluate(MOVED)
        page.locator(f".st-key-{key}").get_by_role("slider").press("ArrowRight")
        place, drawn = page.wait_for_function("window.__moved").json_value()
        assert drawn[key] == old, "the server has not drawn it yet"
        expect(page).to_have_url(re.compile(f"{key}="))
        page.wait_for_function(
            "([key, old]) => document.querySelector('.st-key-lines-now .js-plotly-plot')"
            "?.layout.meta[key] !== old",
            arg=[key, old],
        )
        settle(page)
        confirmed = plot.locator(".scatterlayer .point").first.get_attribute("transform")
        assert numbers(place) == pytest.approx(numbers(confirmed), abs=1.5)


def numbers(text: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?[\d.]+", text)]


def test_long_work_goes_on_while_another_page_is_read(server: str, open_page) -> None:
    page = open_page(f"{server}/Robustness?step=0.05&reach=0&reach=1&reach=2&reach=3&reach=4")
    expect(page.get_by_role("heading", name="Robustness", level=1)).to_be_visible()
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_role("link", name="Data").click()
    expect(page.get_by_role("heading", name="Data", level=1)).to_be_visible()
    sidebar.get_by_role("link", name="Robustness").click()
    expect(page.get_by_text(re.compile("leads on .* 81 settings"))).to_be_visible()
