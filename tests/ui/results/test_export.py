"""What the overview gives to take home: a report with its own numbers, figures for print, settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.evaluate import scoring
from evalcore.report import document
from evalcore.study import open_study
from evalcore.ui.results import export as take_home
from evalcore.values import extras
from tests.ui.conftest import Open, page_text


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


def test_the_report_says_the_numbers_of_the_page(
    open_tiny: Open, study_folder: Path, saved: dict[str, bytes]
) -> None:
    app = open_tiny(export="open", measure="P(organ)", k="2", where="modality=CT", baseline="beta")
    assert "save-report" not in saved
    app.button(key="make-report").click().run()
    text = saved["save-report"].decode()
    (alpha,) = scoring.score(open_study(study_folder), metrics=["P(organ)@2"], systems=["alpha"])
    queries = [i for i, q in enumerate(open_study(study_folder).image_ids) if q in ("q1", "q2", "q5")]
    values = [alpha.values[list(alpha.queries).index(i)] for i in queries]
    assert f'<td class="n">{sum(values) / 3:.4f}</td>' in text
    for words in ("modality=CT", "--baseline beta", "beta (baseline)", "cuiscope score tiny "):
        assert words in text
    assert str(study_folder.parent) not in text, "the name of the folder, not its path"
    assert "[print]" in page_text(app).replace("\\", "")


def test_the_report_takes_measures_slices_and_other_weights(open_app: Open, saved: dict[str, bytes]) -> None:
    app = open_app(reading="Expert", export="open")
    app.multiselect(key="report").set_value(["nnCUI", "CUI"]).run()
    app.multiselect(key="report_by_some").set_value(["modality"]).run()
    app.toggle(key="report_sweep_on").set_value(True).run()
    app.button(key="make-report").click().run()
    text = saved["save-report"].decode()
    for words in (
        "nnCUI@10: means over",
        "CUI@10: means over",
        "nnCUI@10 by modality: means",
        "CUI@10 by modality: means",
        "nnCUI@10 at other weights of related concepts",
        "--by modality --sweep",
    ):
        assert words in text
    assert "CUI@10 by organ" not in text
    assert app.query_params["report"] == ["nnCUI", "CUI"] and app.query_params["report_by"] == "modality"
