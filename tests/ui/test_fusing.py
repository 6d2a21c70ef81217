"""Fused systems that the address names: on Overview, Compare and Query."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]
NAME = "rrf:alpha+beta"


def shown(app: AppTest) -> list[str]:
    return list(table_with(app, "Score ↑")["System"])


def test_a_fused_system_of_the_address_is_shown_and_stays_on_offer(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app("app.py", study=study_folder, systems=["alpha", "rrf:beta+alpha"])
    assert not app.exception
    assert {"alpha", NAME} == set(shown(app))
    assert app.query_params["fused"] in (NAME, [NAME])
    app.multiselect(key="systems").set_value(["alpha"]).run()
    assert shown(app) == ["alpha"] and NAME in app.multiselect(key="systems").options


@pytest.mark.parametrize("page", ["app.py", "pages/1_Queries.py?q=q1"])
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
