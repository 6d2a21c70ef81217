"""What the overview gives to take home: a report with its own numbers, figures for print, settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore import score
from evalcore.evaluate import summary
from evalcore.evaluate.conditions import select
from evalcore.report import document
from evalcore.study import open_study
from evalcore.ui.results import export as take_home
from evalcore.values import extras
from tests.ui.conftest import Open, plain


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """What the pages offer to save, by key; no browser draws."""
    files: dict[str, bytes] = {}
    monkeypatch.setattr(
        take_home.download, "file", lambda label, data, *_, key, **__: files.update({key: data})
    )
    monkeypatch.setattr(document, "plotly_script", lambda: "")
    monkeypatch.setattr(extras, "is_installed", lambda _: False)
    return files


def test_the_report_takes_what_is_chosen_and_says_the_numbers_of_the_page(
    open_app: Open, saved: dict[str, bytes]
) -> None:
    app = open_app(reading="Expert", export="open", k="2", where="modality=CT", baseline="hog")
    assert "save-report" not in saved and "[print]" in plain(app)
    app.multiselect(key="report").set_value(["P(organ)", "nnCUI"]).run()
    app.multiselect(key="report_by_some").set_value(["modality"]).run()
    app.toggle(key="report_sweep_on").set_value(True).run()
    app.button(key="make-report").click().run()
    assert app.query_params["report"] == ["P(organ)", "nnCUI"] and app.query_params["report_by"] == "modality"
    text = saved["save-report"].decode()
    study = select(open_study("data"), ["modality=CT"])
    (hog,) = score(study, metrics=["P(organ)@2"], systems=["hog"])
    for words in (
        f'<td class="n">{summary.summarise(hog).mean:.4f}</td>',
        "P(organ)@2: means over",
        "nnCUI@2: means over",
        "P(organ)@2 by modality: means",
        "nnCUI@2 by modality: means",
        "nnCUI@2 at other weights of related concepts",
        "--by modality --sweep",
        "modality=CT",
        "--baseline hog",
        "hog (baseline)",
    ):
        assert words in text
    assert "nnCUI@2 by organ" not in text


def test_a_report_names_the_folder_and_not_its_path(
    open_tiny: Open, study_folder: Path, saved: dict[str, bytes]
) -> None:
    open_tiny(export="open").button(key="make-report").click().run()
    text = saved["save-report"].decode()
    assert "cuiscope score tiny " in text and str(study_folder.parent) not in text
