"""Combine systems, and the bounds: in the sidebar, in the address, on Overview, Compare and Query."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]
NAME = "rrf:alpha+beta"


def shown(app: AppTest) -> list[str]:
    return list(table_with(app, "Score ↑")["System"])


def test_combining_adds_a_system_to_the_page_and_to_the_address(open_app: Open, study_folder: Path) -> None:
    app = open_app("app.py", study=study_folder, more=True)
    app.multiselect(key="fuse_members").set_value(["beta", "alpha"]).run()
    app.button(key="fuse-add").click().run()
    assert not app.exception
    assert NAME in shown(app)
    assert app.query_params["fused"] == NAME
    assert NAME in app.query_params["systems"]
    app.button(key=f"fuse-remove-{NAME}").click().run()
    assert not app.exception
    assert NAME not in shown(app)
    assert "fused" not in app.query_params


@pytest.mark.parametrize("page", ["pages/2_Compare.py", "pages/3_Query.py"])
def test_a_link_names_a_fused_system_in_any_order(open_app: Open, study_folder: Path, page: str) -> None:
    app = open_app(page, study=study_folder, a="rrf:beta+alpha", b="alpha")
    assert not app.exception
    assert app.selectbox(key="a").value == NAME
    assert not app.warning


def test_a_link_to_a_fusion_that_cannot_be_read_says_why(open_app: Open, study_folder: Path) -> None:
    app = open_app("app.py", study=study_folder, systems="rrf:alpha+nothing")
    assert not app.exception
    assert "No system called" in said(app)
    assert shown(app)


def test_bounds_are_lines_of_the_figure(open_app: Open, study_folder: Path) -> None:
    def lines(app: AppTest) -> list[dict[str, Any]]:
        layout = json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]
        return [one for one in layout.get("shapes", []) if one["line"].get("dash") == "7px,4px"]

    app = open_app("app.py", study=study_folder)
    assert lines(app) == []
    app.toggle(key="bounds_on").set_value(True).run()
    assert not app.exception
    oracle, reordered = (one["x0"] for one in lines(app))
    best = max(table_with(app, "Score ↑")["Score ↑"])
    assert best <= oracle <= reordered
    assert app.query_params["bounds"] == "yes"
    app = open_app("pages/2_Compare.py", study=study_folder, bounds="yes")
    assert not app.exception
    assert "upper limits computed with the answers known" in said(app)
