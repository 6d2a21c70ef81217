"""Settings as a file, on the sidebar: saved, opened, and what cannot be is said."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.study.folder.settings_toml import parse_settings
from evalcore.ui.frame import sidebar
from tests.ui.conftest import said

Open = Callable[..., AppTest]


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    found: dict[str, str] = {}
    monkeypatch.setattr(
        sidebar.download, "file", lambda label, data, *_, key, **__: found.update({key: data})
    )
    return found


def opened(app: AppTest, text: str | bytes) -> AppTest:
    data = text.encode() if isinstance(text, str) else text
    (widget,) = [one for one in app.file_uploader if str(one.key).startswith("settings-file")]
    return widget.set_value(("settings.toml", data, "application/toml")).run()


LINK = {
    "measure": "P(organ)",
    "k": "2",
    "systems": "beta",
    "baseline": "beta",
    "alpha": "0.25",
    "where": "modality=CT",
    "queries": "common",
    "count_rule": "pairs",
    "correction": "bh",
    "smallest_difference": "0.05",
}


def test_a_saved_view_opens_as_the_same_view(open_app: Open, study_folder: Path, saved) -> None:
    open_app(study=study_folder, **LINK, more=True)
    text = saved["save-settings"]
    said_ = tomllib.loads(text)
    assert said_["metric"] == ["P(organ)@2"] and said_["queries"] == "common" and said_["alpha"] == 0.25
    assert said_["where"] == ["modality=CT"] and said_["smallest_difference"] == 0.05
    assert said_["count_rule"] == "pairs" and said_["correction"] == "bh" and said_["system"] == ["beta"]
    fresh = opened(open_app(study=study_folder, alpha="0.9", gain="exp", more=True), text)
    assert not fresh.exception and not fresh.warning
    assert parse_settings(saved["save-settings"].encode(), file="s")[0].view() == (
        parse_settings(text.encode(), file="s")[0].view()
    )
    assert fresh.number_input(key="k").value == 2 and fresh.selectbox(key="baseline").value == "beta"


def test_a_label_beyond_the_list_is_typed(open_app: Open, study_folder: Path, saved) -> None:
    app = opened(open_app(study=study_folder, more=True), 'metric = ["Recall(organ)@2"]')
    assert app.text_input(key="metric").value == "Recall(organ)@2"
    assert tomllib.loads(saved["save-settings"])["metric"] == ["Recall(organ)@2"]


def test_what_the_pages_do_not_know_is_said(open_app: Open, study_folder: Path, saved) -> None:
    text = (
        'metric = ["CUI@3", "CUI@5"]\nsystem = ["alpha", "gone"]\ninclude_self = true\ninterval = "wilson"\n'
        'where = ["organ=chest", "organ=nowhere"]\nlevel = 0.9\n[made_with]\nstudy = "X"\n'
        'digest = "0123456789"'
    )
    app = opened(open_app(study=study_folder, more=True), text)
    shown = said(app).replace("\\", "")
    assert not app.exception
    for part in (
        "names 2 measures",
        "include_self = True",
        "interval = wilson",
        "level = 0.9",
        "Not in this study: gone.",
        "nowhere",
        "the study X (01234567",
    ):
        assert part in shown, part
    assert app.multiselect(key="where").value == ["organ=chest"]
    assert tomllib.loads(saved["save-settings"])["system"] == ["alpha"]


@pytest.mark.parametrize("data", [b"alhpa = 1", b"", b"\0", b"x=" + b"[" * 9000, b"#" * 400_000])
def test_hostile_files_change_nothing_and_are_said(open_app: Open, study_folder: Path, saved, data) -> None:
    app = opened(open_app(study=study_folder, alpha="0.9", more=True), data)
    assert not app.exception and app.warning
    assert "save-settings" in saved
    assert "The settings file is not used." in said(app).replace("\\", "")
    assert app.slider(key="alpha").value == 0.9


def test_markup_as_a_measure_is_no_measure(open_app: Open, study_folder: Path, saved) -> None:
    app = opened(open_app(study=study_folder, more=True), "metric = ['<img src=x>']")
    assert not app.exception and said(app).count("<img") == said(app).count("\\<img") > 0
    assert tomllib.loads(saved["save-settings"])["metric"] == ["nnCUI@10"]
