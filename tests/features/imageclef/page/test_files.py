"""Files on the challenge page: they stay, they go, and one that cannot be used spoils nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.imageclef.page import files
from evalcore.values.writing import file_size, number
from tests.features.imageclef.page.app import (
    CAPTION,
    GOOD,
    HALF,
    PAGE,
    TRUTH,
    board,
    bring,
    given,
    opened,
    settled,
    text,
    use_as,
)
from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]


def test_files_stay_for_the_session_and_can_be_removed(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"b.csv": GOOD, "a.csv": GOOD})
    assert list(board(app).index) == ["b.csv", "a.csv"]
    app = settled(app.switch_page("pages/5_Data.py").run().switch_page(PAGE).run())
    assert list(board(app).index) == ["b.csv", "a.csv"]
    next(b for b in app.button if b.help == r"Remove b\.csv").click().run()
    assert list(board(settled(app)).index) == ["a.csv"]
    assert "This is an example" in said(settled(open_app(PAGE, study=study_folder)))


def test_a_file_of_the_same_name_takes_the_place_of_the_older(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"one.csv": GOOD, "two.csv": GOOD})
    bring(app, [("one.csv", HALF)])
    assert board(app)["Score ↑"].round(3).to_dict() == {"one.csv": 0.5, "two.csv": 0.833}
    use_as(bring(app, [("other.csv", GOOD)]), "other.csv", "truth")
    assert board(app)["Score ↑"]["two.csv"] == 1


def test_a_file_belongs_to_the_run_whose_name_is_most_like_its_own(
    open_app: Open, study_folder: Path
) -> None:
    app = open_app(PAGE, study=study_folder, task="captions")
    app = given(app, CAPTION, {"one.csv": CAPTION, "two.csv": CAPTION})
    bring(app, [("values_one.csv", b"ID,BERTScore,similarity\nq1,0.5,0.9\n")])
    assert board(app)["Relevance (script of 2025) ↑"].isna().to_dict() == {"one.csv": False, "two.csv": True}
    assert any("for one\\.csv" in one.label for one in app.button)


def test_files_that_are_too_large_together_are_refused(
    open_app: Open, study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST", len(TRUTH) + len(GOOD))
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"one.csv": GOOD})
    bring(app, [("one.csv", GOOD), ("two.csv", GOOD)])
    (error,) = app.error
    assert text(error.value).startswith("two.csv does not fit: the files can have ")
    assert list(board(app).index) == ["one.csv"]
    assert not bring(app, [("one.csv", GOOD)]).error


def test_values_from_elsewhere_complete_the_official_score(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": CAPTION})
    relevance, overall = "Relevance (script of 2025) ↑", "Overall ↑"
    assert board(app)[relevance].isna().all()
    bring(app, [("scores.csv", b"ID,BERTScore,similarity\nq1,0.5,0.9\n")])
    assert not app.exception
    assert board(app)[relevance]["run.csv"] == pytest.approx((0.5 + 1 + 0.9) / 3)
    assert "cannot be computed yet" in said(app)
    values = (
        b"ID,BERTScore,BERTScore recall,similarity,BLEURT,AlignScore,UMLS F1\nq1,0.5,0.5,0.9,0.2,0.4,0.6\n"
    )
    bring(app, [("scores.csv", values)])
    # What the task ranks by comes first: the mean of relevance and factuality, ROUGE-1 being 1.
    assert [name for name in board(app).columns if name in (overall, relevance)] == [overall, relevance]
    assert board(app)[overall]["run.csv"] == pytest.approx(((0.5 + 1 + 0.9 + 0.2) / 4 + 0.5) / 2)
    assert f"scores **{number(0.575, digits=4)}** by Overall" in text(said(app))


@pytest.mark.parametrize(
    ("part", "data"),
    [("scores", b"ID,foo\n"), ("image_embeddings", b"nonsense"), ("truth_concepts", b"\xff\xfe\x00")],
)
def test_an_unusable_file_is_named_and_the_rest_is_scored(
    open_app: Open, study_folder: Path, part: str, data: bytes
) -> None:
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": CAPTION})
    use_as(bring(app, [("bad.csv", data)]), "bad.csv", part)
    assert not app.exception
    assert any("bad.csv" in text(one.value) for one in app.warning)
    assert board(app)["ROUGE-1 ↑"]["run.csv"] == 1


def test_the_first_file_is_the_truth_where_no_name_tells(open_app: Open, study_folder: Path) -> None:
    app = bring(open_app(PAGE, study=study_folder), [("a.csv", TRUTH)])
    assert "Upload a ground truth and at least one run" in app.info[0].value
    app = bring(app, [("b.csv", GOOD)])
    assert list(board(app).index) == ["b.csv"]
    assert list(board(use_as(app, "b.csv", "truth")).index) == ["a.csv"]


def test_a_manually_checked_truth_decides_the_secondary_score(open_app: Open, study_folder: Path) -> None:
    # C0040405 (computed tomography) is one of the concepts the secondary score keeps.
    truth, other = (b"ID,CUIs\nq1,C0040405\n", b"ID,CUIs\nq1,C0040405;C0817096\n")
    app = given(open_app(PAGE, study=study_folder), truth, {"run.csv": truth})
    assert board(app)["Secondary ↑"]["run.csv"] == 1
    bring(app, [("manual.csv", other)])
    assert board(app)["Secondary ↑"]["run.csv"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("n", "words"), [(812, "812 bytes"), (44_100, "44 kB"), (12_500_000, "12 MB")])
def test_sizes(n: int, words: str) -> None:
    assert file_size(n) == words


def test_concepts_from_elsewhere_give_umls_f1(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": CAPTION})
    bring(app, [("truth_concepts.csv", b"ID,CUIs\nq1,C0000001;C0000002\n")])
    bring(app, [("concepts.csv", b"ID,CUIs\nq1,C0000001\n")])
    app.query_params["part"] = files.BEHIND
    app = opened(app)
    metrics = table_with(app, "Metric ↑").set_index("Metric ↑")["Value"]
    assert metrics["UMLS F1"] == number(2 / 3, digits=4)
