"""Settings that are tried: expensive grids wait for Run; the interpretations of the paper as tables."""

from __future__ import annotations

import pytest

from evalcore.ui.robustness import settings
from tests.ui.conftest import Open, button, figures, page_text, table_with


def test_an_expensive_grid_waits_for_run(open_tiny: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "AT_ONCE", 10)
    app = open_tiny("pages/2_Robustness.py", step="0.2", more=True)
    assert not figures(app) and "wait for **Run**" in page_text(app)
    button(app, "Run").click().run()
    assert len(figures(app)) == 1
    # Another grid has to be asked for anew.
    app.number_input(key="k").set_value(3).run()
    assert not figures(app)


def test_readings(open_tiny: Open) -> None:
    app = open_tiny("pages/2_Robustness.py?part=paper&paper=readings&numbers=open")
    assert not figures(app)
    names = table_with(app, "Interpretation")["Interpretation"].tolist()
    assert len(names) == 8 and sum("(in use)" in name for name in names) == 1
    assert set(table_with(app, "Count rule")["Count rule"]) >= {"concepts", "pairs_all", "matching"}
