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


@pytest.mark.parametrize(
    ("rows", "note"),
    [(3, "By id."), (4, "By id. The first 3 of 4 are shown and sorted; the file contains all.")],
)
def test_a_table_that_is_cut_says_so_beside_the_file_of_all(
    monkeypatch: pytest.MonkeyPatch, rows: int, note: str
) -> None:
    drawn: list[int] = []
    kept: list[tuple[str, int]] = []
    monkeypatch.setattr(table, "ROWS_SHOWN", 3)
    monkeypatch.setattr(st, "dataframe", lambda shown, **_: drawn.append(len(shown)))
    monkeypatch.setattr(table, "beside", lambda said, saved, _: kept.append((said, len(saved))))
    table.show(pd.DataFrame({"Query": range(rows)}), key="q", alt="Queries", file="queries", note="By id.")
    assert drawn == [3] and kept == [(note, rows)]
