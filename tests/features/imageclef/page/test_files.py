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
    PAGE,
    TRUTH,
    beside,
    board,
    bring,
    given,
    settled,
    text,
)
from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]


def test_files_survive_a_reload_and_can_be_removed(open_app: Open, study_folder: Path) -> None:
    given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "other.csv": GOOD})
    app = settled(open_app(PAGE, study=study_folder))
    assert list(board(app).index) == ["good.csv", "other.csv"]
    next(b for b in app.button if b.help == r"Remove good\.csv").click().run()
    assert list(board(settled(app)).index) == ["other.csv"]
    app.button(key="forget-all").click().run()
    assert not app.dataframe and "Upload a ground truth" in said(app)
    app = open_app(PAGE, study=study_folder)
    assert "Upload a ground truth" in said(app)
    next(b for b in app.button if b.label == "Restore 2 files").click().run()
    assert list(board(settled(app)).index) == ["other.csv"]


def test_removing_all_asks_with_a_count_and_does_not_mix_with_newer_files(
    open_app: Open, study_folder: Path
) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD})
    size = file_size(len(TRUTH) + len(GOOD))
    assert f"**2 files** of this task ({size}) will be removed." in said(app)
    assert app.button(key="forget-all").label == "Remove 2 files"
    app.button(key="forget-all").click().run()
    bring(app, "truth", [("new.csv", TRUTH)])
    next(b for b in app.button if b.label == "Restore 2 files").click().run()
    assert any("There are newer files" in one.value for one in app.error)
    assert [file.name for file in files.workspace.kept("concepts")] == ["new.csv"]


def test_a_removal_that_fails_says_so_until_the_next_change(
    open_app: Open, study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_path: Path, *_more: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD})
    with monkeypatch.context() as no_rights:
        no_rights.setattr(Path, "rename", refused)
        app.button(key="forget-all").click().run()
    assert not app.exception
    assert any("cannot be removed: Permission denied" in text(one.value) for one in app.error)
    assert list(board(settled(app.run())).index) == ["good.csv"] and len(app.error) == 1
    assert not bring(app, "runs", [("two.csv", GOOD)]).error


def test_values_from_elsewhere_complete_the_official_score(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": CAPTION})
    relevance, overall = "Relevance (mean of three) ↑", "Overall (mean of six) ↑"
    assert board(app)[relevance].isna().all()
    beside(app, "scores", "scores.csv", b"ID,BERTScore,similarity\nq1,0.5,0.9\n")
    assert not app.exception
    assert board(app)[relevance]["run.csv"] == pytest.approx((0.5 + 1 + 0.9) / 3)
    assert "cannot be computed yet" in said(app)
    values = b"ID,BERTScore,similarity,BLEURT,AlignScore,UMLS F1\nq1,0.5,0.9,0.2,0.4,0.6\n"
    beside(app, "scores", "scores.csv", values)
    # What the task ranks by comes first: the mean of six, ROUGE-1 being 1.
    assert [name for name in board(app).columns if name in (overall, relevance)] == [overall, relevance]
    assert board(app)[overall]["run.csv"] == pytest.approx(3.6 / 6)
    assert f"scores **{number(0.6, digits=4)}** by Overall (mean of six)" in text(said(app))


def test_a_file_belongs_to_the_run_that_is_named(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, task="captions")
    app = given(app, CAPTION, {"one.csv": CAPTION, "two.csv": CAPTION})
    app.selectbox(key=files.OF_RUN).set_value("two.csv").run()
    bring(app, "scores", [("scores.csv", b"ID,BERTScore,similarity\nq1,0.5,0.9\n")])
    assert board(app)["Relevance (mean of three) ↑"].isna().to_dict() == {"one.csv": True, "two.csv": False}
    assert board(app)["ROUGE-1 ↑"].tolist() == [1, 1] and "Compared by ROUGE-1" in text(said(app))


@pytest.mark.parametrize(
    ("part", "data"),
    [("scores", b"ID,foo\n"), ("image_embeddings", b"nonsense"), ("truth_concepts", b"\xff\xfe\x00")],
)
def test_an_unusable_file_is_named_and_the_rest_is_scored(
    open_app: Open, study_folder: Path, part: str, data: bytes
) -> None:
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": CAPTION})
    beside(app, part, "bad.csv", data)
    assert not app.exception
    assert any("bad.csv" in text(one.value) for one in app.warning)
    assert board(app)["ROUGE-1 ↑"]["run.csv"] == 1


def test_without_a_run_nothing_can_belong_to_one(open_app: Open, study_folder: Path) -> None:
    app = bring(open_app(PAGE, study=study_folder, task="captions"), "truth", [("t.csv", CAPTION)])
    assert "Upload a run first" in said(app)
    app.selectbox(key=files.KIND).set_value("truth_concepts").run()
    assert "Upload a run first" not in said(app)


def test_a_manually_checked_truth_decides_the_secondary_score(open_app: Open, study_folder: Path) -> None:
    # C0040405 (computed tomography) is one of the concepts the secondary score keeps.
    truth, other = (b"ID,CUIs\nq1,C0040405\n", b"ID,CUIs\nq1,C0040405;C0817096\n")
    app = given(open_app(PAGE, study=study_folder), truth, {"run.csv": truth})
    assert board(app)["Secondary ↑"]["run.csv"] == 1
    bring(app, "manual", [("manual.csv", other)])
    assert board(app)["Secondary ↑"]["run.csv"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("n", "words"), [(812, "812 bytes"), (44_100, "44 kB"), (12_500_000, "12 MB")])
def test_sizes(n: int, words: str) -> None:
    assert file_size(n) == words


def test_concepts_from_elsewhere_give_umls_f1(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder, task="captions"), CAPTION, {"run.csv": CAPTION})
    beside(app, "truth_concepts", "t.csv", b"ID,CUIs\nq1,C0000001;C0000002\n")
    beside(app, "run_concepts", "c.csv", b"ID,CUIs\nq1,C0000001\n")
    app = settled(open_app(PAGE, study=study_folder, task="captions", part=files.BEHIND))
    metrics = table_with(app, "Metric ↑").set_index("Metric ↑")["Value"]
    assert metrics["UMLS F1"] == number(2 / 3, digits=4)
