"""Tables on a page: a few rows leave no empty grid below them."""

from __future__ import annotations

import pandas as pd
import pytest
import streamlit as st

from evalcore.ui.components import table


@pytest.mark.parametrize(("rows", "height"), [(0, "content"), (4, "content"), (10, "content"), (12, 420)])
def test_a_height_is_the_most_that_a_table_takes(
    monkeypatch: pytest.MonkeyPatch, rows: int, height: int | str
) -> None:
    drawn: dict[str, object] = {}
    monkeypatch.setattr(st, "dataframe", lambda _, **look: drawn.update(look))
    table.bare(pd.DataFrame({"Query": range(rows)}), key="queries", alt="Queries", height=420)
    assert drawn["height"] == height
