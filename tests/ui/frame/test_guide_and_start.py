"""The guide beside the title of each page, and what makes the first visit quick."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

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


class Server:
    """Streamlit's runtime as a visitor meets it: each page takes so many seconds, by its address."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds, self.seen, self.open = seconds, [], False

    def connect_session(self, client, _user) -> str:
        self.client, self.open = client, True
        return "session"

    def handle_backmsg(self, session, message) -> None:
        page = message.rerun_script.page_name
        self.seen.append(page)
        drawn = partial(self.client.write_forward_msg, ForwardMsg(script_finished=0))
        asyncio.get_running_loop().call_later(self.seconds.get(page, 0), drawn)

    def close_session(self, session) -> None:
        self.open = False


@pytest.mark.parametrize("slow", ["", "Concepts"])
def test_other_pages_are_drawn_after_the_first_until_one_is_slow(slow, monkeypatch) -> None:
    server = Server({slow: 1.0})
    for name, value in (("CALM", 0), ("SLOW", 0.5 if slow else 9), ("code_of_pages", list)):
        monkeypatch.setattr(ahead, name, value)
    monkeypatch.setattr(ahead.Runtime, "instance", lambda: server)
    with ThreadPoolExecutor() as apart:  # a browser of other tests may have a loop running here
        apart.submit(lambda: asyncio.run(ahead._draw())).result()
    every = ["", "Queries", "Robustness", "Concepts", "Readers", "Data", "Challenge"]
    assert server.seen == (every[:4] if slow else every) and not server.open


def test_no_rule_for_every_page_asks_what_the_whole_of_it_has() -> None:
    """Else each change anywhere on a page has all its elements styled anew."""
    whole = r"(html|body|#root|\.stApp|\[data-testid=\"?stAppViewContainer\"?\])"
    asks = re.compile(rf"{whole}(:not\()?:has\(")
    assert asks.search(".x, .stApp:has(.y) .z {}") and asks.search("html:not(:has(b)) {}")
    assert not asks.search((ROOT / "evalcore/ui/frame/look.css").read_text())
