"""Every page in every view, opened once as a link opens it and once with an address that means nothing.

Of the usual one: its headings skip no level, one of a thing is said in the singular, nothing of the address
is lost. Of the other: what cannot be meant is replaced by the usual value.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

import evalcore.ui
from evalcore.features.review.page_desk import READER
from evalcore.ui.frame.pages import FIND
from evalcore.ui.frame.state import METRIC, STUDY, Key
from tests.ui.conftest import HOSTILE_VALUES, Open, rows_of_table, sent, widgets


def _keys() -> list[str]:
    """Every key that some page of the program carries in its address."""
    keys = set()
    for info in pkgutil.walk_packages(evalcore.ui.__path__, "evalcore.ui."):
        module = importlib.import_module(info.name)
        keys |= {value for value in vars(module).values() if isinstance(value, Key)}
    return sorted(keys)


KEYS = _keys()
OF_ANY_TEXT = {STUDY, FIND, METRIC, READER}
"""Another study, words to search for, a measure to mend and a reader are no mistake: they have tests of their
own."""
VIEWS = rows_of_table("views.csv")
"""Addresses that open a view, and words that only this view shows. (Links to what is in a fold open it, also
links with a wrong value.)"""
LONGEST, MOST = 500_000, 1_000
"""Characters and values beyond which Streamlit itself drops an address (512 thousand characters)."""
MANY = re.compile(
    r"(?<![\w.,@−-])1\**"
    r" (common |judged |annotated )?(queries|images|results|pairs|systems|concepts|readers|labels|links|steps"
    r"|measures|groups|votes|candidates|captions|files|rows|settings|seeds|judgments|resamples|are|have)\b"
)


def levels(block: Any) -> Iterator[int]:
    """The levels of all headings below a block, in the order of the page; a dialog's title is one of two."""
    if getattr(block, "type", "") == "dialog":
        yield 2
    tag = getattr(block, "tag", None)
    if getattr(block, "type", "") == "heading" or tag in {"h1", "h2", "h3"}:
        yield int(str(tag)[1:])
    for _, child in sorted(getattr(block, "children", {}).items()):
        yield from levels(child)


def test_the_checkers_see_what_is_wrong() -> None:
    def page() -> None:
        import streamlit as st

        st.title("a")
        with st.container():
            st.subheader("b")
        st.header("c")

    assert list(levels(AppTest.from_function(page).run().main)) == [1, 3, 2]
    assert all(map(MANY.search, ("over 1 queries", "**1** common queries", "**1** are poor")))
    assert not MANY.search("1 query, 0.1 images, 21 pairs, 1,001 images, P@1 results")


Addresses = Iterator[dict[str, object]]


def mixed(view: int, opens: dict[str, str]) -> Addresses:
    """An address in which every key of the program has a hostile value, another one in the next view."""
    keys = [key for key in KEYS if key not in {*opens, *OF_ANY_TEXT}]
    values = [*HOSTILE_VALUES.values()]
    address = {key: values[(at + view) % len(values)] for at, key in enumerate(keys)}
    texts = [text for value in address.values() for text in ([value] if isinstance(value, str) else value)]
    assert sum(map(len, texts)) < LONGEST and len(texts) + len(opens) < MOST, "Streamlit drops it"
    yield address


def each(_view: int, opens: dict[str, str]) -> Addresses:
    """Every hostile value for every key of the program, in as few addresses as Streamlit lets through."""
    keys = [key for key in KEYS if key not in {*opens, *OF_ANY_TEXT}]
    for value in HOSTILE_VALUES.values():
        size = LONGEST // max(len(value), 1) if isinstance(value, str) else (MOST - len(opens)) // len(value)
        for start in range(0, len(keys), size):
            yield dict.fromkeys(keys[start : start + size], value)


@pytest.mark.parametrize("addresses", [mixed, pytest.param(each, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("view", range(len(VIEWS)), ids=[view["address"] for view in VIEWS])
def test_every_view(
    open_tiny: Open, view: int, addresses: Callable[[int, dict[str, str]], Addresses]
) -> None:
    (page, _, address), words = VIEWS[view]["address"].partition("?"), VIEWS[view]["words"]
    opens = dict(parse_qsl(address))
    usual = open_tiny(page, link={**opens, "k": "1"})
    if words:  # a usual value leaves the address
        assert {key: usual.query_params[key] for key in opens} == opens
    text = "\n".join(sent(usual._tree))
    assert words in text
    assert not (plural := MANY.search(text)), text[max(0, plural.start() - 80) : plural.end() + 40]
    on_page, all_levels = list(levels(usual.main)), list(levels(usual._tree))
    assert on_page[0] == 1 and on_page.count(1) == 1
    assert ("why" in opens) == (len(all_levels) > len(on_page)), "the drawer has headings of its own"
    assert max((after - before for before, after in pairwise(all_levels)), default=0) <= 1, all_levels
    for other in addresses(view, {**opens, "k": "1"}):
        app = open_tiny(page, link={**other, **opens, "k": "1"})
        assert not app.error
        now, before = widgets(app), widgets(usual)  # a key can open the part of the page it is about
        assert {key: now[key] for key in before} == before
        assert [title.value for title in app.title] == [title.value for title in usual.title]
