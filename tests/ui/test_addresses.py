"""Numbers and texts of addresses that mean nothing; a choice stays over a visit to another page."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.ui.conftest import HOSTILE_VALUES, Open, page_text


def test_texts_that_nobody_wrote_name_no_study_and_no_query(open_tiny: Open) -> None:
    for value in HOSTILE_VALUES.values():
        unknown = open_tiny(link={"study": value})
        assert "which is not in this workspace" in page_text(unknown)
        none = open_tiny("pages/1_Queries.py?q=q1", link={"find": value})
        assert "No query matches this search" in page_text(none)


def test_numbers_of_an_address(open_tiny: Open) -> None:
    wrong = ["0", "101", "1e1", "+7", "7.0", " 7", "²", "1" + "0" * 4299, "9" * 4301, "0" * 5000 + "7"]
    for text, k in {"7": 7, "007": 7, "1": 1, "100": 100, **dict.fromkeys(wrong, 10)}.items():
        app = open_tiny(link={"k": text})
        assert app.number_input(key="k").value == k
        assert any("k = " in warning.value for warning in app.warning) == (text in wrong)


def pages() -> None:
    """Two pages in one script: the part with the choice is drawn when "late" is not set."""
    import streamlit as st

    from evalcore.ui.components import select
    from evalcore.ui.frame import state

    page = st.session_state.get("on", "one")
    state.begin(page)
    if page == "one" and not st.session_state.get("late"):
        chosen = select.multiselect("Choice", ["a", "b", "c"], param=state.Key("choice"), first=["a"])
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


def test_measures_of_the_table_for_a_paper_survive_a_visit(open_tiny: Open) -> None:
    app = open_tiny(closer="open", look="paper")
    app.multiselect(key="table").set_value(["CUI"]).run()
    app.switch_page("app.py").run()
    app.switch_page("app.py").run()
    assert app.multiselect(key="table").value == ["CUI"]
