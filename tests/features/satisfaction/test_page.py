"""Satisfaction on the page Readers: what it says first, files kept over a reload, problems, the cleansing."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.satisfaction.agreement import Choices, Evaluation, best_of
from evalcore.features.satisfaction.data import cleanse, read_study
from evalcore.study.workspace import kept_files as shelves
from evalcore.values.writing import number
from tests.ui.conftest import HOSTILE, said, table_with

Open = Callable[..., AppTest]
PAGE = "pages/4_Readers.py?part=review"
TAB = {"part": "satisfaction", **dict.fromkeys(("table", "varying", "by_query"), "open")}


def upload(app: AppTest, part: str, name: str, data: str) -> AppTest:
    (widget,) = [one for one in app.file_uploader if re.fullmatch(rf"upload-{part}(-\d+)?", str(one.key))]
    widget.set_value((name, data.encode(), "text/csv"))
    return app.run()


def lists(n: int = 12, *more: str) -> str:
    """Queries q0, q1 and so on of five images each, one a row, some of them better than others."""
    rows = [f"q{i},{k},{k},{(i * k) % 4}" for i in range(n) for k in range(1, 6)]
    return "\n".join(["query,position,row,relevance", *rows, *more]) + "\n"


def ratings(n: int = 12, *more: str) -> str:
    rows = [f"q{i},{'ab'[i % 2]},{1 + (i * 3) % 5}" for i in range(n)]
    return "\n".join(["query,user,satisfaction", *rows, *more]) + "\n"


def keep_ten_rows(n: int = 24) -> tuple[bytes, bytes]:
    """Files of ten rows of one image, whose marks follow the best of them, in the workspace."""
    shown = [f"q{i:02d},{k},{k},{(i * k) % 7}" for i in range(n) for k in range(1, 11)]
    best = [max((i * k) % 7 for k in range(1, 11)) for i in range(n)]
    mean = [sum((i * k) % 7 for k in range(1, 11)) for i in range(n)]
    rated = [f"q{i:02d},{'abc'[i % 3]},{mean[i] + best[i] + i % 5}" for i in range(n)]
    files = (
        "\n".join(["query,position,row,relevance", *shown]).encode(),
        "\n".join(["query,user,satisfaction", *rated]).encode(),
    )
    shelves.keep_file("relevance", "r.csv", files[0])
    shelves.keep_file("satisfaction", "s.csv", files[1])
    return files


def test_the_answer_first_then_every_figure_and_the_table(open_app: Open) -> None:
    data, _ = read_study(*keep_ten_rows(), names=("r.csv", "s.csv"))
    assert data is not None
    evaluation = Evaluation(data, cleanse(data, depth=10), Choices())
    _, metric, _, rho = best_of(evaluation.differences) or pytest.fail("no agreement")
    app = open_app(PAGE, **TAB, windows="open")
    assert not app.exception
    text = said(app)
    assert f"**{metric}** (" in text and "agrees best with satisfaction" in text
    assert f"rank correlation **{number(rho.value)}**" in text
    assert "2,000 resamples of participants" in text and "Agreement runs from" in text
    table = table_with(app, "p (original)")
    assert table["Original ρ"].tolist()[-12:] == [d.original.value for d in evaluation.differences]
    assert table_with(app, "Published, data set 2")["Published, data set 2"].tolist()[0] == "0.276 → 0.308†"
    assert len(app.get("plotly_chart")) == 5


def test_uploads_survive_a_reload_and_can_be_removed(open_app: Open) -> None:
    app = open_app(PAGE, **TAB)
    assert "Upload both files." in said(app) and not app.get("plotly_chart")
    app = upload(upload(app, "relevance", "r.csv", lists()), "satisfaction", "s.csv", ratings())
    assert not app.exception and len(app.get("plotly_chart")) >= 1
    again = open_app(PAGE, **TAB, rows="5")
    assert "12 queries of 2 participants" in said(again)
    (button,) = [one for one in again.button if one.label == "r\\.csv"]
    button.click().run()
    assert set(shelves.kept_files()) == {"satisfaction"}


def test_what_the_cleansing_leaves_out_is_counted(open_app: Open) -> None:
    shelves.keep_file("relevance", "r.csv", lists(14).encode())
    shelves.keep_file("satisfaction", "s.csv", ratings(12, "q12,c,1", "q13,c,5").encode())
    app = open_app(PAGE, **TAB, rows="5", sizes="open")
    assert "12 queries of 2 participants count. Left out: 1 participants" in said(app)
    assert "2 queries of participants with fewer than three" in said(app)
    assert table_with(app, "Queries that count")["Queries"].tolist() == [14]
    assert "Count fewer rows than 20" in said(open_app(PAGE, **TAB, rows="20"))


def test_every_problem_with_its_line_and_the_rest_is_used(open_app: Open) -> None:
    shelves.keep_file("relevance", f"{HOSTILE[:20]}.csv", lists(13, "q99,1,1,bad", "q98,2,1,3").encode())
    shelves.keep_file("satisfaction", "s.csv", ratings(12, "nobody,a,1", "q12,a,nan").encode())
    app = open_app(PAGE, **TAB, rows="5")
    table = table_with(app, "What to do")
    assert table["Line"].tolist() == ["67", "68", "15", "14"] and not app.exception
    assert "4 problems in the files. The rows concerned are left out." in said(app)
    assert "12 queries of 2 participants" in said(app)


@pytest.mark.parametrize("broken", ["", "\0\0", "a,b\n1,2\n", "query,user,satisfaction\n"])
def test_a_file_that_cannot_be_used_takes_nothing_with_it(open_app: Open, broken: str) -> None:
    shelves.keep_file("relevance", "r.csv", lists().encode())
    shelves.keep_file("satisfaction", "s.csv", broken.encode())
    app = open_app(PAGE, **TAB)
    assert not app.exception and "Nothing can be used." in said(app) and not app.get("plotly_chart")
    assert table_with(app, "What to do")["File"].tolist() == ["s\\.csv"]
    assert "s\\.csv" in [one.label for one in app.button]


def test_chance_is_called_chance(open_app: Open) -> None:
    """Marks that know nothing of the lists: the highest of many correlations is no agreement."""
    marks = [f"q{i},{'abcd'[i % 4]},{(i * i * 7) % 5}" for i in range(40)]
    shelves.keep_file("relevance", "r.csv", lists(40).encode())
    shelves.keep_file("satisfaction", "s.csv", "\n".join(["query,user,satisfaction", *marks]).encode())
    text = said(open_app(PAGE, **TAB))
    assert "**No measure clearly agrees with satisfaction here**: the highest of 12 correlations" in text
    assert "which includes 0; 40 queries of 4 participants" in text


def test_expert_words_and_choices(open_app: Open) -> None:
    keep_ten_rows()
    app = open_app(PAGE, **TAB, reading="Expert", window="3")
    text = said(app)
    assert "Spearman’s ρ **0." in text and "24 queries of 3 participants" in text
    assert "two-sided test of Williams" in text and "Window of 3 images" in text
    assert "moderate agreement" not in text
