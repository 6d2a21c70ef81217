"""The challenge page as a whole: what is asked, the example, links, and files that cannot be used."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.imageclef.editions import EDITIONS
from evalcore.features.imageclef.page import files
from evalcore.values.writing import number
from tests.features.imageclef.page.app import CAPTION, GOOD, PAGE, TRUTH, board, given, linked, settled
from tests.ui.conftest import said, write_study

Open = Callable[..., AppTest]


def test_the_page_opens_with_an_example_which_uploads_replace(open_app: Open, study_folder: Path) -> None:
    app = settled(open_app(PAGE, study=study_folder))
    assert not app.exception
    assert "This is an example" in said(app) and "damaged.csv" in board(app).index
    app = given(app, TRUTH, {"good.csv": GOOD})
    assert list(board(app).index) == ["good.csv"] and "This is an example" not in said(app)


def test_captions_are_recognised(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), CAPTION, {"run.csv": CAPTION})
    assert app.selectbox(key=files.TASK).value == "captions"
    assert board(app)["ROUGE-1 ↑"]["run.csv"] == 1


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("task", ["concepts", "captions"])
def test_example_of_every_edition(open_app: Open, study_folder: Path, edition: str, task: str) -> None:
    app = settled(open_app(PAGE, study=study_folder, task=task, edition=edition))
    assert not app.exception
    # The script of 2023 fails where truth and run both have no caption, as the second run has one.
    second = "refuses" if (task, edition) == ("captions", "2023") else "accepts"
    assert board(app)["Official script"].tolist() == ["accepts", second, "refuses"]


def test_a_study_without_runs_has_no_example_and_without_a_graph_takes_files(
    open_app: Open, tmp_path: Path
) -> None:
    bare = write_study(tmp_path / "bare", systems=False, graph=False, pictures=False)
    app = open_app(PAGE, study=bare)
    assert not app.exception and len(app.info) == 1 and not app.dataframe
    assert not given(app, TRUTH, {"run.csv": GOOD}).exception


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"PK\x03\x04", b'"', b"\x00\x01", b"q1;C0000001", b"\n\n\n"]
)
def test_a_broken_run_is_refused_and_never_breaks_the_page(
    open_app: Open, study_folder: Path, data: bytes
) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"run.csv": data})
    assert not app.exception
    assert board(app)["Official script"].tolist() == ["refuses"]


@pytest.mark.parametrize("data", [b"", b"ID,CUIs\n", b"q1\n", b"\xff\xfe\x00"])
def test_a_broken_truth_is_named_with_its_problems(open_app: Open, study_folder: Path, data: bytes) -> None:
    app = given(open_app(PAGE, study=study_folder), data, {"run.csv": GOOD})
    assert not app.exception
    assert "truth\\.csv" in app.error[0].value
    assert len(app.table) == 1 and not app.dataframe


def test_a_zipped_run_is_scored(open_app: Open, study_folder: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("submission.csv", GOOD)
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"run.zip": buffer.getvalue()})
    assert board(app)["Score ↑"]["run.zip"] == pytest.approx((2 / 3 + 1) / 2)


def test_hostile_names_are_shown_as_text(open_app: Open, study_folder: Path) -> None:
    name = "![x](http://evil.example)<script>.csv"
    app = given(open_app(PAGE, study=study_folder), TRUTH, {name: GOOD})
    assert not app.exception
    assert "![x](http" not in said(app)


def test_the_variant_of_bleu_decides_the_score_and_is_in_the_address(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(PAGE, study=study_folder, task="captions", edition="2017", reading="Expert")
    app = given(app, b"q1\tNodule\n", {"PRED": b"q1\tNodule\n"})
    assert board(app)["Score ↑"]["PRED"] == 1
    settled(app.segmented_control(key=files.NLTK).set_value("modern").run())
    assert board(app)["Score ↑"]["PRED"] < 1e-50
    assert app.query_params["bleu"] == "modern"


def test_variants_are_for_researchers_or_who_follows_a_link(open_app: Open, study_folder: Path) -> None:
    def variants(**link: str) -> list[str]:
        app = open_app(PAGE, study=study_folder, **link)
        return [str(one.key) for one in app.segmented_control if one.key == files.NLTK]

    captions = {"task": "captions", "reading": "Expert"}
    assert variants(**captions, edition="2018") == [files.NLTK]
    assert variants(**captions, edition="2022") == []
    assert variants(task="captions", edition="2018") == [] == variants(reading="Expert")
    assert variants(task="captions", edition="2018", bleu="modern") == [files.NLTK]


def test_only_the_open_tab_is_drawn_and_a_link_opens_it(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "other.csv": GOOD})
    linked(app, part=files.BEHIND, run="other.csv")
    assert app.selectbox(key=files.RUN).value == "other.csv"
    assert [button.proto.label for button in app.main.get("download_button")] == ["CSV", "CSV"]
    assert any("CUI" in one.value for one in app.dataframe) and not app.success
    assert app.query_params["details"] == "open"
    linked(app, part=files.PROBLEMS)
    assert len(app.success) == 1 and not any("CUI" in one.value for one in app.dataframe)


def test_a_run_that_is_gone_is_named(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD})
    linked(app, run="gone.csv").run()
    assert not app.exception and app.selectbox(key=files.RUN).value == "good.csv"
    assert "gone\\.csv" in app.warning[0].value


def test_captions_without_models_have_no_official_score(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": CAPTION})
    assert board(app)["Overall ↑"].isna().all()
    assert board(app)["ROUGE-1 ↑"]["run.csv"] == 1
    assert f"**run\\.csv** scores **{number(1.0)}**" in said(app)
