"""The overview's figure in Chromium follows the sliders, and shows what the server then draws."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.hand import settle

pytestmark = pytest.mark.browser

WATCH = """() => {
  const figure = () => document.querySelector(".st-key-dots .js-plotly-plot");
  const all = name => [...figure().querySelectorAll(name)];
  const meta = () => figure()?.layout?.meta && JSON.stringify(figure().layout.meta);
  const place = text => Math.round(text.getBoundingClientRect().y / 10);
  const words = () => all(".gtitle, .xtick text, .ytick text, .annotation-text")
    .map(text => `${place(text)} ${text.textContent}`).sort();
  const marks = () => all(".scatterlayer .point").map(mark => mark.getAttribute("transform")).sort();
  const seen = () => ({ at: performance.now(), words: words(), marks: marks() });
  const first = JSON.stringify(words()), own = meta();
  window.__moved = window.__drawn = null;
  const look = () => {
    if (meta() && meta() !== own) return void (window.__drawn = seen());
    if (!window.__moved && JSON.stringify(words()) !== first) window.__moved = seen();
    requestAnimationFrame(look);
  };
  look();
}"""
"""Notes what the figure shows when it first changes, and once the server has drawn it."""


@pytest.mark.parametrize(("address", "key"), [("", "k"), ("?reading=Expert", "alpha")])
def test_the_first_figure_shows_a_new_setting_before_the_server_has_drawn_it(
    server: str, open_page, address: str, key: str
) -> None:
    page = open_page(f"{server}/{address}")
    plot = page.locator(".st-key-dots .js-plotly-plot")
    expect(plot.locator(".annotation-text").first).to_be_visible()
    page.locator(".st-key-follow-dots [data-testid=stBidiComponentIsolated]").wait_for(state="attached")
    settle(page)
    page.evaluate(WATCH)
    if key == "k":
        page.get_by_test_id("stNumberInputStepUp").click()
    else:
        page.locator(f".st-key-{key}").get_by_role("slider").press("ArrowRight")
    drawn = page.wait_for_function("window.__drawn", timeout=30_000).json_value()
    moved = page.evaluate("window.__moved")
    assert moved["at"] < drawn["at"]
    # How far systems are from each other is not known before: the server says it.
    known = [words for words in moved["words"] if not words.endswith("…")]
    assert len(moved["words"]) == len(drawn["words"]) > len(known) and set(known) <= set(drawn["words"])
    for ours, confirmed in zip(moved["marks"], drawn["marks"], strict=True):
        assert numbers(ours) == pytest.approx(numbers(confirmed), abs=1)


def numbers(place: str) -> list[float]:
    return [float(word) for word in place.removeprefix("translate(").removesuffix(")").split(",")]
