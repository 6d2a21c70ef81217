"""The guide beside the title of each page, and what makes the first visit quick."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from evalcore.ui.frame import ahead
from evalcore.ui.frame.guide import readable
from evalcore.ui.frame.pages import PAGES, Page
from evalcore.values.bundled import FRONT, document
from tests.ui.conftest import ROOT


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.key)
def test_every_page_has_a_guide_that_names_it_and_at_simple_no_options(page: Page) -> None:
    head = document(page.guide).splitlines()[:4]
    assert head[2].startswith(f"*{page.question}* ") and f"**{page.title}**" in head[2], head
    text = readable(page.guide, commands=False)
    assert re.findall(r"`[^`\n|]*--\w|^```|\bcommands? `|^cuiscope ", text, flags=re.M) == []
    assert len(text.split()) > 100 and re.search(r"^## ", text, flags=re.M)


def test_nothing_in_a_guide_needs_a_file_beside_it() -> None:
    """Links to other pages, pictures and comments are of no use in a dialog."""
    for page in (FRONT / "docs").rglob("*.md"):
        name = page.relative_to(FRONT / "docs").with_suffix("").as_posix()
        prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", readable(name), flags=re.S | re.M)
        assert re.findall(r"\]\((?!https?:)|<!--|!\[", prose) == [], name
        assert re.findall(r"\$|:[a-z]+\[|:material/", prose) == [], (
            f"{name}: the page would take these as its own"
        )


def test_the_code_of_every_page_is_loaded_ahead() -> None:
    loaded = {name: import_module(name) for name in ahead.code_of_pages()}
    shown = {page.show.partition(":")[0] for page in PAGES if page.show}
    imported = {
        name
        for file in (ROOT / "pages").glob("*.py")
        for name in re.findall(r"^from (evalcore\.ui\.\S+) import", file.read_text(), re.MULTILINE)
    }
    assert shown and len(imported) > 5 and shown | imported <= set(loaded)


def test_no_rule_for_every_page_asks_what_the_whole_of_it_has() -> None:
    """Else each change anywhere on a page has all its elements styled anew."""
    whole = r"(html|body|#root|\.stApp|\[data-testid=\"?stAppViewContainer\"?\])"
    asks = re.compile(rf"{whole}(:not\()?:has\(")
    assert asks.search(".x, .stApp:has(.y) .z {}") and asks.search("html:not(:has(b)) {}")
    assert not asks.search((ROOT / "evalcore/ui/frame/look.css").read_text())
