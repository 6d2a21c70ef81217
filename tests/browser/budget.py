"""How much a page says: words, widgets and figures of its main part, as drawn."""

from __future__ import annotations

from playwright.sync_api import Page

from evalcore.values.writing import words
from tests.browser.hand import script

MOST = {"words": 250, "widgets": 15, "figures": 2}
"""What a page may say at Simple when it is opened."""
WIDGETS = words(
    """
    stBaseButton-secondary, stBaseButton-primary, stBaseButton-tertiary, stSelectbox, stMultiSelect,
    stSlider, stTextInput, stTextArea, stNumberInput, stCheckbox, stRadio, stButtonGroup,
    stFileUploader, stDownloadButton, stPopoverButton, stTabs, stPageLink
    """
)
"""Test ids of Streamlit's widgets; pills or tabs are one widget, and so is a component of our own."""

COUNT = script("count")


def counted(page: Page) -> dict[str, int]:
    """Words outside figures and tables' cells, widgets, and figures that are visible in the main part.

    Words in figures and table cells are data; labels of widgets, captions, headings and links count.
    """
    result: dict[str, int] = page.evaluate(COUNT, list(WIDGETS))
    return result
