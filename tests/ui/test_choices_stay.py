"""A choice on a page survives a visit to another page, also where its part is drawn after the first run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]


def pages() -> None:
    """Two pages in one script: the part with the choice is drawn when "late" is not set."""
    import streamlit as st

    from evalcore.ui.components import select
    from evalcore.ui.frame import state

    page = st.session_state.get("on", "one")
    state.begin(page)
    if page == "one" and not st.session_state.get("late"):
        chosen = select.some("Choice", ["a", "b", "c"], keep=state.Key("choice"), first=["a"])
        st.markdown(f"chosen {','.join(chosen)}")


def test_a_part_drawn_on_the_second_run_keeps_its_choice() -> None:
    app = AppTest.from_function(pages).run()
    app.multiselect(key="choice").set_value(["b", "c"]).run()
    assert app.markdown[0].value == "chosen b,c" and app.query_params["choice"] == ["b", "c"]
    # Another page has an address of its own; back again, the first run ends before the part is drawn.
    app.session_state["on"] = "two"
    app.query_params.clear()
    app.run()
    app.session_state["on"], app.session_state["late"] = "one", True
    app.run()
    app.session_state["late"] = False
    app.run()
    assert app.markdown[0].value == "chosen b,c" and app.query_params["choice"] == ["b", "c"]


def test_a_choice_that_leaves_the_address_of_the_same_page_is_forgotten() -> None:
    app = AppTest.from_function(pages).run()
    app.multiselect(key="choice").set_value(["b"]).run()
    app.run()
    app.query_params.clear()
    app.run()
    assert app.markdown[0].value == "chosen a"


def test_measures_of_the_table_for_a_paper_survive_a_visit(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder, link={"closer": "open", "look": "paper"})
    app.multiselect(key="table").set_value(["CUI"]).run()
    app.switch_page("app.py").run()
    app.switch_page("app.py").run()
    assert app.multiselect(key="table").value == ["CUI"]
