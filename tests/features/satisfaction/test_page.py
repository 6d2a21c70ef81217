"""Satisfaction on the page Readers: what it says first, files kept over a reload, problems, the cleansing."""

from __future__ import annotations

import csv
import re

import pytest

from evalcore.cli import run
from evalcore.features.satisfaction.agreement import Choices, Evaluation, best_of
from evalcore.features.satisfaction.data import cleanse, read_study
from evalcore.study.workspace import kept_files as shelves
from evalcore.values.writing import number
from tests.study.made import write
from tests.ui.conftest import button, page_text, table_with

PAGE = "pages/4_Readers.py?part=review"
TAB = {"part": "satisfaction", **dict.fromkeys(("table_3", "table_2", "figure_3"), "open")}


def upload(app, part, name, data):
    (widget,) = [box for box in app.file_uploader if re.fullmatch(rf"upload-{part}(-\d+)?", str(box.key))]
    widget.set_value((name, data.encode(), "text/csv"))
    return app.run()


def lists(n=12, *more, rows=5):
    """Queries q0, q1 and so on, one image a row, some of them better than others."""
    shown = [f"q{i},{k},{k},{(i * k) % 7}" for i in range(n) for k in range(1, rows + 1)]
    return "\n".join(["query,position,row,relevance", *shown, *more]) + "\n"


def ratings(n=12, *more, marks=lambda i: 1 + (i * 3) % 5):
    rated = [f"q{i},{'abc'[i % 3]},{marks(i)}" for i in range(n)]
    return "\n".join(["query,user,satisfaction", *rated, *more]) + "\n"


def keep(shown, rated):
    """Both files in the workspace."""
    shelves.keep_file("relevance", "r.csv", shown.encode())
    shelves.keep_file("satisfaction", "s.csv", rated.encode())
    return shown.encode(), rated.encode()


def keep_ten_rows():
    """Ten rows, and marks that follow the mean and the best of them."""
    values = [[(i * k) % 7 for k in range(1, 11)] for i in range(24)]
    return keep(lists(24, rows=10), ratings(24, marks=lambda i: sum(values[i]) + max(values[i]) + i % 5))


def test_the_answer_first_then_every_figure_and_the_table(open_app):
    data, _ = read_study(*keep_ten_rows(), names=("r.csv", "s.csv"))
    assert data is not None
    evaluation = Evaluation(data, cleanse(data, depth=10), Choices())
    _, metric, _, rho = best_of(evaluation.differences) or pytest.fail("no agreement")
    app = open_app(PAGE, **TAB, windows="open")
    text = page_text(app)
    assert f"**{metric}** (" in text and "agrees best with satisfaction" in text
    assert f"rank correlation **{number(rho.value)}**" in text
    assert "2,000 resamples of participants" in text and "Agreement runs from" in text
    table = table_with(app, "p (original)")
    assert table["Original ρ"].tolist()[-12:] == [d.original.value for d in evaluation.differences]
    assert table_with(app, "Published, data set 2")["Published, data set 2"].tolist()[0] == "0.276 → 0.308†"
    assert len(app.get("plotly_chart")) == 5


def test_uploads_survive_a_reload_and_can_be_removed(open_app):
    app = open_app(PAGE, **TAB)
    assert "Upload both files." in page_text(app) and not app.get("plotly_chart")
    app = upload(upload(app, "relevance", "r.csv", lists()), "satisfaction", "s.csv", ratings())
    assert not app.exception and len(app.get("plotly_chart")) >= 1
    again = open_app(PAGE, **TAB, rows="5")
    assert "12 queries of 3 participants" in page_text(again)
    button(again, "r\\.csv").click().run()
    assert set(shelves.kept_files()) == {"satisfaction"}


def test_problems_and_what_the_cleansing_leaves_out(open_app):
    keep(lists(14, "q99,1,1,bad", "q98,2,1,3"), ratings(12, "nobody,a,1", "q12,d,nan", "q12,d,1", "q13,d,5"))
    app = open_app(PAGE, **TAB, rows="5", table_1="open")
    assert table_with(app, "What to do")["Line"].tolist() == ["72", "73", "15", "14"] and not app.exception
    text = page_text(app)
    assert "4 problems in the files. The rows concerned are left out." in text
    assert "12 queries of 3 participants. Left out:" in text and "fewer than three queries (1)" in text
    assert "queries of participants with fewer than three (2)" in text
    assert table_with(app, "Queries that count")["Queries"].tolist() == [14]
    assert "Count fewer rows than 20" in page_text(open_app(PAGE, **TAB, rows="20"))


@pytest.mark.parametrize("broken", ["", "\0\0", "a,b\n1,2\n", "query,user,satisfaction\n"])
def test_a_file_that_cannot_be_used_takes_nothing_with_it(open_app, broken):
    keep(lists(), broken)
    app = open_app(PAGE, **TAB)
    assert "Nothing can be used." in page_text(app) and not app.get("plotly_chart")
    assert table_with(app, "What to do")["File"].tolist() == ["s\\.csv"]


def test_chance_is_called_chance(open_app):
    """Marks that know nothing of the lists: the highest of many correlations is no agreement."""
    keep(lists(40), ratings(40, marks=lambda i: (i * i * 7) % 5))
    text = page_text(open_app(PAGE, **TAB))
    assert "**No measure clearly agrees with satisfaction here**: the highest of 12 correlations" in text
    assert "which includes 0; 40 queries of 3 participants" in text


def test_expert_words_and_choices(open_app):
    keep_ten_rows()
    app = open_app(PAGE, **TAB, reading="Expert", window="3")
    text = page_text(app)
    assert "Spearman’s ρ **0." in text and "24 queries of 3 participants" in text
    assert "two-sided test of Williams" in text and "Window of 3 images" in text
    assert "moderate agreement" not in text


# ``satisfaction``: what is printed and refused, and the tables and figures of the paper as files.


@pytest.fixture
def call(capsys, tmp_path):
    """The command on three people with eight queries each."""
    write(tmp_path, {"r.csv": lists(24, rows=3), "s.csv": ratings(24)})
    files = ["--lists", f"{tmp_path}/r.csv", "--satisfaction", f"{tmp_path}/s.csv"]

    def call(*words):
        code = run(["satisfaction", *files, "--rows", "1,2", "--resamples", "20", *words])
        return code, *capsys.readouterr()

    return call


@pytest.mark.nightly
def test_figures_are_drawn_for_print(call, tmp_path):
    assert call("--windows", "1:3", "--paper", f"{tmp_path}")[0] == 0
    drawn = {path.stem: path.read_text() for path in tmp_path.glob("*.svg")}
    assert set(drawn) == {"figure-3a", "figure-3b", "table-2", "table-3", "windows"}
    assert all(text.startswith("<svg") for text in drawn.values())


def test_tables_of_the_paper_without_a_browser(call, tmp_path, monkeypatch):
    monkeypatch.setenv("BROWSER_PATH", "no-browser")
    code, _, err = call("--paper", f"{tmp_path / 'paper'}")
    assert code == 0 and "Wrote 4 tables and 0 figures" in err and "BROWSER_PATH" in err
    files = (tmp_path / "paper").iterdir()
    tables = {path.stem: list(csv.DictReader(path.read_text().splitlines())) for path in files}
    lengths = {"table-1": 1, "table-2": 24, "table-3": 12, "figure-3": 24}
    assert {name: len(rows) for name, rows in tables.items()} == lengths
    assert tables["table-1"][0]["n_judgments"] == "72" and tables["table-3"][0]["original_p"]


def test_what_is_printed(call):
    code, out, _ = call("--seed", "7", "--windows", "1:3")
    assert code == 0
    for words in (
        "24 queries of 3 participants",
        "20 resamples of participants, each with all of their queries, seed 7",
        "two-sided test of Williams",
        "Shao et al. 2019",
        "* p < .05 for no correlation",
        "Agreement runs from",
        "Intervals from fewer than 20 participants are too narrow",
    ):
        assert words in out
