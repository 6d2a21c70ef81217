"""The Challenge page: its example, uploads, verdicts and numbers, links, and files that cannot be used."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.imageclef import page
from evalcore.features.imageclef.editions import CONCEPT_EDITIONS, EDITIONS, edition_of
from evalcore.features.imageclef.scoring import board_of
from evalcore.study import open_study
from evalcore.values.writing import fixed, md_escape, number
from tests.features.imageclef import scored
from tests.ui.conftest import said, table_with, write_study

Open = Callable[..., AppTest]
PAGE = "pages/6_Challenge.py"
TRUTH = b"ID,CUIs\nq1,C0000001;C0000003\nq2,C0000001\n"
GOOD = b"ID,CUIs\nq1,C0000001\nq2,C0000001\n"
HALF = b"ID,CUIs\nq1,C0000009\nq2,C0000001\n"
"""F1 of q1 and q2: GOOD 2/3 and 1, HALF 0 and 1."""
BAD = GOOD + b"\nq9,\n"
CAPTION = b"ID,Caption\nq1,Nodule\n"


def bring(app: AppTest, files: list[tuple[str, bytes]]) -> AppTest:
    """The page after more files were uploaded."""
    (widget,) = [one for one in app.file_uploader if re.fullmatch(r"upload-files(-\d+)?", str(one.key))]
    widget.set_value([(name, data, "application/octet-stream") for name, data in files])
    return settled(app.run())


def settled(app: AppTest) -> AppTest:
    """The page once nothing computes in the background any more."""
    for _ in range(100):
        if not any(button.label == "Cancel" for button in app.button):
            assert not app.exception
            return app
        app.run()
    raise AssertionError("still computing")


def linked(app: AppTest, **link: str) -> AppTest:
    """The page after its address was changed."""
    for name, value in link.items():
        app.query_params[name] = value
    return settled(app.run())


def board(app: AppTest) -> pd.DataFrame:
    """The table of all runs, by run."""
    (shown,) = [one.value for one in app.dataframe if "Official script" in one.value and "Run" in one.value]
    return shown.set_index("Run")


def verdicts(app: AppTest) -> list[str]:
    return [cell.split()[0] for cell in board(app)["Official script"]]


def text(value: object) -> str:
    """Markdown as the reader sees it, without the backslashes."""
    return str(value).replace("\\", "")


@pytest.fixture
def given(open_app: Open, study_folder: Path) -> Callable[..., AppTest]:
    """The page after a truth and runs were uploaded together."""

    def upload(truth: bytes, runs: dict[str, bytes], *, study: Path = study_folder, **link: str) -> AppTest:
        return bring(open_app(PAGE, study=study, **link), [("truth.csv", truth), *runs.items()])

    return upload


# The example.


def test_the_page_opens_with_an_example_which_uploads_replace(open_app: Open, study_folder: Path) -> None:
    app = settled(open_app(PAGE, study=study_folder))
    assert "This is an example" in said(app) and "damaged.csv" in board(app).index
    app = bring(app, [("truth.csv", TRUTH), ("good.csv", GOOD)])
    assert list(board(app).index) == ["good.csv"] and "This is an example" not in said(app)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("task", ["concepts", "captions"])
def test_example_of_every_edition(open_app: Open, study_folder: Path, edition: str, task: str) -> None:
    app = settled(open_app(PAGE, study=study_folder, task=task, edition=edition))
    # The script of 2023 fails where truth and run both have no caption, as the second run has one.
    second = "refuses" if (task, edition) == ("captions", "2023") else "accepts"
    assert verdicts(app) == ["accepts", second, "refuses"]


def test_the_example_takes_the_content_of_the_first_result(study_folder: Path) -> None:
    files = page.example_files(open_study(study_folder), edition_of("concepts", "2025"))
    assert [run.name for run in files.runs] == ["alpha.csv", "beta.csv", "damaged.csv"]
    assert b"\nq1,C0000001;C0000003;C0000005\n" in files.truth.data
    alpha, beta = (run.data.decode().splitlines() for run in files.runs[:2])
    assert alpha[:2] == ["ID,CUIs", "q1,C0000001;C0000003;C0000006"]  # alpha returns q2 first
    assert beta[5:] == ["q5,", "q6,"]  # beta leaves both unanswered
    (study_folder / "captions.csv").write_text('ID,Caption\nq2,"Mass, ""large"""\n')
    study = open_study(study_folder)
    rows = {
        year: page.example_files(study, edition_of("captions", year)).runs[0].data.decode().splitlines()
        for year in ("2025", "2022")
    }
    assert (rows["2025"][1], rows["2022"][0]) == ('q1,"Mass, ""large"""', 'q1|Mass, "large"')


def test_a_study_without_runs_or_graph_takes_files(open_app: Open, tmp_path: Path, given) -> None:
    bare = write_study(tmp_path / "bare", systems=False, graph=False, pictures=False)
    app = open_app(PAGE, study=bare)
    assert not app.exception and len(app.info) == 1 and not app.dataframe
    assert verdicts(given(TRUTH, {"run.csv": GOOD}, study=bare)) == ["accepts"]


# Files: they stay, they go, and one that cannot be used spoils nothing.


def test_files_stay_for_the_session_and_can_be_removed(given) -> None:
    app = given(TRUTH, {"b.csv": GOOD, "a.csv": GOOD})
    assert list(board(app).index) == ["b.csv", "a.csv"]
    app = settled(app.switch_page("pages/5_Data.py").run().switch_page(PAGE).run())
    assert list(board(app).index) == ["b.csv", "a.csv"]
    next(b for b in app.button if b.help == r"Remove b\.csv").click().run()
    assert list(board(settled(app)).index) == ["a.csv"]
    bring(app, [("a.csv", HALF)])
    assert board(app)["F1 ↑"]["a.csv"] == pytest.approx(0.5)


def test_roles_are_recognised_and_can_be_changed(open_app: Open, study_folder: Path) -> None:
    app = bring(open_app(PAGE, study=study_folder), [("a.csv", TRUTH)])
    assert "Upload a ground truth and at least one run" in app.info[0].value
    app = bring(app, [("b.csv", GOOD)])
    assert list(board(app).index) == ["b.csv"]
    (role,) = [box for box in app.selectbox if box.label == f"What {md_escape('b.csv')} is for"]
    assert list(board(settled(role.set_value("truth").run())).index) == ["a.csv"]


def test_files_that_are_too_large_together_are_refused(given, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MOST", len(TRUTH) + len(GOOD))
    app = given(TRUTH, {"one.csv": GOOD})
    bring(app, [("one.csv", GOOD), ("two.csv", GOOD)])
    (error,) = app.error
    assert text(error.value).startswith("two.csv does not fit: the files can have ")
    assert list(board(app).index) == ["one.csv"]


def test_values_and_concepts_from_elsewhere_complete_the_score(given) -> None:
    app = given(CAPTION, {"one.csv": CAPTION, "two.csv": CAPTION})
    assert app.selectbox(key=page.TASK).value == "captions"
    relevance = "Relevance (script of 2025) ↑"
    assert relevance not in board(app) and (board(app)["ROUGE-1 ↑"] == 1).all()
    assert "Partial: the mean of those of its metrics that are there; it is not ranked." in said(app)
    assert "cannot be computed yet" in said(app)
    head = b"ID,BERTScore,BERTScore recall,similarity,BLEURT,AlignScore\nq1,0.5,0.5,0.9,0.2,0.4\n"
    bring(app, [("values_one.csv", head)])
    assert board(app)[relevance].isna().to_dict() == {"one.csv": False, "two.csv": True}
    assert any("for one\\.csv" in one.label for one in app.button)
    next(b for b in app.button if b.help == r"Remove two\.csv").click().run()
    bring(app, [("truth_concepts.csv", b"ID,CUIs\nq1,C0000001;C0000002\n")])
    bring(app, [("concepts.csv", b"ID,CUIs\nq1,C0000001\n")])
    # What the task ranks by: the mean of relevance and factuality, ROUGE-1 being 1 and UMLS F1 2/3.
    overall = ((0.5 + 1 + 0.9 + 0.2) / 4 + (2 / 3 + 0.4) / 2) / 2
    assert float(board(app)["Overall ↑"]["one.csv"]) == pytest.approx(overall, abs=1e-4)
    assert f"scores **{number(overall, digits=4)}** by Overall" in text(said(app))


def test_an_unusable_file_is_named_and_the_rest_is_scored(given) -> None:
    app = bring(given(CAPTION, {"run.csv": CAPTION}), [("bad.csv", b"ID,BLEURT\nq1,much\n")])
    assert any("bad.csv" in text(one.value) for one in app.warning)
    assert board(app)["ROUGE-1 ↑"]["run.csv"] == 1


def test_a_manually_checked_truth_decides_the_secondary_score(given) -> None:
    # C0040405 (computed tomography) is one of the concepts the secondary score keeps.
    truth, other = b"ID,CUIs\nq1,C0040405\n", b"ID,CUIs\nq1,C0040405;C0817096\n"
    app = given(truth, {"run.csv": truth})
    assert board(app)["Secondary ↑"]["run.csv"] == 1
    assert board(bring(app, [("manual.csv", other)]))["Secondary ↑"]["run.csv"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"PK\x03\x04", b'"', b"\x00\x01", b"q1;C0000001", b"\n\n\n"]
)
def test_a_broken_run_is_refused_and_never_breaks_the_page(given, data: bytes) -> None:
    assert verdicts(given(TRUTH, {"run.csv": data})) == ["refuses"]


@pytest.mark.parametrize("data", [b"", b"ID,CUIs\n", b"q1\n", b"\xff\xfe\x00"])
def test_a_broken_truth_is_named_with_its_problems(given, data: bytes) -> None:
    app = given(data, {"run.csv": GOOD})
    assert "truth\\.csv" in app.error[0].value
    assert len(app.table) == 1 and not app.dataframe


def test_a_zipped_run_and_a_hostile_name(given) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("submission.csv", GOOD)
    name = "![x](http://evil.example)<script>.csv"
    app = given(TRUTH, {"run.zip": buffer.getvalue(), name: GOOD})
    assert board(app)["F1 ↑"]["run.zip"] == pytest.approx((2 / 3 + 1) / 2)
    assert "![x](http" not in said(app)


# Numbers.


def test_every_number_is_that_of_evalcore(given) -> None:
    runs = {"good.csv": GOOD, "half.csv": HALF, "bad.csv": BAD}
    app = given(TRUTH, runs)
    assert verdicts(app) == ["accepts", "accepts", "refuses"]
    assert f"**good.csv** scores **{number((2 / 3 + 1) / 2, digits=4)}** over 2 images" in text(said(app))
    assert "would refuse **bad.csv**; it has no official score" in text(said(app))
    results = scored.score_concepts(scored.files(TRUTH, runs), edition=CONCEPT_EDITIONS["2025"]).results
    expected = board_of(results, baseline="good.csv")
    assert board(app)["F1 ↑"].to_dict() == {name: mean.mean for name, mean in expected.intervals.items()}
    differences = table_with(app, "Difference").set_index("Run")["Difference"]
    assert differences.to_dict() == {c.system: fixed(c.difference, 4) for c in expected.comparisons}
    app.selectbox(key=page.AGAINST).set_value("half.csv").run()
    differences = table_with(settled(app), "Difference").set_index("Run")["Difference"]
    assert differences["good.csv"] == "+0.3333" and "half.csv" not in differences
    charts = [figure.proto.spec for figure in app.get("plotly_chart")]
    (drawn,) = [spec for spec in charts if "by run" in spec]
    assert "good.csv" in drawn and "bad.csv" not in drawn and "quer" not in drawn


def test_details_are_for_researchers(given) -> None:
    app = given(TRUTH, {"good.csv": GOOD})
    shown = board(app)
    assert not any(one.key == page.AGAINST for one in app.selectbox)
    row = board(linked(app, reading="Expert")).loc["good.csv"]
    assert {"precision ↑", "recall ↑", "micro F1 ↑", "macro F1 ↑", "Images", "Ignored"} == set(row.index) - {
        *shown.columns
    }
    # All of its 2 predictions are right; q1 has 1 of 2, q2 1 of 1; C1 is right, C3 missed.
    expected = (1, pytest.approx(3 / 4), pytest.approx(4 / 5), pytest.approx(1 / 2))
    assert tuple(row[f"{name} ↑"] for name in ("precision", "recall", "micro F1", "macro F1")) == expected


@pytest.mark.parametrize(
    ("task", "run", "n"), [("concepts", b"q1\tC0000001\n", 38), ("captions", b"q1\tNodule\n", 34)]
)
def test_published_results_of_2017_in_three_rankings(given, task: str, run: bytes, n: int) -> None:
    app = linked(given(run, {"DET_PRED": run}, task=task, edition="2017"), published_results="open")
    assert "original test set of 2017" in said(app)
    assert "Source: ImageCLEFcaption 2017 task page, results" in said(app)
    table = table_with(app, "Resources")
    firsts = table.groupby("Ranking", sort=False)["Team"].first()
    assert (len(table), firsts.tolist()) == (3 + n, ["▶ Your run"] * 3)


# One run.


def test_every_problem_with_its_line(given) -> None:
    run = b"ID,CUIs\nq1.jpg,C0000001\n\nq2,C0000001;\n"
    app = linked(given(TRUTH, {"bad.csv": run}), details="open")
    table = table_with(app, "What is wrong")
    assert list(zip(table[""], table["Line"], strict=True)) == [
        ("Error", "2"),
        ("Error", "3"),
        ("Remark", "4"),
    ]
    assert "3 problems. The official script stops at an error" in said(app)
    app = linked(given(TRUTH, {"good.csv": GOOD}), details="open", run="good.csv")
    assert "No problems found" in app.success[0].value


def test_only_the_open_tab_is_drawn_and_a_link_opens_it(given) -> None:
    app = given(TRUTH, {"good.csv": GOOD, "other.csv": GOOD})
    linked(app, details="open", part=page.BEHIND, run="other.csv")
    assert app.selectbox(key=page.RUN).value == "other.csv"
    table = table_with(app, "CUI").set_index("CUI")
    assert table.loc["C0000001", ["Found", "Wrong", "Missed"]].tolist() == [2, 0, 0]
    assert table.index[0] == "C0000003"
    linked(app, details="open", part=page.PROBLEMS)
    assert len(app.success) == 1 and not any("CUI" in one.value for one in app.dataframe)
    linked(app, run="gone.csv").run()
    assert "gone\\.csv" in app.warning[0].value


def test_caption_metrics_and_what_they_lack(given) -> None:
    app = bring(given(CAPTION, {"run.csv": CAPTION}), [("scores.csv", b"ID,BLEURT\nq1,0.5\n")])
    linked(app, details="open", part=page.BEHIND)
    table = table_with(app, "Missing")
    table = table.set_index(table["Metric ↑"].map(text))
    values = table.iloc[:, 1]
    assert values["ROUGE-1"] == number(1.0, digits=4) and table["Missing"]["ROUGE-1"] == ""
    assert values["BLEURT"] == number(0.5, digits=4)
    assert values["BERTScore"] == "–" and "deberta" in table["Missing"]["BERTScore"]
    assert text(table["Missing"]["Relevance (script of 2025)"]) == "Needs BERTScore, similarity."


def test_images_lowest_first_with_truth_and_prediction(given) -> None:
    app = linked(given(TRUTH, {"good.csv": GOOD}), details="open", part=page.PER_IMAGE)
    table = table_with(app, "Image")
    assert table["Image"].tolist() == ["q1", "q2"]
    assert table["F1 ↑"].tolist() == pytest.approx([2 / 3, 1])
    words = said(app)
    assert "**Found:** :green-badge[:material/check: Computed tomography]" in words
    assert "**Missed:** :orange-badge[:material/remove: Chest]" in words
    assert "**Wrong:** –" in words and "Nodule in the chest" in words
    assert len(app.get("image")) == 1


def test_images_of_captions_that_the_study_does_not_know(given) -> None:
    truth, own = CAPTION.replace(b"q1", b"new1"), b"ID,Caption\nnew1,Mass\n"
    app = linked(given(truth, {"run.csv": own}), details="open", part=page.PER_IMAGE)
    assert "**True:** Nodule" in said(app) and "**Predicted:** Mass" in said(app)
    assert "has no picture of this image" in said(app) and not app.get("image")
