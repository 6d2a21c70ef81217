"""Terms found in a caption, as the browser draws them."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_link_to_a_caption_strikes_through_what_is_denied(server: str, open_page) -> None:
    page = open_page(f"{server}/Data?part=concepts&caption=SYN_105")
    caption = page.locator(".st-key-marked-caption")
    expect(caption.locator("del, s")).to_have_text(["lungs"], timeout=30_000)
    expect(page.get_by_text("left out: denied, because of")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
