"""Parts of a page that are computed only while they are open; tables that are no formulas."""

from __future__ import annotations

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.ui.components.download import csv_safe


def _page() -> None:
    import streamlit as st

    from evalcore.ui.components import fold, select
    from evalcore.ui.frame import state
    from evalcore.ui.frame.state import Key

    state.begin("page")
    by = Key("by")

    def inside(number: int) -> None:
        st.text(f"inside {number} {select.selectbox('By', ['a', 'b'], param=by)}")

    fold.section("Groups of queries", inside, 3, param=Key("groups"))


@pytest.mark.parametrize(
    ("address", "texts", "says"),
    [
        ({}, [], {}),
        ({"groups": "open"}, ["inside 3 a"], {"groups": "open"}),
        ({"by": "b", "groups": "open"}, ["inside 3 b"], {"by": "b", "groups": "open"}),
    ],
)
def test_what_is_closed_is_not_computed(
    address: dict[str, str], texts: list[str], says: dict[str, str]
) -> None:
    page = AppTest.from_function(_page)
    page.query_params.update(address)
    page.run()
    assert not page.exception
    assert [text.value for text in page.text] == texts
    assert dict(page.query_params) == says
    assert page.expander[0].label == "Groups of queries"


def test_csv_is_no_formula_in_its_header_and_in_full_width_either() -> None:
    table = pd.DataFrame({"=A": ["＝1+1", "-0.5", "−0.5"], "B": ["+0.1 to +0.2", None, "x"]})
    assert csv_safe(table).decode().splitlines() == ["'=A,B", "'＝1+1,'+0.1 to +0.2", "-0.5,", "−0.5,x"]
