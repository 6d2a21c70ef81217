"""The pure pieces behind the pages: filters, tiles, bars, tables, numbers."""

from __future__ import annotations

import pandas as pd

from evalcore.ui.components.download import csv_safe


def test_csv_is_no_formula() -> None:
    table = pd.DataFrame({"Query": ["=1+1", "+a", "-b", "@c", "plain"], "A": [-0.5, 1.0, 2.0, 3.0, 4.0]})
    lines = csv_safe(table).decode().splitlines()
    assert lines[1:] == ["'=1+1,-0.5", "'+a,1.0", "'-b,2.0", "'@c,3.0", "plain,4.0"]


def test_csv_is_no_formula_in_its_header_and_in_full_width_either() -> None:
    table = pd.DataFrame({"=A": ["＝1+1", "-0.5", "−0.5"], "B": ["+0.1 to +0.2", None, "x"]})
    assert csv_safe(table).decode().splitlines() == ["'=A,B", "'＝1+1,'+0.1 to +0.2", "-0.5,", "−0.5,x"]
