"""The concepts page in a browser: boxes, bars, marks and cells can be selected."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

CT, IMAGING, CHEST_FILM = "C0040405", "C0011923", "C0039985"
WAIT = 60_000
"""Milliseconds: on a busy machine the figures of the first page come late."""


def select(page, place) -> None:
    """Move to the middle of something and click it, as a hand would: figures need the move first."""
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x - 2, y - 2)
    page.wait_for_timeout(300)
    page.mouse.move(x, y)
    page.mouse.click(x, y)


def test_a_box_of_the_path_becomes_the_end(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts?from={CT}&to={CHEST_FILM}")
    figure = page.locator(".js-plotly-plot").first
    expect(figure.get_by_text("From X-ray computed tomography to Plain chest x-ray")).to_be_visible(
        timeout=WAIT
    )
    select(page, figure.get_by_text("Diagnostic imaging", exact=True).last)
    expect(page).to_have_url(re.compile(f"to={IMAGING}"), timeout=WAIT)
    expect(page.get_by_text("1 step apart", exact=False).first).to_be_visible(timeout=WAIT)


def test_a_cell_of_the_distance_map_opens_the_path(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts?about=Distances&image_a=SYN_110&image_b=SYN_028")
    figure = page.locator(".js-plotly-plot").nth(1)
    expect(figure.get_by_text("Steps between the concepts of two images")).to_be_visible(timeout=WAIT)
    select(page, figure.locator(".annotation-text").filter(has_text="1").first)
    expect(page).to_have_url(re.compile("from=C[0-9]+&to=C[0-9]+"), timeout=WAIT)
    expect(page.get_by_text("Clicking a box sets")).to_be_visible()


def test_a_mark_around_a_concept_becomes_the_centre(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts?about=Around+a+concept&concept={CT}&within=1")
    figure = page.locator(".js-plotly-plot").first
    expect(figure.get_by_text("Around X-ray computed tomography")).to_be_visible(timeout=WAIT)
    select(page, figure.locator(".scatterlayer path.point").nth(1))
    expect(page).to_have_url(re.compile(f"concept=(?!{CT})C[0-9]+"), timeout=WAIT)


def test_a_slip_of_the_pen_finds_the_concept(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts")
    typed = page.get_by_label("From: name or CUI")
    typed.fill("pneumona")
    typed.press("Enter")
    expect(page).to_have_url(re.compile("from=C0032285"), timeout=WAIT)


def test_a_link_is_looked_at_and_left_out(server: str, open_page) -> None:
    page = open_page(f"{server}/Concepts?about=What+the+graph+does")
    figure = page.locator(".js-plotly-plot").first
    expect(figure.get_by_text("Links that change the most")).to_be_visible(timeout=WAIT)
    select(page, figure.locator(".barlayer path").nth(2))
    expect(page).to_have_url(re.compile("link=C[0-9]+-C[0-9]+"), timeout=WAIT)
    page.get_by_role("button", name=re.compile("^Leave out|link_off.*Leave out")).first.click()
    expect(page).to_have_url(re.compile("off=C[0-9]+-C[0-9]+"), timeout=WAIT)
    expect(page.get_by_text("Scores without the link left out")).to_be_visible(timeout=WAIT)
