"""What a study lacks is said, and its pages open with what is left."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evalcore.study.parts.registry import IN_UPLOADS, KINDS
from tests.other_schemes import write_envo, write_wordnet
from tests.ui.conftest import CHEST, HEAD, MASS, NODULE, ROOT, Open, said, write_study

MEASURES = "pages/2_Robustness.py?part=measures"
NO_CONCEPTS = "**No image has concepts yet.**"


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The tiny study, each time without one of its parts."""
    home = tmp_path_factory.mktemp("studies")
    made = {name: write_study(home / name) for name in ("concepts", "labels")}
    for name, folder in made.items():
        (folder / f"{name}.csv").unlink()
    made["systems"] = write_study(home / "systems", systems=False, pictures=False)
    made["graph"] = write_study(home / "graph", graph=False)
    made["graph, but neighbours"] = write_study(home / "neighbours", graph=False)
    rows = f"{NODULE},{MASS},1\n{HEAD},{CHEST},1\n"
    (home / "neighbours/neighbours.csv").write_text(f"cui,neighbour,distance\n{rows}")
    return made


@pytest.mark.parametrize(
    ("without", "page", "link", "shown"),
    [
        ("concepts", "app.py", {}, (NO_CONCEPTS, "Which system finds the better images?", "alpha")),
        ("concepts", "pages/1_Queries.py", {"how": "open"}, (NO_CONCEPTS, "alpha")),
        ("concepts", "pages/1_Queries.py", {"q": "q1", "why": "q2"}, (NO_CONCEPTS, "alpha")),
        ("labels", "pages/2_Robustness.py", {"part": "paper", "paper": "curves"}, ("No labels",)),
        ("systems", "app.py", {}, ("@nn\\-iou",)),
        ("systems", "pages/1_Queries.py", {}, ()),
        ("systems", "pages/3_Concepts.py", {"reading": "Expert"}, ()),
        ("systems", MEASURES, {"view": "ranking"}, ("No systems to compare",)),
        ("systems", MEASURES, {"view": "power"}, ("No systems to compare",)),
        ("graph", "app.py", {}, ("no graph",)),
        ("graph", "pages/2_Robustness.py", {"part": "settings"}, ("Nothing to vary",)),
        ("graph", "pages/3_Concepts.py", {}, ("This study has no concept graph",)),
        ("graph, but neighbours", "app.py", {}, ("neighbour dictionary",)),
        (
            "graph, but neighbours",
            "pages/1_Queries.py",
            {"q": "q1", "why": "q2"},
            ("closely related ones count in part",),
        ),
        (
            "graph, but neighbours",
            "pages/5_Data.py",
            {"part": "coverage"},
            ("a neighbour dictionary in place of a concept graph",),
        ),
    ],
)
def test_pages_say_so_and_go_on(
    open_app: Open,
    studies: dict[str, Path],
    without: str,
    page: str,
    link: dict[str, str],
    shown: tuple[str, ...],
) -> None:
    app = open_app(page, study=studies[without], link=link, more=True)
    assert not app.exception and not app.error
    assert [words for words in shown if words not in said(app)] == []


def test_weights_of_related_concepts_need_a_graph_or_a_dictionary(
    open_app: Open, studies: dict[str, Path]
) -> None:
    for without, disabled in (("graph", True), ("graph, but neighbours", False)):
        app = open_app(study=studies[without], more=True)
        assert app.slider(key="alpha").disabled == app.slider(key="threshold").disabled == disabled


@pytest.mark.parametrize(
    ("reading", "measures"), [("Simple", ["iou", "overlap"]), ("Expert", ["iou", "cosine", "overlap"])]
)
def test_measures_that_need_no_graph_are_left(
    open_app: Open, studies: dict[str, Path], reading: str, measures: list[str]
) -> None:
    app = open_app(MEASURES, study=studies["graph"], reading=reading)
    assert app.multiselect(key="yardsticks").value == measures


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
