"""The tab Readers, and judgments as the measure of every page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.evaluate.scoring import score
from evalcore.features.review.agreement.ratings import grades
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.read.judgment_files import judgment_lines
from evalcore.features.review.read.task_files import task_text
from evalcore.features.review.reader_study import analysed, readings_of
from evalcore.features.review.readers import reader_results, with_judgments
from evalcore.features.review.tasks import Task
from evalcore.stats.agreement import alpha
from evalcore.study import open_study
from evalcore.values.writing import brief
from tests import simulated_readers as simulated
from tests.ui.conftest import HOSTILE, said, table_with

Open = Callable[..., AppTest]
PEOPLE = "pages/4_Readers.py?part=review"
TASK = Task(name="one", title=HOSTILE[:60], form="graded", systems=("alpha", "beta"), draw=4, depth=2)
LATENT = {
    ("q1", "q2"): 0.9,
    ("q1", "q5"): 0.5,
    ("q1", "q4"): 0.1,
    ("q2", "q1"): 0.9,
    ("q2", "q5"): 0.4,
    ("q2", "q4"): 0.0,
    ("q3", "q4"): 0.6,
    ("q3", "q5"): 1.0,
    ("q3", "q1"): 0.0,
}


def judge(folder: Path, judgments: tuple[Judgment, ...], task: Task = TASK) -> Path:
    (folder / "review").mkdir(exist_ok=True)
    (folder / "review" / f"{task.name}.toml").write_text(task_text(task))
    lines = "".join(judgment_lines(judgments))
    (folder / "review" / f"{task.name}.judgments.csv").write_text(lines)
    return folder


@pytest.fixture
def said_by_two() -> tuple[Judgment, ...]:
    return simulated.grades(LATENT, task="one", readers=["ann", "bob"], noise=0.2, seed=4)


def titles(app: AppTest) -> str:
    """The titles of all figures."""
    return "\n".join(
        json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in app.get("plotly_chart")
    )


def test_nothing_judged_yet_leads_to_the_page_review(open_app: Open, study_folder: Path) -> None:
    app = open_app(PEOPLE, study=study_folder)
    assert not app.exception and "Nothing has been judged" in said(app)


def test_the_headline_agreement_and_coverage(open_app: Open, study_folder: Path, said_by_two) -> None:
    opened = dict.fromkeys(("between", "covered", "differing"), "open")
    app = open_app(PEOPLE, study=judge(study_folder, said_by_two), link=opened)
    assert not app.exception
    told, found = said(app), reader_results(open_study(study_folder), said_by_two, k=2)
    best = max(found.measures, key=lambda one: one.within.mean)
    assert f"agrees best with the simulated readers: **{brief(best.within.mean)}**" in told
    assert "**Simulated judgments.**" in told
    known = alpha(grades(said_by_two).values, "ordinal")
    assert f"{brief(known)}, where 1 means always" in told
    pairs = table_with(app, "Judged by both")
    assert pairs["Judged by both"].tolist() == [9] and pairs["Readers"].tolist() == ["ann and bob"]
    judged = table_with(app, "Not judged")
    # alpha: q2 q5, q1 q5, q4 q5 of q1, q2, q3; beta: q4 q3, q4 q3, q1 q2.
    assert judged["Judged"].tolist() == [6, 3] and judged["Not judged"].tolist() == [0, 3]
    assert "Where the simulated readers and a measure differ most" in [one.label for one in app.expander]
    assert "Measures against 2 simulated readers" in titles(app)


def test_real_readers_are_not_called_simulated(open_app: Open, study_folder: Path) -> None:
    from dataclasses import replace

    own = simulated.grades(LATENT, task="one", readers=["ann"], seed=1)
    other = simulated.grades(LATENT, task="one", readers=["bob"], seed=2)
    judge(study_folder, (*(replace(one, simulated=False) for one in own), *other))
    app = open_app(PEOPLE, study=study_folder, reading="Expert", between="open")
    told = said(app)
    assert "Measures against 2 readers" in titles(app)
    assert "**Partly simulated.** bob is simulated" in told and "the simulated readers" not in told
    assert "Kendall’s τ-b within queries" in told and "Krippendorff’s α (ordinal)" in told


def test_votes_of_a_second_task(open_app: Open, study_folder: Path, said_by_two) -> None:
    judge(study_folder, said_by_two)
    lists = Task(name="two", title="Lists", form="preference", systems=("alpha", "beta"), draw=4, depth=2)
    apart = {(query, "alpha", "beta"): (0.9, 0.1) for query in ("q1", "q2", "q3", "q4")}
    judge(study_folder, simulated.votes(apart, task="two", readers=["ann", "bob"], noise=0.01), lists)
    app = open_app(PEOPLE, study=study_folder, link={"agreeing": "votes", "how": "open"})
    assert not app.exception and "8 votes for one of two lists" in said(app)
    assert len(app.get("plotly_chart")) == 1
    one = open_app(PEOPLE, study=study_folder, link={"task": "two"})
    assert not one.exception and "No measure" not in said(one)


def test_judgments_are_a_measure_on_every_page(open_app: Open, study_folder: Path, said_by_two) -> None:
    judge(study_folder, said_by_two)
    app = open_app(study=study_folder, reading="Expert", link={"metric": "nDCG(judged)@2"})
    assert not app.exception
    study = with_judgments(open_study(study_folder), said_by_two)
    expected = [
        float(np.nanmean(score(study, metrics=["nDCG(judged)@2"], systems=[name])[0].values))
        for name in ("alpha", "beta")
    ]
    assert table_with(app, "Score ↑")["Score ↑"].tolist() == pytest.approx(sorted(expected, reverse=True))
    assert "All of them are **simulated**" in said(app)
    for page in ("app.py", "pages/1_Queries.py?q=q1", "pages/1_Queries.py?q=q1"):
        other = open_app(page, study=study_folder, link={"metric": "bpref(judged)"})
        assert not other.exception and other.text_input(key="metric").value == "bpref(judged)"


def test_without_judgments_the_measure_is_refused_in_words(open_app: Open, study_folder: Path) -> None:
    app = open_app(study=study_folder, link={"metric": "nDCG(judged)@2"})
    assert not app.exception and "No results of this study have been judged" in said(app)


def test_systems_for_other_readers_and_a_plan(open_app: Open, study_folder: Path) -> None:
    latent = LATENT | {("q1", "q3"): 0.3, ("q2", "q3"): 0.5, ("q3", "q2"): 0.2}
    said_by_two = simulated.grades(latent, task="one", readers=["ann", "bob"], noise=0.2, seed=4)
    folder = judge(study_folder, said_by_two)
    app = open_app(PEOPLE, study=folder, link={"other_readers": "open"})
    assert not app.exception
    judged = analysed(readings_of(open_study(folder), said_by_two, k=2, systems=TASK.systems))
    pairs = table_with(app, "Other readers and queries")
    assert pairs["Difference"].tolist() == [one.of.value for one in judged.study.differences]
    readers = table_with(app, "Reader")
    assert readers["Reader"].tolist() == ["ann", "bob", "all"]
    assert readers["alpha"].tolist()[-1] == judged.study.rows[0].of.value
    assert "How large must the next study be?" in said(app) and "Width of the interval" in titles(app)
    assert table_with(app, "Queries, all read all")["Readers"].tolist()[0] == 3
