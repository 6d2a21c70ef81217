"""The part Readers: which measure agrees best with readers; people and simulated readers are kept apart."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.evaluate.readers import grades, reader_results
from evalcore.stats.agreement import alpha
from evalcore.study import open_study
from evalcore.study.reader_judgments import FOLDER, SIMULATED, ReaderJudgment, file_lines
from evalcore.values.writing import brief
from tests.ui.conftest import Open, page_text, table_with

PEOPLE = "pages/4_Readers.py?part=review"
GRADES = {
    ("q1", "q2"): (1.0, 0.75),
    ("q1", "q5"): (0.5, 0.5),
    ("q1", "q4"): (0.0, 0.25),
    ("q2", "q1"): (1.0, 1.0),
    ("q2", "q5"): (0.5, 0.25),
    ("q2", "q4"): (0.0, 0.0),
    ("q3", "q4"): (0.5, 0.75),
    ("q3", "q5"): (1.0, 1.0),
    ("q3", "q1"): (0.0, 0.0),
}
"""Of each query and result, by Ann and Bob."""


def judge(study: Path, rows: Iterable[ReaderJudgment], name: str = "one", folder: str = FOLDER) -> Path:
    """The study with a file of judgments of the first two results."""
    (study / folder).mkdir(exist_ok=True, parents=True)
    cells = [(*row[:6], "2", repr(-1.0 if row.value is None else row.value), "", "", "") for row in rows]
    (study / folder / f"{name}.csv").write_text("".join(file_lines(cells)))
    return study


@pytest.fixture
def two_readers() -> tuple[ReaderJudgment, ...]:
    return tuple(
        ReaderJudgment(reader, query, result, "", "", "", 2, values[at])
        for at, reader in enumerate(("ann", "bob"))
        for (query, result), values in GRADES.items()
    )


def titles(app: AppTest) -> str:
    """The titles of all figures."""
    return "\n".join(
        json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in app.get("plotly_chart")
    )


def test_the_headline_and_agreement(open_app: Open, study_folder: Path, two_readers) -> None:
    opened = dict.fromkeys(("between", "differing"), "open")
    app = open_app(PEOPLE, study=judge(study_folder, two_readers), link=opened)
    text, results = page_text(app), reader_results(open_study(study_folder), two_readers)
    best = max(results.measures, key=lambda each: each.within.mean)
    assert f"agrees best with the readers: **{brief(best.within.mean)}**" in text
    known = alpha(grades(two_readers).values, "ordinal")
    assert f"{brief(known)}, where 1 means always" in text
    pairs = table_with(app, "Judged by both")
    assert pairs["Judged by both"].tolist() == [9] and pairs["Readers"].tolist() == ["ann and bob"]
    assert "Where the readers and a measure differ most" in [each.label for each in app.expander]
    assert "Measures against 2 readers" in titles(app)


def test_simulated_readers_move_no_headline(open_app: Open, study_folder: Path, two_readers) -> None:
    alone = open_app(PEOPLE, study=judge(study_folder, two_readers))
    turned = [row._replace(reader=f"S-{row.reader}", value=1 - row.value) for row in two_readers]
    both = open_app(PEOPLE, study=judge(study_folder, turned, folder=SIMULATED))
    assert "agrees best with the readers" in page_text(alone)
    assert page_text(both).startswith(page_text(alone))
    (study_folder / FOLDER / "one.csv").unlink()
    app = open_app(PEOPLE, study=study_folder, simulated_readers="open")
    text = page_text(app)
    assert "No readers yet." in text and "with the simulated readers" in text
    assert "with the readers" not in text


def test_votes_of_a_second_file(open_app: Open, study_folder: Path, two_readers) -> None:
    judge(study_folder, two_readers)
    votes = [
        ReaderJudgment(reader, query, "", "alpha", "beta", "", 0, -1.0)
        for reader in ("ann", "bob")
        for query in ("q1", "q2", "q3", "q4")
    ]
    judge(study_folder, votes, "two")
    app = open_app(PEOPLE, study=study_folder, link={"agreeing": "votes", "how": "open"})
    assert "8 votes for one of two lists" in page_text(app)
    assert len(app.get("plotly_chart")) == 1
    second = open_app(PEOPLE, study=study_folder, link={"task": "two"})
    assert "No measure" not in page_text(second)


def test_whole_lists_compare_systems_and_no_measure(open_app: Open, study_folder: Path) -> None:
    rows = [
        ReaderJudgment(reader, query, "", system, "", "", 2, value + 0.25 * (query == "q1"))
        for reader in ("R1", "R2")
        for query in ("q1", "q2", "q3", "q4")
        for system, value in (("alpha", 0.75), ("beta", 0.25))
    ]
    app = open_app(PEOPLE, study=judge(study_folder, rows), other_readers="open")
    assert "alpha has the highest mean rating" in page_text(app)
    assert "Readers judged whole lists or by criteria here" in page_text(app)
