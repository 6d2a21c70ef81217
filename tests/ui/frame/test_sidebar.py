"""The sidebar at its two levels of detail: little in Simple, the rest under More, the address as ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import Open, write_study


def labels(app: AppTest) -> list[str]:
    return [panel.label for panel in app.sidebar.expander]


def keys(place: object) -> set[str]:
    """The widgets of a place that hold a choice, by their keys."""
    kinds = ("selectbox", "multiselect", "number_input", "slider", "button_group")
    return {str(widget.key) for kind in kinds for widget in getattr(place, kind)}


def test_simple_shows_four_choices_and_expert_all(open_tiny: Open) -> None:
    closed = open_tiny()
    assert labels(closed) == ["More"] and not keys(closed.sidebar.expander[0]), "drawn when it is opened"
    app = open_tiny(more=True)
    (more,) = app.sidebar.expander
    assert keys(app.sidebar) - keys(more) == {"study", "reading", "systems", "measure", "k"}
    assert keys(more) >= {"baseline", "alpha", "threshold", "queries", "where"}
    expert = open_tiny(reading="Expert", more=True)
    assert labels(expert) == ["More settings"] and keys(expert.sidebar) >= keys(app.sidebar)


def test_the_first_systems_of_a_study_are_shown_at_once(open_app: Open, tmp_path: Path) -> None:
    """Until then the references are, which nobody chose."""
    folder = write_study(tmp_path / "new", systems=False)
    app = open_app(study=folder)
    assert app.multiselect(key="systems").value == ["@iou", "@nn-iou"]
    write_study(folder)
    app.run()
    assert app.multiselect(key="systems").value == ["alpha", "beta"]
    app.multiselect(key="systems").set_value(["beta"]).run()
    assert app.run().multiselect(key="systems").value == ["beta"], "what was chosen stays"


EVERYWHERE = {"study", "reading"}
RELATED = {"alpha", "threshold"}
USED = {
    "pages/5_Data.py": set(),
    "pages/7_Generated_images.py": {"where"},
    "pages/6_Challenge.py": RELATED,
    "pages/3_Concepts.py": {*RELATED, "where"},
    "pages/4_Readers.py": RELATED,
    "pages/2_Robustness.py": {*RELATED, "systems", "measure", "k", "baseline", "queries", "where"},
}
LINK = {"alpha": "0.3", "k": "5", "systems": "beta", "where": "organ=chest"}


@pytest.mark.parametrize(("page", "used"), USED.items(), ids=list(USED))
def test_a_page_shows_the_choices_it_uses_and_carries_all(open_tiny: Open, page: str, used: set[str]) -> None:
    app = open_tiny(page, link=LINK, more=True)
    assert keys(app.sidebar) == EVERYWHERE | used
    for key, value in LINK.items():
        assert app.query_params[key] in (value, [value]), "the next page gets it too"


def test_the_sidebar_stays_as_it_is_on_the_way_to_another_page(open_tiny: Open) -> None:
    """What has the same identity is kept by the browser; Streamlit gives a page's own widgets others."""
    apps = [open_tiny(), open_tiny("pages/1_Queries.py?q=q1")]
    ids: dict[str, set[str]] = {}
    for widget in (widget for app in apps for widget in (*app.selectbox, *app.multiselect)):
        ids.setdefault(str(widget.key), set()).add(widget.id)
    assert {name: len(ids[name]) for name in ("systems", "measure", "study", "a")} == {
        "systems": 1,
        "measure": 1,
        "study": 1,
        "a": 2,
    }
