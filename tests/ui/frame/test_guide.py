"""The guide beside the title of each page: a page of docs in a dialog, without a network."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.frame.guide import readable
from evalcore.ui.frame.pages import PAGES
from evalcore.values.bundled import FRONT, document

Open = Callable[..., AppTest]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.key)
def test_every_page_has_a_guide_that_names_it_and_its_question(page) -> None:
    head = document(page.guide).splitlines()[:4]
    assert head[2].startswith(f"*{page.question}* ") and f"**{page.title}**" in head[2], head


def test_the_guide_opens(open_app: Open, study_folder) -> None:
    app = open_app("pages/1_Queries.py", study=study_folder)
    assert not any(one.value.startswith("# Explain a result") for one in app.markdown)
    app.button(key="guide").click().run()
    assert not app.exception
    assert any(one.value.startswith("# Explain a result") for one in app.markdown)


def every_document() -> list[str]:
    docs = FRONT / "docs"
    return [page.relative_to(docs).with_suffix("").as_posix() for page in docs.rglob("*.md")]


@pytest.mark.parametrize("name", every_document())
def test_nothing_in_a_guide_needs_a_file_beside_it(name: str) -> None:
    """Links to other pages, pictures and comments are of no use in a dialog."""
    text = readable(name)
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.S | re.M)
    assert re.findall(r"\]\((?!https?:)|<!--|!\[", prose) == []
    assert re.findall(r"\$|:[a-z]+\[|:material/", prose) == [], "the page would take these as its own"


def test_what_is_not_there_is_empty() -> None:
    assert document("how-to/none") == ""
