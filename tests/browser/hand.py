"""What a hand does at a page: it waits until nothing moves, points, clicks, and tries again."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from evalcore.values.writing import words
from tests.running import WAIT_MS

AGAIN_MS = 15_000
"""How long a click may take to show its effect before it is made again."""


def script(name: str) -> str:
    """A function in JavaScript for a page, which says in its file what it is for."""
    return (Path(__file__).parent / "js" / f"{name}.js").read_text("utf-8")


LISTEN = script("listen")
BUSY = script("busy")
POINTED = """place => {
  const figure = place.closest(".js-plotly-plot");
  return !figure || (figure._hoverdata || []).length > 0;
}"""
"""Whether a figure knows which of its marks the mouse is on, without which a click says nothing."""

OVERLAPPING = script("overlapping")
UNNAMED = script("unnamed")


def settle(page: Page) -> None:
    """Wait until the page is drawn and nothing is computed any more, at five looks in a row."""
    end = time.monotonic() + WAIT_MS / 1000
    quiet = 0
    while quiet < 5:
        busy = page.evaluate(BUSY)
        quiet = 0 if busy else quiet + 1
        assert time.monotonic() < end, f"the page does not settle: {', '.join(busy)}"
        page.wait_for_timeout(30)


def title(page: Page) -> Locator:
    """The name of the page on view."""
    return page.get_by_role("heading", level=1)


def visit(page: Page, name: str) -> None:
    """Go to another page by its link in the sidebar."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
    expect(title(page)).to_have_text(name)
    settle(page)


def resize(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    settle(page)


def select(place: Locator, *, until: re.Pattern[str]) -> None:
    """Point at the middle of a mark of a figure and click it, until the address says that it was selected."""
    page = place.page
    assert not until.search(page.url), "the address says so already"
    for patience in (AGAIN_MS, AGAIN_MS, WAIT_MS):
        settle(page)
        x, y = _middle(place)
        page.mouse.move(x - 2, y - 2)
        page.mouse.move(x, y)
        _noticed(place)
        page.mouse.click(x, y)
        with suppress(AssertionError):
            expect(page).to_have_url(until, timeout=patience)
            return
    expect(page).to_have_url(until)


def _middle(place: Locator) -> tuple[float, float]:
    """The middle of something in the window, once its box has been the same at four looks in a row."""
    place.scroll_into_view_if_needed()
    before: Any = None
    same = 0
    end = time.monotonic() + WAIT_MS / 1000
    while same < 4:
        assert time.monotonic() < end, f"{place} does not stand still"
        box = place.bounding_box()
        same = same + 1 if box is not None and box == before else 0
        before = box
        place.page.wait_for_timeout(40)
    return before["x"] + before["width"] / 2, before["y"] + before["height"] / 2


def _noticed(place: Locator) -> None:
    """Wait until the figure has noticed the mouse; a figure that never does is clicked all the same."""
    handle = place.element_handle()
    end = time.monotonic() + AGAIN_MS / 1000
    while not handle.evaluate(POINTED) and time.monotonic() < end:
        place.page.wait_for_timeout(60)


def begin(page: Page, reader: str) -> None:
    """Give a code and wait for the first pictures."""
    code = page.get_by_role("textbox", name="Your reader code")
    expect(code).to_be_visible()
    settle(page)
    code.fill(reader)
    page.keyboard.press("Enter")
    expect(page.locator("[data-testid=stMain] .desk[data-item]")).to_be_visible()
    settle(page)


def item(page: Page) -> str:
    return page.locator(".desk").get_attribute("data-item") or ""


def answer(page: Page, *keys: str) -> None:
    """Press keys, the last of which saves, and wait for another item."""
    before = item(page)
    for key in keys:
        page.keyboard.press(key)
    page.locator(f'.desk:not([data-item="{before}"]):not([data-item=""])').wait_for()


def saved(page: Page) -> int:
    """How many answers the page calls saved, once it waits for none."""
    page.locator('.desk[data-waiting="0"]').wait_for(timeout=WAIT_MS)
    return int(page.locator(".desk").get_attribute("data-saved") or -1)


def choose(page: Page, *files: Path) -> None:
    """Two clicks: open the form, choose the files."""
    settle(page)
    page.get_by_role("link", name="New study").click()
    dropped = page.get_by_test_id("stMain").get_by_test_id("stFileUploaderDropzone")
    with page.expect_file_chooser() as chooser:
        dropped.get_by_test_id("stBaseButton-secondary").click()
    chooser.value.set_files(files)


def add(page: Page, *files: Path) -> None:
    """One click, when every file is listed with what it is."""
    button = page.get_by_role("button", name="Add and compare")
    expect(button).to_be_enabled()
    settle(page)
    for file in files:
        expect(page.locator(".st-key-files-to-add").get_by_text(file.name)).to_be_visible()
    button.click()


# How much a page says.

WIDGETS = words(
    """
    stBaseButton-secondary, stBaseButton-primary, stBaseButton-tertiary, stSelectbox, stMultiSelect,
    stSlider, stTextInput, stTextArea, stNumberInput, stCheckbox, stRadio, stButtonGroup,
    stFileUploader, stDownloadButton, stPopoverButton, stTabs, stPageLink
    """
)
"""Test ids of Streamlit's widgets; pills or tabs are one widget, and so is a component of our own."""


def counted(page: Page) -> dict[str, int]:
    """Words outside figures and tables' cells, widgets, and figures that are visible in the main part.

    Words in figures and table cells are data; labels of widgets, captions, headings and links count.
    """
    result: dict[str, int] = page.evaluate(script("count"), list(WIDGETS))
    return result
