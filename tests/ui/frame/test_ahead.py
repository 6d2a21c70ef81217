"""What the server does before its first visitor."""

from __future__ import annotations

import re
from importlib import import_module

from evalcore.ui.frame import ahead
from evalcore.ui.frame.pages import PAGES
from tests.ui.conftest import ROOT


def test_the_code_of_every_page_is_loaded_ahead() -> None:
    loaded = {name: import_module(name) for name in ahead.code_of_pages()}
    shown = {page.show.partition(":")[0] for page in PAGES if page.show}
    imported = {
        name
        for file in (ROOT / "pages").glob("*.py")
        for name in re.findall(r"^from (evalcore\.ui\.\S+) import", file.read_text(), re.MULTILINE)
    }
    assert shown and len(imported) > 5 and shown | imported <= set(loaded)
