"""The page Results: its board, a closer look, and two systems."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore.study import open_study
from evalcore.ui.frame.measures import choices
from evalcore.ui.results.closer import KINDS, TITLES
from tests.ui.conftest import Open, figures, page_text, table_with


def test_simple_explains_p_and_expert_shows_it_with_the_whole_method(open_tiny: Open) -> None:
    few = {"p (Holm)", "Effect", "Undefined", "Unanswered"}
    for reading, shown in (("Simple", set()), ("Expert", few)):
        app = open_tiny(reading=reading)
        assert few & set(table_with(app, "Score ↑").columns) == shown
        heads = [note["text"] for note in figures(app)[0]["layout"]["annotations"]]
        assert ("p" in heads) == bool(shown)
    assert "Short lists" in table_with(app, "Score ↑").columns


def looks(app: AppTest) -> list[str]:
    """What can be looked at more closely."""
    (look,) = [group for group in app.get("button_group") if group.key == "look"]
    return list(look.options)


def test_without_kinds_it_is_not_offered(open_tiny: Open, open_app: Open, study_folder: Path) -> None:
    assert TITLES[KINDS] not in looks(open_tiny(closer="open"))
    assert TITLES[KINDS] in looks(open_app(closer="open"))
    assert not any("[" in choice.family for choice in choices(open_study(study_folder)))


# Two systems.


def test_two_systems_have_no_part_for_all_pairs_and_can_be_swapped(open_tiny: Open) -> None:
    app = open_tiny(a="alpha", b="beta")
    assert [tab.label for tab in app.tabs] == ["Two systems", "Groups of queries"]
    app.button(key="swap").click().run()
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == ("beta", "alpha")
    assert "**alpha** scores" in page_text(app)
