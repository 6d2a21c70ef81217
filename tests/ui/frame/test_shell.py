"""The style sheet is quick; that the HTML file of the program has it in it: test_guard.py."""

from __future__ import annotations

import re

from tests.browser.conftest import ROOT

SHEET = ROOT.joinpath("evalcore", "ui", "frame", "look.css").read_bytes()


def test_no_rule_for_every_page_asks_what_the_whole_of_it_has() -> None:
    """Else each change anywhere on a page has all its elements styled anew."""
    whole = r"(html|body|#root|\.stApp|\[data-testid=\"?stAppViewContainer\"?\])"
    asks = re.compile(rf"{whole}(:not\()?:has\(")
    assert asks.search(".x, .stApp:has(.y) .z {}") and asks.search("html:not(:has(b)) {}")
    assert not asks.search(SHEET.decode())
