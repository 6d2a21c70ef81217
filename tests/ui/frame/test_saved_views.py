"""Views kept with the study, from the sidebar: saved with address, tags and note, opened, deleted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.study.workspace import workspace
from evalcore.study.workspace.views import read_views
from tests.ui.conftest import HOSTILE, said, write_study

Open = Callable[..., AppTest]


@pytest.fixture
def mine() -> Path:
    return write_study(workspace.study_folder("mine"))


def save(app: AppTest, name: str, tags: str = "", note: str = "") -> AppTest:
    app.text_input(key="view_name").set_value(name)
    app.text_input(key="view_tags").set_value(tags)
    app.text_area(key="view_note").set_value(note)
    (button,) = [one for one in app.button if one.label == "Save this view"]
    return button.click().run()


def test_a_view_is_saved_and_opens_as_it_was(open_app: Open, mine: Path) -> None:
    app = open_app(link={"study": "mine", "k": "3", "where": "organ=chest", "baseline": "beta"})
    app = save(app, "Chest", "paper, figure 2, paper", HOSTILE)
    assert not app.exception
    (view,) = read_views(mine)[0]
    assert (view.name, view.page, view.tags, view.note) == ("Chest", "home", ("paper", "figure 2"), HOSTILE)
    assert view.address == {"k": ("3",), "where": ("organ=chest",), "baseline": ("beta",)}
    assert view.settings.chosen["metric"] == ["nnCUI@3"] and view.settings.chosen["baseline"] == "beta"
    other = open_app(link={"study": "mine", "alpha": "0.9", "where": "organ=head"})
    assert other.slider(key="alpha").value == 0.9
    other.button(key="open-view-0").click().run()
    assert not other.exception
    assert other.number_input(key="k").value == 3 and other.slider(key="alpha").value == 0.5
    assert other.multiselect(key="where").value == ["organ=chest"]
    assert other.selectbox(key="baseline").value == "beta"
    assert "![x](http" not in said(other), "a note is no Markdown"


def test_names_and_tags_of_others_are_no_markdown(open_app: Open, mine: Path) -> None:
    (mine / "views.toml").write_text(
        "[views.'![x](http://evil.example/x.png)']\npage = 'nowhere'\n"
        "tags = [']:red[a](http://evil.example)', '<img src=x>']\n"
    )
    app = open_app(link={"study": "mine"})
    assert not app.exception and "delete-view-0" in {one.key for one in app.button}
    assert "open-view-0" not in {one.key for one in app.button}, "there is no such page"
    shown = said(app)
    assert shown.count("<img") == shown.count("\\<img") == 1
    assert "](http" not in shown and ":red[a" not in shown and "evil" in shown


def test_a_view_can_go(open_app: Open, mine: Path) -> None:
    app = save(open_app(link={"study": "mine"}), "One")
    app.button(key="delete-view-0").click().run()
    assert not app.exception and read_views(mine)[0] == ()


def test_a_view_without_a_name_is_refused_in_words(open_app: Open, mine: Path) -> None:
    app = save(open_app(link={"study": "mine"}), "  ")
    assert "needs a name" in said(app) and not (mine / "views.toml").exists()


def test_a_folder_opened_in_place_is_asked_for_first(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder)
    assert not [one for one in app.text_input if one.key == "view_name"]
    (allow,) = [one for one in app.checkbox if str(one.key).startswith("allow-views")]
    allow.check().run()
    save(app, "Here")
    assert [one.name for one in read_views(study_folder)[0]] == ["Here"]


def test_the_question_stands_twice_on_the_data_page_and_both_say_the_same(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app("pages/1_Data.py", study=study_folder, part="Systems")
    for answer in (True, False):
        first = next(one for one in app.checkbox if str(one.key).startswith("allow-views"))
        (first.check() if answer else first.uncheck()).run()
        assert {one.value for one in app.checkbox if str(one.key).startswith("allow-")} == {answer}
        assert len([one for one in app.checkbox if str(one.key).startswith("allow-")]) == 2


def test_the_sample_stays_as_it_is(open_app: Open) -> None:
    app = open_app()
    assert not [one for one in app.text_input if one.key == "view_name"]
    assert "sample study is part of the program" in said(app)
