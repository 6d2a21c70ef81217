"""The runs compared on the challenge page: the finding, the table, the figure, published results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.features.imageclef.page import files, results
from evalcore.features.imageclef.results import Board, Result
from evalcore.features.imageclef.results import board as computed
from evalcore.features.imageclef.tables import YOURS
from evalcore.values.writing import in_table, number, p_value, span
from tests.features.imageclef.page.app import (
    GOOD,
    HALF,
    PAGE,
    TRUTH,
    board,
    bring,
    given,
    linked,
    opened,
    settled,
    text,
    use_as,
)
from tests.features.imageclef.scored import concepts
from tests.ui.conftest import said, table_with

Open = Callable[..., AppTest]
BAD = GOOD + b"\nq9,\n"


def test_the_best_official_score_and_the_refused_runs_are_named(open_app: Open, study_folder: Path) -> None:
    app = given(
        open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "half.csv": HALF, "bad.csv": BAD}
    )
    assert not app.exception
    assert f"**good.csv** scores **{number((2 / 3 + 1) / 2, digits=4)}** over 2 images" in text(said(app))
    assert "would refuse **bad.csv**; it has no official score" in text(said(app))
    assert board(app)["Official script"].tolist() == ["accepts", "accepts", "refuses"]


def test_every_number_is_that_of_evalcore(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "half.csv": HALF})
    table = board(app)
    values = {"good.csv": np.array([2 / 3, 1]), "half.csv": np.array([0.0, 1])}
    scored = concepts("2025", TRUTH, {"good.csv": GOOD, "half.csv": HALF})
    found = computed(scored.results, baseline="good.csv")
    (against,) = found.compared
    for name, mean in found.intervals.items():
        assert table["Score ↑"][name] == pytest.approx(values[name].mean())
        assert table["95% interval (F1)"][name] == span(mean.low, mean.high, places=4)
    assert table["Difference"]["half.csv"] == pytest.approx(-1 / 3)
    own = in_table(against.low, against.high, places=4)
    assert table["Interval of the difference"]["half.csv"] == own
    assert np.isnan(table["Difference"]["good.csv"])
    assert list(table)[2:5] == ["95% interval (F1)", "Difference", "Interval of the difference"]
    assert "p (Holm)" not in table
    expert = board(linked(app, reading="Expert"))
    assert expert["p (Holm)"]["half.csv"] == p_value(against.p_corrected)


def test_another_baseline(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "half.csv": HALF})
    app.selectbox(key=files.AGAINST).set_value("half.csv").run()
    table = board(settled(app))
    assert table["Difference"]["good.csv"] == pytest.approx(1 / 3)
    assert np.isnan(table["Difference"]["half.csv"])
    assert "half.csv, image by image" in text(said(app))


DETAILS = {"p (Holm)", "Images", "Ignored", "nn-F1 ↑", "Precision ↑", "Recall ↑", "Micro F1 ↑", "Macro F1 ↑"}


def test_details_are_for_researchers(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "half.csv": HALF})
    shown = board(app)
    technical = board(linked(app, reading="Expert"))
    assert set(technical) - set(shown) == DETAILS
    # good.csv: all of its 2 predictions are right; q1 has 1 of 2, q2 1 of 1; C1 is right, C3 missed.
    row = technical.loc["good.csv"]
    assert row["Precision ↑"] == 1 and row["Recall ↑"] == pytest.approx(3 / 4)
    assert row["Micro F1 ↑"] == pytest.approx(4 / 5) and row["Macro F1 ↑"] == pytest.approx(1 / 2)


def test_one_run_alone_has_nothing_to_be_compared_with(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD})
    assert not {"Difference", "p (Holm)"} & set(board(app).columns)
    assert not any(one.key == files.AGAINST for one in app.selectbox)


def test_the_figure_speaks_of_runs_and_images(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "bad.csv": GOOD})
    spec = str([figure.proto.spec for figure in app.get("plotly_chart")])
    assert "F1 by run" in spec and "Mean over the images" in spec and "n = 2 images" in spec
    assert not any(word in spec for word in ("by system", "queries", " query"))
    assert "average score of a run" in said(app) and "queries" not in results.HOW_TO_READ.technical


@pytest.mark.parametrize(
    ("task", "run", "n"), [("concepts", b"q1\tC0000001\n", 38), ("captions", b"q1\tNodule\n", 34)]
)
def test_published_results_of_2017_in_three_rankings(
    open_app: Open, study_folder: Path, task: str, run: bytes, n: int
) -> None:
    app = open_app(PAGE, study=study_folder, task=task, edition="2017")
    app = opened(given(app, run, {"DET_PRED": run}), files.PUBLISHED)
    assert f"**DET_PRED** is better than all {n} published results." in text(said(app))
    assert "original test set of 2017" in said(app)
    assert "Source: ImageCLEFcaption 2017 task page, results" in said(app)
    table = table_with(app, "Resources")
    firsts = table.groupby("Ranking", sort=False)["Team"].first()
    assert (len(table), firsts.tolist()) == (3 + n, [YOURS] * 3)


def test_published_results_of_a_file(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, edition="2017")
    app = given(app, b"q1\tC0000001\n", {"DET_PRED": b"q1\tC0000001\n"})
    opened(bring(app, [("t.csv", b"team,run,score\nA,one,0.5\n")]), files.PUBLISHED)
    assert table_with(app, "Resources")["Team"].tolist() == [YOURS, "A"]
    assert "**DET_PRED** is better than the 1 published result." in text(said(app))
    assert "test set of 2017" not in said(app)
    bring(app, [("t.csv", b"team,run,score,source\nA,one,1.5,there\nB,two,0.5,here\n")])
    assert "**DET_PRED**: 1 of 2 published results is as good or better." in text(said(app))
    assert table_with(app, "Resources")["Source"].tolist() == ["there", "scored here", "here"]
    use_as(bring(app, [("t.csv", b"nothing")]), "t.csv", "published")
    assert not app.exception
    assert any("t.csv cannot be used" in text(one.value) for one in app.error)


def test_runs_are_compared_once_for_each_baseline(
    open_app: Open, study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    baselines = []

    def counted(runs: Sequence[Result[Any]], *, baseline: str | None) -> Board:
        baselines.append(baseline)
        return computed(runs, baseline=baseline)

    monkeypatch.setattr(results, "board", counted)
    own = GOOD.replace(b"C0000001", b"C0000007")
    app = opened(given(open_app(PAGE, study=study_folder), TRUTH, {"one.csv": own, "two.csv": GOOD}))
    app.selectbox(key=files.RUN).set_value("two.csv").run()
    assert baselines == ["one.csv"]
    app.selectbox(key=files.AGAINST).set_value("two.csv").run()
    app.selectbox(key=files.AGAINST).set_value("one.csv").run()
    assert baselines == ["one.csv", "two.csv"]


def test_a_refused_run_has_no_official_score_and_is_not_drawn(open_app: Open, study_folder: Path) -> None:
    app = given(open_app(PAGE, study=study_folder), TRUTH, {"good.csv": GOOD, "bad.csv": BAD})
    table = board(app)
    assert table["Score ↑"].isna().to_dict() == {"good.csv": False, "bad.csv": True}
    assert table["Unofficial ↑"]["bad.csv"] == table["Score ↑"]["good.csv"]
    assert "Not drawn, as they have no official score: bad.csv" in text(said(app))
    charts = [figure.proto.spec for figure in app.get("plotly_chart")]
    (drawn,) = [spec for spec in charts if "by run" in spec]
    assert "good.csv" in drawn and "bad.csv" not in drawn
