"""The drawer "Why?": on to the next result of the same system, with the address; and whole captions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.components.places import Place, around, holding
from tests.ui.conftest import board, said, write_study

Open = Callable[..., AppTest]
PAGE = "pages/1_Queries.py?q=q1"
pytestmark = pytest.mark.usefixtures("whole_page_again")
PAIR = {"a": "alpha", "b": "beta"}
LONG = "Nodule in the chest, " + "seen in every plane, " * 30 + "and nothing else."


@pytest.fixture
def whole_page_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest cannot draw one fragment by its name: it draws the page, as without that order."""
    monkeypatch.setattr("evalcore.ui.query.why.st.rerun", lambda _: None)


def asked(app: AppTest) -> tuple[str, str]:
    """What the address says the drawer is about: the image, and the system where it is not the first."""
    image, system = (app.query_params.get(key, [""]) for key in ("why", "why_in"))
    return image[-1] if isinstance(image, list) else image, system[-1] if isinstance(system, list) else system


def shortcuts(app: AppTest) -> dict[str, str]:
    return {str(one.key): one.proto.shortcut for one in app.button if one.proto.shortcut}


def test_the_keys_go_through_the_list_of_the_system_that_was_asked_about(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(PAGE, study=study_folder, q="q1", **PAIR)
    assert shortcuts(app) == {"go-left": "left", "go-right": "right"}
    app = open_app(PAGE, study=study_folder, q="q1", why="q4", why_in="beta", **PAIR)  # beta: q4 q3 q5 q2
    assert asked(app) == ("q4", "beta") and "**B · beta**" in said(app)
    assert shortcuts(app) == {"why-left": "left", "why-right": "right"}, "the page hears the keys no more"
    assert app.button(key="why-left").disabled
    for image in ("q3", "q5", "q2"):
        app.button(key="why-right").click().run()
        assert asked(app) == (image, "beta") and not app.exception
    assert app.button(key="why-right").disabled
    app.button(key="why-left").click().run()
    link = open_app(PAGE, study=study_folder, **{**PAIR, "q": "q1", "why": "q5", "why_in": "beta"})
    assert asked(link) == asked(app) == ("q5", "beta")
    assert "**B · beta**" in said(link) and not link.button(key="why-left").disabled


def test_a_link_without_a_system_means_the_first_and_a_wrong_one_is_refused(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(PAGE, study=study_folder, q="q1", why="q2", **PAIR)
    assert asked(app) == ("q2", "") and app.button(key="why-left").disabled
    app = open_app(PAGE, study=study_folder, q="q1", why="q2", why_in="gamma", **PAIR)
    assert "why_in = gamma" in said(app) and "**A · alpha**" in said(app)


def test_an_image_on_no_list_is_explained_without_neighbours(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, q="q1", why="q6", **PAIR)
    assert not app.exception and app.metric
    assert not {"why-left", "why-right"} & {str(one.key) for one in app.button}


def test_results_the_study_does_not_know_are_passed_over() -> None:
    one, unknown, three = Place("A", "s", 1, 7), Place("A", "s", 2, -1), Place("A", "s", 3, 5)
    other = Place("B", "t", 1, 5)
    found = around([one, unknown, three, other], one)
    assert (found.before, found.after, found.n) == (None, three, 3)
    assert holding([one, unknown, three, other], 5) == [three, other]
    assert holding([unknown], -1) == []


def test_a_long_caption_is_shown_whole_on_demand(open_app: Open, tmp_path: Path) -> None:
    """In the drawer by a button; on the board the browser has all of it."""
    folder = write_study(tmp_path / "long")
    (folder / "captions.csv").write_text(f'ID,Caption\nq1,"{LONG}"\nq2,"{LONG}"\n')
    app = open_app(PAGE, study=folder, q="q1", link={"why": "q2"}, **PAIR)
    assert "nothing else" not in said(app) and "Nodule in the chest" in said(app)
    caption = board(app)["query"]["caption"]
    assert LONG.startswith(caption["short"].removesuffix("…")) and caption["whole"] == LONG
    button = app.button(key="caption-why-Result")
    assert button.label == "Show the whole caption"
    button.click().run()
    assert "nothing else" in said(app) and app.button(key="caption-why-Result").label == "Show less"
    app.button(key="caption-why-Result").click().run()
    assert "nothing else" not in said(app)
