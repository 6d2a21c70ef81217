"""The challenge page: values, concepts, embeddings and models beside the runs; files that stay; 2017."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.challenge.models.store import models_folder
from evalcore.figures.numbers import number
from tests.challenge.tiny_models import write_models
from tests.ui.challenge_app import GOOD, PAGE, TRUTH, bring, given, settled
from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]


def caption_page(open_app: Open, study_folder: Path, **more: str) -> AppTest:
    app = open_app(PAGE, study=study_folder, task="captions", **more)
    return given(app, b"ID,Caption\nq1,Nodule\n", {"run.csv": b"ID,Caption\nq1,Nodule\n"})


def test_values_of_models_complete_the_official_number(open_app: Open, study_folder: Path) -> None:
    app = caption_page(open_app, study_folder)
    assert "The official score needs values that are not here" in said(app)
    bring(app, "scores", [("scores.csv", b"ID,BERTScore,similarity\nq1,0.5,0.9\n")])
    assert not app.exception
    assert f"scores **{number((0.5 + 1 + 0.9) / 3, digits=4)}** over 1 image" in said(app)


def test_concepts_and_embeddings_from_elsewhere(open_app: Open, study_folder: Path) -> None:
    app = caption_page(open_app, study_folder)
    buffer = io.BytesIO()
    np.savez(buffer, q1=np.array([1.0, 0.0]))
    for part, name, data in (
        ("truth_concepts", "t.csv", b"ID,CUIs\nq1,C0000001;C0000002\n"),
        ("run_concepts", "c.csv", b"ID,CUIs\nq1,C0000001\n"),
        ("image_embeddings", "i.npz", buffer.getvalue()),
        ("caption_embeddings", "e.npz", buffer.getvalue()),
    ):
        app.selectbox(key="beside").set_value(part).run()
        bring(app, part, [(name, data)])
        assert not app.exception
    metrics = table_with(app, "Metric ↑").set_index("Metric ↑")["Value"]
    assert metrics["similarity"] == number(2.5, digits=4)
    assert metrics["UMLS F1"] == number(2 / 3, digits=4)


@pytest.mark.parametrize(
    ("part", "data"),
    [("scores", b"ID,foo\n"), ("image_embeddings", b"nonsense"), ("truth_concepts", b"\xff\xfe\x00")],
)
def test_a_bad_file_beside_the_runs_is_told_and_the_rest_is_scored(
    open_app: Open, study_folder: Path, part: str, data: bytes
) -> None:
    app = caption_page(open_app, study_folder)
    app.selectbox(key="beside").set_value(part).run()
    bring(app, part, [("bad.csv", data)])
    assert not app.exception
    assert any("bad.csv" in str(one.value).replace("\\", "") for one in app.warning)
    assert "Metric ↑" in table_with(app, "Metric ↑").columns


def test_files_survive_a_reload_and_can_be_removed(open_app: Open, study_folder: Path) -> None:
    given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "other.csv": GOOD})
    app = settled(open_app(PAGE, study=study_folder))
    assert "**good\\.csv** scores" in said(app)
    next(b for b in app.button if b.help == r"Remove good\.csv").click().run()
    settled(app)
    assert "**other\\.csv** scores" in said(app)
    app.button(key="forget-all").click().run()
    assert "Bring a ground truth and at least one run" in said(app)
    assert "Bring a ground truth" in said(open_app(PAGE, study=study_folder))


def test_a_removal_that_fails_is_told(
    open_app: Open, study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_path: Path, *_more: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD})
    monkeypatch.setattr(Path, "rename", refused)
    app.button(key="forget-all").click().run()
    assert not app.exception
    assert any(
        "cannot be removed: Permission denied" in str(one.value).replace("\\", "") for one in app.error
    )
    assert "**good\\.csv** scores" in said(settled(app))


def test_another_baseline(open_app: Open, study_folder: Path) -> None:
    half = b"ID,CUIs\nq1,C0000009\nq2,C0000001\n"
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "half.csv": half})
    board = table_with(app, "Ignored").set_index("Run")["Difference"]
    assert board["half.csv"] == pytest.approx(-1 / 3)
    app.selectbox(key="against").set_value("half.csv").run()
    board = table_with(app, "Ignored").set_index("Run")["Difference"]
    assert board["good.csv"] == pytest.approx(1 / 3)


def test_the_figure_speaks_of_runs_and_images(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "bad.csv": GOOD})
    spec = str([figure.proto.spec for figure in app.get("plotly_chart")])
    assert "F1 by run" in spec and "Mean over the images" in spec and "n = 2 images" in spec
    assert not any(word in spec for word in ("by system", "queries", " query"))


@pytest.mark.parametrize(("task", "truth", "run"), [
    ("concepts", b"q1\tC0000001\n", b"q1\tC0000001\n"), ("captions", b"q1\tNodule\n", b"q1\tNodule\n"),
])  # fmt: skip
def test_published_results_of_2017(
    open_app: Open, study_folder: Path, task: str, truth: bytes, run: bytes
) -> None:
    app = open_app(PAGE, study=study_folder, task=task, edition="2017")
    app = given(app, truth, {"DET_PRED": run})
    n = {"concepts": 38, "captions": 34}[task]
    assert f"**DET\\_PRED**: above all {n} published results." in said(app)
    assert "original test set of 2017" in said(app)
    assert "Source: ImageCLEFcaption 2017 task page, results" in said(app)
    table = table_with(app, "Resources")
    assert (len(table), table["Team"].iloc[0]) == (1 + n, "▶ Your run")
    bring(app, "published", [("t.csv", b"team,run,score\nA,one,0.5\n")])
    assert table_with(app, "Resources")["Team"].tolist() == ["▶ Your run", "A"]
    assert "**DET\\_PRED**: above the 1 published result." in said(app)
    bring(app, "published", [("t.csv", b"team,run,score,source\nA,one,1.5,there\nB,two,0.5,here\n")])
    assert "**DET\\_PRED**: 1 of 2 published results stands above it." in said(app)
    assert table_with(app, "Resources")["Source"].tolist() == ["there", "scored here", "here"]
    bring(app, "published", [("t.csv", b"nothing")])
    assert not app.exception
    assert "published results t\\.csv cannot be used" in said(app)


def test_bleu_of_today_is_another_number(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, task="captions", edition="2017", reading="Technical")
    app = given(app, b"q1\tNodule\n", {"PRED": b"q1\tNodule\n"})
    assert "**PRED** scores **1" in said(app)
    app.segmented_control(key="bleu").set_value("modern").run()
    assert "**PRED** scores **0" in said(settled(app))


def test_models_say_what_they_lack_and_where_it_belongs(open_app: Open, study_folder: Path) -> None:
    app = caption_page(open_app, study_folder)
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
    assert app.multiselect(key="models").value == ["bertscore", "medimageinsight"]
    app.multiselect(key="models").set_value(["bertscore"]).run()
    app.button(key="run-models").click().run()
    settled(app)
    assert not app.exception
    metrics = table_with(app, "Metric ↑").set_index("Metric ↑")["Value"]
    assert float(metrics["BERTScore"]) == float(metrics["BERTScore recall"]) == pytest.approx(1, abs=1e-3)


def test_what_an_overall_number_lacks(open_app: Open, study_folder: Path) -> None:
    table = table_with(caption_page(open_app, study_folder), "Metric ↑").set_index("Metric ↑")["Missing"]
    assert table["**Relevance as in 2025** (head2025)"] == "Needs BERTScore, similarity\\."
    assert table["**Factuality**"] == "Needs UMLS F1, AlignScore\\."
