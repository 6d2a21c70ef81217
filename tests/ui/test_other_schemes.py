"""Every page opens a study of synsets and one of CURIEs, and speaks of concept ids where they are no CUIs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from evalcore.study.parts.registry import IN_UPLOADS, KINDS
from tests.other_schemes import write_envo, write_wordnet
from tests.ui.conftest import ROOT, said

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

PAGES = ("app.py", *sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")))
WRITE = {"wordnet": write_wordnet, "ENVO": write_envo}
IMAGECLEF = "pages/6_Challenge.py"


@pytest.fixture(scope="module", params=WRITE)
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return WRITE[request.param](tmp_path_factory.mktemp("study") / request.param)


@pytest.mark.parametrize("page", PAGES)
def test_pages_open(open_app: Callable[..., AppTest], study: Path, page: str) -> None:
    app = open_app(page, study=study, reading="Expert")
    assert not app.exception
    assert study.name in said(app) or any(one.value == study.name for one in app.selectbox)
    words = [
        said(app),
        *(one.label for one in app.text_input),
        *(str(t.value.columns) for t in app.dataframe),
    ]
    if page != IMAGECLEF:  # which keeps its own rules
        # Not the measures, which are called nnCUI and CUI.
        assert (
            re.findall(
                r"(?<![@\w])(?:name or CUI|CUIs?\b(?![@\w]))", re.sub(r"CUIs; they", "", "\n".join(words))
            )
            == []
        )


def test_every_kind_of_file_is_offered_with_what_it_looks_like(open_app: Callable[..., AppTest]) -> None:
    app = open_app("pages/5_Data.py", link={"part": "new"})
    helps = "".join(uploader.proto.help for uploader in app.get("file_uploader"))
    for kind in IN_UPLOADS:
        assert f"**{KINDS[kind].title}**: " in helps
