"""Trained models on the challenge page: what they lack, and running those that are here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.imageclef.models import models_folder
from evalcore.features.imageclef.page import files
from tests.features.imageclef.page.app import CAPTION, PAGE, given, linked, settled
from tests.features.imageclef.tiny_models import write_models
from tests.ui.conftest import table_with

Open = Callable[..., AppTest]


def test_models_say_what_they_lack_and_where_it_belongs(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": CAPTION})
    table = table_with(app, "What to do")
    assert len(table) == 6
    assert set(table["Here"]) == {"not yet"}
    assert "Put deberta\\-xlarge\\-mnli into" in table["What to do"].iloc[0]
    assert "AlignScore base needs numpy \\< 2 and torch \\< 2" in table["What to do"].iloc[2]
    assert not any(button.key == "run-models" for button in app.button)


def test_models_run_from_the_page(open_app: Open, study_folder: Path) -> None:
    write_models(models_folder())
    both = b"ID,Caption\nq1,Nodule\nq2,chest ct\n"
    app = given(open_app(PAGE, study=study_folder, task="captions"), both, {"run.csv": both})
    linked(app, part=files.BEHIND)
    assert app.multiselect(key=files.MODELS_CHOSEN).value == ["bertscore", "medimageinsight", "medbertscore"]
    app.multiselect(key=files.MODELS_CHOSEN).set_value(["bertscore"]).run()
    app.button(key="run-models").click().run()
    settled(app)
    assert not app.exception
    metrics = table_with(app, "Metric ↑").set_index("Metric ↑")["Value"]
    assert float(metrics["BERTScore"]) == float(metrics["BERTScore recall"]) == pytest.approx(1, abs=1e-3)
