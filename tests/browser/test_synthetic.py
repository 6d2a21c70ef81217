"""Generated images as a user meets them: the demonstration of the sample, measured while the page waits."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import settle

pytestmark = pytest.mark.browser


def test_the_demonstration_is_measured_and_its_parts_have_addresses(server: str, open_page) -> None:
    page = open_page(f"{server}/Generated_images?images=24&part=copies")
    expect(page.get_by_text("How similar are images of one group?").first).to_be_visible()
    settle(page)
    page.get_by_role("tab", name="Scores", exact=True).click()
    expect(page.get_by_text("How similar to the real images?").first).to_be_visible()
    expect(page).not_to_have_url(re.compile("part=copies"))
    expect(page.get_by_test_id("stException")).to_have_count(0)
