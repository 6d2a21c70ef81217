"""The concepts page in a browser: boxes can be selected."""

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


def test_a_neighbour_of_a_concept_becomes_the_end(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts?from={CT}&to={CT}")
    drawn = figure(page, "Around X-ray computed tomography")
    select(drawn.locator(".scatterlayer path.point").nth(1), until=re.compile(f"to=(?!{CT})C[0-9]+"))
    expect(page.get_by_text("1 step apart", exact=False).first).to_be_visible()
