"""One of a thing is said in the singular, where pages count results, pairs and queries."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import sent

Open = Callable[..., AppTest]
VIEWS: list[tuple[str, dict[str, str]]] = [
    ("app.py", {"look": "Under other measures"}),
    ("pages/1_Data.py", {"part": "Coverage"}),
    ("pages/2_Compare.py", {"reading": "Technical"}),
    ("pages/8_Queries.py", {}),
    ("pages/3_Query.py", {"q": "q1", "why": "q2"}),
    ("pages/4_Sensitivity.py", {"part": "Retrieval by nn-IoU"}),
    ("pages/5_Measures.py", {}),
    ("pages/5_Measures.py", {"view": "Places of systems"}),
    ("pages/5_Measures.py", {"view": "Telling systems apart", "reading": "Technical"}),
]
MANY = re.compile(
    r"(?<![\w.,@−-])1\**"
    r" (common |judged |annotated )?(queries|images|results|pairs|systems|concepts|readers|labels|links|steps"
    r"|measures|groups|votes|candidates|captions|files|rows|settings|seeds|judgments|resamples|are|have)\b"
)


def test_it_knows_a_plural() -> None:
    assert (
        MANY.search("over 1 queries")
        and MANY.search("**1** common queries")
        and MANY.search("**1** are poor")
    )
    assert not MANY.search("1 query, 0.1 images, 21 pairs, 1,001 images, P@1 results")


@pytest.mark.parametrize(("page", "link"), VIEWS)
def test_one_is_singular(open_app: Open, study_folder: Path, page: str, link: dict[str, str]) -> None:
    app = open_app(page, study=study_folder, link={**link, "k": "1"})
    assert not app.exception
    text = "\n".join(sent(app._tree))
    assert not (found := MANY.search(text)), text[max(0, found.start() - 80) : found.end() + 40]
