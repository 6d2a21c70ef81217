"""The concepts page in a browser: boxes, bars, marks and cells can be selected."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import select, settle

pytestmark = pytest.mark.browser

CT, IMAGING, CHEST_FILM = "C0040405", "C0011923", "C0039985"


def figure(page, title: str):
    """The figure with these words in it."""
    found = page.locator(".js-plotly-plot").filter(has_text=title)
    expect(found).to_be_visible()
    return found


def test_a_box_of_the_path_becomes_the_end_and_a_word_the_beginning(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts?from={CT}&to={CHEST_FILM}")
    drawn = figure(page, "From X-ray computed tomography to Plain")
    select(drawn.get_by_text("Diagnostic imaging", exact=True).last, until=re.compile(f"to={IMAGING}"))
    expect(page.get_by_text("1 step apart", exact=False).first).to_be_visible()
    settle(page)
    # A slip of the pen finds the concept.
    typed = page.get_by_label("From: name or CUI")
    typed.fill("pneumona")
    typed.press("Enter")
    expect(page).to_have_url(re.compile("from=C0032285"))


def test_a_cell_of_the_distance_map_opens_the_path(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts?about=Distances&image_a=SYN_110&image_b=SYN_028")
    drawn = figure(page, "Steps between the concepts of two images")
    select(
        drawn.locator(".annotation-text").filter(has_text="1").first,
        until=re.compile("from=C[0-9]+&to=C[0-9]+"),
    )
    expect(page.get_by_text("Select a box to set it as")).to_be_visible()


def test_a_mark_around_a_concept_becomes_the_centre(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts?about=Around+a+concept&concept={CT}&within=1")
    drawn = figure(page, "Around X-ray computed tomography")
    select(drawn.locator(".scatterlayer path.point").nth(1), until=re.compile(f"concept=(?!{CT})C[0-9]+"))
