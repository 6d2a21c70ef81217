"""The Challenge page: its example, uploads, verdicts and numbers, links, and files that cannot be used."""

from __future__ import annotations

import re

import pytest

from evalcore.features.imageclef import page
from evalcore.features.imageclef.editions import CONCEPT_EDITIONS, EDITIONS, edition_of
from evalcore.features.imageclef.scoring import board_of, score_captions, score_concepts
from evalcore.study import open_study
from evalcore.values.writing import md_escape, number
from tests.features.imageclef import scored
from tests.ui.conftest import page_text, table_with, write_study

PAGE = "pages/6_Challenge.py"
TRUTH = b"ID,CUIs\nq1,C0000001;C0000003\nq2,C0000001\n"
GOOD = b"ID,CUIs\nq1,C0000001\nq2,C0000001\n"
HALF = b"ID,CUIs\nq1,C0000009\nq2,C0000001\n"
"""F1 of q1 and q2: GOOD 2/3 and 1, HALF 0 and 1."""
BAD = GOOD + b"\nq9,\n"
CAPTION = b"ID,Caption\nq1,Nodule\n"


def bring(app, **files):
    """The page after more files were uploaded."""
    (widget,) = [box for box in app.file_uploader if re.fullmatch(r"upload-files(-\d+)?", str(box.key))]
    widget.set_value([(f"{name}.csv", data, "application/octet-stream") for name, data in files.items()])
    return app.run()


def linked(app, **link):
    """The page after its address was changed."""
    for name, value in link.items():
        app.query_params[name] = value
    return app.run()


def board(app):
    """The table of all runs, by run."""
    return table_with(app, "Official script").set_index("Run")


def verdicts(app):
    return [cell.split()[0] for cell in board(app)["Official script"]]


def remove(app, name):
    next(b for b in app.button if b.help == f"Remove {name}\\.csv").click().run()


def text(value):
    """Markdown as the reader sees it, without the backslashes."""
    return str(value).replace("\\", "")


# The example.


def test_the_page_opens_with_an_example_which_uploads_replace(open_app, study_folder):
    app = open_app(PAGE, study=study_folder)
    assert "This is an example" in page_text(app) and verdicts(app) == ["accepts", "accepts", "refuses"]
    app = bring(app, truth=TRUTH, good=GOOD)
    assert list(board(app).index) == ["good.csv"] and "This is an example" not in page_text(app)


def test_examples_take_the_content_of_the_first_result(study_folder):
    study = open_study(study_folder)
    (study_folder / "captions.csv").write_text('ID,Caption\nq2,"Mass, ""large"""\n')
    quoted = open_study(study_folder)
    for edition in EDITIONS:
        rules = edition_of("concepts", edition)
        files, cell, mark = page.example_files(study, rules), rules.cell, rules.separator
        assert [run.accepted for run in score_concepts(files, edition=rules).results] == [True, True, False]
        assert mark.join(("C0000001", "C0000003", "C0000006")).encode() in files.runs[0].data  # of q2
        assert files.runs[1].data.endswith(f"q5{cell}\nq6{cell}\n".encode())  # not answered
        rules = edition_of("captions", edition)
        files = page.example_files(study, rules)
        # The script of 2023 fails where truth and run both have no caption, as the second run has one.
        accepted = [run.accepted for run in score_captions(files, edition=rules).results]
        assert accepted == [True, edition != "2023", False]
        large = 'q1,"Mass, ""large"""' if cell == "," else f'q1{cell}Mass, "large"'
        assert large in page.example_files(quoted, rules).runs[0].data.decode()


def test_files_are_recognised_changed_and_removed(open_app, tmp_path):
    bare = write_study(tmp_path / "bare", systems=False, graph=False, pictures=False)
    app = open_app(PAGE, study=bare)
    assert len(app.info) == 1 and not app.dataframe, "no runs: no example"
    app = bring(app, a=TRUTH)
    assert "Upload a ground truth and at least one run" in app.info[0].value
    app = bring(app, b=GOOD)
    assert list(board(app).index) == ["b.csv"]
    (role,) = [box for box in app.selectbox if box.label == f"What {md_escape('b.csv')} is for"]
    app = role.set_value("truth").run()
    assert list(board(app).index) == ["a.csv"]
    app = bring(app, c=HALF, b=TRUTH)
    app = app.switch_page("pages/5_Data.py").run().switch_page(PAGE).run()
    assert list(board(app).index) == ["a.csv", "c.csv"]
    assert board(app)["F1 ↑"].to_dict() == {"a.csv": 1, "c.csv": pytest.approx(0.5)}
    remove(app, "a")
    assert list(board(app).index) == ["c.csv"]


def test_values_and_concepts_from_elsewhere_complete_the_score(open_tiny):
    app = bring(open_tiny(PAGE), truth=CAPTION, one=CAPTION, two=CAPTION)
    assert app.selectbox(key=page.TASK).value == "captions"
    relevance = "Relevance (script of 2025) ↑"
    assert relevance not in board(app) and (board(app)["ROUGE-1 ↑"] == 1).all()
    assert "cannot be computed yet" in page_text(app)
    bring(app, bad=b"ID,BLEURT\nq1,much\n")
    assert any("bad.csv" in text(box.value) for box in app.warning)
    remove(app, "bad")
    head = b"ID,BERTScore,BERTScore recall,similarity,BLEURT,AlignScore\nq1,0.5,0.5,0.9,0.2,0.4\n"
    bring(app, values_one=head)
    assert board(app)[relevance].isna().to_dict() == {"one.csv": False, "two.csv": True}
    assert any("for one\\.csv" in button.label for button in app.button)
    remove(app, "two")
    linked(app, details="open", part=page.BEHIND)
    table = table_with(app, "Missing")
    table = table.set_index(table["Metric ↑"].map(text))
    assert table["Missing"]["ROUGE-1"] == "" and "concept file" in table["Missing"]["UMLS F1"]
    assert text(table["Missing"]["Overall"]) == "Needs UMLS F1."
    bring(app, truth_concepts=b"ID,CUIs\nq1,C0000001;C0000002\n", concepts=b"ID,CUIs\nq1,C0000001\n")
    # What the task ranks by: the mean of relevance and factuality, ROUGE-1 being 1 and UMLS F1 2/3.
    overall = ((0.5 + 1 + 0.9 + 0.2) / 4 + (2 / 3 + 0.4) / 2) / 2
    assert float(board(app)["Overall ↑"]["one.csv"]) == pytest.approx(overall, abs=1e-4)
    assert f"scores **{number(overall, 4)}** by Overall" in text(page_text(app))


def test_a_manually_checked_truth_decides_the_secondary_score(open_tiny):
    # C0040405 (computed tomography) is one of the concepts the secondary score keeps.
    truth, other = b"ID,CUIs\nq1,C0040405\n", b"ID,CUIs\nq1,C0040405;C0817096\n"
    app = bring(open_tiny(PAGE), truth=truth, run=truth)
    assert board(app)["Secondary ↑"]["run.csv"] == 1
    assert board(bring(app, manual=other))["Secondary ↑"]["run.csv"] == pytest.approx(2 / 3)


def test_broken_hostile_and_large_files_never_break_the_page(open_tiny, monkeypatch):
    broken = {f"{i}": data for i, data in enumerate((b"", b"\xff\xfe\x00", b"PK\x03\x04", b'"', b"\n\n"))}
    app = bring(open_tiny(PAGE), truth=TRUTH, **broken | {"![x](http://evil.example)<script>": GOOD})
    assert verdicts(app) == [*["refuses"] * len(broken), "accepts"] and "![x](http" not in page_text(app)
    monkeypatch.setattr(page, "MOST", 300)
    app = bring(app, large=GOOD * 9)
    assert text(app.error[0].value).startswith("large.csv does not fit: the files can have 300")
    app = bring(app, truth=b"q1\n")
    assert "truth\\.csv" in app.error[0].value and len(app.table) == 1 and not app.dataframe


# Numbers.


def test_every_number_is_that_of_evalcore(open_tiny):
    app = bring(open_tiny(PAGE), truth=TRUTH, good=GOOD, half=HALF, bad=BAD)
    assert verdicts(app) == ["accepts", "accepts", "refuses"]
    assert f"**good.csv** scores **{number((2 / 3 + 1) / 2, 4)}** by F1 over 2 images" in text(page_text(app))
    assert "would refuse **bad.csv**; it has no official score" in text(page_text(app))
    results = score_concepts(
        scored.files(TRUTH, {"good.csv": GOOD, "half.csv": HALF, "bad.csv": BAD}),
        edition=CONCEPT_EDITIONS["2025"],
    ).results
    expected = board_of(results, baseline="good.csv")
    assert board(app)["F1 ↑"].to_dict() == {name: mean.mean for name, mean in expected.intervals.items()}
    differences = {c.system: number(c.difference, 4) for c in expected.comparisons}
    assert board(app)["Difference"].to_dict() == {"good.csv": "–"} | differences
    app.selectbox(key=page.AGAINST).set_value("half.csv").run()
    assert board(app)["Difference"].to_dict()["good.csv"] == "+0.3333"
    (drawn,) = [chart.proto.spec for chart in app.get("plotly_chart") if "by run" in chart.proto.spec]
    assert "good.csv" in drawn and "bad.csv" not in drawn and "quer" not in drawn
    more = board(linked(app, reading="Expert"))
    assert {"Images", "Ignored"} <= set(more) and more["Images"].tolist() == [2, 2, 2]
    assert "seed 0, Holm correction." in page_text(app)
    remove(app, "bad")
    assert "seed 0." in page_text(app), "a single comparison is not corrected"


@pytest.mark.parametrize(
    ("task", "run", "n"), [("concepts", b"q1\tC0000001\n", 38), ("captions", b"q1\tNodule\n", 34)]
)
def test_published_results_of_2017_in_three_rankings(open_tiny, task, run, n):
    app = bring(open_tiny(PAGE, task=task, edition="2017", published_results="open"), truth=run, DET_PRED=run)
    assert "original test set of 2017" in page_text(app)
    assert "Source: ImageCLEFcaption 2017 task page, results" in page_text(app)
    table = table_with(app, "Resources")
    firsts = table.groupby("Ranking", sort=False)["Team"].first()
    assert (len(table), firsts.tolist()) == (3 + n, ["▶ Your run"] * 3)


def test_every_problem_with_its_line(open_tiny):
    run = b"ID,CUIs\nq1.jpg,C0000001\n\nq2,C0000001;\n"
    app = bring(open_tiny(PAGE, details="open", run="bad.csv"), truth=TRUTH, bad=run, good=GOOD)
    table = table_with(app, "What is wrong")
    assert table[["", "Line"]].values.tolist() == [["Error", "2"], ["Error", "3"], ["Remark", "4"]]
    assert "3 problems. The official script stops at an error" in page_text(app)
    app = linked(app, run="good.csv")
    assert "No problems found" in app.success[0].value
    linked(app, run="gone.csv").run()
    assert "gone\\.csv" in app.warning[0].value


def test_the_images_of_a_run(open_tiny):
    app = bring(open_tiny(PAGE, details="open", part=page.PER_IMAGE), truth=TRUTH, good=GOOD)
    table = table_with(app, "Image").set_index("Image")
    assert table["F1 ↑"].to_dict() == {"q1": pytest.approx(2 / 3), "q2": 1}
    assert table.loc["q1", "True"] == "Computed tomography; Chest"
    assert table.loc["q1", "Predicted"] == "Computed tomography"
