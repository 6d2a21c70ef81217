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
    ("app.py", {"look": "cutoffs"}),
    ("pages/5_Data.py", {"part": "coverage"}),
    ("app.py", {"reading": "Expert"}),
    ("pages/1_Queries.py", {}),
    ("pages/1_Queries.py?q=q1", {"q": "q1", "why": "q2"}),
    ("pages/2_Robustness.py", {"part": "Retrieval by nn-IoU"}),
    ("pages/2_Robustness.py?part=measures", {}),
    ("pages/2_Robustness.py?part=measures", {"view": "ranking"}),
    ("pages/2_Robustness.py?part=measures", {"view": "power", "reading": "Expert"}),
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
