"""Taking the whole study along from the Data page."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.review.judgments import Judgment
from evalcore.features.review.read import store
from evalcore.features.review.read.store import study_id
from evalcore.study.workspace import zips
from evalcore.ui.data import sections
from tests.ui.conftest import said


def test_a_study_too_large_for_a_download_says_so_instead_of_a_button_that_fails(
    open_app: Callable[..., AppTest], study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zips, "MAX_PACKED", 5)
    app = open_app("pages/5_Data.py", study=study_folder)
    assert not app.exception
    assert "Copy its folder instead" in said(app)
    assert not app.main.get("download_button")


def test_judgments_go_along_only_when_asked(
    open_app: Callable[..., AppTest], study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: list[Callable[[], bytes]] = []
    monkeypatch.setattr(
        sections.download,
        "file",
        lambda label, made, *_, key, **__: key == "download" and offered.append(made),
    )
    said_once = Judgment(
        id="j1",
        task="mine",
        reader="R1",
        kind="graded",
        query="q1",
        result="q2",
        value=1.0,
        at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    store.add(study_id(study_folder), said_once)
    app = open_app("pages/5_Data.py", study=study_folder)
    app.checkbox(key="with_judgments").check().run()
    assert not app.exception
    names = [zipfile.ZipFile(io.BytesIO(made())).namelist() for made in (offered[0], offered[-1])]
    inside = [[name for name in found if name.endswith(".judgments.csv")] for found in names]
    assert inside == [[], ["tiny/review/mine.judgments.csv"]]
