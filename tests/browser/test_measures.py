"""The measures page as a user meets it: by its address, from part to part, on to an explanation."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import settle

pytestmark = pytest.mark.browser


def test_from_a_disagreement_to_its_explanation(server: str, open_page) -> None:
    page = open_page(f"{server}/Robustness?part=measures&alpha=0.3&view=agreement")
    expect(page.get_by_role("heading", name="Robustness", level=1)).to_be_visible()
    page.get_by_text("Pairs of images on which two measures disagree").click()
    expect(page.get_by_text("Select a ring to see why.")).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(2)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    settle(page)
    ring = page.locator(".st-key-cloud .scatterlayer .trace").last.locator(".point").first
    ring.scroll_into_view_if_needed()
    box = ring.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("heading", name="Queries", level=1)).to_be_visible()
    expect(page.get_by_text("Why does this image count?")).to_be_visible()
    expect(page).to_have_url(re.compile(r"why=SYN_\d+"))
    expect(page).to_have_url(re.compile(r"alpha=0\.3"))


def test_part_and_choices_stay_in_the_address(server: str, open_page) -> None:
    page = open_page(f"{server}/Robustness?part=measures&view=power&reading=Expert")
    # While a part is being drawn, the sentence of the part before it is still there.
    lead = page.locator(".st-key-lead")
    expect(lead.filter(has_text="pairs of systems")).to_be_visible()
    settle(page)
    page.get_by_role("radio", name="Ranking of systems").click()
    expect(lead.filter(has_text="is best under all 8 measures")).to_be_visible()
    expect(page).not_to_have_url(re.compile("view="))
    settle(page)
    page.get_by_role("tab", name="As in the paper").click()
    expect(lead.filter(has_text="Searching by")).to_be_visible()
    expect(page).to_have_url(re.compile("part=paper"))
    page.reload()
    expect(lead.filter(has_text="Searching by")).to_be_visible()
    expect(page.get_by_role("tab", name="As in the paper")).to_have_attribute("aria-selected", "true")
