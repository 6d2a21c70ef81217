"""Satisfaction on the page Readers: what it says first, files kept over a reload, problems, the cleansing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from streamlit.testing.v1 import AppTest

from evalcore.features.satisfaction.agreement import agreement
from evalcore.features.satisfaction.data import cleanse
from evalcore.features.satisfaction.published import from_files
from evalcore.ranking.grid import Reading
from evalcore.study.workspace import kept_files as shelves
from evalcore.values.writing import number
from tests.ui.conftest import HOSTILE, RUNS, said, table_with, write_study

Open = Callable[..., AppTest]
PAGE = "pages/4_Readers.py?part=review"
TAB = {"part": "satisfaction", **dict.fromkeys(("how", "table", "varying"), "open")}


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


def figure(app: AppTest, title: str) -> dict[str, Any]:
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    (found,) = [spec for spec in specs if title in spec["layout"]["title"]["text"]]
    return found


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
    data, _ = from_files(*keep_ten_rows(), names=("r.csv", "s.csv"))
    assert data is not None
    found = agreement(cleanse(data, depth=10), reading=Reading(per_image=True))
    best = found.best
    assert best is not None
    app = open_app(PAGE, **TAB)
    assert not app.exception
    text = said(app)
    assert f"**{best.metric}** (" in text and "agrees best with satisfaction" in text
    assert f"rank correlation **{number(best.spearman)}**" in text
    assert "2,000 resamples of participants" in text
    table = table_with(app, "Context-aware ρ")
    assert table["Original ρ"].tolist() == [
        found.row(one.metric, "original", one.depth).spearman for one in found.differences
    ]
    assert len(app.get("plotly_chart")) == 4


def test_at_first_sight_it_says_what_to_upload(open_app: Open) -> None:
    app = open_app(PAGE, **TAB)
    assert not app.exception and "Upload both files." in said(app) and not app.get("plotly_chart")


def test_windows_are_compared(open_app: Open) -> None:
    keep_ten_rows()
    app = open_app(PAGE, **TAB, windows="open")
    assert not app.exception and "Agreement runs from" in said(app)
    lines = [trace["name"] for trace in figure(app, "Does the window matter?")["data"]]
    assert lines == ["rbp", "original", "log", "original"]


def test_published_values_are_in_the_table(open_app: Open) -> None:
    keep_ten_rows()
    table = table_with(open_app(PAGE, **TAB), "Published, data set 2")
    assert table["Published, data set 2"].tolist()[0] == "0.276 → 0.308 †"


def test_uploads_survive_a_reload_and_can_be_removed(open_app: Open) -> None:
    app = open_app(PAGE, **TAB, ratings="files")
    assert "Upload both files." in said(app) and not app.get("plotly_chart")
    app = upload(upload(app, "relevance", "r.csv", lists()), "satisfaction", "s.csv", ratings())
    assert not app.exception and len(app.get("plotly_chart")) >= 1
    again = open_app(PAGE, **TAB, rows="5")
    assert "12 queries of 2 participants" in said(again)
    (button,) = [one for one in again.button if one.label == "r\\.csv"]
    button.click().run()
    assert set(shelves.kept_files()) == {"satisfaction"}


def test_steps_of_the_cleansing_are_counted_and_can_be_left_out(open_app: Open) -> None:
    shelves.keep_file("relevance", "r.csv", lists(14).encode())
    shelves.keep_file("satisfaction", "s.csv", ratings(12, "q12,c,1", "q13,c,5").encode())
    app = open_app(PAGE, **TAB, rows="5")
    assert "12 queries of 2 participants count. Left out: 1 participants" in said(app)
    assert "2 queries of participants with fewer than three" in said(app)
    app.toggle(key="step_few_on").set_value(False).run()
    assert "14 queries of 3 participants count. Nothing was left out." in said(app)
    assert app.query_params["step_few"] in ("no", ["no"])


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


def test_too_deep_says_what_to_do(open_app: Open) -> None:
    shelves.keep_file("relevance", "r.csv", lists().encode())
    shelves.keep_file("satisfaction", "s.csv", ratings().encode())
    text = said(open_app(PAGE, **TAB, rows="20"))
    assert "No query is left of 12" in text and "Ask for fewer rows than 20" in text


def test_ratings_of_the_open_study(open_app: Open, tmp_path: Path) -> None:
    study = write_study(tmp_path / "tiny", pictures=False)
    rows = [
        f"{q},{'xy'[i % 2]},{1 + i % 3},{s}" for s in RUNS for i, q in enumerate(("q1", "q2", "q3", "q4"))
    ]
    app = open_app(PAGE, study=study, **TAB, ratings="study")
    app = upload(app, "of_study", "mine.csv", "query,user,satisfaction,system\n" + "\n".join(rows))
    assert not app.exception and "over 4 rows" in said(app) and "8 queries of 2 participants" in said(app)
    app = open_app(PAGE, study=study, **TAB, rated_system="alpha", step_few="no", relevance_by="iou")
    assert "4 queries of 2 participants" in said(app)


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
    app = open_app(PAGE, **TAB, reading="Expert", test_of_difference="meng", resample="queries")
    text = said(app)
    assert "Spearman’s ρ **0." in text and "24 queries of 3 participants" in text
    assert "two-sided test of Meng, Rosenthal & Rubin" in text
    assert "resamples of queries" in text and "moderate agreement" not in text
    assert app.selectbox(key="test_of_difference").value == "meng"


def test_the_numbers_are_scipys(open_app: Open) -> None:
    """Mean relevance of five rows of one image against marks from 0 to 1 for each person."""
    shelves.keep_file("relevance", "r.csv", lists().encode())
    shelves.keep_file("satisfaction", "s.csv", ratings().encode())
    table = table_with(open_app(PAGE, **TAB, rows="5", relevance_scale="0:3"), "Original ρ")
    means = [sum((i * k) % 4 for k in range(1, 6)) / 5 for i in range(12)]
    marks = [1 + (i * 3) % 5 for i in range(12)]
    of = {p: [marks[i] for i in range(12) if i % 2 == p] for p in (0, 1)}
    scaled = [(m - min(of[i % 2])) / (max(of[i % 2]) - min(of[i % 2])) for i, m in enumerate(marks)]
    (cg,) = table.loc[table["Measure"] == "CG", "Original ρ"]
    assert cg == pytest.approx(stats.spearmanr(means, scaled).statistic)
