"""Taking the whole study along from the Data page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.study.workspace import uploads
from tests.ui.conftest import said


def test_a_study_too_large_for_a_download_says_so_instead_of_a_button_that_fails(
    open_app: Callable[..., AppTest], study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_PACKED", 5)
    app = open_app("pages/5_Data.py", study=study_folder)
    assert not app.exception
    assert "Copy its folder instead" in said(app)
    assert not app.main.get("download_button")
